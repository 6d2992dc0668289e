//! What BBR knows of the path, and the rate and window that follow: the parts, in the order of `bbr_main`.

use super::aggregation::Aggregation;
use super::bandwidth::{Bandwidth, Gain, MaxFilter, micros};
use super::conservation::Conservation;
use super::cycle::{Cycle, Progress};
use super::min_rtt::{MinRtt, Probe};
use super::policer::{Delivery, Policer, Signal};
use super::startup::FullPipe;
use crate::congestion::{LostSegment, Observed, OpenEvent, RateSample, SentEvent, Window};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Segments in flight during a probe for the round-trip time, and least cwnd (`bbr_cwnd_min_target`).
const LEAST_CWND: u64 = 4;
/// `TCP_INIT_CWND`.
const INITIAL_CWND: u64 = 10;
/// Data segments at the start that are not paced (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;
/// The round-trip time where none is known.
const NOMINAL_RTT: Duration = Duration::from_millis(1);
/// Below this rate bursts are of one segment, bytes per second (`bbr_min_tso_rate`).
const LEAST_TSO_RATE: u64 = 1_200_000 / 8;
/// The longest burst, bytes: `GSO_LEGACY_MAX_SIZE` - 1 - `MAX_TCP_HEADER`, which is 320 on x86-64.
const LONGEST_BURST: u64 = 65_536 - 1 - 320;
/// The longest, segments.
const MOST_SEGMENTS: u64 = 0x7F;

/// `bbr_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The rate doubles in each round trip.
    Startup,
    /// What that has queued is drained.
    Drain,
    /// The rate is cycled around the bandwidth.
    ProbeBw,
    /// The queue is drained, for the round-trip time.
    ProbeRtt,
}

/// The state of one connection.
#[derive(Clone, Debug)]
pub(super) struct Model {
    random: RngStream,
    /// Payload bytes of a segment.
    segment: u64,
    mode: Mode,
    max_bandwidth: MaxFilter,
    /// Rounds so far (`rtt_cnt`): one ends when a segment is delivered that was sent after it began.
    round: u64,
    round_starts: bool,
    /// What had been delivered when the round began, bytes (`next_rtt_delivered`).
    round_began: u64,
    min_rtt: MinRtt,
    probe: Probe,
    full_pipe: FullPipe,
    cycle: Cycle,
    aggregation: Aggregation,
    conservation: Conservation,
    policer: Policer,
    /// Bytes delivered and lost, and when.
    progress: Delivery,
    /// The application limited the sender, which sends again after a pause.
    idle_restart: bool,
    has_seen_rtt: bool,
    lowers_rate: bool,
    pacing_gain: Gain,
    cwnd_gain: Gain,
    /// Bytes per second.
    pacing_rate: u64,
    /// Data segments sent.
    sent: u64,
}

impl Model {
    /// Before anything has been sent.
    pub(super) fn new() -> Self {
        Self {
            random: RngStream::new(0, StreamId::Congestion, 0),
            segment: 1,
            mode: Mode::Startup,
            max_bandwidth: MaxFilter::default(),
            round: 0,
            round_starts: false,
            round_began: 0,
            min_rtt: MinRtt::default(),
            probe: Probe::default(),
            full_pipe: FullPipe::default(),
            cycle: Cycle::default(),
            aggregation: Aggregation::default(),
            conservation: Conservation::default(),
            policer: Policer::default(),
            progress: Delivery::default(),
            idle_restart: false,
            has_seen_rtt: false,
            lowers_rate: false,
            pacing_gain: Gain::HIGH,
            cwnd_gain: Gain::HIGH,
            pacing_rate: 0,
            sent: 0,
        }
    }

    /// `bbr_bw`.
    fn bandwidth(&self) -> Bandwidth {
        self.policer.bandwidth().unwrap_or(self.max_bandwidth.get())
    }

    /// `bbr_init_pacing_rate_from_rtt`: the window in a round-trip time, times [`Gain::HIGH`].
    fn pace_window(&mut self, cwnd: f64, srtt: Option<Duration>) {
        self.has_seen_rtt = srtt.is_some();
        let bandwidth = Bandwidth::of(cwnd as u64, micros(srtt.unwrap_or(NOMINAL_RTT)));
        self.pacing_rate = bandwidth.bytes_per_second(self.segment, Gain::HIGH);
    }

    /// `bbr_set_pacing_rate`: the start does not slow down.
    fn pace(&mut self, gain: Gain) {
        let rate = self.bandwidth().bytes_per_second(self.segment, gain);
        if self.full_pipe.is_reached() || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// `bbr_tso_segs_goal`: the segments of a burst, whether the host sends bursts or not.
    fn burst(&self) -> u64 {
        let bytes = (self.pacing_rate >> 10).min(LONGEST_BURST);
        let least = if self.pacing_rate < LEAST_TSO_RATE { 1 } else { 2 };
        (bytes / self.segment).max(least).min(MOST_SEGMENTS)
    }

    /// `bbr_bdp`.
    fn path(&self, bandwidth: Bandwidth, gain: Gain) -> u64 {
        let min_rtt = self.min_rtt.get();
        min_rtt.map_or(INITIAL_CWND, |min_rtt| bandwidth.product(micros(min_rtt), gain))
    }

    /// `bbr_quantization_budget`: three bursts for the hosts, and an even number; when it probes, two more.
    fn with_bursts(&self, segments: u64) -> u64 {
        let probes = self.mode == Mode::ProbeBw && self.cycle.is_probing();
        (segments + 3 * self.burst()).next_multiple_of(2) + if probes { 2 } else { 0 }
    }

    /// `bbr_inflight`.
    fn target(&self, gain: Gain) -> u64 {
        self.with_bursts(self.path(self.max_bandwidth.get(), gain))
    }

    /// `bbr_packets_in_net_at_edt`: of so many in flight those in the network when the next one leaves.
    fn in_network(&self, in_flight: u64, sample: &RateSample) -> u64 {
        let wait = micros(sample.next_send_at.max(sample.now).since(sample.now));
        let burst = if self.pacing_gain > Gain::ONE { self.burst() } else { 0 };
        (in_flight + burst).saturating_sub(self.bandwidth().segments_in(wait))
    }

    fn segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.segment)
    }

    fn policer_signal(&self) -> Signal {
        let Delivery { at, delivered, lost } = self.progress;
        Signal {
            delivery: Delivery {
                at,
                delivered: self.segments(delivered),
                lost: self.segments(lost),
            },
            segment: self.segment,
            has_losses: true,
            round_starts: self.round_starts,
            is_app_limited: false,
            is_cycling: self.mode == Mode::ProbeBw,
        }
    }

    /// `bbr_update_bw`. Returns whether the sample is usable.
    fn update_bandwidth(&mut self, sample: &RateSample) -> bool {
        self.round_starts = false;
        let Some(interval) = sample.interval else { return false };
        if sample.prior_delivered >= self.round_began {
            self.round_began = sample.total;
            self.round += 1;
            self.round_starts = true;
            self.conservation.on_round();
        }
        let signal = Signal {
            has_losses: sample.newly_lost > 0,
            is_app_limited: sample.is_app_limited,
            ..self.policer_signal()
        };
        let was_used = self.policer.bandwidth().is_some();
        if self.policer.update(&signal) {
            self.begin_cycle(sample.now);
        } else if !was_used && self.policer.bandwidth().is_some() {
            self.pacing_gain = Gain::ONE;
        }
        let delivered = self.segments(sample.total - sample.prior_delivered);
        let bandwidth = Bandwidth::of(delivered, micros(interval));
        if !sample.is_app_limited || bandwidth >= self.max_bandwidth.get() {
            self.max_bandwidth.update(self.round, bandwidth);
        }
        true
    }

    /// `bbr_update_cycle_phase`.
    fn update_cycle(&mut self, sample: &RateSample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let gain = self.pacing_gain;
        let prior_in_flight = self.segments(sample.prior_in_flight);
        let target = if gain > Gain::ONE { self.target(gain) } else { self.target(Gain::ONE) };
        self.cycle.update(&Progress {
            now: sample.now,
            min_rtt: self.min_rtt.get(),
            gain,
            has_losses: sample.newly_lost > 0,
            in_flight: self.in_network(prior_in_flight, sample),
            target,
        });
    }

    /// `bbr_reset_probe_bw_mode`.
    fn begin_cycle(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        self.cycle.begin(now, &mut self.random);
    }

    /// `bbr_check_full_bw_reached` and `bbr_check_drain`.
    fn update_start(&mut self, window: &mut Window, sample: &RateSample) {
        if self.round_starts && !sample.is_app_limited {
            self.full_pipe.on_round(self.max_bandwidth.get());
        }
        if self.mode == Mode::Startup && self.full_pipe.is_reached() {
            self.mode = Mode::Drain;
            window.ssthresh = self.target(Gain::ONE) as f64;
        }
        let in_flight = self.segments(sample.in_flight);
        if self.mode == Mode::Drain && self.in_network(in_flight, sample) <= self.target(Gain::ONE)
        {
            self.begin_cycle(sample.now);
        }
    }

    /// `bbr_update_min_rtt`.
    fn update_min_rtt(&mut self, window: &mut Window, sample: &RateSample) {
        let delivered = sample.total - sample.prior_delivered;
        // FLAG_ACK_MAYBE_DELAYED: a short segment alone, whose ACK waits for another one.
        let is_delayed = delivered == sample.newly_delivered && delivered < self.segment;
        let has_expired = self.min_rtt.update(sample.now, sample.rtt, is_delayed);
        if has_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.conservation.save(window.cwnd as u64, true);
            self.probe = Probe::default();
        }
        self.lowers_rate = self.mode == Mode::ProbeRtt;
        if self.mode == Mode::ProbeRtt {
            let is_low = self.segments(sample.in_flight) <= LEAST_CWND;
            if self.probe.update(sample.now, is_low, self.round_starts) {
                self.round_began = sample.total;
            } else if self.probe.is_done(sample.now) {
                self.end_probe(window, sample.now);
            }
        }
        self.idle_restart = false;
    }

    /// `bbr_check_probe_rtt_done`, if it is.
    fn end_probe(&mut self, window: &mut Window, now: Instant) {
        self.min_rtt.renew(now);
        window.cwnd = window.cwnd.max(self.conservation.prior_cwnd() as f64);
        if self.full_pipe.is_reached() {
            self.begin_cycle(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// `bbr_update_gains`.
    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (Gain::HIGH, Gain::HIGH),
            Mode::Drain => (Gain::DRAIN, Gain::HIGH),
            Mode::ProbeBw if self.policer.bandwidth().is_some() => (Gain::ONE, Gain::CWND),
            Mode::ProbeBw => (self.cycle.gain(), Gain::CWND),
            Mode::ProbeRtt => (Gain::ONE, Gain::ONE),
        };
    }

    /// `bbr_set_cwnd`.
    fn update_cwnd(&mut self, window: &mut Window, sample: &RateSample) {
        let acked = self.segments(sample.newly_delivered);
        let lost = self.segments(sample.newly_lost);
        let in_flight = self.segments(sample.in_flight);
        let counts = (acked, lost, in_flight);
        let adjusted = self.conservation.adjust(sample.repair, window.cwnd as u64, counts);
        let mut cwnd = adjusted.cwnd;
        if adjusted.begins_round {
            self.round_began = sample.total;
        }
        if !adjusted.is_final {
            let bandwidth = self.bandwidth();
            let mut target = self.path(bandwidth, self.cwnd_gain);
            let is_full = self.full_pipe.is_reached();
            if is_full {
                target += self.aggregation.allowance(bandwidth);
            }
            let target = self.with_bursts(target);
            if is_full {
                cwnd = (cwnd + acked).min(target);
            } else if cwnd < target || self.segments(sample.total) < INITIAL_CWND {
                cwnd += acked;
            }
            cwnd = cwnd.max(LEAST_CWND);
        }
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(LEAST_CWND);
        }
        window.cwnd = cwnd as f64;
    }

    /// The random numbers of the connection.
    pub(super) fn use_random(&mut self, random: RngStream) {
        self.random = random;
    }

    /// Whether what is sent at present is less than the path carries.
    pub(super) fn lowers_rate(&self) -> bool {
        self.lowers_rate
    }

    /// `tp->lost`.
    pub(super) fn on_segment_lost(&mut self, segment: &LostSegment) {
        self.progress.lost += segment.bytes;
    }

    /// `bbr_init`.
    pub(super) fn on_open(&mut self, window: &mut Window, event: &OpenEvent) {
        self.segment = event.segment;
        self.min_rtt = MinRtt::new(event.now, event.srtt);
        self.pace_window(window.cwnd, event.srtt);
        self.progress.at = event.now;
        self.aggregation.restart(event.now);
    }

    pub(super) fn pacing_rate(&self) -> Option<Rate> {
        (self.sent >= UNPACED).then(|| Rate::from_bps(self.pacing_rate.saturating_mul(8)))
    }

    /// Whether it sends at another rate than the bandwidth, or measures the round-trip time.
    pub(super) fn is_probing(&self) -> bool {
        self.mode != Mode::ProbeBw || self.pacing_gain != Gain::ONE
    }

    /// What `ss` shows of it (`bbr_get_info`), and the state.
    pub(super) fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        let state = match self.mode {
            Mode::Startup => "Startup",
            Mode::Drain => "Drain",
            Mode::ProbeBw => "ProbeBW",
            Mode::ProbeRtt => "ProbeRTT",
        };
        let bandwidth = Some(self.bandwidth()).filter(|bandwidth| *bandwidth > Bandwidth(0));
        let bps = |bandwidth: Bandwidth| 8.0 * self.segment as f64 * bandwidth.per_second();
        let min_rtt = self.min_rtt.get().map(Duration::as_secs_f64);
        see("state", Observed::State(state));
        see("bandwidth_bps", Observed::Number(bandwidth.map(bps)));
        see("min_rtt_s", Observed::Number(min_rtt));
        see("pacing_gain", Observed::Number(Some(self.pacing_gain.ratio())));
    }

    /// `bbr_cwnd_event`: after a pause the rate is the path's, for a higher one is not needed.
    pub(super) fn on_sent(&mut self, window: &mut Window, event: &SentEvent) {
        self.sent += 1;
        if event.in_flight > 0 || !event.is_app_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(event.now);
        match self.mode {
            Mode::ProbeBw => self.pace(Gain::ONE),
            Mode::ProbeRtt if self.probe.has_ended(event.now) => self.end_probe(window, event.now),
            _ => {}
        }
    }

    /// `bbr_main`.
    pub(super) fn on_rate_sample(&mut self, window: &mut Window, sample: &RateSample) {
        (self.progress.at, self.progress.delivered) = (sample.now, sample.total);
        if self.update_bandwidth(sample) {
            let counts = (self.segments(sample.newly_delivered), window.cwnd as u64);
            let bandwidth = self.bandwidth();
            self.aggregation.update(sample.now, counts, bandwidth, self.round_starts);
        }
        self.update_cycle(sample);
        self.update_start(window, sample);
        self.update_min_rtt(window, sample);
        self.update_gains();
        if !self.has_seen_rtt && sample.srtt.is_some() {
            self.pace_window(window.cwnd, sample.srtt);
        }
        self.pace(self.pacing_gain);
        self.update_cwnd(window, sample);
    }

    /// `bbr_ssthresh`: cwnd is kept, for the end of recovery.
    pub(super) fn on_loss(&mut self, window: &mut Window) {
        self.conservation.save(window.cwnd as u64, self.mode == Mode::ProbeRtt);
    }

    /// `tcp_enter_loss` and `bbr_set_state`.
    pub(super) fn on_timeout(&mut self, window: &mut Window) {
        self.conservation.save(window.cwnd as u64, self.mode == Mode::ProbeRtt);
        window.cwnd = 1.0;
        self.conservation.on_timeout();
        self.full_pipe.on_timeout();
        self.round_starts = true;
        let signal = self.policer_signal();
        if self.policer.update(&signal) {
            self.begin_cycle(signal.delivery.at);
        }
    }
}

#[cfg(test)]
mod tests;
