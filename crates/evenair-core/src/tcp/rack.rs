//! RACK-TLP (RFC 8985): what a sender knows of each segment's last transmission, and which are lost
//! because one that was sent later has been delivered.
//!
//! Where the RFC leaves a choice:
//! - there is no timestamp option, so an ACK of a segment that was sent again tells nothing if it comes
//!   within min_RTT (6.2, step 2, second condition);
//! - receivers send no DSACK, so the reordering window does not grow beyond min_RTT / 4;
//! - min_RTT is the connection's, without a window: paths here do not change;
//! - a segment that was given up and arrives nevertheless has a round-trip time. The pseudocode would
//!   take its transmission time as infinite; here being lost is a mark of its own.

use std::collections::{BTreeSet, VecDeque};

use super::sender::DUPLICATE_ACK_THRESHOLD;
use crate::time::{Duration, Instant};

/// The last transmission of a segment.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    at: Instant,
    /// It was not the first.
    again: bool,
    reported: bool,
    /// It is lost, and has not been sent again.
    lost: bool,
    /// It or an earlier one has been lost.
    ever_lost: bool,
}

impl Transmission {
    /// It is lost: 1 if it had never been, or else 0.
    fn give_up(&mut self) -> u64 {
        self.lost = true;
        u64::from(!std::mem::replace(&mut self.ever_lost, true))
    }
}

/// A tail loss probe that has not been acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// `TLP.end_seq`: what had been sent when it was.
    pub(super) end: u64,
    /// `TLP.is_retrans`.
    pub(super) again: bool,
}

/// What has been found lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Whether anything was.
    pub(super) lost: bool,
    /// Whether a retransmission was, made since the last congestion response.
    pub(super) lost_again: bool,
}

/// The variables of RFC 8985.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// Payload bytes of a full segment.
    segment: u64,
    /// The first byte that has not been acknowledged.
    una: u64,
    /// Of each outstanding segment.
    sent: VecDeque<Transmission>,
    /// Transmissions in their order: when, and the segment's end. Some have been repeated or settled
    /// since.
    order: VecDeque<(Instant, u64)>,
    /// What the present ACK is the first to report.
    pub(super) reports: Vec<(u64, u64)>,
    /// `RACK.xmit_ts` and `RACK.end_seq`, once something has been delivered.
    latest: (Instant, u64),
    /// `RACK.rtt`.
    rtt: Duration,
    /// `RACK.fack`.
    forward: u64,
    reordering_seen: bool,
    /// Outstanding segments that are reported (`RACK.segs_sacked`), or have ever been lost and not been
    /// reported.
    reported: u64,
    ever_lost: u64,
    /// Those that are lost and have not been sent again, by their first byte.
    lost: BTreeSet<u64>,
    /// Beyond this byte segments were sent in order, once, and none has been reported.
    ordered_from: u64,
    /// When the congestion control last lowered the window.
    pub(super) response: Instant,
    /// The next repair goes whatever is in flight.
    pub(super) forced: bool,
    /// Until `Sender::recovered` is acknowledged after a timeout.
    pub(super) after_timeout: bool,
    /// When the retransmission timer would expire, and when the others do.
    pub(super) rto_at: Instant,
    pub(super) probe_at: Instant,
    pub(super) reordering_at: Instant,
    pub(super) probe: Option<Probe>,
    /// A probe is to be sent.
    pub(super) probe_due: bool,
    /// Round-trip times known when the last probe was sent.
    pub(super) samples: u64,
}

impl Rack {
    /// Before anything was sent.
    pub(super) fn new(segment: u32) -> Self {
        Self {
            segment: u64::from(segment),
            una: 0,
            sent: VecDeque::new(),
            order: VecDeque::new(),
            reports: Vec::new(),
            latest: (Instant::ZERO, 0),
            rtt: Duration::ZERO,
            forward: 0,
            reordering_seen: false,
            reported: 0,
            ever_lost: 0,
            lost: BTreeSet::new(),
            ordered_from: 0,
            response: Instant::ZERO,
            forced: false,
            after_timeout: false,
            rto_at: Instant::NEVER,
            probe_at: Instant::NEVER,
            reordering_at: Instant::NEVER,
            probe: None,
            probe_due: false,
            samples: 0,
        }
    }

    /// Segments that are outstanding.
    pub(super) fn outstanding(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Outstanding segments that have been reported.
    pub(super) fn reported(&self) -> u64 {
        self.reported
    }

    /// Segments in flight: neither reported nor lost, or sent again since (RFC 9937 section 6.2).
    pub(super) fn inflight(&self) -> u64 {
        self.outstanding() - self.reported - self.lost.len() as u64
    }

    /// Whether a segment that has not been delivered has ever been found lost.
    pub(super) fn has_losses(&self) -> bool {
        self.ever_lost > 0
    }

    /// 6.1: a segment was sent for the first time.
    pub(super) fn sent(&mut self, now: Instant) {
        self.sent.push_back(Transmission {
            at: now,
            again: false,
            reported: false,
            lost: false,
            ever_lost: false,
        });
        self.note(now, self.end());
    }

    /// 6.1: the segment at `seq` was sent again.
    pub(super) fn sent_again(&mut self, now: Instant, seq: u64) {
        let index = ((seq - self.una) / self.segment) as usize;
        let segment = &mut self.sent[index];
        self.lost.remove(&seq);
        (segment.at, segment.again, segment.lost) = (now, true, false);
        self.ordered_from = self.end();
        self.note(now, seq + self.segment);
    }

    /// The first lost segment.
    pub(super) fn first_lost(&self) -> Option<u64> {
        self.lost.first().copied()
    }

    /// Keeps `order`, where those of one moment stand by their ends.
    fn note(&mut self, now: Instant, end: u64) {
        let later = self.order.iter().rev().take_while(|&&other| other > (now, end)).count();
        self.order.insert(self.order.len() - later, (now, end));
    }

    /// One after the last byte of the last segment, if that is full.
    fn end(&self) -> u64 {
        self.una + self.outstanding() * self.segment
    }

    /// 6.2, steps 2 and 3: an ACK expects `una` next, and has told what is in `reports`. `least` is
    /// min_RTT.
    pub(super) fn update(&mut self, now: Instant, una: u64, least: Duration) {
        let (mut latest, size) = (None, self.segment);
        let mut deliver = |segment: &Transmission, end: u64| {
            if end > self.forward {
                self.forward = end;
            } else if end < self.forward && !segment.again {
                self.reordering_seen = true;
            }
            if segment.lost {
                self.lost.remove(&(end - size));
            }
            self.ever_lost -= u64::from(segment.ever_lost);
            // Within min_RTT it was the transmission before that arrived.
            if !segment.again || now.since(segment.at) >= least {
                latest = latest.max(Some((segment.at, end)));
            }
        };
        while self.una < una {
            let Some(segment) = self.sent.pop_front() else { break };
            self.una += self.segment;
            if segment.reported {
                self.reported -= 1;
            } else {
                deliver(&segment, self.una);
            }
        }
        // The last segment of all may be short.
        self.una = una;
        // Ascending, or it would look like reordering.
        self.reports.sort_unstable();
        for &(from, to) in &self.reports {
            for start in (from..to).step_by(size as usize) {
                let segment = &mut self.sent[((start - una) / size) as usize];
                deliver(segment, start + size);
                (segment.reported, segment.lost, segment.ever_lost) = (true, false, false);
                self.reported += 1;
            }
        }
        if !self.reports.is_empty() {
            self.reports.clear();
            self.ordered_from = self.end();
        }
        while self.order.front().is_some_and(|&(_, end)| end <= una) {
            self.order.pop_front();
        }
        if let Some(latest) = latest {
            self.rtt = now.since(latest.0);
            self.latest = self.latest.max(latest);
        }
    }

    /// 6.2, step 4, without DSACK.
    pub(super) fn window(&self, recovering: bool, least: Duration, srtt: Duration) -> Duration {
        let quick = recovering || self.reported >= u64::from(DUPLICATE_ACK_THRESHOLD);
        if quick && !self.reordering_seen { Duration::ZERO } else { (least / 4).min(srtt) }
    }

    /// 6.2, step 5: gives up what has been overtaken by more than the reordering `window`, and sets the
    /// reordering timer for the rest.
    pub(super) fn detect(&mut self, now: Instant, window: Duration) -> Found {
        let mut found = Found::default();
        self.reordering_at = Instant::NEVER;
        if self.una >= self.ordered_from {
            return found;
        }
        let mut last = None;
        let mut overtaken = 0;
        while let Some(&(at, end)) = self.order.get(overtaken).filter(|&&sent| sent < self.latest) {
            overtaken += 1;
            let index = end.checked_sub(self.una + 1).map(|bytes| (bytes / self.segment) as usize);
            let segment = index.and_then(|index| self.sent.get_mut(index));
            let Some(segment) = segment.filter(|s| s.at == at && !s.reported && !s.lost) else {
                continue;
            };
            if at + self.rtt + window > now {
                // So are all that follow: they were sent later.
                last = last.or(Some(overtaken - 1));
                self.reordering_at = at + self.rtt + window;
                continue;
            }
            found.lost = true;
            found.lost_again |= segment.again && at >= self.response;
            self.lost.insert(end - self.segment);
            self.ever_lost += segment.give_up();
        }
        self.order.drain(..last.unwrap_or(overtaken));
        found
    }

    /// 6.3: the retransmission timer has expired. Whether the receiver has thrown away what it had
    /// reported (RFC 2018 section 8): it does not acknowledge a segment that it has reported.
    pub(super) fn time_out(&mut self, now: Instant, window: Duration) -> bool {
        let discarded = self.sent.front().is_some_and(|first| first.reported);
        let starts = (self.una..).step_by(self.segment as usize);
        for (segment, start) in self.sent.iter_mut().zip(starts) {
            if discarded && segment.reported {
                segment.reported = false;
                self.reported -= 1;
            }
            if segment.reported || segment.lost {
                continue;
            }
            if start == self.una || segment.at + self.rtt + window <= now {
                self.lost.insert(start);
                self.ever_lost += segment.give_up();
            } else if discarded {
                self.order.push_back((segment.at, start + self.segment));
            }
        }
        if discarded {
            self.order.make_contiguous().sort_unstable();
        }
        self.ordered_from = self.end();
        discarded
    }
}
