//! Drain (5.3.2): empties the queue that Startup has built.

use super::variables::Ack;
use super::{Bbr, State};

/// Round trips after which it ends although there is a queue.
const ROUNDS: u64 = 3;

impl Bbr {
    /// EnterDrain.
    pub(super) fn enter_drain(&mut self) {
        self.state = State::Drain;
        self.forget_marks();
        self.drain_start_round = self.rounds.count;
    }

    /// CheckDrainDone.
    pub(super) fn check_drain_done(&mut self, ack: &Ack) {
        let is_empty = ack.in_flight <= self.inflight(self.model.bw);
        if self.state == State::Drain
            && (is_empty || self.rounds.count > self.drain_start_round + ROUNDS)
        {
            self.start_down();
        }
    }
}
