//! evenaird: a daemon for a Linux gateway in front of a WLAN's access point. It polices the uplink
//! with the adaptive rate limiter of Blefari-Melazzi et al. 2007, the one that the simulator has.
#![allow(clippy::disallowed_methods, reason = "a daemon reads clocks")]

pub mod clock;
pub mod data_path;
pub mod journal;
pub mod notify;
pub mod record_file;
pub mod server;
pub mod signal;
