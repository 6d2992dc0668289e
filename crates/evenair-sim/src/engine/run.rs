//! Simulates a scenario.

use evenair_core::traffic::session::Transfer;

use crate::capture::CaptureSinks;
use crate::engine::alone::Alone;
use crate::engine::run_error::RunError;
use crate::engine::run_options::RunOptions;
use crate::engine::sim_medium::{SimMedium, dcf, edca, wimax};
use crate::engine::sim_packet::TimedPacket;
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
            simulate(|| edca(cell, &scenario.station, seed), scenario, seed, (options, captures))
        }
        Cell::Wlan(cell) => {
            simulate(|| dcf(cell, &scenario.station, seed), scenario, seed, (options, captures))
        }
        Cell::Wimax(cell) => {
            simulate(|| wimax(cell, &scenario.station, seed), scenario, seed, (options, captures))
        }
    }
}

fn simulate<M: SimMedium>(
    medium: impl Fn() -> M,
    scenario: &Scenario,
    seed: u64,
    (options, captures): (&RunOptions, Option<CaptureSinks>),
) -> Result<RunResult, RunError> {
    let alone = |scenario: &Scenario, alone| {
        Simulation::<M>::run_alone(medium(), scenario, seed, options, alone)
    };
    if options.delay_by_place {
        let timed: Simulation<'_, M, TimedPacket> =
            Simulation::new(medium(), scenario, seed, options, captures)?;
        return timed.run(&alone);
    }
    let simulation: Simulation<'_, M> =
        Simulation::new(medium(), scenario, seed, options, captures)?;
    simulation.run(&alone)
}

/// Simulates transfers alone in the network of a scenario.
pub(crate) fn run_alone(
    scenario: &Scenario,
    seed: u64,
    alone: Alone,
) -> Result<Vec<Transfer>, RunError> {
    let options = RunOptions::default();
    let stations = &scenario.station;
    match &scenario.cell {
        Cell::Wlan(cell) if cell.phy.high_throughput().is_some() => {
            Simulation::<_>::run_alone(edca(cell, stations, seed), scenario, seed, &options, alone)
        }
        Cell::Wlan(cell) => {
            Simulation::<_>::run_alone(dcf(cell, stations, seed), scenario, seed, &options, alone)
        }
        Cell::Wimax(cell) => {
            Simulation::<_>::run_alone(wimax(cell, stations, seed), scenario, seed, &options, alone)
        }
    }
}
