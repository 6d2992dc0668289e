//! The applications of a scenario's flows without transports, for drivers that have sockets.
//!
//! They draw the same sizes and times as in a simulation with the same seed, and their results have the same members.
//! Times count from the start of the run, as in a simulation; a driver's clock says when something has happened.

mod datagrams;
mod place;
mod stream;

pub use datagrams::{DatagramApplication, DatagramsResult};
pub use stream::{StreamApplication, StreamApplicationResult};
