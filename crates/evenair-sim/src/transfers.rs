//! Finite transfers: the files that a flow carries one after the other, each over a connection of
//! its own, which begins like any other: with a handshake, the initial window and no round-trip
//! time.
//!
//! A transfer begins with the first packet of the handshake and ends when its sender knows that all
//! has arrived: that is what Miorandi et al. 2006 count in equation (14), each segment with its ACK,
//! and what ns-2 calls done. (For the user it is over with the last byte; a session tells both.)
//! Closing the connection is not simulated, as there. So nothing of a connection but copies can
//! be under way when the next one begins, and those are told by [`Packet::connection`].
//!
//! Who opens the connection is a choice. Equation (13) has two packets before the first segment, as
//! ns-2, where the sender opens: its SYN, the answer, data. A browser opens the connection itself:
//! SYN, the answer, request, data. Its end repeats what is unanswered by its own timer; the
//! server's does not repeat its answer to a SYN unless that comes again.

use evenair_core::packet::{Packet, PacketKind};
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::tcp::congestion::Controller;
use evenair_core::tcp::{
    AckAction, Receiver, ReceiverConfig, RttEstimator, Sender, SenderConfig, SenderCounters,
};
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::{Distribution, Draws, OpenedBy, Stream};

/// The largest file; a heavy tail has no end.
const MAX_BYTES: f64 = 1e15;

/// One transfer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Session {
    /// The first packet of the handshake leaves.
    pub(crate) start: Instant,
    /// The first segment reaches the receiver.
    pub(crate) first_byte: Instant,
    /// All has reached the receiver.
    pub(crate) last_byte: Instant,
    /// The sender knows.
    pub(crate) end: Instant,
    /// The file's size, without padding.
    pub(crate) bytes: u64,
    /// Segments sent again.
    pub(crate) retransmissions: u64,
    /// Expiries of either end's retransmission timer.
    pub(crate) timeouts: u64,
}

/// What connections that are over have left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Past {
    pub(crate) delivered: u64,
    pub(crate) counters: SenderCounters,
    pub(crate) rtt_samples: u64,
    pub(crate) rtt_sum: Duration,
}

/// What connections are made of.
#[derive(Debug)]
pub(crate) struct ConnectionConfig {
    pub(crate) control: Controller,
    pub(crate) sender: SenderConfig,
    pub(crate) receiver: ReceiverConfig,
}

/// The transfers of one flow: those behind it, the present one, and when the next one begins.
#[derive(Debug)]
pub(crate) struct Transfers {
    endpoints: ConnectionConfig,
    /// Who opens the connections: the receiver, or else the sender.
    receiver_opens: bool,
    /// Payload of what asks for a file.
    request: u32,
    /// Whether the last segment is filled up.
    pad: bool,
    sizes: Draws,
    think: Option<Draws>,
    /// Transfers that are still to begin; `u64::MAX` never ends.
    left: u64,
    phase: Phase,
    /// When the answer to the SYN was sent, to a receiver that opens; none if that was repeated.
    answered: Option<Instant>,
    present: Session,
    past: Past,
    finished: Vec<Session>,
}

#[derive(Debug)]
enum Phase {
    /// Until the next transfer begins.
    Thinking(Instant),
    /// The receiver's SYN, or its request, is unanswered.
    Opening(Box<Opening>),
    /// The sender's end does all there is to do.
    Transferring,
    /// There is no other.
    Done,
}

/// The end that wants the data opens the connection.
#[derive(Debug)]
struct Opening {
    rtt: RttEstimator,
    /// Whether the SYN has been answered, so that the request is what is repeated.
    asks: bool,
    /// When the SYN was sent; none if it was repeated.
    sent: Option<Instant>,
    /// When it is to be sent, or repeated.
    due: Instant,
    repeats: bool,
}

/// A packet to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply {
    /// From the data's source, or else from their sink.
    pub(crate) from_source: bool,
    pub(crate) kind: PacketKind,
    pub(crate) payload: u32,
    pub(crate) seq: u64,
}

impl Transfers {
    /// The transfers of an application; `None` if it has no finite ones. `flow` is its index in the
    /// run.
    pub(crate) fn new(
        application: &Stream,
        endpoints: ConnectionConfig,
        seed: u64,
        flow: u32,
    ) -> Option<Self> {
        let draws = |distribution: &Distribution, purpose| {
            let stream = RngStream::new(seed, purpose, u64::from(flow));
            Draws::new(distribution.clone(), stream)
        };
        let (size, padding, web) = match application {
            Stream::Bulk(_) => return None,
            Stream::File(file) => (&file.size, &file.padding, None),
            Stream::Web(web) => (&web.size, &web.padding, Some(web)),
        };
        Some(Self {
            endpoints,
            receiver_opens: web.is_some_and(|web| web.opened_by == OpenedBy::Receiver),
            request: web.map_or(0, |web| web.request as u32),
            pad: padding.pad,
            sizes: draws(size, StreamId::FileSizes),
            think: web.map(|web| draws(&web.think, StreamId::ThinkTimes)),
            left: web.map_or(1, |web| web.sessions.unwrap_or(u64::MAX)),
            phase: Phase::Thinking(Instant::NEVER),
            answered: None,
            present: Session::default(),
            past: Past::default(),
            finished: Vec::new(),
        })
    }

    /// The application starts.
    pub(crate) fn start(&mut self, now: Instant) {
        self.think(now);
    }

    /// When the next transfer begins, if none is under way.
    pub(crate) fn next_start(&self) -> Instant {
        match self.phase {
            Phase::Thinking(until) => until,
            _ => Instant::NEVER,
        }
    }

    /// Begins the next transfer if that is due, with new ends.
    pub(crate) fn begin(
        &mut self,
        now: Instant,
        sender: &mut Sender,
        receiver: &mut Receiver,
    ) -> bool {
        if now < self.next_start() {
            return false;
        }
        self.retire(sender);
        let bytes = self.sizes.draw().round().clamp(1.0, MAX_BYTES) as u64;
        self.present = Session { start: now, bytes, ..Session::default() };
        self.answered = None;
        let ConnectionConfig { control, sender: config, receiver: sink } = &self.endpoints;
        let segment = u64::from(config.segment);
        let total = if self.pad { bytes.next_multiple_of(segment) } else { bytes };
        *sender = Sender::new(SenderConfig { total, ..*config }, control.clone());
        *receiver = Receiver::new(*sink);
        if self.left != u64::MAX {
            self.left -= 1;
        }
        self.phase = Phase::Transferring;
        if self.receiver_opens {
            sender.listen();
            self.phase = Phase::Opening(Box::new(Opening {
                rtt: RttEstimator::new(config.initial_rto, config.min_rto),
                asks: false,
                sent: Some(now),
                due: now,
                repeats: false,
            }));
        }
        true
    }

    /// When the end that wants the data is to be woken.
    pub(crate) fn receiver_timer(&self) -> Instant {
        match &self.phase {
            Phase::Opening(opening) => opening.due,
            _ => Instant::NEVER,
        }
    }

    /// That end is woken: it opens the connection, or repeats what is unanswered.
    pub(crate) fn on_receiver_timer(&mut self, now: Instant) -> Option<Reply> {
        let Phase::Opening(opening) = &mut self.phase else { return None };
        if now < opening.due {
            return None;
        }
        if opening.repeats {
            self.past.counters.timeouts += 1;
            self.present.timeouts += 1;
            opening.sent = None;
            opening.rtt.back_off();
        }
        opening.repeats = true;
        opening.due = now + opening.rtt.rto();
        if opening.asks {
            return Some(self.request());
        }
        Some(Reply { from_source: false, kind: PacketKind::Syn, payload: 0, seq: 0 })
    }

    /// A packet of the present connection has come to the end that it is for; the answer, if any.
    pub(crate) fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        blocks: &[(u64, u64)],
        sender: &mut Sender,
        receiver: &mut Receiver,
    ) -> Option<Reply> {
        match packet.kind {
            PacketKind::Data => {
                self.on_data(now);
                let answer = receiver.on_segment(now, packet.seq, u32::from(packet.payload));
                if receiver.next_expected() >= self.present.bytes
                    && self.present.last_byte == Instant::ZERO
                {
                    self.present.last_byte = now;
                }
                match answer {
                    AckAction::Ack(seq) => {
                        Some(Reply { from_source: false, kind: PacketKind::Ack, payload: 0, seq })
                    }
                    AckAction::Wait => None,
                }
            }
            PacketKind::Ack => {
                sender.on_ack(now, packet.seq, blocks);
                if sender.is_done() {
                    self.finish(now, sender);
                }
                None
            }
            PacketKind::Syn if !self.receiver_opens => Some(self.syn_ack()),
            PacketKind::Syn => sender.is_listening().then(|| {
                let first = self.answered.is_none() && self.present.timeouts == 0;
                self.answered = first.then_some(now);
                self.syn_ack()
            }),
            PacketKind::SynAck if !self.receiver_opens => {
                sender.on_syn_ack(now);
                None
            }
            PacketKind::SynAck => self.on_syn_ack(now),
            PacketKind::Request => {
                sender.accept(self.answered.map(|sent| now.since(sent)));
                None
            }
            PacketKind::Datagram => None,
        }
    }

    /// No transfer begins any more; the present one sends nothing new.
    pub(crate) fn stop(&mut self, sender: &mut Sender) {
        sender.stop();
        self.left = 0;
        if !matches!(self.phase, Phase::Transferring) || sender.is_done() {
            self.phase = Phase::Done;
        }
    }

    /// Whether there will be an end to the transfers, and whether it has come.
    pub(crate) fn is_finite(&self) -> bool {
        self.left != u64::MAX
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }

    /// What the connections before the present one have left.
    pub(crate) fn past(&self) -> &Past {
        &self.past
    }

    /// Bytes of files that have been acknowledged.
    pub(crate) fn delivered(&self, sender: &Sender) -> u64 {
        self.past.delivered + sender.acked().min(self.present.bytes)
    }

    /// The transfers that are over, in their order.
    pub(crate) fn finished(&self) -> &[Session] {
        &self.finished
    }

    /// Bytes of what asks for a file, for captures.
    pub(crate) fn request_bytes(&self) -> u32 {
        self.request
    }

    fn think(&mut self, now: Instant) {
        self.phase = if self.left == 0 {
            Phase::Done
        } else {
            let think = self.think.as_mut().map_or(0.0, Draws::draw);
            Phase::Thinking(now + Duration::from_secs_f64(think))
        };
    }

    fn on_data(&mut self, now: Instant) {
        if self.present.first_byte == Instant::ZERO {
            self.present.first_byte = now;
        }
        // What was asked for comes: nothing is to be repeated.
        if matches!(self.phase, Phase::Opening(_)) {
            self.phase = Phase::Transferring;
        }
    }

    fn on_syn_ack(&mut self, now: Instant) -> Option<Reply> {
        let Phase::Opening(opening) = &mut self.phase else { return None };
        if opening.asks {
            return None;
        }
        opening.asks = true;
        match opening.sent {
            Some(sent) => opening.rtt.sample(now.since(sent)),
            None => opening.rtt.be_patient(),
        }
        opening.due = now + opening.rtt.rto();
        Some(self.request())
    }

    fn request(&self) -> Reply {
        let payload = self.request;
        Reply { from_source: false, kind: PacketKind::Request, payload, seq: 0 }
    }

    fn syn_ack(&self) -> Reply {
        let from_source = self.receiver_opens;
        Reply { from_source, kind: PacketKind::SynAck, payload: 0, seq: 0 }
    }

    /// The sender knows that all has arrived, or all that it has sent before it was stopped.
    fn finish(&mut self, now: Instant, sender: &Sender) {
        if !matches!(self.phase, Phase::Transferring) {
            return;
        }
        if sender.acked() >= self.present.bytes {
            let counters = sender.counters();
            self.finished.push(Session {
                end: now,
                retransmissions: counters.retransmissions,
                timeouts: self.present.timeouts + counters.timeouts,
                ..self.present
            });
        }
        self.think(now);
    }

    /// Keeps what a connection has left before another takes its place.
    fn retire(&mut self, sender: &Sender) {
        let counters = sender.counters();
        let past = &mut self.past;
        past.delivered += sender.acked().min(self.present.bytes);
        past.counters.segments_sent += counters.segments_sent;
        past.counters.retransmissions += counters.retransmissions;
        past.counters.timeouts += counters.timeouts;
        past.counters.fast_retransmits += counters.fast_retransmits;
        let (samples, sum) = sender.rtt().total();
        past.rtt_samples += samples;
        past.rtt_sum += sum;
    }
}
