//! The data sender (RFC 5348 section 4).
//!
//! It always has data to send, so that no interval is data-limited (section 4.3, step 4), and it is idle
//! only if a controller allows less than a packet per nofeedback timer. Packets are sent at their
//! nominal times (section 4.6). Of times that have passed unused, those of one round-trip time are made
//! up for.

use super::config::TfrcConfig;
use super::equation;
use super::receive_rates::ReceiveRates;
use crate::time::{Duration, Instant};
use crate::transport::option::{DataHeader, Report};
use crate::units::Rate;

/// t_mbi: the longest time between two packets, seconds (section 4.3).
const MAX_INTERVAL: f64 = 64.0;
/// The bytes of the initial window (section 4.2, RFC 3390).
const INITIAL_WINDOW: f64 = 4380.0;

/// What is known of the round-trip time.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    /// R, seconds.
    smoothed: f64,
    /// R_sqmean: the mean of the square root of the samples.
    mean_root: f64,
    /// The square root of the last sample.
    root: f64,
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Sender {
    config: TfrcConfig,
    /// s, bytes.
    segment: f64,
    /// X, bytes/s.
    rate: f64,
    /// The rate of the throughput equation, X_Bps, once there has been a loss.
    calculated: Option<f64>,
    /// p.
    loss_event_rate: f64,
    round_trip: Option<RoundTrip>,
    receive_rates: ReceiveRates,
    /// initial_rate, which recover_rate is, too.
    initial_rate: f64,
    /// tld: when slow start last doubled the rate.
    doubled_at: Instant,
    /// What a controller allows, bytes/s.
    limit: f64,
    /// When the nofeedback timer was set, and when it expires.
    timer_set: Instant,
    timer: Instant,
    expiries: u64,
    /// The number of the next packet, and t_i, when it is to be sent.
    next: u64,
    send_at: Instant,
    /// When the last packet was to be sent, and when it was.
    nominal: Instant,
    sent_at: Instant,
}

impl Sender {
    /// A sender of segments of `segment` bytes of payload that has not been started.
    pub fn new(config: TfrcConfig, segment: u32) -> Self {
        let segment = f64::from(segment);
        Self {
            config,
            segment,
            rate: segment,
            calculated: None,
            loss_event_rate: 0.0,
            round_trip: None,
            receive_rates: ReceiveRates::new(Instant::ZERO),
            initial_rate: 0.0,
            doubled_at: Instant::ZERO,
            limit: f64::INFINITY,
            timer_set: Instant::ZERO,
            timer: Instant::NEVER,
            expiries: 0,
            next: 0,
            send_at: Instant::NEVER,
            nominal: Instant::ZERO,
            sent_at: Instant::ZERO,
        }
    }

    /// There are data to send from now on (section 4.2).
    pub fn start(&mut self, now: Instant) {
        self.receive_rates = ReceiveRates::new(now);
        self.set_timer(now, 2.0 * self.segment / self.rate);
        self.send_at = now;
    }

    /// Sends nothing from now on.
    pub fn stop(&mut self) {
        (self.send_at, self.timer) = (Instant::NEVER, Instant::NEVER);
    }

    /// When [`Sender::on_timer`] and [`Sender::poll_transmit`] are to be called.
    pub fn poll_at(&self) -> Instant {
        self.send_at.min(self.timer)
    }

    /// The next packet that is due, if any: its number and header.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<(u64, DataHeader)> {
        if now < self.send_at {
            return None;
        }
        let unused = self.rtt().unwrap_or(Duration::ZERO);
        let earliest = Instant::from_nanos(now.as_nanos().saturating_sub(unused.as_nanos()));
        self.nominal = self.send_at.max(earliest);
        self.sent_at = now;
        self.send_at = self.nominal + self.interval();
        self.next += 1;
        Some((self.next - 1, DataHeader { sent: now, rtt: self.rtt() }))
    }

    /// A report has arrived (section 4.3). Returns its sample of the round-trip time.
    pub fn on_report(&mut self, now: Instant, report: &Report) -> Duration {
        let sample = now.since(report.timestamp).saturating_sub(report.delay);
        let seconds = sample.as_secs_f64().max(1e-9);
        let is_first = self.round_trip.is_none();
        let rtt = self.measure(seconds);
        let timeout = self.timeout();
        self.loss_event_rate = report.loss_event_rate;
        if is_first {
            let window = (4.0 * self.segment).min((2.0 * self.segment).max(INITIAL_WINDOW));
            self.initial_rate = window / rtt;
            self.rate = self.initial_rate.min(self.limit);
            self.doubled_at = now;
        } else {
            self.receive_rates.update(now, report.receive_rate, Duration::from_secs_f64(rtt));
            self.update_rate(now, 2.0 * self.receive_rates.max());
        }
        if self.timer != Instant::NEVER {
            self.set_timer(now, timeout);
        }
        self.reschedule(now);
        sample
    }

    /// Something may be due: the nofeedback timer (section 4.4) or a packet.
    pub fn on_timer(&mut self, now: Instant) {
        if now < self.timer {
            return;
        }
        self.expiries += 1;
        let received = self.receive_rates.max();
        let is_idle = self.sent_at < self.timer_set;
        match self.calculated.filter(|_| self.loss_event_rate > 0.0) {
            Some(_) if is_idle && received < self.initial_rate => {}
            Some(calculated) if calculated > 2.0 * received => self.limit_to(now, received),
            Some(calculated) => self.limit_to(now, calculated / 2.0),
            None if is_idle && self.rate < 2.0 * self.initial_rate => {}
            None => self.rate = (self.rate / 2.0).max(self.least_rate()).min(self.limit),
        }
        let timeout = self.timeout();
        self.set_timer(now, timeout);
        self.reschedule(now);
    }

    /// A controller allows this rate of payload.
    pub fn limit_rate(&mut self, now: Instant, limit: Option<Rate>) {
        self.limit = limit.map_or(f64::INFINITY, |limit| limit.as_bps() as f64 / 8.0);
        self.rate = self.rate.min(self.limit);
        self.reschedule(now);
    }

    /// R.
    pub fn rtt(&self) -> Option<Duration> {
        self.round_trip.map(|round_trip| Duration::from_secs_f64(round_trip.smoothed))
    }

    /// X, the allowed rate, bytes/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// p, as it was last reported.
    pub fn loss_event_rate(&self) -> f64 {
        self.loss_event_rate
    }

    /// Packets sent.
    pub fn sent(&self) -> u64 {
        self.next
    }

    /// Expiries of the nofeedback timer.
    pub fn expiries(&self) -> u64 {
        self.expiries
    }

    /// Takes a round-trip time, seconds; returns R (steps 1 and 2, section 4.5).
    fn measure(&mut self, sample: f64) -> f64 {
        let (root, filter) = (libm::sqrt(sample), self.config.rtt_filter);
        let smooth = |before: f64, new: f64| filter * before + (1.0 - filter) * new;
        let (smoothed, mean_root) = match self.round_trip {
            None => (sample, root),
            Some(before) => (smooth(before.smoothed, sample), smooth(before.mean_root, root)),
        };
        self.round_trip = Some(RoundTrip { smoothed, mean_root, root });
        smoothed
    }

    /// Step 4 of section 4.3, after the receive rates have been updated.
    fn update_rate(&mut self, now: Instant, receive_limit: f64) {
        let Some(round_trip) = self.round_trip else { return };
        if self.loss_event_rate > 0.0 {
            let p = self.loss_event_rate;
            let calculated = equation::throughput(self.segment, round_trip.smoothed, p);
            self.calculated = Some(calculated);
            self.rate = calculated.min(receive_limit).max(self.least_rate());
        } else if now.since(self.doubled_at).as_secs_f64() >= round_trip.smoothed {
            self.rate = (2.0 * self.rate).min(receive_limit).max(self.initial_rate);
            self.doubled_at = now;
        }
        self.rate = self.rate.min(self.limit);
    }

    /// "Update_Limits" of section 4.4: from now on at most `rate`.
    fn limit_to(&mut self, now: Instant, rate: f64) {
        let rate = rate.max(self.least_rate());
        self.receive_rates.replace(now, rate / 2.0);
        self.update_rate(now, rate);
    }

    /// s / t_mbi.
    fn least_rate(&self) -> f64 {
        self.segment / MAX_INTERVAL
    }

    /// The time of the nofeedback timer, seconds.
    fn timeout(&self) -> f64 {
        let rtt = self.round_trip.map_or(0.0, |round_trip| round_trip.smoothed);
        (4.0 * rtt).max(2.0 * self.segment / self.rate)
    }

    fn set_timer(&mut self, now: Instant, seconds: f64) {
        (self.timer_set, self.timer) = (now, now + Duration::from_secs_f64(seconds));
    }

    /// t_ipi: the time between two packets at X_inst (sections 4.5 and 4.6).
    fn interval(&self) -> Duration {
        let factor = match &self.round_trip {
            Some(round_trip) if self.config.oscillation_prevention.is_on() => {
                round_trip.mean_root / round_trip.root
            }
            _ => 1.0,
        };
        let rate = (self.rate * factor).max(self.least_rate()).min(self.limit);
        Duration::from_secs_f64(self.segment / rate).max(Duration::from_nanos(1))
    }

    /// The rate has changed: the next packet is due accordingly, but not in the past.
    fn reschedule(&mut self, now: Instant) {
        if self.send_at != Instant::NEVER {
            self.send_at = (self.nominal + self.interval()).max(now);
        }
    }
}
