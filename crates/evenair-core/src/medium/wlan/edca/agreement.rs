//! A link of the cell, and the Block Ack agreement of each of its categories.

use super::a_msdu::{Amsdus, Msdus};
use super::aggregation::Aggregation;
use super::config::{Control, ControlFrame, EdcaConfig};
use crate::medium::wlan::block_ack::{Originator, Recipient};
use crate::medium::wlan::frame::high_throughput;
use crate::medium::wlan::rate_control::Adaptation;
use crate::medium::{Airtime, LinkId, NextPpdu, PacketId, PhyMode, PhyModes, Taken, TxVector};
use crate::packet::NodeId;
use crate::time::{Duration, Instant};

/// One direction of the link between a station and its access point.
#[derive(Debug)]
pub(super) struct Link {
    /// The mode of its data PPDUs.
    pub(super) mode: PhyMode,
    pub(super) vector: TxVector,
    /// Preamble and header of these.
    pub(super) preamble: Duration,
    /// Data bits of a symbol of these, and how long it lasts.
    symbol: (u32, Duration),
    /// `None`: a PPDU has one MPDU, and there are no agreements.
    aggregation: Option<Aggregation>,
    /// Whether the present PPDU may have several MPDUs.
    may_aggregate: bool,
    /// Its control frames, and their mode.
    pub(super) control: Control,
    pub(super) control_mode: PhyMode,
    /// Chooses the mode; `None`: it is always the same.
    pub(super) adaptation: Option<Box<Adaptation>>,
    /// The last PSDU, and how long its PPDU lasts. Most repeat it, which saves a division.
    last: (u32, Duration),
    /// Of the accesses that are over.
    pub(super) airtime: Airtime,
}

/// The packets of one link and category that are not yet delivered.
#[derive(Debug)]
pub(super) struct Agreement {
    /// Those of the sender that have been transmitted and not acknowledged, or will be transmitted next.
    originator: Originator<Outgoing>,
    /// Those that the receiver holds back.
    recipient: Recipient<PacketId>,
    /// Bytes that an MPDU has besides an IP packet.
    overhead: u32,
    /// How many of the first of these have been transmitted.
    transmitted: usize,
    /// Whether the sender is to ask for a Block Ack that it did not get, or to say that its window has moved.
    pub(super) asks: bool,
}

/// An MPDU.
#[derive(Clone, Copy, Debug)]
struct Outgoing {
    /// Its first packet, which names it.
    packet: PacketId,
    /// Its size on the air.
    bytes: u32,
    /// Bytes of its IP packets, and how many these are.
    payload: u32,
    packets: u16,
    /// How often it was transmitted without success.
    failures: u16,
}

/// What a PPDU carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Psdu {
    /// MPDUs with data; 0 of a BlockAckReq.
    pub(super) mpdus: usize,
    pub(super) bytes: u32,
}

impl Link {
    /// A link whose data PPDUs have `mode`.
    pub(super) fn new(
        config: &EdcaConfig,
        modes: &PhyModes,
        mode: PhyMode,
        aggregation: Option<Aggregation>,
        adaptation: Option<Adaptation>,
    ) -> Self {
        let vector = *modes.vector(mode);
        let (response, control) = config.control(&vector, window(aggregation));
        Self {
            mode,
            vector,
            preamble: config.preamble.unwrap_or_else(|| high_throughput::preamble(&vector)),
            symbol: {
                let (bits, time) = high_throughput::symbols(&vector);
                (bits as u32, time)
            },
            aggregation,
            may_aggregate: true,
            control,
            // `EdcaConfig::modes` has those of all responses.
            control_mode: modes.find(&response).unwrap_or(mode),
            last: (0, config.ppdu_time(0, &vector)),
            airtime: Airtime::default(),
            adaptation: adaptation.map(Box::new),
        }
    }

    /// Its rate control, if it has one, chooses the mode of an attempt that begins now with an MPDU of `bytes`.
    #[inline(always)]
    pub(super) fn adapt(
        &mut self,
        config: &EdcaConfig,
        modes: &PhyModes,
        now: Instant,
        bytes: u32,
    ) {
        if self.adaptation.is_some() {
            self.choose(config, modes, now, bytes);
        }
    }

    #[inline(never)] // only with rate control
    fn choose(&mut self, config: &EdcaConfig, modes: &PhyModes, now: Instant, bytes: u32) {
        let Some(mut adaptation) = self.adaptation.take() else { return };
        let has_rts = config.rts_threshold.is_some_and(|threshold| bytes > threshold);
        let mode = adaptation.choose(now, bytes, has_rts);
        self.may_aggregate = adaptation.may_aggregate();
        self.adaptation = Some(adaptation);
        if mode != self.mode {
            let Self { aggregation, may_aggregate, airtime, .. } = *self;
            let adaptation = self.adaptation.take();
            let other = Self::new(config, modes, mode, aggregation, None);
            *self = Self { may_aggregate, airtime, adaptation, ..other };
        }
    }

    /// The mode of its PPDUs, but for those that try another one.
    pub(super) fn present_mode(&self) -> PhyMode {
        self.adaptation.as_ref().map_or(self.mode, |adaptation| adaptation.present())
    }

    /// The link with this mode, and whatever may be in its PPDUs.
    pub(super) fn at_present(&self, config: &EdcaConfig, modes: &PhyModes) -> Self {
        Self::new(config, modes, self.present_mode(), self.aggregation, None)
    }

    /// Whether its MPDUs are under Block Ack agreements.
    pub(super) fn has_agreements(&self) -> bool {
        self.aggregation.is_some()
    }

    /// The window of its agreements.
    pub(super) fn window(&self) -> u16 {
        window(self.aggregation)
    }

    /// The duration of a PPDU with a PSDU of `bytes`.
    #[inline(always)]
    pub(super) fn ppdu_time(&mut self, config: &EdcaConfig, bytes: u32) -> Duration {
        if self.last.0 != bytes {
            self.last = (bytes, config.ppdu_time(bytes, &self.vector));
        }
        self.last.1
    }

    /// When the receiver has the first `bytes` of a PSDU, from the start of its PPDU: at the end of a symbol.
    #[inline(always)]
    pub(super) fn received_after(&self, bytes: u32) -> Duration {
        let (bits, time) = self.symbol;
        let symbols = (high_throughput::SERVICE_BITS as u32 + 8 * bytes).div_ceil(bits);
        self.preamble + time * u64::from(symbols)
    }

    /// Bytes of an A-MSDU at most; `None` without A-MSDUs.
    fn amsdu(&self) -> Option<u32> {
        self.aggregation.and_then(|aggregation| aggregation.amsdu)
    }

    /// The bytes of the longest PSDU of which the PPDU lasts at most `most`; `None` if it has one MPDU.
    #[inline(always)]
    fn longest(&self, config: &EdcaConfig, most: Duration) -> Option<u32> {
        let Aggregation { bytes, duration, .. } =
            self.aggregation.filter(|_| self.may_aggregate)?;
        let time = duration.min(most);
        Some(bytes.min(config.phy.bytes_within(time, &self.vector, config.preamble)))
    }

    /// The response to a PPDU that carries `psdu`.
    #[inline(always)]
    pub(super) fn response(&self, psdu: Psdu) -> ControlFrame {
        if psdu.mpdus == 1 { self.control.ack } else { self.control.block_ack }
    }
}

/// The window of an agreement. Without one, it says which MPDUs are duplicates.
fn window(aggregation: Option<Aggregation>) -> u16 {
    aggregation.map_or(1, |aggregation| aggregation.window)
}

impl Agreement {
    /// An agreement with this window, whose MPDUs have `overhead` bytes besides an IP packet.
    pub(super) fn new(window: u16, overhead: u32) -> Self {
        let (originator, recipient) = (Originator::new(window), Recipient::new(window));
        Self { originator, recipient, overhead, transmitted: 0, asks: false }
    }

    /// Whether the sender has something to transmit besides what waits in its queue.
    #[inline(always)]
    pub(super) fn has_frame(&self) -> bool {
        self.asks || !self.originator.is_empty()
    }

    /// The first packet that it transmits.
    pub(super) fn first(&self) -> Option<PacketId> {
        self.originator.iter().next().map(|(_, outgoing)| outgoing.packet)
    }

    /// Its MPDUs: their sequence numbers and first packets.
    pub(super) fn outgoing(&self) -> impl Iterator<Item = (u16, PacketId)> {
        self.originator.iter().map(|(sequence, outgoing)| (sequence, outgoing.packet))
    }

    /// The first sequence number of the sender's window.
    pub(super) fn start(&self) -> u16 {
        self.originator.start()
    }

    /// How many of its first MPDUs have been transmitted, and get the Retry bit.
    pub(super) fn retries(&self) -> usize {
        self.transmitted
    }

    /// What the receiver has.
    pub(super) fn recipient(&self) -> &Recipient<PacketId> {
        &self.recipient
    }

    /// The first packet of the newest MPDU that it has.
    pub(super) fn last(&mut self) -> Option<PacketId> {
        self.originator.newest_mut().map(|newest| newest.packet)
    }

    /// The PSDU of its first MPDU alone.
    #[inline(always)]
    pub(super) fn single(&self, link: &Link) -> Psdu {
        let first = self.sizes().next().unwrap_or(0);
        Psdu { mpdus: 1, bytes: EdcaConfig::single(first, link.vector.format) }
    }

    /// The sender has taken a packet, which becomes an MPDU.
    #[inline(always)]
    pub(super) fn push(&mut self, taken: Taken, amsdus: &mut Amsdus) {
        amsdus.begin(taken.packet);
        let (packet, payload) = (taken.packet, taken.bytes);
        let bytes = payload + self.overhead;
        self.originator.push(Outgoing { packet, bytes, payload, packets: 1, failures: 0 });
    }

    /// The newest MPDU gets further packets of those that `take` takes, so that its A-MSDU has at most `most` bytes.
    /// Returns its size.
    fn fill(
        &mut self,
        most: u32,
        overhead: u32,
        amsdus: &mut Amsdus,
        take: &mut impl FnMut(u32) -> Option<Taken>,
    ) -> u32 {
        let Some(newest) = self.originator.newest_mut() else { return 0 };
        let mut msdus = Msdus::of(newest.packets, newest.payload, newest.bytes, overhead);
        while let Some(taken) = msdus.room(most).and_then(&mut *take) {
            msdus.add(taken.bytes);
            amsdus.add(newest.packet, taken.packet);
        }
        (newest.packets, newest.payload) = (msdus.count, msdus.payload);
        newest.bytes = msdus.mpdu(overhead);
        newest.bytes
    }

    /// Sizes of the MPDUs of the sender, in the order of their sequence numbers.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u32> {
        self.originator.iter().map(|(_, outgoing)| outgoing.bytes)
    }

    /// Makes the next PSDU of `link`, of which the PPDU lasts at most `most` unless it has one MPDU: of the MPDUs that
    /// the sender has, and then of those that `take` takes, which have at most as many bytes as it says without MAC
    /// overhead. An MPDU that has not been transmitted may get further packets, as an A-MSDU.
    #[inline(always)]
    pub(super) fn aggregate(
        &mut self,
        config: &EdcaConfig,
        link: &Link,
        most: Duration,
        amsdus: &mut Amsdus,
        mut take: impl FnMut(u32) -> Option<Taken>,
    ) -> Psdu {
        let Some(longest) = link.longest(config, most) else { return self.single(link) };
        let window = usize::from(link.window());
        let (mut mpdus, mut bytes, mut before) = (0, 0, 0);
        for (_, outgoing) in self.originator.iter().take(window) {
            let lengthened = EdcaConfig::lengthened(bytes, outgoing.bytes);
            if mpdus > 0 && lengthened > longest {
                break;
            }
            (mpdus, before, bytes) = (mpdus + 1, bytes, lengthened);
        }
        let overhead = self.overhead;
        // What an MPDU behind `bytes` of the PSDU may have as its A-MSDU.
        let most_of = |bytes, amsdu: u32| {
            amsdu.min(Msdus::within(EdcaConfig::room(longest, bytes), overhead))
        };
        let amsdu = link.amsdu();
        if let Some(amsdu) = amsdu
            && mpdus == self.originator.len()
            && mpdus > self.transmitted
        {
            let mpdu = self.fill(most_of(before, amsdu), overhead, amsdus, &mut take);
            bytes = EdcaConfig::lengthened(before, mpdu);
        }
        while mpdus == self.originator.len() && mpdus < window && self.originator.has_room() {
            let room = EdcaConfig::room(longest, bytes).saturating_sub(overhead);
            let Some(taken) = take(room) else { break };
            let mut mpdu = taken.bytes + overhead;
            self.push(taken, amsdus);
            if let Some(amsdu) = amsdu {
                mpdu = self.fill(most_of(bytes, amsdu), overhead, amsdus, &mut take);
            }
            bytes = EdcaConfig::lengthened(bytes, mpdu);
            mpdus += 1;
        }
        if mpdus == 1 { self.single(link) } else { Psdu { mpdus, bytes } }
    }

    /// What the next PPDU of `link` would have of the MPDUs that the sender has, and room for.
    pub(super) fn next_ppdu(&self, config: &EdcaConfig, link: &Link) -> NextPpdu {
        let Some(most) = link.longest(config, Duration::MAX) else {
            return NextPpdu { packets: u32::from(!self.has_frame()), ..NextPpdu::SINGLE };
        };
        let room = self.originator.room().min(link.window().into());
        NextPpdu {
            // An A-MSDU may have many.
            packets: if link.amsdu().is_some() { u32::MAX } else { room },
            bytes: self.sizes().fold(0, EdcaConfig::lengthened),
            most,
            overhead: self.overhead,
            lengthened: EdcaConfig::lengthened,
        }
    }

    /// The PSDU that the sender would make on `link`, as [`Agreement::aggregate`], with nothing to repeat and `waiting`
    /// packets of `bytes` in the queue. Returns how many of these it has as well.
    pub(super) fn fullest(
        &self,
        config: &EdcaConfig,
        link: &Link,
        most: Duration,
        bytes: u32,
        waiting: u32,
    ) -> (Psdu, u32) {
        let mut agreement = Self::new(link.window(), self.overhead);
        let (mut amsdus, mut packets) = (Amsdus::default(), 0);
        let mut take = |room| {
            let packet = PacketId(packets);
            let taken = Taken { packet, to: NodeId::BROADCAST, link: LinkId::BROADCAST, bytes };
            let is_taken = packets < waiting && bytes <= room;
            packets += u32::from(is_taken);
            is_taken.then_some(taken)
        };
        if let Some(first) = take(u32::MAX) {
            agreement.push(first, &mut amsdus);
        }
        let psdu = agreement.aggregate(config, link, most, &mut amsdus, &mut take);
        (psdu, packets)
    }

    /// Bytes of the IP packets in the MPDUs of the sender, in the order of their sequence numbers.
    pub(super) fn payloads(&self) -> impl Iterator<Item = u32> {
        self.originator.iter().map(|(_, outgoing)| outgoing.payload)
    }

    /// The sizes of the MPDUs that `psdu` has, each with the bytes of the PSDU up to its end.
    #[inline(always)]
    pub(super) fn mpdus(&self, psdu: Psdu) -> impl Iterator<Item = (u32, u32)> {
        let mut end = 0;
        self.sizes().take(psdu.mpdus).map(move |bytes| {
            end = if psdu.mpdus == 1 { psdu.bytes } else { EdcaConfig::lengthened(end, bytes) };
            (bytes, end)
        })
    }

    /// The receiver gets those of the MPDUs of `psdu` that it has `decoded`: calls `keep` for each that is new, and
    /// `pass_on` for those that it passes on, named by their first packets, both with the bytes of the PSDU that it has by then. MPDUs that it had before are as good
    /// as decoded: a Block Ack says so.
    #[inline(always)]
    pub(super) fn receive(
        &mut self,
        psdu: Psdu,
        decoded: &mut [bool],
        mut pass_on: impl FnMut(PacketId, u32),
        mut keep: impl FnMut(PacketId, u32),
    ) {
        let Self { originator, recipient, .. } = self;
        let mut end = 0;
        for ((sequence, outgoing), decoded) in originator.iter().zip(decoded) {
            let Outgoing { packet, bytes, .. } = *outgoing;
            end = if psdu.mpdus == 1 { psdu.bytes } else { EdcaConfig::lengthened(end, bytes) };
            if !*decoded {
                *decoded = recipient.has(sequence);
            } else if recipient.receive(sequence, packet, |packet| pass_on(packet, end)) {
                keep(packet, end);
            }
        }
    }

    /// The receiver gets a BlockAckReq, which says where the sender's window begins: calls `pass_on` for what it passes
    /// on, named by their first packets.
    pub(super) fn request(&mut self, pass_on: impl FnMut(PacketId)) {
        self.recipient.advance(self.originator.start(), pass_on);
    }

    /// Drops the MPDUs for which `is_over`, and passes their first packets to `dropped`. A receiver that waits for
    /// one of them has to be told, if there is an agreement.
    pub(super) fn expire(
        &mut self,
        has_agreement: bool,
        is_over: impl Fn(PacketId) -> bool,
        mut dropped: impl FnMut(PacketId),
    ) {
        let is_over = |outgoing: &Outgoing| is_over(outgoing.packet);
        let gone = |outgoing: Outgoing| dropped(outgoing.packet);
        let transmitted = self.originator.discard(self.transmitted, is_over, gone);
        self.transmitted -= transmitted;
        self.asks |= has_agreement && transmitted > 0;
    }

    /// The MPDUs of the sender that its receiver has, which a Block Ack says that answers a BlockAckReq.
    pub(super) fn received(&self, decoded: &mut Vec<bool>) {
        decoded.clear();
        decoded.extend(self.originator.iter().map(|(sequence, _)| self.recipient.has(sequence)));
    }

    /// The sender gets the response: those of its first MPDUs that were `decoded` are done.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, decoded: &[bool], mut done: impl FnMut(PacketId)) {
        let others = self.originator.len() - self.transmitted;
        self.originator.acknowledge(decoded, |outgoing| done(outgoing.packet));
        self.transmitted = self.originator.len() - others;
    }

    /// The first `mpdus` of the sender have been transmitted. Returns how many of them had been before.
    #[inline(always)]
    pub(super) fn transmitted(&mut self, mpdus: usize) -> usize {
        let before = self.transmitted.min(mpdus);
        self.transmitted = self.transmitted.max(mpdus);
        before
    }

    /// The first packet of each MPDU of `psdu`, and the bytes that each packet of it has besides those at IP level; of
    /// a BlockAckReq those of the MPDUs that it asks about.
    pub(super) fn carried(&self, psdu: Psdu) -> impl Iterator<Item = (PacketId, u32)> + Clone {
        let mpdus = if psdu.mpdus > 0 { psdu.mpdus } else { self.transmitted.max(1) };
        self.originator.iter().take(mpdus).map(|(_, outgoing)| {
            let Outgoing { packet, bytes, payload, packets, .. } = *outgoing;
            (packet, bytes.saturating_sub(payload) / u32::from(packets))
        })
    }

    /// The MPDU that was transmitted without a Block Ack agreement got no response. Returns whether it is to be
    /// [given up](Agreement::give_up), because it has been transmitted `limit` times.
    pub(super) fn fail(&mut self, limit: u32) -> bool {
        let Some(oldest) = self.originator.oldest_mut() else { return false };
        oldest.failures += 1;
        u32::from(oldest.failures) >= limit
    }

    /// Drops the first MPDU, which has one packet.
    pub(super) fn give_up(&mut self) -> Option<PacketId> {
        // It may have had an RTS alone.
        self.transmitted = self.transmitted.saturating_sub(1);
        self.originator.discard_oldest().map(|outgoing| outgoing.packet)
    }
}
