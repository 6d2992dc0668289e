//! The request for an air trace: the accesses to the medium from a moment on.

use evenair_sim::air_trace::{AirTrace, AirTraceRequest};
use evenair_sim::scenario::Scenario;
use evenair_sim::{RunOptions, air_trace};

use crate::problem::Problem;

/// At most `accesses` accesses of the run with this seed, from `from_s` seconds of measured time on.
pub(crate) fn record(
    scenario: &Scenario,
    seed: u64,
    from_s: f64,
    accesses: u32,
    options: &RunOptions,
) -> Result<AirTrace, Problem> {
    let request = AirTraceRequest { from_s, accesses };
    air_trace(scenario, seed, request, options).map_err(|error| Problem::new(error.to_string()))
}
