//! Channels: which rates the frames of a link may have to be received.
//!
//! The channel of a link gives the probability that a frame is received, by its mode and size. It
//! corrupts the frames of both directions, control frames included. Of a PPDU with several MPDUs it
//! may corrupt the PHY header, and with it all, or some of the MPDUs. It adds to the loss model of the
//! link, which it does not replace. To add a channel, add a file and a line in `channels!` below.

mod distance;
pub mod error_rate;
mod mcs_errors;
#[cfg(test)]
mod mcs_errors_tests;
mod schedule;
mod snr;
#[cfg(test)]
mod tests;

pub use distance::{Distance, DistanceConfig};
pub use error_rate::ErrorModel;
pub use mcs_errors::Coding;
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
            /// The configured channel, in a cell of `phy` with these modes and errors.
            pub fn new(config: &Config, phy: &Phy, modes: &PhyModes, errors: ErrorModel) -> Self {
                match config {
                    $(Config::$type(config) => {
                        Self::$type($type::new(config, phy, modes, errors))
                    })+
                }
            }

            /// The probability that a frame of `bytes` in `mode`, which ends at `at` and meets no
            /// other, is received.
            pub fn success(&self, at: Instant, mode: PhyMode, bytes: u32) -> f64 {
                match self { $(Self::$type(model) => model.success(at, mode, bytes),)+ }
            }

            /// The probability that the PHY header of a PPDU in `mode` is received, at `at`.
            pub fn header_success(&self, at: Instant, mode: PhyMode) -> f64 {
                match self { $(Self::$type(model) => model.header_success(at, mode),)+ }
            }

            /// The probability that an MPDU of `bytes`, which ends at `at`, is received of a PPDU in `mode` whose
            /// header is.
            pub fn mpdu_success(&self, at: Instant, mode: PhyMode, bytes: u32) -> f64 {
                match self { $(Self::$type(model) => model.mpdu_success(at, mode, bytes),)+ }
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
    /// The configured channel, in a cell of `phy` with these modes and errors. `stream` is its random stream.
    pub fn new(
        config: &Config,
        phy: &Phy,
        modes: &PhyModes,
        errors: ErrorModel,
        stream: RngStream,
    ) -> Self {
        Self { model: Model::new(config, phy, modes, errors), stream }
    }

    /// What is known of it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the frame is corrupted. One random number for each frame.
    pub fn corrupts(&mut self, frame: &Transmission) -> bool {
        self.stream.uniform() >= self.model.success(frame.at, frame.mode, frame.bytes)
    }

    /// Whether the PHY header of a PPDU in `mode` is corrupted, which ends at `at`. One random number.
    pub fn corrupts_header(&mut self, at: Instant, mode: PhyMode) -> bool {
        self.stream.uniform() >= self.model.header_success(at, mode)
    }

    /// Whether an MPDU is corrupted of a PPDU whose header is not. One random number for each.
    pub fn corrupts_mpdu(&mut self, mpdu: &Transmission) -> bool {
        self.stream.uniform() >= self.model.mpdu_success(mpdu.at, mpdu.mode, mpdu.bytes)
    }
}
