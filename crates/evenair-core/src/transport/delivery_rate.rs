//! How fast a sender's data are delivered (draft-ietf-ccwg-bbr-02 section 4.1.1): from the time in which a
//! segment's data and all that followed it were sent, and that in which they were acknowledged, whichever is
//! longer.
//!
//! Where the draft leaves a choice:
//! - the connection's state is that of its data: a handshake delivers none;
//! - a segment that is sent again has the state of its last transmission, as in Linux, whichever of them has
//!   arrived;
//! - the time begins anew where nothing is outstanding, as in Linux, and not where nothing is in the network by
//!   estimate: a timeout that was not needed would make samples too high.
//!
//! With each segment goes what was in the network and what had been lost and marked when it was sent, so that a sample
//! tells what has happened since.

use std::collections::VecDeque;

use crate::congestion::{LostSegment, RateSample, Repair};
use crate::time::{Duration, Instant};
use crate::transport::recovery::ranges;

/// A segment that is outstanding, with the state of the connection when it was last sent.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    /// The byte after its last.
    end: u64,
    /// P.sent_time.
    at: Instant,
    /// P.first_sent_time: the start of the time in which what the sample covers was sent.
    first_sent: Instant,
    /// P.delivered_time and P.delivered.
    delivered_at: Instant,
    delivered: u64,
    is_app_limited: bool,
    /// P.tx_in_flight.
    tx_in_flight: u64,
    /// P.lost.
    lost: u64,
    /// Bytes that had arrived with a mark.
    marked: u64,
    sent_again: bool,
    /// It is lost, and has not been sent again.
    is_lost: bool,
}

/// What the sender knows of an ACK besides what the ACK acknowledges.
#[derive(Clone, Copy, Debug)]
pub struct AckContext {
    /// The moment.
    pub now: Instant,
    /// The connection's shortest round-trip time.
    pub min_rtt: Option<Duration>,
    /// Bytes in the network after it.
    pub in_flight: u64,
    /// Bytes that it reports as marked, if so many are newly delivered.
    pub marked: u64,
}

/// The delivery rate of one connection. Bytes are counted from its first.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    /// The first byte that has not been acknowledged.
    una: u64,
    outstanding: VecDeque<Transmission>,
    /// What has been reported beyond `una`.
    reported: Vec<(u64, u64)>,
    /// C.delivered.
    delivered: u64,
    /// C.delivered_time.
    delivered_at: Instant,
    /// C.first_sent_time.
    first_sent: Instant,
    /// C.lost.
    lost: u64,
    /// Bytes that have arrived with a mark.
    marked: u64,
    /// C.app_limited: once so much has been delivered, what was sent while the application limited the sender
    /// is gone.
    app_limited_until: Option<u64>,
}

impl DeliveryRate {
    /// The bytes from `start` up to `end` leave, for the first time or again. With them `in_flight` bytes are in
    /// the network.
    pub fn sent(&mut self, now: Instant, (start, end): (u64, u64), in_flight: u64) {
        if self.outstanding.is_empty() {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let index = self.outstanding.partition_point(|segment| segment.end <= start);
        let transmission = Transmission {
            end,
            at: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            is_app_limited: self.app_limited_until.is_some(),
            tx_in_flight: in_flight,
            lost: self.lost,
            marked: self.marked,
            sent_again: index < self.outstanding.len(),
            is_lost: false,
        };
        match self.outstanding.get_mut(index) {
            Some(segment) => *segment = transmission,
            None => self.outstanding.push_back(transmission),
        }
    }

    /// The application has no more data while the window has room; `in_flight` bytes are in the network.
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = Some(self.delivered + in_flight);
    }

    /// Whether what is sent now counts as limited by the application.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// C.lost.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The segments from `start` up to `end` are lost, but for what has been reported. Tells `each` of those that
    /// have not been marked since they were last sent.
    pub fn mark_lost(
        &mut self,
        now: Instant,
        (start, end): (u64, u64),
        each: &mut impl FnMut(&LostSegment),
    ) {
        let first = self.outstanding.partition_point(|segment| segment.end <= start);
        let mut from = first.checked_sub(1).map_or(self.una, |before| self.outstanding[before].end);
        for segment in self.outstanding.range_mut(first..).take_while(|segment| segment.end <= end)
        {
            let bytes = segment.end - from;
            if !segment.is_lost && ranges::containing(&self.reported, from).is_none() {
                segment.is_lost = true;
                self.lost += bytes;
                each(&LostSegment {
                    now,
                    seq: from,
                    bytes,
                    tx_in_flight: segment.tx_in_flight,
                    lost: self.lost - segment.lost,
                    delivered: self.delivered,
                    is_app_limited: segment.is_app_limited,
                });
            }
            from = segment.end;
        }
    }

    /// An ACK that expects byte `ack` next and reports these ranges beyond it has come. Nothing, if others have
    /// reported the same. What only the sender knows is left at nothing.
    pub fn on_ack(
        &mut self,
        (ack, blocks): (u64, &[(u64, u64)]),
        context: AckContext,
    ) -> Option<RateSample> {
        let AckContext { now, min_rtt, in_flight, marked } = context;
        let before = self.delivered;
        let mut newest = None;
        while let Some(&segment) = self.outstanding.front().filter(|segment| segment.end <= ack) {
            if ranges::containing(&self.reported, self.una).is_none() {
                self.delivered += segment.end - self.una;
                newest = later(newest, segment);
            }
            self.una = segment.end;
            self.outstanding.pop_front();
        }
        self.reported.drain(..self.reported.partition_point(|&(_, end)| end <= self.una));
        for &(start, end) in blocks.iter().filter(|&&(start, _)| start > ack) {
            let first = self.outstanding.partition_point(|segment| segment.end <= start);
            for (from, to) in ranges::missing(&self.reported, start, end) {
                self.delivered += to - from;
                let news =
                    self.outstanding.range(first..).skip_while(|segment| segment.end <= from);
                newest = news.take_while(|segment| segment.end <= to).copied().fold(newest, later);
            }
            ranges::insert(&mut self.reported, start, end);
        }
        let newest = newest?;
        (self.delivered_at, self.first_sent) = (now, newest.at);
        let newly_delivered = self.delivered - before;
        let newly_marked = marked.min(newly_delivered);
        self.marked += newly_marked;
        if self.app_limited_until.is_some_and(|until| self.delivered > until) {
            self.app_limited_until = None;
        }
        let interval = newest.at.since(newest.first_sent).max(now.since(newest.delivered_at));
        let is_usable = interval > Duration::ZERO && min_rtt.is_none_or(|least| interval >= least);
        Some(RateSample {
            now,
            newly_delivered,
            total: self.delivered,
            prior_delivered: newest.delivered,
            interval: is_usable.then_some(interval),
            is_app_limited: newest.is_app_limited,
            in_flight,
            rtt: (!newest.sent_again).then(|| now.since(newest.at)),
            segment: 0,
            prior_in_flight: 0,
            is_cwnd_limited: false,
            newly_lost: 0,
            lost: self.lost - newest.lost,
            total_lost: self.lost,
            tx_in_flight: newest.tx_in_flight,
            newly_marked,
            marked: self.marked - newest.marked,
            repair: Repair::None,
            next_send_at: now,
            srtt: None,
        })
    }
}

/// The one of both that was sent later; of those of one moment the one further on.
fn later(newest: Option<Transmission>, other: Transmission) -> Option<Transmission> {
    let key = |segment: &Transmission| (segment.at, segment.end);
    Some(newest.filter(|newest| key(newest) > key(&other)).unwrap_or(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn context(now: Instant, min_rtt: Option<Duration>, in_flight: u64) -> AckContext {
        AckContext { now, min_rtt, in_flight, marked: 0 }
    }

    /// By hand: ten segments of 1,000 bytes leave at once, and their ACKs come every 10 ms from 100 ms on,
    /// each of which lets another leave. The rate of the ACKs is 100 bytes/ms.
    #[test]
    fn acks_tell_the_rate_of_the_bottleneck() {
        let mut rate = DeliveryRate::default();
        for n in 0..10 {
            rate.sent(at(0), (n * 1000, n * 1000 + 1000), n * 1000);
        }
        let mut rates = vec![];
        for n in 1..=30 {
            let now = at(90 + 10 * n);
            let sample = rate.on_ack((n * 1000, &[]), context(now, Some(RTT), 9000)).unwrap();
            assert_eq!((sample.newly_delivered, sample.total), (1000, n * 1000));
            rates.push((sample.total - sample.prior_delivered, sample.interval.unwrap()));
            rate.sent(now, ((n + 9) * 1000, (n + 10) * 1000), 9000);
        }
        // The first of the burst: 1,000 bytes in 100 ms; the tenth: 10,000 in 190 ms.
        assert_eq!(rates[0], (1000, RTT));
        assert_eq!(rates[9], (10_000, Duration::from_millis(190)));
        // Sent with the first ACK, when 1,000 had been delivered: all ten others in 100 ms.
        assert_eq!(rates[10], (10_000, RTT));
        // Sent 190 ms after the tenth, from which on the time of sending counts.
        assert_eq!(rates[19], (10_000, Duration::from_millis(190)));
        assert_eq!(rates[29], (10_000, RTT));
    }

    /// What SACK reports is delivered when it is reported, and not again with the cumulative ACK. The repair
    /// has the state of the connection when it was sent.
    #[test]
    fn what_is_reported_is_delivered_once() {
        let mut rate = DeliveryRate::default();
        for n in 0..4 {
            rate.sent(at(10 * n), (n * 1000, n * 1000 + 1000), n * 1000);
        }
        let news = |sample: Option<RateSample>| sample.map(|s| (s.newly_delivered, s.total));
        let sample = rate.on_ack((0, &[(1000, 2000)]), context(at(110), None, 3000));
        assert_eq!(news(sample), Some((1000, 1000)));
        assert_eq!(rate.on_ack((0, &[(1000, 2000)]), context(at(115), None, 3000)), None);
        let sample = rate.on_ack((0, &[(1000, 3000)]), context(at(120), None, 2000));
        assert_eq!(news(sample), Some((1000, 2000)));
        rate.sent(at(120), (0, 1000), 1000);
        let sample = rate.on_ack((4000, &[]), context(at(220), None, 0)).unwrap();
        assert_eq!((sample.newly_delivered, sample.total), (2000, 4000));
        // The last segment sent is the repair: nothing is known of its round-trip time.
        assert_eq!((sample.prior_delivered, sample.rtt), (2000, None));
        assert_eq!(sample.interval, Some(Duration::from_millis(100)));
    }

    /// Samples are marked until what was in the network when the data ended has been delivered.
    #[test]
    fn a_pause_of_the_application_is_marked() {
        let mut rate = DeliveryRate::default();
        rate.sent(at(0), (0, 1000), 0);
        rate.on_app_limited(1000);
        rate.sent(at(50), (1000, 2000), 1000);
        let sample = |rate: &mut DeliveryRate, ms, ack| {
            rate.on_ack((ack, &[]), context(at(ms), None, 1000)).unwrap().is_app_limited
        };
        assert!(!sample(&mut rate, 100, 1000)); // sent before
        assert!(sample(&mut rate, 150, 2000));
        rate.sent(at(150), (2000, 3000), 1000);
        assert!(!sample(&mut rate, 250, 3000));
    }

    /// ACKs that come faster than a round trip allows tell nothing; after a pause the time begins anew.
    #[test]
    fn compressed_acks_are_no_sample() {
        let mut rate = DeliveryRate::default();
        rate.sent(at(0), (0, 1000), 0);
        assert_eq!(rate.on_ack((1000, &[]), context(at(99), Some(RTT), 0)).unwrap().interval, None);
        rate.sent(at(5000), (1000, 2000), 0);
        let sample = rate.on_ack((2000, &[]), context(at(5100), Some(RTT), 0)).unwrap();
        assert_eq!(sample.interval, Some(RTT));
        assert_eq!(sample.rate(), Some(crate::units::Rate::from_bps(80_000)));
    }

    /// By hand: of five segments of 1,000 bytes the second and the third are lost, the second once more after it has
    /// been sent again with 2,000 lost. A range may have what has been reported, and what has been told before.
    #[test]
    fn losses_are_told_once_for_each_transmission() {
        let mut rate = DeliveryRate::default();
        for n in 0..5 {
            rate.sent(at(0), (n * 1000, n * 1000 + 1000), n * 1000 + 1000);
        }
        let sample = rate.on_ack((1000, &[(3000, 4000)]), context(at(100), None, 1000)).unwrap();
        assert_eq!((sample.tx_in_flight, sample.lost), (4000, 0));
        let mut told = vec![];
        let mut tell = |lost: &LostSegment| {
            told.push((lost.seq, lost.bytes, lost.tx_in_flight, lost.lost, lost.delivered));
        };
        rate.mark_lost(at(100), (1000, 3000), &mut tell);
        rate.mark_lost(at(100), (2000, 4000), &mut tell);
        rate.sent(at(110), (1000, 2000), 2000);
        rate.mark_lost(at(300), (1000, 5000), &mut tell);
        assert_eq!(
            told,
            [
                (1000, 1000, 2000, 1000, 2000),
                (2000, 1000, 3000, 2000, 2000),
                (1000, 1000, 2000, 1000, 2000),
                (4000, 1000, 5000, 4000, 2000)
            ]
        );
        // The third arrives nevertheless, with the state of its only transmission: all four losses came after it.
        let sample = rate.on_ack((1000, &[(2000, 4000)]), context(at(310), None, 0)).unwrap();
        assert_eq!((sample.lost, sample.total_lost, rate.lost()), (4000, 4000, 4000));
    }

    /// An ACK with ECN-Echo marks all that it is the first to report.
    #[test]
    fn marks_are_counted_since_the_segment_was_sent() {
        let mut rate = DeliveryRate::default();
        for n in 0..2 {
            rate.sent(at(0), (n * 1000, n * 1000 + 1000), n * 1000 + 1000);
        }
        let marked = AckContext { marked: u64::MAX, ..context(at(100), None, 1000) };
        let sample = rate.on_ack((1000, &[]), marked).unwrap();
        assert_eq!((sample.newly_marked, sample.marked), (1000, 1000));
        rate.sent(at(100), (2000, 3000), 2000);
        let sample = rate.on_ack((2000, &[]), context(at(150), None, 1000)).unwrap();
        assert_eq!((sample.newly_marked, sample.marked), (0, 1000));
        let sample = rate.on_ack((3000, &[]), context(at(200), None, 0)).unwrap();
        assert_eq!((sample.newly_marked, sample.marked), (0, 0));
    }
}
