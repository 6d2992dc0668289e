//! Media.

pub mod wlan;
