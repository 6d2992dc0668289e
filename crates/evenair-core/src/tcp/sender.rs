//! The sending end: what to send, when, and how to recover from losses.
//!
//! Loss detection and recovery follow RFC 5681 (fast retransmit), RFC 6582 (NewReno's partial
//! ACKs), RFC 3042 (limited transmit) and RFC 6298 (timer). Where the RFCs leave a choice:
//! - leaving recovery sets cwnd to what the congestion control chose at the loss (RFC 6582, 3.2,
//!   step 3, option 2), as ns-2 does;
//! - the timer restarts on the first partial ACK only ("Impatient", RFC 6582, 3.2, step 3);
//! - after a timeout everything outstanding counts as lost and is sent again as the window allows,
//!   but for what is acknowledged meanwhile (go-back-N), and duplicate ACKs that this provokes
//!   start no fast retransmit (RFC 6582, 3.2, steps 2 and 4);
//! - the first loss may be repaired by fast retransmit: `recover` starts unset and not at the
//!   initial sequence number (RFC 6582, 3.2, step 1), which would leave the first segment out;
//! - cwnd grows on although the receiver's window limits the sender, as in ns-2 and in the papers'
//!   figures; FlightSize, not cwnd, is what a loss halves.

mod rack;
mod sack;

use std::collections::VecDeque;

use super::congestion::{AckEvent, CongestionControl, Controller, Window};
use super::prr::Prr;
use super::rack::Rack;
use super::rtt::RttEstimator;
use super::sack::Scoreboard;
use crate::time::{Duration, Instant};

/// Duplicate ACKs that confirm a loss (RFC 5681 section 3.2), and segments that have arrived beyond
/// it (RFC 6675: DupThresh).
pub(super) const DUPLICATE_ACK_THRESHOLD: u32 = 3;
/// Segments are crucial while cwnd is below this: too few to be followed by three duplicate ACKs
/// (Gong et al. 2006, section III-A).
const CRUCIAL_WINDOW: f64 = 4.0;

/// A sender's constants.
#[derive(Clone, Copy, Debug)]
pub struct SenderConfig {
    /// Payload bytes of a full segment.
    pub segment: u32,
    /// The receiver's window, segments.
    pub window: u32,
    /// cwnd after the handshake, segments.
    pub initial_window: u32,
    /// ssthresh at the start, segments.
    pub initial_ssthresh: u32,
    /// Whether cwnd grows by the segments that an ACK covers instead of once per ACK (RFC 3465,
    /// without its limit).
    pub byte_counting: bool,
    /// What the first two duplicate ACKs each let go.
    pub limited_transmit: LimitedTransmit,
    /// Whether crucial segments are marked (Gong et al. 2006, section III-A).
    pub spm_marking: bool,
    /// Whether recovery goes by what ACKs report out of order (RFC 6675).
    pub sack: bool,
    /// Whether losses are found by time, and a probe asks for ACKs that do not come (RFC 8985); with
    /// SACK only.
    pub rack: bool,
    /// Whether recovery brings down what is in flight little by little (RFC 9937); with SACK only.
    pub prr: bool,
    /// The smallest retransmission timeout.
    pub min_rto: Duration,
    /// The retransmission timeout before the first round-trip time is known.
    pub initial_rto: Duration,
    /// Payload bytes to send in all; `u64::MAX` never ends.
    pub total: u64,
}

/// What each of the first two duplicate ACKs, which confirm no loss yet, lets go beyond cwnd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedTransmit {
    /// Nothing.
    Off,
    /// A segment that has never been sent (RFC 3042).
    New,
    /// The next segment in turn: after a timeout that is one sent before. Not RFC 3042, but what
    /// ns-2 does; where losses are many it sends again, and needlessly, 3% of all segments.
    Any,
}

/// A segment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whether this is the connection's first segment, which has no payload.
    pub syn: bool,
    /// The first payload byte.
    pub seq: u64,
    /// Payload bytes.
    pub payload: u32,
    /// Whether it, or a part of it, has been sent before.
    pub retransmission: bool,
    /// Marked as crucial.
    pub high_priority: bool,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Recoveries begun: losses that duplicate ACKs, SACK or RACK have told.
    pub fast_retransmits: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The other end is to open the connection.
    Listening,
    /// The connection's first segment is to be sent.
    Closed,
    /// It has been sent and not been answered.
    SynSent,
    /// Data may be sent.
    Established,
}

#[derive(Clone, Copy, Debug)]
struct Recovery {
    /// Recovery ends when this byte is expected: all that was sent before it began has arrived.
    until: u64,
    /// Segments that duplicate ACKs have told to have left the network, less those acknowledged.
    inflation: f64,
    had_partial_ack: bool,
}

/// The sending end of one flow.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    state: State,
    control: Controller,
    window: Window,
    rtt: RttEstimator,
    /// The first byte that has not been acknowledged.
    una: u64,
    /// The next byte to send.
    next: u64,
    /// The first byte that has never been sent.
    max: u64,
    duplicate_acks: u32,
    /// Segments sent by limited transmit since the last new ACK.
    limited: u32,
    recovery: Option<Recovery>,
    /// Duplicate ACKs below this byte confirm nothing: they echo an earlier recovery or timeout.
    recovered: Option<u64>,
    /// The segment at `una` is to be sent before anything else.
    repair: bool,
    /// What the receiver has reported, with SACK.
    scoreboard: Option<Box<Scoreboard>>,
    /// When each segment was sent and whether it is lost, with RACK-TLP.
    rack: Option<Box<Rack>>,
    prr: Option<Box<Prr>>,
    /// The one segment whose round-trip time sets the timeout: its end, and when it was sent.
    timed: Option<(u64, Instant)>,
    /// When each outstanding segment was sent, from `una` on; never, if more than once (Karn).
    sent_at: VecDeque<Instant>,
    /// When the retransmission timer expires.
    deadline: Instant,
    timed_out: bool,
    syn_timed: Option<Instant>,
    stopped: bool,
    counters: SenderCounters,
}

impl Sender {
    /// A sender that has not yet opened its connection.
    pub fn new(config: SenderConfig, control: Controller) -> Self {
        let window = Window { cwnd: 1.0, ssthresh: f64::from(config.initial_ssthresh) };
        Self {
            state: State::Closed,
            control,
            window,
            rtt: RttEstimator::new(config.initial_rto, config.min_rto),
            una: 0,
            next: 0,
            max: 0,
            duplicate_acks: 0,
            limited: 0,
            recovery: None,
            recovered: None,
            repair: false,
            scoreboard: config.sack.then(|| Box::new(Scoreboard::new(config.segment))),
            rack: (config.sack && config.rack).then(|| Box::new(Rack::new(config.segment))),
            prr: (config.sack && config.prr).then(|| Box::new(Prr::new(config.segment))),
            timed: None,
            sent_at: VecDeque::new(),
            deadline: Instant::NEVER,
            timed_out: false,
            syn_timed: None,
            stopped: false,
            counters: SenderCounters::default(),
            config,
        }
    }

    /// From now on waits for the other end to open the connection, instead of opening it.
    pub fn listen(&mut self) {
        self.state = State::Listening;
    }

    /// Whether the other end is still to open the connection.
    pub fn is_listening(&self) -> bool {
        self.state == State::Listening
    }

    /// The other end has opened the connection. `rtt` is the time that it took to answer the answer
    /// to its first segment; none if that was sent more than once.
    pub fn accept(&mut self, rtt: Option<Duration>) {
        if self.state == State::Listening {
            self.establish(rtt);
        }
    }

    /// The connection's first segment was answered.
    pub fn on_syn_ack(&mut self, now: Instant) {
        if self.state != State::SynSent {
            return;
        }
        let rtt = self.syn_timed.take().map(|sent| now.since(sent));
        self.deadline = Instant::NEVER;
        self.timed_out = false;
        self.establish(rtt);
    }

    /// The handshake is over; `rtt` is its round-trip time if it went without repetition.
    fn establish(&mut self, rtt: Option<Duration>) {
        self.state = State::Established;
        // RFC 5681 3.1: a handshake that lost its first segment starts with one.
        let mut initial = 1;
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
            initial = self.config.initial_window;
        } else {
            self.rtt.be_patient();
        }
        self.window.cwnd = f64::from(initial);
    }

    /// An acknowledgement that expects byte `ack` next has come, with these blocks of bytes that have
    /// arrived beyond it, each from its first up to the one after its last (none without SACK).
    #[inline]
    pub fn on_ack(&mut self, now: Instant, ack: u64, blocks: &[(u64, u64)]) {
        if ack > self.max {
            return;
        }
        let advances = ack > self.una;
        if advances {
            self.on_new_ack(now, ack);
        } else if ack == self.una && self.max > self.una && self.scoreboard.is_none() {
            self.on_duplicate_ack(now);
        }
        if self.scoreboard.is_some() && ack == self.una {
            self.on_blocks(now, advances, blocks);
        }
    }

    /// When [`Sender::on_timer`] is to be called.
    pub fn timer_at(&self) -> Instant {
        self.deadline
    }

    /// The timer may have expired: does what is due at `now`.
    pub fn on_timer(&mut self, now: Instant) {
        if now < self.deadline || (self.rack.is_some() && self.on_timer_with_rack(now)) {
            return;
        }
        self.counters.timeouts += 1;
        self.rtt.back_off();
        self.timed = None;
        self.syn_timed = None;
        self.deadline = Instant::NEVER;
        let first = !self.timed_out;
        self.timed_out = true;
        if self.state == State::SynSent {
            self.state = State::Closed;
            return;
        }
        let mut signal = self.signal(now, 0.0, None);
        if self.rack.is_some() || (self.scoreboard.is_some() && self.recovery.is_some()) {
            // While a lost repair holds the cumulative ACK, new segments go and are reported: what is
            // outstanding exceeds by far what is in the network, and half of it the path.
            signal.flight = signal.flight.min(self.window.cwnd);
        }
        let reordering_window = self.reordering_window();
        self.control.on_timeout(&mut self.window, &signal, first);
        self.recovered = Some(self.max);
        self.recovery = None;
        self.repair = false;
        self.duplicate_acks = 0;
        self.limited = 0;
        if self.rack.is_some() {
            return self.time_out_with_rack(now, reordering_window);
        }
        self.next = self.una;
        if let Some(scoreboard) = &mut self.scoreboard {
            scoreboard.clear();
        }
    }

    /// The next segment that may be sent now, if any: call until there is none.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        match self.state {
            State::Established => {}
            State::SynSent | State::Listening => return None,
            State::Closed if self.stopped => return None,
            State::Closed => return self.open(now),
        }
        if self.repair {
            self.repair = false;
            if let Some(prr) = &mut self.prr {
                prr.sent();
            }
            return Some(self.transmit(now, self.una));
        }
        if self.scoreboard.is_some() {
            return self.poll_with_sack(now);
        }
        let size = u64::from(self.payload_at(self.next));
        if size == 0 || (self.stopped && self.next == self.max) {
            return None;
        }
        if self.next + size > self.una + self.usable_window() {
            return None;
        }
        Some(self.transmit_next(now))
    }

    /// Sends nothing new from now on.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether everything has been sent and acknowledged.
    pub fn is_done(&self) -> bool {
        self.una == self.config.total || (self.stopped && self.una == self.max)
    }

    /// Payload bytes acknowledged.
    pub fn acked(&self) -> u64 {
        self.una
    }

    /// The congestion window and its threshold.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Round-trip times.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// What has happened so far.
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }

    fn open(&mut self, now: Instant) -> Option<Segment> {
        self.state = State::SynSent;
        self.deadline = now + self.rtt.rto();
        self.syn_timed = (!self.timed_out).then_some(now);
        Some(Segment {
            syn: true,
            seq: 0,
            payload: 0,
            retransmission: self.timed_out,
            high_priority: self.config.spm_marking,
        })
    }

    #[inline(always)]
    fn on_new_ack(&mut self, now: Instant, ack: u64) {
        if let Some((end, sent)) = self.timed
            && ack >= end
        {
            self.timed = None;
            self.rtt.sample(now.since(sent));
        }
        let segments = (ack - self.una).div_ceil(u64::from(self.config.segment)) as usize;
        let last = self.sent_at.drain(..segments.min(self.sent_at.len())).next_back();
        let rtt = last
            .filter(|&sent| sent != Instant::NEVER && !self.was_reported(ack))
            .map(|sent| now.since(sent));
        let signal = self.signal(now, self.segments(ack - self.una), rtt);
        self.una = ack;
        self.next = self.next.max(ack);
        self.duplicate_acks = 0;
        self.limited = 0;
        self.timed_out = false;
        let mut restart_timer = true;
        match &mut self.recovery {
            None => self.control.on_ack(&mut self.window, &signal),
            Some(recovery) if ack < recovery.until => {
                restart_timer = self.config.sack || !recovery.had_partial_ack;
                recovery.had_partial_ack = true;
                // RFC 6582, 3.2, step 3: take off what was acknowledged, put back one segment.
                recovery.inflation += 1.0 - signal.acked;
                self.repair = !self.config.sack;
                self.control.on_partial_ack(&mut self.window, &signal);
            }
            Some(recovery) => {
                self.recovered = Some(recovery.until);
                self.recovery = None;
                self.repair = false;
                self.control.on_recovered(&mut self.window, &signal);
            }
        }
        if self.una == self.max {
            self.deadline = Instant::NEVER;
        } else if restart_timer {
            self.deadline = now + self.rtt.rto();
        }
    }

    fn on_duplicate_ack(&mut self, now: Instant) {
        self.duplicate_acks += 1;
        let signal = self.signal(now, 0.0, None);
        self.control.on_duplicate_ack(&mut self.window, &signal);
        if let Some(recovery) = &mut self.recovery {
            recovery.inflation += 1.0;
        } else if self.duplicate_acks == DUPLICATE_ACK_THRESHOLD
            && self.recovered.is_none_or(|byte| self.una > byte)
        {
            self.recover(now, &signal);
        }
    }

    /// A loss is confirmed: recovery begins.
    fn recover(&mut self, now: Instant, signal: &AckEvent) {
        self.counters.fast_retransmits += 1;
        self.control.on_loss(&mut self.window, signal);
        let inflation = f64::from(DUPLICATE_ACK_THRESHOLD);
        self.recovery = Some(Recovery { until: self.max, inflation, had_partial_ack: false });
        self.repair = true;
        self.timed = None;
        self.deadline = now + self.rtt.rto();
    }

    /// Bytes that may be outstanding.
    fn usable_window(&self) -> u64 {
        let mut cwnd = self.window.cwnd;
        if let Some(recovery) = &self.recovery {
            cwnd = (cwnd + recovery.inflation).max(1.0);
        } else if self.duplicate_acks < DUPLICATE_ACK_THRESHOLD && self.may_exceed_cwnd() {
            cwnd += f64::from(self.duplicate_acks);
        }
        let segments = (cwnd as u32).min(self.config.window);
        u64::from(segments) * u64::from(self.config.segment)
    }

    /// Whether limited transmit applies to the segment at `next`.
    fn may_exceed_cwnd(&self) -> bool {
        match self.config.limited_transmit {
            LimitedTransmit::Off => false,
            LimitedTransmit::New => self.next == self.max,
            LimitedTransmit::Any => true,
        }
    }

    /// Payload bytes of the segment at `seq`.
    fn payload_at(&self, seq: u64) -> u32 {
        (self.config.total - seq).min(u64::from(self.config.segment)) as u32
    }

    /// Sends the segment at `next`.
    fn transmit_next(&mut self, now: Instant) -> Segment {
        let segment = self.transmit(now, self.next);
        self.next += u64::from(segment.payload);
        if self.recovery.is_none() && self.duplicate_acks > 0 && !segment.retransmission {
            self.limited += 1;
        }
        segment
    }

    #[inline(always)]
    fn transmit(&mut self, now: Instant, seq: u64) -> Segment {
        let payload = self.payload_at(seq);
        let end = seq + u64::from(payload);
        let retransmission = seq < self.max;
        self.max = self.max.max(end);
        self.counters.segments_sent += 1;
        self.counters.retransmissions += u64::from(retransmission);
        if retransmission {
            let index = (seq - self.una) / u64::from(self.config.segment);
            self.sent_at[index as usize] = Instant::NEVER;
        } else {
            self.sent_at.push_back(now);
            self.timed.get_or_insert((end, now));
        }
        if self.deadline == Instant::NEVER {
            self.deadline = now + self.rtt.rto();
        }
        let high_priority = self.config.spm_marking && self.window.cwnd < CRUCIAL_WINDOW;
        Segment { syn: false, seq, payload, retransmission, high_priority }
    }

    fn signal(&self, now: Instant, acked: f64, rtt: Option<Duration>) -> AckEvent {
        let credit = if self.config.byte_counting { acked } else { 1.0 };
        let flight = self.segments(self.next - self.una) - f64::from(self.limited);
        AckEvent { now, acked, credit, flight, rtt, una: self.una, next: self.next }
    }

    fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.config.segment)
    }
}
