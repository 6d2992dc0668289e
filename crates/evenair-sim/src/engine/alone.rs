//! What a slowdown is compared with: transfers of the same sizes, one at a time, alone in the network.
//!
//! They are simulated: in the same scenario and with the same seed, but without all other flows, a transfer of each size
//! that the flow has transferred follows the other. So in a network without chance and without anything else a
//! transfer takes exactly what its reference takes. Where there is chance, as in the backoff of a cell, the
//! reference is one such transfer. The second run transfers no more than the flow itself has.

use std::collections::{BTreeMap, BTreeSet};

use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::Session;
use evenair_core::traffic::session::Transfer;

use crate::engine::flow::Flow;
use crate::engine::run_error::RunError;
use crate::engine::sessions::Running;
use crate::results::of_session::measured;
use crate::scenario::{Scenario, Seconds};

/// Between two transfers, seconds: what the one before has left in the network, such as a backoff, is over.
const PAUSE: f64 = 0.1;

/// What is transferred alone: which flow of the scenario, and the sizes, bytes.
pub(crate) struct Alone {
    pub(crate) row: u32,
    pub(crate) sizes: Vec<u64>,
}

/// Simulates transfers alone.
pub(crate) type Simulate<'a> = &'a dyn Fn(&Scenario, Alone) -> Result<Vec<Transfer>, RunError>;

/// How long a transfer of so many bytes takes alone, for the transfers that come by themselves and began at `begin` or
/// later. `row` is the flow of the session.
pub(crate) fn times(
    scenario: &Scenario,
    (row, session): (u32, &Session),
    begin: Instant,
    simulate: Simulate<'_>,
) -> Result<BTreeMap<u64, Duration>, RunError> {
    if !matches!(session, Session::Arrivals(_)) {
        return Ok(BTreeMap::new());
    }
    let sizes: BTreeSet<u64> = measured(session, begin).map(|transfer| transfer.bytes).collect();
    if sizes.is_empty() {
        return Ok(BTreeMap::new());
    }
    // None takes longer than the run in which it was one of many.
    let longest = scenario.warmup.duration() + scenario.duration.duration();
    let each = longest + Duration::from_secs_f64(PAUSE);
    let quiet = Scenario {
        duration: Seconds::from(each * sizes.len() as u64),
        warmup: Seconds::ZERO,
        trace: None,
        ..scenario.clone()
    };
    let transfers = simulate(&quiet, Alone { row, sizes: sizes.into_iter().collect() })?;
    Ok(transfers.iter().map(|one| (one.bytes, one.last_byte.since(one.start))).collect())
}

impl Alone {
    /// Of the flows and sessions of a run, only this one remains. Returns the index of its session.
    pub(crate) fn prepare(self, flows: &mut [Flow], sessions: &mut [Running]) -> usize {
        for flow in flows.iter_mut() {
            let is_first = flow.member.as_ref().is_none_or(|member| member.slot == 0);
            let starts = flow.row == self.row && is_first;
            (flow.start, flow.stop) =
                (if starts { Instant::ZERO } else { Instant::NEVER }, Instant::NEVER);
        }
        let of_row = |running: &Running| flows[running.first].row == self.row;
        let session = sessions.iter().position(of_row).expect("the flow has a session");
        sessions[session].session = Session::of_files(self.sizes, PAUSE);
        session
    }
}
