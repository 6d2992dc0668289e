//! The last transmission of each outstanding segment (RACK, RFC 8985), and which segments are lost
//! because one that was sent later has been delivered.
//!
//! Where the RFC leaves a choice:
//! - there is no timestamp option, so an ACK of a retransmitted segment is ignored if it comes within
//!   min_RTT (6.2, step 2, second condition);
//! - receivers send no DSACK, so the reordering window does not grow beyond min_RTT / 4;
//! - min_RTT is the connection's, without a window: paths here do not change;
//! - a segment that was marked lost and arrives nevertheless has a round-trip time. The pseudocode
//!   would take its transmission time as infinite; here being lost is a mark of its own.

use std::collections::{BTreeSet, VecDeque};

use super::DUP_THRESH;
use crate::time::{Duration, Instant};

/// The last transmission of a segment.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    at: Instant,
    /// It was not the first.
    retransmitted: bool,
    sacked: bool,
    /// It is lost, and has not been sent again.
    lost: bool,
    /// It or an earlier one has been lost.
    ever_lost: bool,
}

impl Transmission {
    /// Marks it as lost. Returns 1 if it had never been, or else 0.
    fn mark_lost(&mut self) -> u64 {
        self.lost = true;
        u64::from(!std::mem::replace(&mut self.ever_lost, true))
    }
}

/// What has been found lost.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Whether anything was.
    pub lost: bool,
    /// Whether a retransmission was, made since the last congestion response.
    pub retransmission: bool,
    /// When the reordering timer expires, if it is set.
    pub reordering_at: Instant,
}

/// The per-segment state of RFC 8985.
#[derive(Clone, Debug)]
pub struct Rack {
    /// Payload bytes of a full segment.
    segment: u64,
    /// The first byte that has not been acknowledged.
    snd_una: u64,
    /// Of each outstanding segment.
    last: VecDeque<Transmission>,
    /// Rack in their order: when, and the segment's end. Some have been repeated or delivered
    /// since.
    order: VecDeque<(Instant, u64)>,
    /// What the present ACK is the first to report.
    newly_sacked: Vec<(u64, u64)>,
    /// `RACK.xmit_ts` and `RACK.end_seq`, once something has been delivered.
    latest: (Instant, u64),
    /// `RACK.rtt`.
    rtt: Duration,
    /// `RACK.fack`.
    fack: u64,
    /// `RACK.reordering_seen`.
    reordering_seen: bool,
    /// `RACK.segs_sacked`: outstanding segments that have been reported.
    sacked: u64,
    /// Outstanding segments that have ever been lost and have not been reported.
    ever_lost: u64,
    /// Those that are lost and have not been sent again, by their first byte.
    lost: BTreeSet<u64>,
    /// Some of them have been found since [`Rack::take_lost`] was last called.
    has_new_losses: bool,
    /// Beyond this byte segments were sent in order, once, and none has been reported.
    ordered_from: u64,
}

impl Rack {
    /// Before anything was sent.
    pub fn new(segment: u32) -> Self {
        Self {
            segment: u64::from(segment),
            snd_una: 0,
            last: VecDeque::new(),
            order: VecDeque::new(),
            newly_sacked: Vec::new(),
            latest: (Instant::ZERO, 0),
            rtt: Duration::ZERO,
            fack: 0,
            reordering_seen: false,
            sacked: 0,
            ever_lost: 0,
            lost: BTreeSet::new(),
            has_new_losses: false,
            ordered_from: 0,
        }
    }

    /// Segments that are outstanding.
    pub fn outstanding(&self) -> u64 {
        self.last.len() as u64
    }

    /// Outstanding segments that have been reported.
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Segments in flight: neither reported nor lost, or sent again since (RFC 9937 section 6.2).
    pub fn inflight(&self) -> u64 {
        self.outstanding() - self.sacked - self.lost.len() as u64
    }

    /// Whether a segment that has not been delivered has ever been found lost.
    pub fn has_losses(&self) -> bool {
        self.ever_lost > 0
    }

    /// 6.1: a segment was sent for the first time.
    pub fn sent(&mut self, now: Instant) {
        self.last.push_back(Transmission {
            at: now,
            retransmitted: false,
            sacked: false,
            lost: false,
            ever_lost: false,
        });
        self.note(now, self.end());
    }

    /// 6.1: the segment at `seq` was sent again.
    pub fn retransmitted(&mut self, now: Instant, seq: u64) {
        let index = ((seq - self.snd_una) / self.segment) as usize;
        let segment = &mut self.last[index];
        self.lost.remove(&seq);
        (segment.at, segment.retransmitted, segment.lost) = (now, true, false);
        self.ordered_from = self.end();
        self.note(now, seq + self.segment);
    }

    /// The first lost segment.
    pub fn first_lost(&self) -> Option<u64> {
        self.lost.first().copied()
    }

    /// What is lost and has not been sent again, as ranges of bytes; nothing, if no more has been found lost since this
    /// was last called.
    pub fn take_lost(&mut self) -> Vec<(u64, u64)> {
        if !std::mem::take(&mut self.has_new_losses) {
            return Vec::new();
        }
        self.lost.iter().map(|&start| (start, start + self.segment)).collect()
    }

    /// Keeps `order`, where those of one moment stand by their ends.
    fn note(&mut self, now: Instant, end: u64) {
        let later = self.order.iter().rev().take_while(|&&other| other > (now, end)).count();
        self.order.insert(self.order.len() - later, (now, end));
    }

    /// One after the last byte of the last segment, if that is full.
    fn end(&self) -> u64 {
        self.snd_una + self.outstanding() * self.segment
    }

    /// An ACK, which [`Rack::update`] will be told of, is the first to report these bytes, from the first up
    /// to the one after the last.
    pub fn reported(&mut self, bytes: (u64, u64)) {
        self.newly_sacked.push(bytes);
    }

    /// 6.2, steps 2 and 3: an ACK expects `snd_una` next, and has [reported](Rack::reported) what it did.
    /// `min_rtt` is the connection's.
    pub fn update(&mut self, now: Instant, snd_una: u64, min_rtt: Duration) {
        let (mut latest, size) = (None, self.segment);
        let mut deliver = |segment: &Transmission, end: u64| {
            if end > self.fack {
                self.fack = end;
            } else if end < self.fack && !segment.retransmitted {
                self.reordering_seen = true;
            }
            if segment.lost {
                self.lost.remove(&(end - size));
            }
            self.ever_lost -= u64::from(segment.ever_lost);
            // Within min_RTT it was the transmission before that arrived.
            if !segment.retransmitted || now.since(segment.at) >= min_rtt {
                latest = latest.max(Some((segment.at, end)));
            }
        };
        while self.snd_una < snd_una {
            let Some(segment) = self.last.pop_front() else { break };
            self.snd_una += self.segment;
            if segment.sacked {
                self.sacked -= 1;
            } else {
                deliver(&segment, self.snd_una);
            }
        }
        // The last segment of all may be short.
        self.snd_una = snd_una;
        // Ascending, or it would look like reordering.
        self.newly_sacked.sort_unstable();
        for &(from, to) in &self.newly_sacked {
            for start in (from..to).step_by(size as usize) {
                let segment = &mut self.last[((start - snd_una) / size) as usize];
                deliver(segment, start + size);
                (segment.sacked, segment.lost, segment.ever_lost) = (true, false, false);
                self.sacked += 1;
            }
        }
        if !self.newly_sacked.is_empty() {
            self.newly_sacked.clear();
            self.ordered_from = self.end();
        }
        while self.order.front().is_some_and(|&(_, end)| end <= snd_una) {
            self.order.pop_front();
        }
        if let Some(latest) = latest {
            self.rtt = now.since(latest.0);
            self.latest = self.latest.max(latest);
        }
    }

    /// 6.2, step 4, without DSACK: the reordering window. `recovering`: in a recovery, by losses or after a
    /// timeout.
    pub fn window(&self, recovering: bool, min_rtt: Duration, srtt: Duration) -> Duration {
        let quick = recovering || self.sacked >= u64::from(DUP_THRESH);
        if quick && !self.reordering_seen { Duration::ZERO } else { (min_rtt / 4).min(srtt) }
    }

    /// 6.2, step 5: marks as lost what has been overtaken by more than the reordering `window`, and sets
    /// the reordering timer for what has been overtaken by less. `response` is when the congestion
    /// control last lowered the window.
    pub fn detect(&mut self, now: Instant, window: Duration, response: Instant) -> Found {
        let reordering_at = Instant::NEVER;
        let mut found = Found { lost: false, retransmission: false, reordering_at };
        if self.snd_una >= self.ordered_from {
            return found;
        }
        let mut last = None;
        let mut overtaken = 0;
        while let Some(&(at, end)) = self.order.get(overtaken).filter(|&&sent| sent < self.latest) {
            overtaken += 1;
            let index =
                end.checked_sub(self.snd_una + 1).map(|bytes| (bytes / self.segment) as usize);
            let segment = index.and_then(|index| self.last.get_mut(index));
            let Some(segment) = segment.filter(|s| s.at == at && !s.sacked && !s.lost) else {
                continue;
            };
            if at + self.rtt + window > now {
                // So are all that follow: they were sent later.
                last = last.or(Some(overtaken - 1));
                found.reordering_at = at + self.rtt + window;
                continue;
            }
            found.lost = true;
            found.retransmission |= segment.retransmitted && at >= response;
            self.lost.insert(end - self.segment);
            self.ever_lost += segment.mark_lost();
            self.has_new_losses = true;
        }
        self.order.drain(..last.unwrap_or(overtaken));
        found
    }

    /// 6.3: the retransmission timer has expired. Returns whether the receiver has discarded what
    /// it had reported (RFC 2018 section 8): it does not acknowledge a segment that it has reported.
    pub fn time_out(&mut self, now: Instant, window: Duration) -> bool {
        let discarded = self.last.front().is_some_and(|first| first.sacked);
        let starts = (self.snd_una..).step_by(self.segment as usize);
        for (segment, start) in self.last.iter_mut().zip(starts) {
            if discarded && segment.sacked {
                segment.sacked = false;
                self.sacked -= 1;
            }
            if segment.sacked || segment.lost {
                continue;
            }
            if start == self.snd_una || segment.at + self.rtt + window <= now {
                self.lost.insert(start);
                self.has_new_losses = true;
                self.ever_lost += segment.mark_lost();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8985 section 3.5: two segments sent just before the first one's timeout are not marked
    /// lost.
    #[test]
    fn a_timeout_does_not_mark_lost_what_is_young() {
        const SEGMENT: u64 = 1000;
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        let mut sent = Rack::new(SEGMENT as u32);
        sent.sent(at(0));
        sent.update(at(100), SEGMENT, Duration::from_millis(100)); // RACK.rtt is 100 ms
        for ms in [200, 1190, 1195] {
            sent.sent(at(ms));
        }
        assert!(!sent.time_out(at(1200), Duration::from_millis(25)));
        assert_eq!((sent.first_lost(), sent.inflight()), (Some(SEGMENT), 2));
    }
}
