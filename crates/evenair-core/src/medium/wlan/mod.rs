//! An 802.11 cell: the distributed coordination function in one collision domain.

mod airtime;
mod attempt;
mod backoff;
mod beacon;
mod beacon_frame;
pub mod channel;
mod control;
mod dcf;
mod exchange_time;
mod mac;
mod observe;
#[cfg(test)]
mod oracle;
pub mod phy;
pub mod rate_control;
mod slot_ring;
#[cfg(test)]
mod tests;

pub use backoff::Counter;
pub use beacon_frame::{SSID, beacon_bytes};
pub use control::{BasicRates, ControlFrames, ControlRate, Protection};
pub use dcf::{Dcf, DcfConfig, Exchange, StationConfig};
pub use observe::{Access, AirFrame, FrameFate, FrameType, IdlePeriod, Transmitter};
