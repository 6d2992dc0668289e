//! cwnd while losses are repaired (`bbr_set_cwnd_to_recover_or_restore`, `bbr_save_cwnd`): in the first round of a recovery
//! a segment leaves for each that is delivered; afterwards cwnd is as before.

use crate::congestion::Repair;

/// What is remembered of the recovery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conservation {
    /// What was repaired at the last ACK.
    repair: Repair,
    /// It is the first round.
    is_first_round: bool,
    /// cwnd before losses or a probe for the round-trip time lowered it, segments.
    prior_cwnd: u64,
}

impl Default for Conservation {
    fn default() -> Self {
        Self { repair: Repair::None, is_first_round: false, prior_cwnd: 0 }
    }
}

impl Conservation {
    /// Losses or a probe for the round-trip time are about to lower cwnd; `is_lowered`: a probe has already.
    pub(super) fn save(&mut self, cwnd: u64, is_lowered: bool) {
        let is_good = self.repair == Repair::None && !is_lowered;
        self.prior_cwnd = if is_good { cwnd } else { self.prior_cwnd.max(cwnd) };
    }

    /// What cwnd is to return to at least.
    pub(super) fn prior_cwnd(&self) -> u64 {
        self.prior_cwnd
    }

    /// A round begins.
    pub(super) fn on_round(&mut self) {
        self.is_first_round = false;
    }

    /// The retransmission timer has expired.
    pub(super) fn on_timeout(&mut self) {
        self.repair = Repair::Timeout;
    }

    /// cwnd after an ACK that has delivered `acked` segments and marked `lost`, after which `in_flight` are in the
    /// network. Returns also whether that is all, and whether a round begins.
    pub(super) fn adjust(
        &mut self,
        repair: Repair,
        mut cwnd: u64,
        (acked, lost, in_flight): (u64, u64, u64),
    ) -> Adjusted {
        let before = std::mem::replace(&mut self.repair, repair);
        cwnd = cwnd.saturating_sub(lost).max(1);
        let begins = repair == Repair::Losses && before != Repair::Losses;
        if begins {
            self.is_first_round = true;
            cwnd = in_flight + acked;
        } else if before != Repair::None && repair == Repair::None {
            self.is_first_round = false;
            cwnd = cwnd.max(self.prior_cwnd);
        }
        if self.is_first_round {
            cwnd = cwnd.max(in_flight + acked);
        }
        Adjusted { cwnd, is_final: self.is_first_round, begins_round: begins }
    }
}

/// What [`Conservation::adjust`] makes of cwnd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Adjusted {
    /// cwnd, segments.
    pub(super) cwnd: u64,
    /// It does not grow towards the target.
    pub(super) is_final: bool,
    /// A round begins with this ACK.
    pub(super) begins_round: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjusted(cwnd: u64, is_final: bool, begins_round: bool) -> Adjusted {
        Adjusted { cwnd, is_final, begins_round }
    }

    /// By hand: of 100 in flight an ACK delivers 2 and marks 10 lost, so 88 are left: cwnd is 90, which lets 2 leave. 60
    /// more of the round are lost with an ACK of 1: 90 - 60 = 30, but 30 are left in flight, and so 31. In the second round
    /// losses are taken off; at the end cwnd is 100 again.
    #[test]
    fn a_segment_leaves_for_each_that_is_delivered() {
        let mut conservation = Conservation::default();
        conservation.save(100, false);
        let mut adjust = |repair, cwnd, counts| conservation.adjust(repair, cwnd, counts);
        assert_eq!(adjust(Repair::Losses, 100, (2, 10, 88)), adjusted(90, true, true));
        assert_eq!(adjust(Repair::Losses, 90, (1, 60, 29)), adjusted(30, true, false));
        assert_eq!(adjust(Repair::Losses, 30, (1, 0, 30)), adjusted(31, true, false));
        conservation.on_round();
        let mut adjust = |repair, cwnd, counts| conservation.adjust(repair, cwnd, counts);
        assert_eq!(adjust(Repair::Losses, 31, (1, 5, 25)), adjusted(26, false, false));
        assert_eq!(adjust(Repair::None, 26, (1, 0, 25)), adjusted(100, false, false));
        assert_eq!(adjust(Repair::None, 26, (1, 0, 25)), adjusted(26, false, false));
    }

    /// cwnd that a recovery has lowered is not what to return to.
    #[test]
    fn the_window_before_the_loss_is_kept() {
        let mut conservation = Conservation::default();
        conservation.save(100, false);
        conservation.on_timeout();
        conservation.save(4, false);
        assert_eq!(conservation.prior_cwnd(), 100);
        assert_eq!(conservation.adjust(Repair::None, 10, (1, 0, 9)), adjusted(100, false, false));
        conservation.save(50, false);
        assert_eq!(conservation.prior_cwnd(), 50);
        conservation.save(4, true);
        assert_eq!(conservation.prior_cwnd(), 50);
    }
}
