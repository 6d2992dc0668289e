//! The data receiver (RFC 5348 section 6).

use std::collections::VecDeque;

use super::equation;
use super::loss_history::LossHistory;
use super::loss_intervals::LossIntervals;
use crate::time::{Duration, Instant};
use crate::transport::option::{DataHeader, Report};
use crate::units::Rate;

/// The receiver of one flow.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// s, bytes.
    segment: f64,
    history: LossHistory,
    intervals: LossIntervals,
    loss_events: u64,
    /// p as it was last calculated.
    loss_event_rate: f64,
    /// R of the packet with the highest number.
    rtt: Option<Duration>,
    /// The last data packet: when it was sent, and when it arrived.
    last: Option<(Instant, Instant)>,
    /// R when the feedback timer last expired, and when that was.
    expired: Option<(Option<Duration>, Instant)>,
    /// The packets of the last R seconds, with their payload.
    arrivals: VecDeque<(Instant, u32)>,
    /// Data have arrived since the last report.
    has_news: bool,
    /// The timer has expired without data to report.
    has_skipped: bool,
    deadline: Instant,
    /// The largest X_recv so far, bytes/s.
    largest_rate: f64,
    /// What a controller allows.
    limit: Option<Rate>,
}

impl Receiver {
    /// Of segments of `segment` bytes of payload. History is discounted down to `threshold`, if given.
    pub fn new(segment: u32, threshold: Option<f64>) -> Self {
        Self {
            segment: f64::from(segment),
            history: LossHistory::default(),
            intervals: LossIntervals::new(threshold),
            loss_events: 0,
            loss_event_rate: 0.0,
            rtt: None,
            last: None,
            expired: None,
            arrivals: VecDeque::new(),
            has_news: false,
            has_skipped: false,
            deadline: Instant::NEVER,
            largest_rate: 0.0,
            limit: None,
        }
    }

    /// Packet `number` with `payload` bytes has arrived (section 6.1). Returns the report that is due.
    pub fn on_packet(
        &mut self,
        now: Instant,
        number: u64,
        payload: u32,
        header: &DataHeader,
    ) -> Option<Report> {
        if self.history.highest().is_none_or(|highest| number > highest) {
            self.rtt = header.rtt.or(self.rtt);
        }
        self.last = Some((header.sent, now));
        self.has_news = true;
        // What arrives when the timer has just expired counts at the next expiry.
        let after = self.expired.map_or(now, |(_, at)| now.max(at + Duration::from_nanos(1)));
        self.arrivals.push_back((after, payload));
        let had_events = self.loss_events;
        self.note_losses(now, number);
        // Section 6.3: without a round-trip time each packet is reported, and the first with one.
        if self.deadline == Instant::NEVER {
            return self.expire(now);
        }
        let has_new_event = self.loss_events > had_events;
        if has_new_event || self.has_skipped {
            let before = self.loss_event_rate;
            self.update_loss_event_rate();
            if self.has_skipped || self.loss_event_rate > before {
                return self.expire(now);
            }
        }
        None
    }

    /// When [`Receiver::on_timer`] is to be called.
    pub fn poll_at(&self) -> Instant {
        self.deadline
    }

    /// The feedback timer may have expired (section 6.2). Returns the report that is due.
    pub fn on_timer(&mut self, now: Instant) -> Option<Report> {
        if now < self.deadline { None } else { self.expire(now) }
    }

    /// A controller allows this rate of payload: reports have half of it as X_recv (Kashibuchi et al.
    /// 2009, section III-B), so that the sender keeps to it.
    pub fn limit_rate(&mut self, limit: Option<Rate>) {
        self.limit = limit;
    }

    /// R, as the sender has told it.
    pub fn rtt(&self) -> Option<Duration> {
        self.rtt
    }

    /// Loss events so far.
    pub fn loss_events(&self) -> u64 {
        self.loss_events
    }

    /// The highest number that has arrived.
    pub fn highest(&self) -> Option<u64> {
        self.history.highest()
    }

    /// p as it was last calculated.
    pub fn loss_event_rate(&self) -> f64 {
        self.loss_event_rate
    }

    /// Enters packet `number` into the history, and the loss events that it completes into the
    /// intervals.
    fn note_losses(&mut self, now: Instant, number: u64) {
        let Self { history, intervals, loss_events, .. } = self;
        let (segment, rtt, largest) = (self.segment, self.rtt, self.largest_rate);
        history.on_packet(now, number, rtt, |first| {
            *loss_events += 1;
            let seed = if intervals.has_loss() { 0.0 } else { seed(segment, rtt, largest, first) };
            intervals.begin(first, seed);
        });
    }

    fn update_loss_event_rate(&mut self) {
        let highest = self.history.highest().unwrap_or(0);
        self.loss_event_rate = self.intervals.loss_event_rate(highest);
    }

    /// The feedback timer expires.
    fn expire(&mut self, now: Instant) -> Option<Report> {
        let rate = self.receive_rate(now);
        self.deadline = self.rtt.map_or(Instant::NEVER, |rtt| now + rtt);
        self.expired = Some((self.rtt, now));
        self.has_skipped = !self.has_news;
        let (timestamp, arrived) = self.last.filter(|_| self.has_news)?;
        self.has_news = false;
        self.largest_rate = self.largest_rate.max(rate);
        self.update_loss_event_rate();
        let receive_rate = match self.limit {
            Some(limit) => limit.as_bps() as f64 / 8.0 / 2.0,
            None => rate,
        };
        let (delay, loss_event_rate) = (now.since(arrived), self.loss_event_rate);
        Some(Report { timestamp, delay, receive_rate, loss_event_rate })
    }

    /// X_recv, bytes/s: of the packets of the last R seconds (section 6.2, step 2), R being that of the
    /// last expiry; without one, of those since that expiry. 0 with the first packet (section 6.3).
    fn receive_rate(&mut self, now: Instant) -> f64 {
        let Some((rtt, expired)) = self.expired else {
            self.arrivals.clear();
            return 0.0;
        };
        let span = rtt.unwrap_or(now.since(expired));
        let from = now.as_nanos().saturating_sub(span.as_nanos());
        while self.arrivals.front().is_some_and(|(at, _)| at.as_nanos() <= from) {
            self.arrivals.pop_front();
        }
        let bytes: u64 = self.arrivals.iter().map(|&(_, payload)| u64::from(payload)).sum();
        bytes as f64 / span.as_secs_f64().max(1e-9)
    }
}

/// The interval before the first loss event, which packet `first` has begun (section 6.3.1): one that
/// gives the largest receive rate so far, but half a packet in a round-trip time if the first packet of
/// all is lost, and at least.
fn seed(segment: f64, rtt: Option<Duration>, largest_rate: f64, first: u64) -> f64 {
    let rtt = rtt.map_or(0.0, Duration::as_secs_f64).max(1e-9);
    let least = 0.5 * segment / rtt;
    let rate = if first == 0 { least } else { largest_rate.max(least) };
    1.0 / equation::loss_event_rate(segment, rtt, rate)
}
