//! The result of a run.

use evenair_sim::emulation::EmulationResult;
use serde::Serialize;

use crate::account::Account;
use crate::timing::punctuality::{Lateness, Punctuality};

/// The result of a run. What the cell and the links have done is as in a simulation's result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The cell and the links in the measured time.
    #[serde(flatten)]
    pub network: EmulationResult,
    /// What came out at the far ends of flows in the measured time, in the order of the
    /// specification.
    pub flows: Vec<FlowCounts>,
    /// All packets since the start of the engine.
    pub account: Account,
    /// How late packets came out, in the measured time.
    pub lateness_s: Lateness,
    /// The same in each quarter of the measured time.
    pub lateness_quarters_s: [Lateness; 4],
    /// How late the loop was, weighted by time.
    #[serde(flatten)]
    pub punctuality: Punctuality,
    /// Time 0 of the scenario on CLOCK_MONOTONIC, seconds.
    pub began_s: f64,
    /// Whether the thread had a real-time priority.
    pub realtime: bool,
    /// Why the result is not to be trusted, each a line; none if it is: see
    /// [`crate::Spec::max_lateness_s`].
    pub untrusted: Vec<String>,
    /// What else the reader has to know, each a line.
    pub warnings: Vec<String>,
    /// Processor time of the thread since its start, seconds.
    pub cpu_s: f64,
    /// Time since its start, seconds.
    pub elapsed_s: f64,
    /// Most packets under way at once.
    pub most_in_flight: usize,
}

/// What came out at the far ends of a flow, in the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlowCounts {
    /// The flow's index.
    pub index: u32,
    /// Packets in the direction of its data.
    pub packets: u64,
    /// Their bytes at IP level.
    pub delivered_bytes_ip: u64,
    /// Packets in the other direction.
    pub answer_packets: u64,
    /// Their bytes at IP level.
    pub answer_bytes_ip: u64,
}
