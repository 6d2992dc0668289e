//! Proportional rate reduction (RFC 9937): how much each ACK of a recovery allows to be sent, so that what is in
//! flight comes down to the congestion control's target within a round trip, neither in silence nor in
//! a burst.
//!
//! Where the RFC leaves a choice:
//! - all is counted in segments, as in its examples: half a segment cannot be sent, and rounding up
//!   the bytes alone would leave the first repair waiting;
//! - its `ssthresh` is the cwnd that the congestion control has chosen for the recovery and after,
//!   which is ssthresh, or less where a control (Westwood) sets a threshold above the window;
//! - a repair that is lost is repaired within the same episode, as Linux does: the episode is the
//!   congestion control's (section 6.1).

/// The variables of one episode.
#[derive(Clone, Debug)]
pub struct Prr {
    /// Payload bytes of a full segment.
    segment: u64,
    /// The first byte not acknowledged and the bytes reported beyond it, at the last ACK.
    known: (u64, u64),
    /// Segments that the last ACK has delivered, in an episode or not.
    latest: u64,
    /// `prr_delivered`: segments delivered in recovery.
    delivered: u64,
    /// `prr_out`: segments sent in recovery.
    out: u64,
    /// `RecoverFS`: segments that may be delivered in recovery.
    flight: u64,
    /// `cwnd`: segments that may be in flight until the next ACK.
    cwnd: u64,
}

impl Prr {
    /// Before anything was sent.
    pub fn new(segment: u32) -> Self {
        Self {
            segment: u64::from(segment),
            known: (0, 0),
            latest: 0,
            delivered: 0,
            out: 0,
            flight: 1,
            cwnd: 0,
        }
    }

    /// `DeliveredData` of an ACK that expects `una` next, with `sacked` bytes reported beyond it.
    pub fn delivered_by(&mut self, una: u64, sacked: u64) -> u64 {
        let known = std::mem::replace(&mut self.known, (una, sacked));
        // A timeout may forget what was reported.
        self.latest = (una + sacked).saturating_sub(known.0 + known.1).div_ceil(self.segment);
        self.latest
    }

    /// The same where the caller counts: an ACK has delivered so many segments.
    pub fn note_delivered(&mut self, segments: u64) {
        self.latest = segments;
    }

    /// Section 6.1: an episode begins; `flight` is RecoverFS and `inflight` what is in flight. Until an
    /// ACK says otherwise one segment may go.
    pub fn begin(&mut self, flight: u64, inflight: u64) {
        (self.delivered, self.out, self.flight) = (0, 0, flight.max(1));
        self.cwnd = inflight + 1;
    }

    /// An episode without a loss begins with the last ACK, which has reported a mark and has advanced or not.
    /// `outstanding` segments are neither acknowledged nor reported, and all of them are in flight.
    pub fn begin_for_mark(&mut self, outstanding: u64, target: u64, advances: bool) {
        self.begin(outstanding + self.latest, outstanding);
        self.on_ack(self.latest, outstanding, target, advances);
    }

    /// Section 6.2: an ACK of the episode, the first one, too, has reported `delivered` segments.
    /// What is in flight goes towards `target`; `safe`: the ACK has advanced and reports no further loss.
    pub fn on_ack(&mut self, delivered: u64, inflight: u64, target: u64, safe: bool) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        let mut count = if inflight > target {
            (self.delivered * target).div_ceil(self.flight).saturating_sub(self.out)
        } else {
            let conserving = self.delivered.saturating_sub(self.out).max(delivered);
            (conserving + u64::from(safe)).min(target - inflight)
        };
        if self.out == 0 && count == 0 {
            count = 1;
        }
        self.cwnd = inflight + count;
    }

    /// Section 6.3: a segment was sent.
    pub fn sent(&mut self) {
        self.out += 1;
    }

    /// Segments that may be in flight.
    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What may be sent, and is sent.
    fn send(prr: &mut Prr, inflight: &mut u64) -> u64 {
        let count = prr.cwnd().saturating_sub(*inflight);
        for _ in 0..count {
            prr.sent();
        }
        *inflight += count;
        count
    }

    /// Section 8, figure 1: 20 in flight and 2 by limited transmit, one lost, target 10. A segment for
    /// every other ACK; 10 in all, and 10 in flight in the end. (The figure has the last but one go with
    /// ACK 19, where its cwnd is 11; by the pseudocode nothing goes at 10 in flight, but one with 20.)
    #[test]
    fn one_loss_of_twenty() {
        let mut prr = Prr::new(1000);
        prr.begin(20, 18);
        let mut inflight = 18;
        let mut sent = vec![];
        for ack in 3..=21 {
            inflight -= u64::from(ack > 3);
            prr.on_ack(1, inflight, 10, false);
            if send(&mut prr, &mut inflight) == 1 {
                sent.push(ack);
            }
        }
        assert_eq!(sent, [3, 5, 7, 9, 11, 13, 15, 17, 20, 21]);
        assert_eq!(inflight, 10);
    }

    /// Section 8, figure 2: the first 15 of 20 are lost. One for one (CRB); once ACKs advance, two for one
    /// (SSRB), up to the target.
    #[test]
    fn fifteen_losses_of_twenty() {
        let mut prr = Prr::new(1000);
        prr.begin(20, 4);
        let mut inflight = 4;
        for ack in 17..=19 {
            inflight -= u64::from(ack > 17);
            prr.on_ack(1, inflight, 10, false);
            assert_eq!(prr.cwnd(), 5);
            assert_eq!(send(&mut prr, &mut inflight), 1);
        }
        let mut flights = vec![];
        for _ in 0..7 {
            inflight -= 1;
            prr.on_ack(1, inflight, 10, true);
            send(&mut prr, &mut inflight);
            flights.push(inflight);
        }
        assert_eq!(flights, [6, 7, 8, 9, 10, 10, 10]);
    }

    #[test]
    fn what_was_reported_is_delivered_once() {
        let mut prr = Prr::new(1000);
        assert_eq!(prr.delivered_by(0, 3000), 3);
        assert_eq!(prr.delivered_by(4000, 0), 1); // the hole and the three
        assert_eq!(prr.delivered_by(4000, 2000), 2);
        assert_eq!(prr.delivered_by(4000, 0), 0); // forgotten
        assert_eq!(prr.delivered_by(5500, 0), 2); // a short one counts for one
    }

    /// The first repair goes whatever is in flight.
    #[test]
    fn the_first_repair_is_forced() {
        let mut prr = Prr::new(1000);
        prr.begin(20, 19);
        assert_eq!(prr.cwnd(), 20); // by a timer, without an ACK
        prr.on_ack(1, 10, 10, false); // already at the target
        assert_eq!(prr.cwnd(), 11);
        prr.sent();
        prr.on_ack(1, 10, 10, false);
        assert_eq!(prr.cwnd(), 10);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(2000))]

        /// Section 7: above the target, what is sent is the share target / RecoverFS of what was
        /// delivered; while no ACK is safe, never more than was delivered; and where the losses are fewer
        /// than the reduction, a round trip leaves the target in flight.
        #[test]
        fn what_is_sent_follows_what_is_delivered(
            (flight, target, lost) in (2..200_u64, any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            let target = target.index(flight as usize) as u64 + 1;
            let lost = lost.index(flight as usize) as u64;
            let mut inflight = flight - lost;
            let mut prr = Prr::new(1000);
            prr.begin(flight, inflight);
            let mut out = 0;
            for delivered in 1..=flight - lost {
                inflight -= 1;
                prr.on_ack(1, inflight, target, false);
                let above = inflight > target;
                out += send(&mut prr, &mut inflight);
                prop_assert!(out <= delivered);
                if above {
                    prop_assert_eq!(out, (delivered * target).div_ceil(flight));
                } else {
                    // The first repair goes anyway.
                    prop_assert!(inflight <= target || out == 1);
                }
            }
            if lost <= flight - target {
                prop_assert_eq!((inflight, out), (target, target));
            }
        }
    }
}
