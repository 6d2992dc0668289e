//! The downlink queue of a daemon on a router between a server and a station.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../support/mod.rs"]
mod support;

mod disciplines;
mod faults;
mod leases;
mod privileges;
mod rates;
mod router;
