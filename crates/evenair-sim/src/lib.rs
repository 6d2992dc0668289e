//! evenair's simulator: it builds a simulation from a [`scenario`], runs it and returns the result.
//!
//! ```text
//! TOML or Python -> scenario::resolve -> Scenario -> run -> RunResult -> JSON, tables, plots
//! ```

mod build;
mod capture;
mod cell_kind;
mod flow;
mod metrics;
mod network;
mod options;
mod parts;
mod result;
pub mod scenario;
mod series;
mod simulation;
mod timers;
mod transfers;
mod wired;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fmt, io};

pub use parts::parts;
pub use result::{
    FlowResult, LinkResult, Losses, MacResult, QueueResult, RunResult, SessionResult, WiredResult,
};
pub use series::Series;

use evenair_core::medium::wlan::Dcf;
use scenario::{CellKind, Scenario};
use simulation::Simulation;

/// The version of results. It is raised when a change of the code changes the result of a scenario
/// and seed.
pub const RESULT_VERSION: u32 = 3;

/// Options of a run that do not affect its result.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Write a capture of the air to this pcapng file, and one of the wire to `STEM-wire.EXT` in
    /// the same directory.
    pub pcap: Option<PathBuf>,
    /// When this becomes true, the run ends with [`RunError::Cancelled`].
    pub cancel: Option<Arc<AtomicBool>>,
}

/// Why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// The run was cancelled.
    Cancelled,
    /// A capture file could not be written.
    Capture(PathBuf, io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "cancelled"),
            Self::Capture(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for RunError {}

/// Simulates a resolved scenario ([`scenario::resolve`]). The result depends on the scenario and
/// the seed alone.
///
/// # Errors
/// [`RunError`]: cancelled, or a capture file could not be written.
pub fn run(scenario: &Scenario, seed: u64, options: &RunOptions) -> Result<RunResult, RunError> {
    match scenario.cell.kind {
        CellKind::Wlan => Simulation::<Dcf>::new(scenario, seed, options)?.run(seed),
    }
}
