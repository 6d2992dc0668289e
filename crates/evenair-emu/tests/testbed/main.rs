//! The engine between real hosts in network namespaces of their own. Needs root, iproute2 and TUN.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]
#![allow(clippy::print_stdout, reason = "figures for those who look")]

mod agent;
mod capacity;
mod endurance;
mod hosts;
mod packets;
mod timing;

#[path = "../../../evenaird/tests/support/namespace.rs"]
#[allow(dead_code, reason = "the gateway's tests use the rest")]
mod namespace;
