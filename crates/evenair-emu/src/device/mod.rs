//! The devices of the hosts: what packets are read from and written to.

pub mod capture;
pub mod payload;
pub mod ports;
pub mod tun;
