//! Channels: which rates the frames of a link may have to be received.
//!
//! The channel of a link gives the probability that a frame is received, by its rate and size. It
//! corrupts the frames of both directions, control frames included. It adds to the loss model of the
//! link, which it does not replace. To add a channel, add a file and a line in `channels!` below.

mod distance;
pub mod error_rate;
mod schedule;
mod snr;
#[cfg(test)]
mod tests;

pub use distance::{Distance, DistanceConfig};
pub use schedule::{Schedule, ScheduleConfig};
pub use snr::{Snr, SnrConfig};

use super::phy::Phy;
use crate::component::registry;
use crate::medium::{PhyMode, PhyModes, Transmission};
use crate::rng::RngStream;
use crate::time::Instant;

/// Generates the registry of all channels, and an enum that dispatches to them.
macro_rules! channels {
    ($($type:ident($config:ident),)+) => {
        registry! {
            /// The configuration of a channel.
            pub enum Config {
                $($type($config),)+
            }
            kind "channel", noun "channel", schema "Channel", planned &[]
        }

        /// Any of the channels.
        #[derive(Clone, Debug)]
        pub enum Model {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
        }

        impl Model {
            /// The configured channel, in a cell of `phy` with these modes.
            pub fn new(config: &Config, phy: &Phy, modes: &PhyModes) -> Self {
                match config {
                    $(Config::$type(config) => Self::$type($type::new(config, phy, modes)),)+
                }
            }

            /// The probability that a frame of `bytes` in `mode`, which ends at `at` and meets no
            /// other, is received.
            pub fn success(&self, at: Instant, mode: PhyMode, bytes: u32) -> f64 {
                match self { $(Self::$type(model) => model.success(at, mode, bytes),)+ }
            }
        }
    };
}

channels! {
    Schedule(ScheduleConfig),
    Snr(SnrConfig),
    Distance(DistanceConfig),
}

/// The channel of one link.
#[derive(Clone, Debug)]
pub struct Channel {
    model: Model,
    stream: RngStream,
}

impl Channel {
    /// The configured channel, in a cell of `phy` with these modes. `stream` is its random stream.
    pub fn new(config: &Config, phy: &Phy, modes: &PhyModes, stream: RngStream) -> Self {
        Self { model: Model::new(config, phy, modes), stream }
    }

    /// What is known of it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the frame is corrupted. One random number for each frame.
    pub fn corrupts(&mut self, frame: &Transmission) -> bool {
        self.stream.uniform() >= self.model.success(frame.at, frame.mode, frame.bytes)
    }
}
