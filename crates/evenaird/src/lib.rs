//! evenaird: a daemon for a Linux gateway in front of a WLAN's access point. It polices the uplink
//! with the adaptive rate limiter of Blefari-Melazzi et al. 2007, the one that the simulator has.

pub mod clock;
pub mod config;
pub mod control_loop;
pub mod control_socket;
pub mod controller;
pub mod daemon;
pub mod data_path;
pub mod failure;
pub mod host;
pub mod journal;
pub mod metrics;
pub mod notify;
pub mod queue;
pub mod record;
pub mod record_file;
pub mod record_writer;
pub mod reload;
pub mod replay;
pub mod report;
pub mod server;
pub mod service;
pub mod signal;
pub mod status;
