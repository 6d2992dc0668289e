//! evenaird: a daemon for a Linux gateway in front of a WLAN's access point. It polices the uplink
//! with the adaptive rate limiter of Blefari-Melazzi et al. 2007, the one that the simulator has.

pub mod clock;
pub mod config;
pub mod control;
pub mod daemon;
pub mod data_path;
pub mod failure;
pub mod journal;
pub mod queue;
pub mod records;
pub mod signal;
pub mod status;

pub use config::report;
pub use control::replay;
pub use records::record;
pub use status::{control_socket, metrics};
