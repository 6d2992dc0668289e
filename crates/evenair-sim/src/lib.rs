//! evenair's simulator: it builds a simulation from a [`scenario`], runs it and returns the result.
//!
//! ```text
//! TOML or Python -> scenario::resolve -> Scenario -> run -> RunResult -> JSON, tables, plots
//! ```

mod capture;
pub mod emulation;
mod engine;
mod explain;
pub mod film;
mod results;
pub mod scenario;
mod wired;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fmt, io};

pub use capture::{LinkType, Pcapng};
pub use engine::control::limiter::{LimiterResult, LimiterSample};
pub use engine::metrics::losses::LossesByPlace;
pub use engine::metrics::series::Series;
pub use explain::{Cause, Diagnosis, ExplainError, Place, explain, explain_json};
pub use film::film;
pub use results::delay::{DelayCurve, DelayResult, LimitedBy};
pub use results::medium::{AirResult, FrameResult, RequestsResult};
pub use results::run::{
    FlowResult, LinkResult, Losses, MacResult, QueueResult, RunResult, SessionResult, WiredResult,
};
pub use scenario::parts::parts;

use engine::cell_kind::{dcf, wimax};
use engine::simulation::Simulation;
use scenario::{Cell, Scenario, Seconds};

/// The version of results. It is raised when a change of the code changes the result of a scenario
/// and seed.
pub const RESULT_VERSION: u32 = 7;

/// Options of a run that do not affect its result.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// End the run early, with [`RunError::Cancelled`], once this is true.
    pub cancel: Option<Arc<AtomicBool>>,
    /// The interval of the series of a scenario without `trace`, above 0. Everything else in the result
    /// is as without it.
    pub sampled: Option<Seconds>,
}

/// Where the captures of a run go, both in pcapng.
pub struct CaptureSinks {
    /// The frames on the air, of a WLAN cell; those of a WiMAX cell are not captured.
    pub air: Option<Box<dyn Write + Send>>,
    /// The packets at the hosts behind the access point.
    pub wire: Box<dyn Write + Send>,
}

/// One of the captures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureOf {
    /// Of the air.
    Air,
    /// Of the wire.
    Wire,
}

/// Why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// The run was cancelled.
    Cancelled,
    /// A capture could not be written.
    Capture(CaptureOf, io::Error),
    /// More packets wait or are under way than a run may hold.
    Memory {
        /// How many it may.
        entries: usize,
        /// The queue or link that holds most.
        place: String,
        /// The flow that has sent most.
        flow: String,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "cancelled"),
            Self::Capture(CaptureOf::Air, error) => write!(f, "capture of the air: {error}"),
            Self::Capture(CaptureOf::Wire, error) => write!(f, "capture of the wire: {error}"),
            Self::Memory { entries, place, flow } => write!(
                f,
                "more than {entries} packets wait or are under way, most of them at {place}, and flow \
                 {flow} has sent most; give the queue a limit, or send less"
            ),
        }
    }
}

impl std::error::Error for RunError {}

/// Simulates a resolved scenario ([`scenario::resolve`]). The result depends on the scenario and
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

/// Compiles and runs the Rust code of the page about prototypes.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/prototypes.md")]
struct PrototypesPage;
