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
//! - of ECN (RFC 3168) the rule for a cwnd of one segment (6.1.2), which sends the next segment only
//!   when the timer expires, is left out: a mark leaves two segments, or what cwnd was if that is less;
//! - cwnd grows only while it limits the sender (RFC 7661 section 4.3, by Linux's rule: `usage.rs`),
//!   or always, as in ns-2. It is not reduced while it does not limit.

use super::config::TcpConfig;
use super::departures::Departures;
use super::ecn::sender::MarkReport;
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::segment::{Segment, SenderCounters};
use super::tcb::Tcb;
use crate::congestion::{Controller, EcnFeedback, Observed, OpenEvent, Window};
use crate::delays::Delays;
use crate::packet::Ecn;
use crate::time::Instant;
use crate::transport::contract::Windows;
use crate::transport::limits::Limit;

/// The sending half of an open connection.
#[derive(Clone, Debug)]
pub struct Sender {
    tcb: Tcb,
    recovery: Recovery,
    /// What lets segments wait besides the windows, if anything does.
    departures: Option<Box<Departures>>,
    /// The round-trip times that the retransmission timeout is computed from. A flow's next connection goes
    /// on with them.
    pub(super) rtt_samples: Delays,
}

impl Sender {
    /// A sender whose connection is not open yet. A full segment has `segment` bytes of payload, and in all
    /// there are `total`; `u64::MAX` never ends.
    pub fn new(config: TcpConfig, segment: u32, total: u64, control: Controller) -> Self {
        let tcb = Tcb::new(config, segment, total, control);
        let recovery = Recovery::new(&tcb.config, segment, &tcb.congestion);
        let departures = Departures::new(&tcb);
        Self { tcb, recovery, departures, rtt_samples: Delays::default() }
    }

    /// The connection is open. `rtt` is the round-trip time that the handshake has left, and
    /// `measured` whether the handshake took place without retransmission. If not, cwnd is one segment
    /// (RFC 5681 section 3.1).
    pub fn establish(&mut self, now: Instant, rtt: RttEstimator, measured: bool) {
        if measured {
            self.rtt_samples.record(rtt.total().1);
        }
        self.tcb.rtt = rtt;
        let initial = if measured { self.tcb.config.initial_window } else { 1 };
        let (srtt, segment) = (self.tcb.rtt.srtt(), self.tcb.segment());
        let opened = OpenEvent { now, srtt, segment, has_sack: self.tcb.config.sack };
        self.tcb.congestion.open(initial, &opened);
    }

    /// An acknowledgement that expects byte `ack` next has come, with these blocks of bytes that have
    /// arrived beyond it, each from its first up to the one after its last (none without SACK).
    #[inline(always)]
    pub fn on_ack(&mut self, now: Instant, ack: u64, blocks: &[(u64, u64)]) {
        if ack > self.tcb.snd_max {
            return;
        }
        let advances = ack > self.tcb.snd_una;
        if advances {
            self.on_new_ack(now, ack);
        }
        self.recovery.on_ack(&mut self.tcb, now, (ack, advances), blocks);
        if let Some(departures) = &mut self.departures {
            departures.on_ack((&mut self.tcb, &mut self.recovery), now, ack, blocks);
        }
    }

    /// Both ends have agreed on this form of ECN. Returns the codepoint of new data.
    pub fn use_ecn(&mut self, agreed: EcnFeedback) -> Ecn {
        self.tcb.ecn = self.tcb.congestion.use_ecn(agreed);
        self.tcb.ecn.codepoint()
    }

    /// The same for an acknowledgement that reports these marked segments: the congestion control
    /// responds unless it has for this window of data. With the classic response cwnd does not grow (RFC 3168 section
    /// 6.1.2). With proportional rate reduction what is in flight follows over a round trip, as in Linux (`tcp_enter_cwr`).
    #[cold]
    pub(super) fn on_ack_with_marks(
        &mut self,
        now: Instant,
        ack: u64,
        blocks: &[(u64, u64)],
        marked: MarkReport,
    ) {
        self.tcb.marked = marked;
        let mut event = self.tcb.event(now, 0.0, None);
        event.flight = event.flight.min(self.tcb.congestion.cwnd());
        let advances = ack > self.tcb.snd_una;
        self.on_ack(now, ack, blocks);
        let Self { tcb, recovery, .. } = self;
        if ack == tcb.snd_una && !tcb.in_recovery && !tcb.reduction.covers(ack) {
            tcb.congestion.on_congestion_mark(&event);
            tcb.note_reduction(true);
            tcb.reduction.is_gradual = recovery.begin_reduction(tcb, advances);
            tcb.counters.congestion_responses += 1;
        }
        tcb.marked = MarkReport::default();
    }

    /// Whether the window has been reduced since this was last called: the next new segment then
    /// carries CWR.
    pub fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.tcb.reduction.cwr_due)
    }

    /// The next ACK echoes this timestamp.
    pub(super) fn set_echo(&mut self, echo: Option<Instant>) {
        self.tcb.echo = echo;
    }

    /// When [`Sender::on_timer`] is to be called.
    pub fn timer_at(&self) -> Instant {
        match &self.departures {
            None => self.tcb.deadline,
            Some(departures) => self.tcb.deadline.min(departures.poll_at()),
        }
    }

    /// The timer may have expired: does what is due at `now`.
    pub fn on_timer(&mut self, now: Instant) {
        let Self { tcb, recovery, departures, .. } = self;
        if let Some(departures) = departures {
            departures.on_timer(now);
        }
        if now < tcb.deadline {
            return;
        }
        if recovery.on_timer(tcb, now) {
            if let Some(departures) = departures {
                departures.on_recovery_timer((tcb, recovery), now);
            }
            return;
        }
        tcb.counters.timeouts += 1;
        tcb.rtt.back_off();
        tcb.timed = None;
        tcb.deadline = Instant::NEVER;
        let first = !std::mem::replace(&mut tcb.timed_out, true);
        let mut event = tcb.event(now, 0.0, None);
        if recovery.overstates_flight(tcb) {
            event.flight = event.flight.min(tcb.congestion.cwnd());
        }
        recovery.on_timeout(tcb, now);
        if let Some(departures) = departures {
            departures.on_recovery_timer((tcb, recovery), now);
        }
        tcb.congestion.on_timeout(&event, first);
        tcb.note_reduction(false);
        tcb.recover = Some(tcb.snd_max);
        tcb.in_recovery = false;
        tcb.retransmit = false;
        tcb.duplicate_acks = 0;
        tcb.limited = 0;
    }

    /// The next segment that may be sent now, if any: call until there is none.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        if let Some(departures) = &mut self.departures {
            return departures.poll_transmit((&mut self.tcb, &mut self.recovery), now);
        }
        self.recovery.poll_transmit(&mut self.tcb, now)
    }

    /// A segment of [`Sender::poll_transmit`] is sent in a packet of `bytes` at IP level. Needed only with a small queue.
    pub(super) fn sent(&mut self, bytes: u32) {
        if let Some(departures) = &mut self.departures {
            departures.sent(bytes);
        }
    }

    /// The host is done with such a packet. Returns whether [`Sender::poll_transmit`] is to be called.
    pub(super) fn left(&mut self, bytes: u32) -> bool {
        self.departures.as_mut().is_some_and(|departures| departures.left(bytes))
    }

    /// Payload bytes of a full segment.
    pub(super) fn segment(&self) -> u32 {
        self.tcb.segment
    }

    /// The receiver's window, segments.
    pub(super) fn receive_window(&self) -> u32 {
        self.tcb.config.window
    }

    /// The receiver's window is this from now on, segments.
    pub(super) fn set_receive_window(&mut self, window: u32) {
        self.tcb.config.window = window;
    }

    /// Sends nothing new from now on.
    pub fn stop(&mut self) {
        self.tcb.stopped = true;
    }

    /// Payload bytes to send in all.
    pub(super) fn total(&self) -> u64 {
        self.tcb.total
    }

    /// There are `bytes` more to send. All before them is acknowledged.
    #[cold]
    pub(super) fn resume(&mut self, now: Instant, bytes: u64) {
        let tcb = &mut self.tcb;
        tcb.total += bytes;
        let idle = now.since(tcb.last_sent);
        if idle > tcb.rtt.rto() && !tcb.congestion.is_rate_based() {
            let (window, initial) = (tcb.congestion.window(), tcb.config.initial_window);
            let after = tcb.config.idle_restart().window(window, initial, idle, tcb.rtt.rto());
            tcb.congestion.restart(after);
        }
    }

    /// Whether [`Sender::stop`] has been called.
    pub fn is_stopped(&self) -> bool {
        self.tcb.stopped
    }

    /// Whether everything has been sent and acknowledged.
    pub fn is_done(&self) -> bool {
        let tcb = &self.tcb;
        tcb.snd_una == tcb.total || (tcb.stopped && tcb.snd_una == tcb.snd_max)
    }

    /// What holds the sender back, where nothing more may be sent now.
    #[inline(always)]
    pub(super) fn limit(&self) -> Limit {
        if self.tcb.is_recovering() {
            Limit::Recovery
        } else if self.tcb.snd_una == self.tcb.snd_max {
            Limit::Application
        } else if self.tcb.is_limited_by_receiver() {
            Limit::ReceiveWindow
        } else {
            self.departures
                .as_ref()
                .and_then(|departures| departures.limit(&self.tcb))
                .unwrap_or(Limit::Cwnd)
        }
    }

    /// When the outstanding segment at `seq` was first sent.
    #[inline(always)]
    pub(super) fn first_sent(&self, seq: u64) -> Instant {
        self.tcb.sent_at.first_sent(self.tcb.number(seq))
    }

    /// Whether nothing new has been acknowledged since the timer expired.
    pub(super) fn has_timed_out(&self) -> bool {
        self.tcb.timed_out
    }

    /// Payload bytes acknowledged.
    pub fn acked(&self) -> u64 {
        self.tcb.snd_una
    }

    /// The congestion window and its threshold.
    pub fn window(&self) -> Window {
        self.tcb.congestion.window()
    }

    /// The windows, and what is under way.
    #[cold]
    pub fn windows(&self) -> Windows {
        let tcb = &self.tcb;
        let Window { cwnd, ssthresh } = tcb.congestion.window();
        Windows {
            cwnd,
            ssthresh,
            in_flight: tcb.segments(tcb.snd_nxt - tcb.snd_una),
            receive_window: tcb.config.window,
        }
    }

    /// Whether the congestion control probes.
    #[cold]
    pub(super) fn probes(&self) -> bool {
        self.tcb.congestion.is_probing().is_some()
    }

    /// The variables of the congestion control.
    #[cold]
    pub(super) fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        self.tcb.congestion.observe(see);
    }

    /// Round-trip times.
    pub fn rtt(&self) -> &RttEstimator {
        &self.tcb.rtt
    }

    /// Expiries of the retransmission timer.
    #[inline]
    pub(super) fn timeouts(&self) -> u64 {
        self.tcb.counters.timeouts
    }

    /// What has happened so far.
    pub fn counters(&self) -> SenderCounters {
        self.tcb.counters
    }

    #[inline(always)]
    fn on_new_ack(&mut self, now: Instant, ack: u64) {
        let Self { tcb, recovery, rtt_samples, .. } = self;
        if let Some(rtt) = tcb.measure(now, ack) {
            rtt_samples.record(rtt);
        }
        let segments = (ack - tcb.snd_una).div_ceil(tcb.segment());
        let rtt = match tcb.sent_at.remove(segments) {
            Some(sent) if !recovery.is_sacked(ack - 1) => Some(now.since(sent)),
            _ => None,
        };
        let mut event = tcb.event(now, tcb.segments(ack - tcb.snd_una), rtt);
        let mut may_grow =
            !tcb.config.cwnd_validation || tcb.is_cwnd_limited(recovery.in_flight(tcb));
        if tcb.reduction.is_gradual {
            may_grow &= !tcb.reduction.goes_on(ack);
        }
        tcb.snd_una = ack;
        tcb.snd_nxt = tcb.snd_nxt.max(ack);
        tcb.duplicate_acks = 0;
        tcb.limited = 0;
        tcb.timed_out = false;
        let mut restart_timer = true;
        if !tcb.in_recovery {
            if !may_grow {
                (event.credit, event.may_grow) = (0.0, false);
            }
            tcb.congestion.on_ack(&event);
        } else if tcb.recover.is_some_and(|recover| ack < recover) {
            restart_timer = recovery.on_partial_ack(tcb, event.acked);
            tcb.congestion.on_partial_ack(&event);
        } else {
            tcb.in_recovery = false;
            tcb.retransmit = false;
            tcb.congestion.on_recovered(&event);
        }
        if tcb.snd_una == tcb.snd_max {
            tcb.deadline = Instant::NEVER;
        } else if restart_timer {
            tcb.deadline = now + tcb.rtt.rto();
        }
    }
}
