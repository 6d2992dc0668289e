//! A run that an observer takes step by step. It is the same run: the loop is that of
//! [`Simulation::run`], with other pauses.

use evenair_core::time::Instant;

use super::Simulation;
use crate::engine::flow::Flow;
use crate::engine::network::Network;
use crate::engine::run_error::RunError;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::wired::Until;

impl<M: SimMedium, P: SimPacket> Simulation<'_, M, P> {
    /// Does what is due before `at` and before the end. Returns whether the end is yet to
    /// come.
    pub(crate) fn advance_to(&mut self, at: Instant) -> Result<bool, RunError> {
        self.is_observed = true;
        while self.network.due() < at.min(self.end) {
            self.pause = self.pause.min(at);
            if self.advance_to_end()? {
                break;
            }
        }
        Ok(at < self.end)
    }

    /// One step of the loop, which does nothing that is due at `until` or later. Returns
    /// whether the run is over.
    pub(crate) fn step(&mut self, until: Instant) -> Result<bool, RunError> {
        self.is_observed = true;
        let steps = std::mem::replace(&mut self.steps_per_check, 1);
        self.pause = until.min(self.end);
        let is_over = self.advance_to_end();
        self.steps_per_check = steps;
        is_over
    }

    /// When something outside of the cell is due: at a link or a timer.
    pub(crate) fn next_event(&mut self) -> Instant {
        self.network.agenda().first_at()
    }

    /// Links and cell, and flows, after all that happens at `now`, at which nothing is due any more.
    pub(crate) fn parts_at(&mut self, now: Instant) -> (&mut Network<M, P>, &[Flow]) {
        self.network.settle(Until::after(now), &mut self.flows);
        (&mut self.network, &self.flows)
    }

    /// Links and cell, and flows.
    pub(crate) fn parts(&mut self) -> (&mut Network<M, P>, &[Flow]) {
        (&mut self.network, &self.flows)
    }
}
