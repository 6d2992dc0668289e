//! The tables of a scenario: what their keys are, and their defaults.

pub(crate) mod cell;
pub(crate) mod scenario;
pub(crate) mod wimax_cell;
pub(crate) mod wlan_cell;
