//! The medium under observation.

use super::super::Wimax;
use super::oracle::{Departure, Pdu, Setup, is_lost};
use crate::loss::FrameKind;
use crate::medium::{
    AirEvent, AirUsage, CellContext, Listening, Medium, NextPpdu, PacketId, Reception, Taken,
    Transmission, TxQueueId, TxStatus,
};
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::queue::Backlog;
use crate::time::{Duration, Instant};

/// The medium, with all that it does to its cell noted down. It is asked about the loss of each
/// PDU.
pub(super) struct Watched {
    pub(super) wimax: Wimax,
    pub(super) notes: Notes,
}

pub(super) struct Notes {
    /// Losses are those of [`is_lost`]; else those of the cell.
    setup: Option<Setup>,
    pub(super) pdus: Vec<Pdu>,
    pub(super) departed: Vec<Departure>,
    /// PDUs that each station has sent, down and up.
    sent: Vec<[usize; 2]>,
    /// Packets taken from each queue.
    taken: Vec<usize>,
    /// By packet id: queue, number among those taken from it, and when it was received.
    in_service: Vec<(TxQueueId, usize, Option<Instant>)>,
}

/// A [`CellContext`] whose use is noted.
struct Context<'a, C> {
    cell: &'a mut C,
    notes: &'a mut Notes,
}

impl Notes {
    fn new(stations: usize, setup: Option<Setup>) -> Self {
        Self {
            setup,
            pdus: Vec::new(),
            departed: Vec::new(),
            sent: vec![[0; 2]; stations],
            taken: vec![0; 2 * stations],
            in_service: Vec::new(),
        }
    }

    /// A packet of `in_service` leaves the cell.
    fn depart(&mut self, at: Instant, id: u32, received: bool) {
        let (queue, nth, _) = self.in_service[id as usize];
        let up = Wimax::LAYOUT.link(queue).unwrap().0.direction() == Direction::Up;
        let station = queue.0 as usize / 2;
        self.departed.push(Departure { at: at.as_nanos(), station, up, nth, received });
    }
}

impl<C: CellContext> CellContext for Context<'_, C> {
    fn backlog(&self, queue: TxQueueId) -> &Backlog {
        self.cell.backlog(queue)
    }
    fn wake_at(&self) -> Instant {
        self.cell.wake_at()
    }
    fn next_queue(
        &mut self,
        now: Instant,
        node: NodeId,
        category: AccessCategory,
        holds: impl Fn(TxQueueId) -> bool,
        next: impl Fn(TxQueueId) -> NextPpdu,
    ) -> Option<TxQueueId> {
        self.cell.next_queue(now, node, category, holds, next)
    }
    fn take(&mut self, now: Instant, queue: TxQueueId, max_bytes: u32) -> Option<Taken> {
        let taken = self.cell.take(now, queue, max_bytes)?;
        let (nth, id) = (&mut self.notes.taken[queue.0 as usize], taken.packet.0 as usize);
        let entry = (queue, *nth, None);
        *nth += 1;
        match self.notes.in_service.get_mut(id) {
            Some(place) => *place = entry,
            None => self.notes.in_service.push(entry),
        }
        Some(taken)
    }
    fn enqueued_at(&self, packet: PacketId) -> Instant {
        self.cell.enqueued_at(packet)
    }
    fn release(&mut self, now: Instant, packet: PacketId, status: TxStatus) {
        match self.notes.in_service[packet.0 as usize].2 {
            Some(received) => {
                assert_eq!(status, TxStatus::Delivered);
                assert_eq!(now, received, "released when it is received");
            }
            None => {
                assert_eq!(status, TxStatus::Dropped);
                self.notes.depart(now, packet.0, false);
            }
        }
        self.cell.release(now, packet, status);
    }
    fn no_loss_before(&self, _station: NodeId) -> Instant {
        Instant::ZERO
    }
    fn on_air(&mut self, event: AirEvent) {
        self.cell.on_air(event);
    }
    fn is_corrupted(&mut self, frame: &Transmission) -> bool {
        assert_eq!(frame.kind, FrameKind::Data);
        let (station, up) = (frame.station.index() - 1, frame.direction == Direction::Up);
        let at = frame.at.as_nanos();
        self.notes.pdus.push(Pdu { at, station, up, bytes: frame.bytes.into() });
        let sent = &mut self.notes.sent[station][usize::from(up)];
        *sent += 1;
        match &self.notes.setup {
            Some(setup) => is_lost(setup, station, up, *sent - 1),
            None => self.cell.is_corrupted(frame),
        }
    }
}

impl Watched {
    /// PDUs are lost by the rule of the plain model.
    pub(super) fn new(wimax: Wimax, setup: &Setup) -> Self {
        Self { wimax, notes: Notes::new(setup.stations.len(), Some(setup.clone())) }
    }

    /// PDUs are lost by the loss models of the cell.
    pub(super) fn with_losses_of_cell(wimax: Wimax, stations: usize) -> Self {
        Self { wimax, notes: Notes::new(stations, None) }
    }
}

impl Medium for Watched {
    fn setup(&self) -> &crate::medium::Setup {
        self.wimax.setup()
    }
    fn is_idle(&self, queue: TxQueueId) -> bool {
        self.wimax.is_idle(queue)
    }
    fn wake(
        &mut self,
        now: Instant,
        queue: TxQueueId,
        arrived: Option<Taken>,
        cell: &mut impl CellContext,
    ) {
        self.wimax.wake(now, queue, arrived, cell);
    }
    fn listen(&mut self, to: Listening) {
        self.wimax.listen(to);
    }
    fn poll_at(&self) -> Instant {
        self.wimax.poll_at()
    }
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        let context = &mut Context { cell, notes: &mut self.notes };
        let reception = self.wimax.poll(limit, context)?;
        let received = &mut self.notes.in_service[reception.packet.0 as usize].2;
        assert_eq!(received.replace(reception.at), None, "received once");
        self.notes.depart(reception.at, reception.packet.0, true);
        Some(reception)
    }
    fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        self.wimax.usage(now, node)
    }
    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        self.wimax.traffic_airtime(now, node)
    }
}
