//! Applications: what a flow has to send, and when.
//!
//! An application over TCP has a stream of bytes, one over UDP datagrams. What is random about it
//! follows a [`Distribution`] and has a random stream of its own. To add one over UDP: its `PART`
//! and its pattern in `datagrams.rs`, and its name in [`DATAGRAMS`].

mod datagrams;
mod distribution;

pub use datagrams::{DATAGRAMS, Datagrams};
pub use distribution::{Distribution, Draws, FAMILIES};

use crate::parts::Part;

/// What runs over TCP, by the name that scenarios use.
pub static STREAMS: &[&Part] = &[&BULK];

static BULK: Part = Part {
    name: "bulk",
    summary: "always has data to send (TCP)",
    source: "ns-2's Application/FTP",
    ordered: &[],
    parameters: &[],
};
