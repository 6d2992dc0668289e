//! Simulates a scenario.

use crate::capture::CaptureSinks;
use crate::engine::run_error::RunError;
use crate::engine::run_options::RunOptions;
use crate::engine::sim_medium::{dcf, edca, wimax};
use crate::engine::simulation::Simulation;
use crate::results::run::RunResult;
use crate::scenario::{Cell, Scenario};

/// Simulates a resolved scenario ([`resolve`](crate::scenario::resolve)). The result depends on the scenario and
/// the seed alone.
///
/// # Errors
/// [`RunError`]: cancelled, or too many packets to keep.
pub fn run(scenario: &Scenario, seed: u64, options: &RunOptions) -> Result<RunResult, RunError> {
    run_with_captures(scenario, seed, options, None)
}

/// As [`run`], and captures what is transmitted.
///
/// # Errors
/// [`RunError`]: cancelled, too many packets to keep, or a capture could not be written.
pub fn run_with_captures(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    captures: Option<CaptureSinks>,
) -> Result<RunResult, RunError> {
    match &scenario.cell {
        Cell::Wlan(cell) if cell.phy.high_throughput().is_some() => {
            let medium = edca(cell, &scenario.station, seed);
            Simulation::new(medium, scenario, seed, options, captures)?.run()
        }
        Cell::Wlan(cell) => {
            let medium = dcf(cell, &scenario.station, seed);
            Simulation::new(medium, scenario, seed, options, captures)?.run()
        }
        Cell::Wimax(cell) => {
            let medium = wimax(cell, &scenario.station, seed);
            Simulation::new(medium, scenario, seed, options, captures)?.run()
        }
    }
}
