//! What ends the first slow start before the queue overflows: HyStart++ (RFC 9406), or the HyStart of Linux's CUBIC.

mod classic;
mod config;
mod plus_plus;

use self::classic::ClassicHyStart;
pub use self::config::{Form, HyStartConfig};
use self::plus_plus::HyStartPlusPlus;
use super::{AckEvent, Window, slow_start};

/// The slow start of a control.
#[derive(Clone, Copy, Debug)]
pub enum HyStart {
    /// The first slow start is over, or is not to be watched.
    Over,
    /// RFC 9406.
    PlusPlus(HyStartPlusPlus),
    /// Linux.
    Classic(ClassicHyStart),
}

impl HyStart {
    /// Before anything has been sent.
    pub fn new(config: &HyStartConfig) -> Self {
        match config.hystart {
            Form::Off => Self::Over,
            Form::PlusPlus => Self::PlusPlus(HyStartPlusPlus::default()),
            Form::Linux => Self::Classic(ClassicHyStart::new(config)),
        }
    }

    /// A loss was found: there will be no other first slow start.
    pub fn stop(&mut self) {
        *self = Self::Over;
    }

    /// Takes an ACK of new data: the window's growth in slow start, whichever it is. What is left of
    /// the credit once ssthresh is reached.
    pub fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) -> f64 {
        if window.cwnd >= window.ssthresh {
            self.stop();
        }
        match self {
            Self::Over => slow_start(window, signal.credit),
            Self::PlusPlus(hystart) => hystart.on_ack(window, signal),
            Self::Classic(hystart) => hystart.on_ack(window, signal),
        }
    }
}
