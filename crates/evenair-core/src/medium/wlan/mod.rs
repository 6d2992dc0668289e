//! An 802.11 cell: the distributed coordination function in one collision domain.

mod block_ack;
pub mod channel;
mod config;
mod contention;
mod dcf;
mod edca;
mod frame;
pub mod rate_control;
#[cfg(test)]
mod tests;

pub use config::{DcfConfig, StationConfig};
pub use dcf::Dcf;
pub use edca::{
    AMpduConfig, AMpduLimit, AMsduLimit, AccessParameters, AccessRules, AccessUsage, Aggregation,
    AggregationConfig, BlockAckRecovery, EDCA_2020, EDCA_NS3, EDCA_WMM, EDCA_WMM_ACCESS_POINT,
    Edca, EdcaConfig, EdcaNode, EdcaParameters,
};
pub use frame::beacon::{SSID, beacon_bytes};
pub use frame::control::{BasicRates, ControlFrames, ControlRate, Protection};
pub use frame::high_throughput;
pub use frame::phy;
