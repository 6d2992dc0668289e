//! The engine: what a run consists of, and the loop that simulates it.

pub(crate) mod alone;
pub(crate) mod build;
pub(crate) mod control;
pub(crate) mod datagram_feed;
pub(crate) mod flow;
mod host_queues;
mod memory;
pub(crate) mod metrics;
pub(crate) mod network;
mod option_ring;
pub(crate) mod run;
pub(crate) mod run_error;
pub(crate) mod run_options;
pub(crate) mod sessions;
pub(crate) mod sim_medium;
pub(crate) mod sim_packet;
pub(crate) mod simulation;
pub(crate) mod world;
