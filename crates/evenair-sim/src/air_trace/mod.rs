//! An air trace: the accesses to the medium from a moment on, with the state of the cell at each of them.
//!
//! An access is a frame exchange, a TXOP or a collision of an 802.11 medium, or a frame of an 802.16 medium in which
//! something waits or a request is pending.
//!
//! The run is simulated anew up to that moment and then step by step, so that a run without an air trace has
//! no costs. What is recorded is what captures are made of: each exchange of a capture of the air is in the
//! air trace, with the same times, and so are collisions and corrupted frames, which captures leave out.
//!
//! Times are those of captures: nanoseconds since the start of the run, warm-up included. Nodes and flows
//! are indices into [`AirTrace::nodes`] and [`AirTrace::flows`]. Of long lists the first [`MAX_LISTED`]
//! entries are listed, of a PPDU with EDCA [`MAX_LISTED_OF_PPDU`], beside the number of all.

mod access;
#[cfg(test)]
mod edca_tests;
mod recorder;
#[cfg(test)]
mod tests;
mod types;
#[cfg(test)]
mod wimax_tests;

pub use types::{
    AccessPart, AccessSlots, AirTrace, AirTraceRequest, Contender, FrameFate, FrameKind, GivenUp,
    MAX_ACCESSES, MAX_LISTED, MAX_LISTED_OF_PPDU, PartKind, PsduKind, TracedAccess, TracedAttempt,
    TracedBlockAck, TracedDrop, TracedFlow, TracedFrame, TracedNode, TracedPacket, TracedPdu,
    TracedQosFrame, TracedQosPdu, TracedQueue, TracedSender, WiredPackets,
};

use std::fmt;

use crate::engine::run_error::RunError;
use crate::engine::run_options::RunOptions;
use crate::engine::sim_medium::{dcf, edca, wimax as wimax_medium};
use crate::engine::simulation::Simulation;
use crate::scenario::{Cell, Scenario};

/// Records the accesses to the medium of a run. The air trace depends on the arguments alone, and its run
/// is that of [`run`](crate::run).
///
/// # Errors
/// [`AirTraceError`].
pub fn air_trace(
    scenario: &Scenario,
    seed: u64,
    request: AirTraceRequest,
    options: &RunOptions,
) -> Result<AirTrace, AirTraceError> {
    let AirTraceRequest { from_s, accesses } = request;
    let measured_s = scenario.duration.duration().as_secs_f64();
    if !(0.0..measured_s).contains(&from_s) {
        return Err(AirTraceError::From { from_s, measured_s });
    }
    if !(1..=MAX_ACCESSES).contains(&accesses) {
        return Err(AirTraceError::Accesses(accesses));
    }
    Ok(match &scenario.cell {
        Cell::Wlan(cell) if cell.phy.high_throughput().is_some() => {
            let medium = edca(cell, &scenario.station, seed);
            let simulation = Simulation::new(medium, scenario, seed, options, None)?;
            recorder::record(simulation, scenario, seed, request)
        }
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

/// Why there is no air trace.
#[derive(Debug)]
pub enum AirTraceError {
    /// The air trace would not begin within the measured time, which has this many seconds.
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

impl fmt::Display for AirTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From { from_s, measured_s } => write!(
                f,
                "the air trace begins at {from_s} s; a time from 0 to below {measured_s} s is accepted"
            ),
            Self::Accesses(accesses) => {
                write!(f, "the air trace has {accesses} accesses; 1 to {MAX_ACCESSES} are accepted")
            }
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AirTraceError {}

impl From<RunError> for AirTraceError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}
