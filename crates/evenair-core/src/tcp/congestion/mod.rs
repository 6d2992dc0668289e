//! Congestion control: how the window grows with acknowledgements and shrinks with losses.
//!
//! Detecting losses and repairing them is the sender's work, the same for all; a congestion
//! control holds only what is its own. There is one method per signal, because variants differ in
//! which of them they listen to (Westwood counts duplicate ACKs, Vegas does not), and because a
//! method that stands for several signals is how windows go wrong. To add one: a file here with its
//! `PART`, and a line in `controls!` below.

mod newreno;

pub use newreno::NewReno;

use crate::parts::{Choice, Part};
use crate::time::{Span, Time};

/// The congestion window, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: f64,
    /// The slow-start threshold.
    pub ssthresh: f64,
}

/// What the sender knows when a signal comes.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// The moment.
    pub now: Time,
    /// Segments newly acknowledged (0 with a duplicate ACK).
    pub acked: f64,
    /// By how many segments the window may count this ACK: 1, or `acked` with byte counting.
    pub credit: f64,
    /// Segments that were outstanding before the signal (RFC 5681: FlightSize), without those sent
    /// by limited transmit.
    pub flight: f64,
    /// The round-trip time of the last segment that this ACK acknowledges, if it was sent once.
    pub rtt: Option<Span>,
    /// The first byte that had not been acknowledged before the signal.
    pub una: u64,
    /// The next byte to be sent: what is below it was sent in this round or before.
    pub next: u64,
}

/// A congestion control.
pub trait CongestionControl {
    /// New data was acknowledged outside of recovery.
    fn on_ack(&mut self, window: &mut Window, signal: &Signal);

    /// A duplicate ACK came.
    fn on_duplicate_ack(&mut self, _window: &mut Window, _signal: &Signal) {}

    /// A loss is confirmed by duplicate ACKs: set `ssthresh`, and `cwnd` to what it shall be during
    /// and after recovery.
    fn on_loss(&mut self, window: &mut Window, signal: &Signal);

    /// New data was acknowledged during recovery, but not all that was outstanding at its start.
    fn on_partial_ack(&mut self, _window: &mut Window, _signal: &Signal) {}

    /// Recovery is over: all that was outstanding at its start has been acknowledged.
    fn on_recovered(&mut self, _window: &mut Window, _signal: &Signal) {}

    /// The retransmission timer expired; `first` tells that the segment had not timed out before.
    fn on_timeout(&mut self, window: &mut Window, signal: &Signal, first: bool);

    /// The network marked a packet instead of dropping it (RFC 3168): once per window at most.
    fn on_congestion_mark(&mut self, window: &mut Window, signal: &Signal) {
        self.on_loss(window, signal);
    }
}

/// Slow start and congestion avoidance of RFC 5681 section 3.1, for those who build on them: each
/// segment of credit adds 1 below ssthresh, and 1/cwnd above it.
pub fn grow(window: &mut Window, credit: f64) {
    let slow_start = credit.min((window.ssthresh - window.cwnd).ceil().max(0.0));
    window.cwnd += slow_start;
    window.cwnd += (credit - slow_start) / window.cwnd;
}

/// Makes the enum, its dispatch and the registry from the list of congestion controls.
macro_rules! controls {
    ($($type:ident in $module:ident,)+) => {
        /// Every congestion control, by the name that scenarios use for a flow's transport.
        pub static REGISTRY: &[&Part] = &[$(&$module::PART),+];

        /// One of the congestion controls. The set is closed, so an ACK costs no virtual call.
        #[derive(Clone, Debug)]
        pub enum Algorithm {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
        }

        impl Algorithm {
            /// The chosen congestion control, before anything has been sent.
            ///
            /// # Panics
            /// If the choice is not from [`REGISTRY`].
            pub fn new(choice: &Choice) -> Self {
                match choice.name() {
                    $(name if name == $module::PART.name => Self::$type($type::new(choice)),)+
                    other => panic!("no congestion control is called {other}"),
                }
            }
        }

        impl CongestionControl for Algorithm {
            fn on_ack(&mut self, window: &mut Window, signal: &Signal) {
                match self { $(Self::$type(cc) => cc.on_ack(window, signal),)+ }
            }

            fn on_duplicate_ack(&mut self, window: &mut Window, signal: &Signal) {
                match self { $(Self::$type(cc) => cc.on_duplicate_ack(window, signal),)+ }
            }

            fn on_loss(&mut self, window: &mut Window, signal: &Signal) {
                match self { $(Self::$type(cc) => cc.on_loss(window, signal),)+ }
            }

            fn on_partial_ack(&mut self, window: &mut Window, signal: &Signal) {
                match self { $(Self::$type(cc) => cc.on_partial_ack(window, signal),)+ }
            }

            fn on_recovered(&mut self, window: &mut Window, signal: &Signal) {
                match self { $(Self::$type(cc) => cc.on_recovered(window, signal),)+ }
            }

            fn on_timeout(&mut self, window: &mut Window, signal: &Signal, first: bool) {
                match self { $(Self::$type(cc) => cc.on_timeout(window, signal, first),)+ }
            }

            fn on_congestion_mark(&mut self, window: &mut Window, signal: &Signal) {
                match self { $(Self::$type(cc) => cc.on_congestion_mark(window, signal),)+ }
            }
        }
    };
}

controls! {
    NewReno in newreno,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registered_control_can_be_made() {
        for part in REGISTRY {
            let _ = Algorithm::new(&Choice::new(part));
        }
    }

    /// RFC 5681 section 3.1 by hand: 8 -> 10 in slow start, then 1/10 and no more.
    #[test]
    fn growth_crosses_the_threshold_within_one_ack() {
        let mut window = Window { cwnd: 8.0, ssthresh: 10.0 };
        grow(&mut window, 3.0);
        assert_eq!(window.cwnd, 10.1);
        grow(&mut window, 1.0);
        assert_eq!(window.cwnd, 10.1 + 1.0 / 10.1);
    }
}
