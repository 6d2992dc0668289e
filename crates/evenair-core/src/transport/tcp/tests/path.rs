//! Both ends with a path between them that delays, queues and loses as a test says, and with a
//! guard that looks at every step.

use std::collections::BTreeMap;

use super::rack;
use super::sack::Model;
use super::*;
use crate::congestion::CongestionControl;

/// What is under way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Packet {
    Syn,
    SynAck,
    Data { seq: u64, payload: u32 },
    Ack(u64, SackBlocks),
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    Arrives,
    ArrivesLate(Duration),
    Lost,
}

/// A sender, a receiver and the path between them.
pub(super) struct Path<F> {
    pub(super) sender: SendingEnd,
    pub(super) receiver: Receiver,
    pub(super) now: Instant,
    /// Data segments as they were sent.
    pub(super) sent: Vec<(Instant, Segment)>,
    /// ACKs as they were sent.
    pub(super) acks: Vec<(Instant, u64)>,
    config: Sending,
    delay: Duration,
    /// How long the bottleneck transmits a data segment, and until when it is busy.
    service: Duration,
    busy_until: Instant,
    /// Segments for which there is room before the bottleneck, with the one that it transmits.
    pub(super) room: u64,
    /// Segments for which there was none.
    pub(super) overflows: u64,
    /// How many were there, at most.
    pub(super) longest: u64,
    /// What becomes of a packet, by its kind and its number among those of its direction.
    fate: F,
    on_the_way: BTreeMap<(Instant, u64), Packet>,
    packets: u64,
    arrived: Vec<bool>,
    first_missing: usize,
    /// By segment: when it was last sent and how often.
    sendings: Vec<(Instant, u32)>,
    /// With SACK and without a rate of the control: what RFC 6675 says word by word, or with RACK what RFC 8985 does.
    model: Option<Model>,
    rack: Option<rack::Model>,
}

impl<F: FnMut(&Packet, u64) -> Fate> Path<F> {
    /// With `delay` each way and a bottleneck that spends `service` on a data segment.
    pub(super) fn new(
        config: impl Into<Sending>,
        delayed_ack: u32,
        pace: (Duration, Duration),
        fate: F,
    ) -> Self {
        Self::with(newreno(), config, delayed_ack, pace, fate)
    }

    /// The same with another congestion control than NewReno.
    pub(super) fn with(
        control: Controller,
        config: impl Into<Sending>,
        delayed_ack: u32,
        (delay, service): (Duration, Duration),
        fate: F,
    ) -> Self {
        let config = config.into();
        let tcp = config.tcp;
        // The models know no segment that is held back, nor timers that let it go.
        let is_modelled = tcp.sack && !control.is_rate_based();
        let mut path = Self {
            sender: sending_end(config, control),
            receiver: receiver_of(tcp, delayed_ack),
            now: Instant::ZERO,
            sent: vec![],
            acks: vec![],
            config,
            delay,
            service,
            busy_until: Instant::ZERO,
            room: u64::MAX,
            overflows: 0,
            longest: 0,
            fate,
            on_the_way: BTreeMap::new(),
            packets: 0,
            arrived: vec![],
            first_missing: 0,
            sendings: vec![],
            model: (is_modelled && !tcp.rack && !tcp.prr).then(|| Model::new(config)),
            rack: (is_modelled && tcp.rack).then(|| rack::Model::new(tcp)),
        };
        path.pump();
        path
    }

    /// When the next packet arrives and when the next timer expires.
    fn next(&self) -> (Instant, Instant) {
        let packet = self.on_the_way.first_key_value().map_or(Instant::NEVER, |(&(at, _), _)| at);
        (packet, self.sender.poll_at().min(self.receiver.timer_at()))
    }

    /// The next thing happens; whether anything did.
    pub(super) fn step(&mut self) -> bool {
        let (packet, timers) = self.next();
        if packet.min(timers) == Instant::NEVER {
            return false;
        }
        assert!(packet.min(timers) >= self.now, "a timer that is due in the past");
        self.now = packet.min(timers);
        let acked = self.sender.acked();
        let samples = self.sender.rtt_estimator().total();
        if packet <= timers {
            let (_, packet) = self.on_the_way.pop_first().unwrap();
            self.deliver(packet);
        } else if self.receiver.timer_at() == self.now {
            let ack = self.receiver.on_timer(self.now).expect("an ACK was held back");
            self.send_ack(ack);
        } else {
            self.sender.expire(self.now);
            if let Some(model) = &mut self.model {
                model.on_timer(&self.sender);
            }
            if let Some(rack) = &mut self.rack {
                rack.on_timer(self.now, &self.sender);
            }
        }
        self.check_samples(acked, samples);
        self.pump();
        true
    }

    /// Steps until all is acknowledged; how long that took.
    pub(super) fn run(&mut self) -> Instant {
        for _ in 0..1_000_000 {
            if self.sender.is_done() {
                assert_eq!(self.receiver.next_expected(), self.config.total);
                return self.now;
            }
            assert!(self.step(), "nothing will ever happen again");
        }
        panic!("still not done: {:?}", self.sender);
    }

    /// Nothing new is sent any more.
    pub(super) fn stop(&mut self) {
        self.sender.stop();
        if let Some(model) = &mut self.model {
            model.stop();
        }
    }

    /// All that happens before `until`.
    pub(super) fn run_until(&mut self, until: Instant) {
        while self.next().0.min(self.next().1) < until {
            self.step();
        }
    }

    fn deliver(&mut self, packet: Packet) {
        match packet {
            Packet::Syn => self.put(Packet::SynAck, 0, self.now + self.delay),
            Packet::SynAck => self.sender.on_syn_ack(self.now),
            Packet::Ack(ack, blocks) => {
                self.sender.take_ack(self.now, ack, blocks.as_slice());
                if let Some(model) = &mut self.model {
                    model.on_ack(&self.sender, ack, blocks.as_slice());
                }
                if let Some(rack) = &mut self.rack {
                    rack.on_ack(self.now, &self.sender, ack, blocks.as_slice());
                }
            }
            Packet::Data { seq, payload } => {
                let index = (seq / SEGMENT) as usize;
                self.arrived.resize(self.arrived.len().max(index + 2), false);
                self.arrived[index] = true;
                while self.arrived[self.first_missing] {
                    self.first_missing += 1;
                }
                if let AckAction::Ack(ack) = self.receiver.on_segment(self.now, seq, payload) {
                    self.send_ack(ack);
                }
            }
        }
        let expected = (self.first_missing as u64 * SEGMENT).min(self.config.total);
        assert_eq!(self.receiver.next_expected(), expected);
    }

    fn send_ack(&mut self, ack: u64) {
        assert_eq!(ack, self.receiver.next_expected());
        self.acks.push((self.now, ack));
        let packet = Packet::Ack(ack, self.receiver.sack());
        self.put(packet, self.acks.len() as u64 - 1, self.now + self.delay);
    }

    fn put(&mut self, packet: Packet, number: u64, arrival: Instant) {
        let arrival = match (self.fate)(&packet, number) {
            Fate::Arrives => arrival,
            Fate::ArrivesLate(by) => arrival + by,
            Fate::Lost => return,
        };
        self.packets += 1;
        self.on_the_way.insert((arrival, self.packets), packet);
    }

    /// The sender sends what it may.
    fn pump(&mut self) {
        let acked = self.sender.acked();
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            if segment.syn {
                self.put(Packet::Syn, 0, self.now + self.delay);
                continue;
            }
            self.check_segment(&segment);
            if let Some(model) = &mut self.model {
                model.on_sent(&self.sender, &segment);
            }
            if let Some(rack) = &mut self.rack {
                rack.on_sent(self.now, &segment);
            }
            self.sent.push((self.now, segment));
            let waiting = self.busy_until.since(self.now).as_nanos();
            let waiting = waiting.div_ceil(self.service.as_nanos().max(1)) + 1;
            if waiting > self.room {
                self.overflows += 1;
                continue;
            }
            self.longest = self.longest.max(waiting);
            self.busy_until = self.busy_until.max(self.now) + self.service;
            let packet = Packet::Data { seq: segment.seq, payload: segment.payload };
            self.put(packet, self.sent.len() as u64 - 1, self.busy_until + self.delay);
        }
        if let Some(model) = &self.model {
            model.on_silence(&self.sender);
        }
        if let Some(rack) = &self.rack {
            rack.on_silence(&self.sender);
        }
        assert_eq!(self.sender.acked(), acked, "sending acknowledges nothing");
        assert!(acked <= self.receiver.next_expected(), "more acknowledged than has arrived");
        assert!(
            self.sender.is_done() || self.sender.poll_at() != Instant::NEVER,
            "waits for nothing: {:?}",
            self.sender
        );
    }

    fn check_segment(&mut self, segment: &Segment) {
        let (seq, payload) = (segment.seq, u64::from(segment.payload));
        assert_eq!(seq % SEGMENT, 0);
        assert_eq!(payload, SEGMENT.min(self.config.total - seq), "a length of its own");
        assert!(payload > 0, "a segment without payload");
        let acked = self.sender.acked();
        assert!(seq >= acked, "what is acknowledged is sent again");
        let window = u64::from(self.config.tcp.window) * SEGMENT;
        assert!(seq + payload <= acked + window, "beyond the receiver's window");
        let index = (seq / SEGMENT) as usize;
        assert!(index <= self.sendings.len(), "a segment is left out");
        self.sendings.resize(self.sendings.len().max(index + 1), (Instant::ZERO, 0));
        let (when, times) = &mut self.sendings[index];
        assert_eq!(segment.retransmission, *times > 0);
        (*when, *times) = (self.now, *times + 1);
        let crucial = self.config.tcp.spm_marking() && self.sender.window().cwnd < 4.0;
        assert_eq!(segment.high_priority, crucial);
    }

    /// Nothing acknowledged is lost again, and a round-trip time is that of a segment that was sent
    /// once and is acknowledged just now (Karn).
    fn check_samples(&self, acked_before: u64, (samples, sum): (u64, Duration)) {
        let acked = self.sender.acked();
        assert!(acked >= acked_before, "acknowledged no longer");
        let (samples_now, sum_now) = self.sender.rtt_estimator().total();
        if samples_now == samples || acked == 0 {
            return;
        }
        assert_eq!(samples_now, samples + 1);
        let sample = sum_now - sum;
        let newly = (acked_before / SEGMENT) as usize..acked.div_ceil(SEGMENT) as usize;
        let is_the_one =
            |&(when, times): &(Instant, u32)| times == 1 && self.now.since(when) == sample;
        assert!(self.sendings[newly].iter().any(is_the_one), "a round-trip time of {sample}");
    }
}
