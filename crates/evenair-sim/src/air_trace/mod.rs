//! A film: the accesses to the medium from a moment on, with the state of the cell at each of them.
//!
//! An access is a frame exchange or a collision of an 802.11 medium, or a frame of an 802.16 medium in which
//! something waits or a request is pending.
//!
//! The run is simulated anew up to that moment and then step by step, so that a run without a film has no
//! costs. What is recorded is what captures are made of: each exchange of a capture of the air is in the
//! film, with the same times, and so are collisions and corrupted frames, which captures leave out.
//!
//! Times are those of captures: nanoseconds since the start of the run, warm-up included. Nodes and flows
//! are indices into [`Film::nodes`] and [`Film::flows`]. Of long lists the first [`MAX_LISTED`] entries are
//! listed, beside the number of all.

mod recorder;
#[cfg(test)]
mod tests;
mod types;
mod wimax;
#[cfg(test)]
mod wimax_tests;
mod wlan;

pub use types::{
    Contender, Film, FilmAccess, FilmAttempt, FilmDrop, FilmFlow, FilmFrame, FilmGivenUp, FilmNode,
    FilmPacket, FilmPart, FilmPdu, FilmQueue, FilmRequest, FilmSender, FilmSlots, FilmWired,
    FrameFate, FrameKind, MAX_ACCESSES, MAX_LISTED, PartKind,
};

use std::fmt;

use crate::engine::run_error::RunError;
use crate::engine::run_options::RunOptions;
use crate::engine::sim_medium::{dcf, wimax as wimax_medium};
use crate::engine::simulation::Simulation;
use crate::scenario::{Cell, Scenario};

/// Records the accesses to the medium of a run. The film depends on the arguments alone, and its run is
/// that of [`run`](crate::run).
///
/// # Errors
/// [`FilmError`].
pub fn film(
    scenario: &Scenario,
    seed: u64,
    request: FilmRequest,
    options: &RunOptions,
) -> Result<Film, FilmError> {
    let FilmRequest { from_s, accesses } = request;
    let measured_s = scenario.duration.duration().as_secs_f64();
    if !(0.0..measured_s).contains(&from_s) {
        return Err(FilmError::From { from_s, measured_s });
    }
    if !(1..=MAX_ACCESSES).contains(&accesses) {
        return Err(FilmError::Accesses(accesses));
    }
    Ok(match &scenario.cell {
        Cell::Wlan(cell) => {
            let medium = dcf(cell, &scenario.station, seed);
            let simulation = Simulation::new(medium, scenario, seed, options, None)?;
            recorder::record(simulation, scenario, seed, request)
        }
        Cell::Wimax(cell) => {
            let medium = wimax_medium(cell, &scenario.station, seed);
            let simulation = Simulation::new(medium, scenario, seed, options, None)?;
            recorder::record(simulation, scenario, seed, request)
        }
    }?)
}

/// Why there is no film.
#[derive(Debug)]
pub enum FilmError {
    /// The film would not begin within the measured time, which has this many seconds.
    From {
        /// The request.
        from_s: f64,
        /// The measured time.
        measured_s: f64,
    },
    /// As many accesses cannot be recorded.
    Accesses(u32),
    /// The run has failed.
    Run(RunError),
}

impl fmt::Display for FilmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From { from_s, measured_s } => write!(
                f,
                "the film begins at {from_s} s; a time from 0 to below {measured_s} s is accepted"
            ),
            Self::Accesses(accesses) => {
                write!(f, "the film has {accesses} accesses; 1 to {MAX_ACCESSES} are accepted")
            }
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FilmError {}

impl From<RunError> for FilmError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}
