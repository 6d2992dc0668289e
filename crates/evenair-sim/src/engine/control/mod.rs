//! What limits the rates of flows in a run: the controller of the cell with its beacons, and the rate
//! limiter at the gateway.

pub(crate) mod beacons;
pub(crate) mod cot;
pub(crate) mod limiter;
pub(crate) mod observed;
