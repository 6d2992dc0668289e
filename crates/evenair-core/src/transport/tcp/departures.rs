//! What lets a segment wait although the windows have room for it: pacing, and
//! the limit of what the sender has in the queues of its host. Most senders have none of them.

use super::pacing::Pacing;
use super::rate_based::RateBased;
use super::recovery::Recovery;
use super::segment::Segment;
use super::small_queue::SmallQueue;
use super::tcb::Tcb;
use crate::time::Instant;
use crate::transport::limits::Limit;

/// The state of one sender.
#[derive(Clone, Debug)]
pub(super) struct Departures {
    rates: Option<RateBased>,
    pacing: Option<Pacing>,
    small_queue: Option<SmallQueue>,
}

impl Departures {
    /// What the sender of `tcb` has, if it has any.
    pub(super) fn new(tcb: &Tcb) -> Option<Box<Self>> {
        let rates = tcb.congestion.is_rate_based().then(RateBased::default);
        let paces = tcb.congestion.paces();
        let pacing = (paces || tcb.config.pacing).then(|| Pacing::new(&tcb.config, paces));
        let small_queue = tcb.config.tsq.map(SmallQueue::new);
        let has_any = rates.is_some() || pacing.is_some() || small_queue.is_some();
        has_any.then(|| Box::new(Self { rates, pacing, small_queue }))
    }

    /// An ACK has been taken into account, which expects `ack` next and has these blocks.
    pub(super) fn on_ack(
        &mut self,
        of: (&mut Tcb, &mut Recovery),
        now: Instant,
        ack: u64,
        blocks: &[(u64, u64)],
    ) {
        if let Some(rates) = &mut self.rates {
            let next_send_at = self.pacing.as_ref().map_or(now, Pacing::next_at);
            rates.on_ack(of, now, (ack, blocks), next_send_at);
        }
    }

    /// A timer of loss recovery has expired, which may have marked segments lost.
    pub(super) fn on_recovery_timer(&mut self, of: (&mut Tcb, &mut Recovery), now: Instant) {
        if let Some(rates) = &mut self.rates {
            rates.on_timer(of, now);
        }
    }

    /// The next segment that may be sent now.
    #[inline(never)] // only where there are any
    pub(super) fn poll_transmit(
        &mut self,
        (tcb, recovery): (&mut Tcb, &mut Recovery),
        now: Instant,
    ) -> Option<Segment> {
        let begins = self.pacing.as_ref().is_none_or(|pacing| !pacing.is_within_burst(now));
        if let Some(queue) = &mut self.small_queue
            && begins
            && queue.holds_back(tcb)
        {
            return None;
        }
        if let Some(pacing) = &mut self.pacing
            && pacing.holds_back(now)
        {
            return None;
        }
        let segment = match &mut self.rates {
            Some(rates) => rates.poll_transmit((tcb, recovery), now),
            None => recovery.poll_transmit(tcb, now),
        }?;
        if let Some(pacing) = &mut self.pacing {
            pacing.sent(now, segment.payload, tcb);
        }
        Some(segment)
    }

    /// A segment is sent in a packet of `bytes` at IP level.
    pub(super) fn sent(&mut self, bytes: u32) {
        if let Some(queue) = &mut self.small_queue {
            queue.sent(bytes);
        }
    }

    /// The host is done with a packet of `bytes`. Returns whether the sender was held back.
    pub(super) fn left(&mut self, bytes: u32) -> bool {
        self.small_queue.as_mut().is_some_and(|queue| queue.left(bytes))
    }

    /// What holds the sender back, if anything here does.
    pub(super) fn limit(&self, tcb: &Tcb) -> Option<Limit> {
        if self.small_queue.as_ref().is_some_and(SmallQueue::is_throttled) {
            return Some(Limit::SmallQueue);
        }
        if self.rates.is_some() && tcb.is_held_by_probe() {
            return Some(Limit::BandwidthProbing);
        }
        self.pacing.as_ref().is_some_and(Pacing::is_waiting).then_some(Limit::Pacing)
    }

    /// When a segment that has been held back may leave.
    pub(super) fn poll_at(&self) -> Instant {
        self.pacing.as_ref().map_or(Instant::NEVER, Pacing::poll_at)
    }

    /// The timer may have expired.
    pub(super) fn on_timer(&mut self, now: Instant) {
        if let Some(pacing) = &mut self.pacing {
            pacing.on_timer(now);
        }
    }
}
