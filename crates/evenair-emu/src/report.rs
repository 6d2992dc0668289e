//! The result of a run.

use evenair_core::delays::Delays;
use evenair_core::time::Duration;
use evenair_sim::emulation::EmulationResult;
use serde::Serialize;

use crate::account::Account;
use crate::timing::punctuality::Punctuality;

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

/// Times from when a packet was due at a device to when it was written there, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Lateness {
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Maximum.
    pub max: f64,
    /// Number of packets.
    pub count: u64,
}

impl Lateness {
    /// Of all these together; zeros if there are none.
    pub(crate) fn of<'a>(delays: impl IntoIterator<Item = &'a Delays>) -> Self {
        let mut all = Delays::default();
        delays.into_iter().for_each(|delays| all.add(delays));
        let buckets = all.buckets();
        let quantiles = buckets.quantiles([500, 900, 990, 999], 1000).unwrap_or_default();
        let [p50, p90, p99, p999] = quantiles.map(Duration::as_secs_f64);
        Self { p50, p90, p99, p999, max: buckets.max().as_secs_f64(), count: buckets.total() }
    }
}
