//! The send variables of a connection (RFC 9293 section 3.3.1: the transmission control block), the
//! same for each form of loss recovery.

use super::config::TcpConfig;
use super::ecn::sender::MarkReport;
use super::rtt::RttEstimator;
use super::segment::{Segment, SenderCounters};
use super::send_times::SendTimes;
use super::usage::CwndUsage;
use crate::congestion::{AckEvent, Controller, EcnResponse, WindowControl};
use crate::time::{Duration, Instant};

/// Segments are crucial while cwnd is below this: too few to be followed by three duplicate ACKs
/// (Gong et al. 2006, section III-A).
const CRUCIAL_WINDOW: f64 = 4.0;

/// The last reduction of the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduction {
    /// `snd_max` at the time, once there has been one.
    end: Option<u64>,
    by_mark: bool,
    /// What may be in flight comes down to cwnd by proportional rate reduction, until `end` is passed; else
    /// cwnd holds at once.
    pub(super) is_gradual: bool,
    /// The next new segment carries CWR.
    pub(super) cwr_due: bool,
}

impl Reduction {
    /// Whether an ACK for `ack` belongs to the window that has been reduced. The first new segment
    /// after the reduction carries CWR, so only an ACK beyond it reports another mark.
    pub(super) fn covers(&self, ack: u64) -> bool {
        self.end.is_some_and(|end| ack <= end)
    }

    /// New data up to `ack` have been acknowledged. Returns whether a gradual reduction goes on.
    #[cold]
    pub(super) fn goes_on(&mut self, ack: u64) -> bool {
        self.is_gradual = self.covers(ack);
        self.is_gradual
    }
}

/// The state of a sender that every form of loss recovery reads and changes.
#[derive(Clone, Debug)]
pub(super) struct Tcb {
    pub(super) config: TcpConfig,
    /// Payload of a full segment, bytes.
    pub(super) segment: u32,
    /// Payload bytes to send in all.
    pub(super) total: u64,
    pub(super) congestion: WindowControl,
    pub(super) rtt: RttEstimator,
    /// SND.UNA: the first byte that has not been acknowledged.
    pub(super) snd_una: u64,
    /// SND.NXT: the next byte to send. After a timeout it returns to `snd_una` (go-back-N).
    pub(super) snd_nxt: u64,
    /// The first byte that has never been sent.
    pub(super) snd_max: u64,
    pub(super) duplicate_acks: u32,
    /// Segments sent by limited transmit since the last new ACK.
    pub(super) limited: u32,
    pub(super) in_recovery: bool,
    /// `recover` of RFC 6582, RecoveryPoint of RFC 6675: `snd_max` when the last recovery or timeout
    /// began. None before the first.
    pub(super) recover: Option<u64>,
    /// The segment at `snd_una` is to be retransmitted before anything else is sent.
    pub(super) retransmit: bool,
    /// The one segment whose round-trip time sets the timeout: its end, and when it was sent.
    pub(super) timed: Option<(u64, Instant)>,
    /// What the ACK that is being taken into account echoes of the timestamps of data.
    pub(super) echo: Option<Instant>,
    /// With timestamps: `snd_nxt` when the round trip began whose samples are being taken.
    pub(super) round_end: u64,
    /// When a segment was last sent.
    pub(super) last_sent: Instant,
    /// When each outstanding segment was first sent, from `snd_una` on.
    pub(super) sent_at: SendTimes,
    /// When the timer expires.
    pub(super) deadline: Instant,
    /// The timer has expired since the last new ACK.
    pub(super) timed_out: bool,
    pub(super) stopped: bool,
    /// Segments that the ACK which is being taken into account reports as marked.
    pub(super) marked: MarkReport,
    /// What the congestion control does about marks.
    pub(super) ecn: EcnResponse,
    /// What ECN needs to know of the last reduction of the window.
    pub(super) reduction: Reduction,
    usage: CwndUsage,
    pub(super) counters: SenderCounters,
}

impl Tcb {
    pub(super) fn new(config: TcpConfig, segment: u32, total: u64, control: Controller) -> Self {
        Self {
            segment,
            total,
            congestion: WindowControl::new(control, config.initial_ssthresh()),
            rtt: RttEstimator::new(config.rto, config.initial_rto, config.min_rto),
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            duplicate_acks: 0,
            limited: 0,
            in_recovery: false,
            recover: None,
            retransmit: false,
            timed: None,
            echo: None,
            round_end: 0,
            last_sent: Instant::ZERO,
            sent_at: SendTimes::default(),
            deadline: Instant::NEVER,
            timed_out: false,
            stopped: false,
            marked: MarkReport::default(),
            ecn: EcnResponse::default(),
            reduction: Reduction::default(),
            usage: CwndUsage::default(),
            counters: SenderCounters::default(),
            config,
        }
    }

    /// A loss is confirmed: the window is reduced and recovery begins.
    pub(super) fn enter_recovery(&mut self, now: Instant, event: &AckEvent) {
        self.reduce_for_loss(event);
        self.begin_recovery(now);
    }

    /// The congestion control responds to a loss.
    pub(super) fn reduce_for_loss(&mut self, event: &AckEvent) {
        // RFC 3168 6.1.2: one reduction for the losses and marks of one window.
        let is_classic = self.ecn == EcnResponse::Classic;
        let reduced = self.reduction.by_mark && self.reduction.covers(self.snd_una);
        if !(is_classic && reduced) {
            self.congestion.on_loss(event);
        }
        self.note_reduction(false);
    }

    /// Recovery begins, until what has been sent is acknowledged.
    pub(super) fn begin_recovery(&mut self, now: Instant) {
        self.counters.fast_retransmits += 1;
        self.in_recovery = true;
        self.recover = Some(self.snd_max);
        self.timed = None;
        self.deadline = now + self.rtt.rto();
    }

    /// The window was reduced, because of a congestion mark or of a loss.
    pub(super) fn note_reduction(&mut self, by_mark: bool) {
        let end = Some(self.snd_max);
        self.reduction = Reduction { end, by_mark, is_gradual: false, cwr_due: true };
    }

    /// Payload bytes of a full segment.
    #[inline(always)]
    pub(super) fn segment(&self) -> u64 {
        u64::from(self.segment)
    }

    /// cwnd in bytes, of whole segments.
    #[inline(always)]
    pub(super) fn cwnd_bytes(&self) -> u64 {
        self.congestion.cwnd() as u64 * self.segment()
    }

    /// Whether the application has nothing more to send.
    pub(super) fn has_no_data(&self) -> bool {
        self.stopped || self.snd_max == self.total
    }

    /// Whether there are data to send, and the congestion control probes.
    pub(super) fn is_held_by_probe(&self) -> bool {
        !self.has_no_data() && self.congestion.is_probing() == Some(true)
    }

    /// Payload bytes of the segment at `seq`.
    pub(super) fn payload_at(&self, seq: u64) -> u32 {
        (self.total - seq).min(self.segment()) as u32
    }

    /// Whether there is a segment at `snd_nxt` for which the receiver has room.
    pub(super) fn may_send_next(&self) -> bool {
        let size = u64::from(self.payload_at(self.snd_nxt));
        let window = u64::from(self.config.window) * self.segment();
        size > 0
            && !(self.stopped && self.snd_nxt == self.snd_max)
            && self.snd_nxt + size <= self.snd_una + window
    }

    /// Whether something that had been sent when a loss was detected is not acknowledged.
    #[inline(always)]
    pub(super) fn is_recovering(&self) -> bool {
        self.recover.is_some_and(|recover| self.snd_una < recover)
    }

    /// Whether cwnd has room for another segment than the receiver's window has, and there is one. To be
    /// asked when nothing more may be sent.
    #[inline(always)]
    pub(super) fn is_limited_by_receiver(&self) -> bool {
        self.congestion.cwnd() >= f64::from(self.config.window) + 1.0
            && self.snd_nxt < self.total
            && !(self.stopped && self.snd_nxt == self.snd_max)
    }

    /// Number of the outstanding segment at `seq`, counted from the oldest.
    #[inline(always)]
    pub(super) fn number(&self, seq: u64) -> usize {
        ((seq - self.snd_una) / self.segment()) as usize
    }

    /// Sends the segment at `snd_nxt`.
    pub(super) fn transmit_next(&mut self, now: Instant) -> Segment {
        let segment = self.transmit(now, self.snd_nxt);
        self.snd_nxt += u64::from(segment.payload);
        if !self.in_recovery && self.duplicate_acks > 0 && !segment.retransmission {
            self.limited += 1;
        }
        segment
    }

    /// Sends the segment at `seq`.
    #[inline(always)]
    pub(super) fn transmit(&mut self, now: Instant, seq: u64) -> Segment {
        let payload = self.payload_at(seq);
        let end = seq + u64::from(payload);
        let retransmission = seq < self.snd_max;
        self.snd_max = self.snd_max.max(end);
        self.last_sent = now;
        self.counters.segments_sent += 1;
        self.counters.retransmissions += u64::from(retransmission);
        if retransmission {
            self.sent_at.sent_again(self.number(seq));
        } else {
            self.sent_at.push(now);
            self.timed.get_or_insert((end, now));
        }
        if self.deadline == Instant::NEVER {
            self.deadline = now + self.rtt.rto();
        }
        let high_priority = self.config.spm_marking() && self.congestion.cwnd() < CRUCIAL_WINDOW;
        Segment { syn: false, seq, payload, retransmission, high_priority }
    }

    /// The round-trip time that an ACK of new data gives, which expects byte `ack` next: with timestamps every one
    /// (RFC 7323 section 4.1), else that of the segment that is timed (Karn). To be called before `snd_una` moves.
    #[inline(always)]
    pub(super) fn measure(&mut self, now: Instant, ack: u64) -> Option<Duration> {
        if let Some(sent) = self.echo {
            return Some(self.measure_echo(now, ack, sent));
        }
        let (_, sent) = self.timed.filter(|&(end, _)| ack >= end)?;
        self.timed = None;
        let rtt = now.since(sent);
        self.rtt.sample(rtt);
        Some(rtt)
    }

    #[cold]
    fn measure_echo(&mut self, now: Instant, ack: u64, sent: Instant) -> Duration {
        let ends_round = ack > self.round_end;
        if ends_round {
            self.round_end = self.snd_nxt.max(ack);
        }
        // RFC 7323 appendix G: an ACK for every second segment that is outstanding.
        let samples = (self.snd_max - self.snd_una).div_ceil(2 * self.segment());
        let rtt = now.since(sent);
        self.rtt.sample_of(rtt, samples, ends_round);
        rtt
    }

    /// The event for the congestion control; `acked` segments are newly acknowledged.
    pub(super) fn event(&self, now: Instant, acked: f64, rtt: Option<Duration>) -> AckEvent {
        let credit = if self.config.byte_counting() { acked } else { 1.0 };
        let flight = self.segments(self.snd_nxt - self.snd_una) - f64::from(self.limited);
        AckEvent {
            now,
            acked,
            credit,
            may_grow: !self.marked.is_any() || self.ecn != EcnResponse::Classic,
            marked: self.marked.of_acked.min(acked),
            flight,
            rtt,
            snd_una: self.snd_una,
            snd_nxt: self.snd_nxt,
            segment: self.segment(),
        }
    }

    /// Whether cwnd limits the sender, which has sent all that it may since the last ACK: `in_flight`
    /// bytes are in the network. To be called before an ACK is taken into account.
    #[inline(never)]
    pub(super) fn is_cwnd_limited(&mut self, in_flight: u64) -> bool {
        let segment = self.segment();
        let has_no_room = in_flight + segment > self.cwnd_bytes();
        self.usage.note(has_no_room, self.snd_una, self.snd_max);
        self.usage.may_grow(self.congestion.window(), segment)
    }

    pub(super) fn segments(&self, bytes: u64) -> f64 {
        // The conversion of a signed integer takes one instruction.
        bytes as i64 as f64 / f64::from(self.segment)
    }
}
