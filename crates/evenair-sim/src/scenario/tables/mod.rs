//! The tables of a scenario: what their keys are, and their defaults.

pub(crate) mod cell;
pub(crate) mod flow;
pub(crate) mod scenario;
pub(crate) mod station;
pub(crate) mod wimax_cell;
pub(crate) mod wired;
pub(crate) mod wlan_cell;
