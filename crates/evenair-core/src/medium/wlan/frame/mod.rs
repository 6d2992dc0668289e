//! The frames on the air: their rates, sizes and airtimes.

pub(super) mod beacon;
pub(super) mod control;
pub mod high_throughput;
pub mod phy;
