//! The world between the ends of flows: the cell, the wired links, and the timers of whoever drives them.
//!
//! [`step`] is the loop of a simulation and of the emulator alike.

use evenair_core::medium::{Arrival, Cell, CellPacket, Medium};
use evenair_core::packet::{NodeId, Stage};
use evenair_core::time::Instant;

use crate::agenda::{Agenda, Due, Timer};
use crate::wired::{Hop, Until, WirePacket, Wired};

/// A cell, wired links and timers.
pub(crate) struct World<M, P> {
    pub(crate) cell: Cell<M, P>,
    pub(crate) wired: Wired<P>,
    pub(crate) agenda: Agenda,
}

/// Who drives a world: it sends packets, and is told what becomes of them.
pub(crate) trait Driver<M, P> {
    fn world(&mut self) -> &mut World<M, P>;

    /// Called before anything happens: what has no events is to be computed up to `until`.
    fn before(&mut self, until: Until);

    /// A packet has crossed the cell.
    fn on_arrival(&mut self, arrival: &Arrival<P>);

    /// The stations that these packets were sent from are done with them. Only of flows of which the cell reports it.
    fn on_departures(&mut self, _now: Instant, _packets: Vec<P>) {}

    /// A packet has left the wired links at its host, or, if there is none, has entered the cell or
    /// the next link.
    fn on_link(&mut self, now: Instant, packet: Option<&P>);

    /// A timer has expired. Returns when it does next.
    fn on_timer(&mut self, now: Instant, timer: Timer) -> Instant;
}

/// Does the first thing that is due before `limit`, at times that never decrease. Returns whether anything
/// was.
#[inline(always)]
pub(crate) fn step<M: Medium, P: CellPacket + WirePacket>(
    driver: &mut impl Driver<M, P>,
    limit: Instant,
) -> bool {
    let world = driver.world();
    let at = world.agenda.first_at();
    if let Some(arrival) = &world.cell.poll(at.min(limit)) {
        driver.before(Until::ends(arrival.at));
        driver.on_arrival(arrival);
        return true;
    }
    if world.cell.has_departures() {
        depart(driver);
        return true;
    }
    if at >= limit {
        return false;
    }
    match world.agenda.first() {
        Due::Link(link) => {
            driver.before(Until::link(at, link));
            let world = driver.world();
            match &world.wired.poll(at, link, &mut world.agenda) {
                Some((packet, Hop::End)) => driver.on_link(at, Some(packet)),
                Some((packet, _)) => {
                    // It was due now, so that `enqueued_at` is right.
                    let mut sent = packet.clone();
                    sent.enter(Stage::Queue, at);
                    world.cell.send(at, NodeId::ACCESS_POINT, sent);
                    driver.on_link(at, None);
                }
                None => driver.on_link(at, None),
            }
            driver.world().wired.end_event();
        }
        Due::Timer(timer) => {
            driver.before(Until::ends(at));
            let next = driver.on_timer(at, timer);
            driver.world().agenda.set_timer(timer, next);
        }
    }
    true
}

/// Stations are done with packets of which somebody wants to know.
#[cold]
fn depart<M: Medium, P: CellPacket + WirePacket>(driver: &mut impl Driver<M, P>) {
    if let Some((at, packets)) = driver.world().cell.take_departures() {
        driver.before(Until::ends(at));
        driver.on_departures(at, packets);
    }
}

impl<M: Medium, P: CellPacket + WirePacket> World<M, P> {
    /// A cell and wired links in which nothing has happened.
    pub(crate) fn new(cell: Cell<M, P>, wired: Wired<P>) -> Self {
        let agenda = Agenda::new(wired.links().len());
        Self { cell, wired, agenda }
    }

    /// When [`step`] has something to do next.
    pub(crate) fn due(&self) -> Instant {
        self.cell.poll_at().min(self.agenda.first_at())
    }

    /// A node of the cell has a packet to transmit. What was due before `now` has been done.
    #[inline(always)]
    pub(crate) fn send_air(&mut self, now: Instant, from: NodeId, packet: P) {
        self.cell.send(now, from, packet);
    }

    /// A packet enters `link`. What was due before `now` has been done.
    #[inline(always)]
    pub(crate) fn send_wired(&mut self, now: Instant, link: u32, packet: &P) {
        self.wired.send(now, link, packet, &mut self.agenda);
    }
}
