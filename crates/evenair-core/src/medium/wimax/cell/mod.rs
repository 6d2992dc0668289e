//! The frames of a cell.
//!
//! **Rules.** At the start of a frame, in this order:
//! 1. The base station grants uplink bursts to stations whose requests it has received, and
//!    subtracts what the bursts hold from what they have requested.
//! 2. Each granted station fills its burst. Its pending request is answered. If something is left
//!    and piggybacking is on, its last PDU carries a request, which is received unless this PDU is
//!    lost.
//! 3. The base station schedules and fills downlink bursts.
//! 4. Each station whose queue is not empty and that has no pending request makes one. A request
//!    whose T16 has expired is repeated, or given up with the packets that it was for.
//! 5. Stations whose backoff ends in the request region transmit. Those that are alone in an
//!    opportunity are received, and can be granted from the next frame on.
//!
//! A packet is received at the end of the symbol in which its last PDU ends. It counts against the
//! limit of its queue until then.
//!
//! Frames in which nothing waits and no request is pending are skipped.

mod airtime;
mod burst;
mod connection;
mod counts;
mod events;
mod fill;
mod layout;
mod state;
mod station;

pub use burst::Burst;
pub use connection::{pdu_overhead, smallest_pdu};
pub use counts::{Counts, RequestCounts, SduCounts};
pub use layout::{FrameAccount, FrameError};
pub use state::Wimax;

use state::SduEnd;

use super::request::Expiry;
use super::scheduler::{Allocation, Need};
use crate::medium::{
    AirUsage, CellContext, Listening, Medium, Reception, Setup, Taken, TxQueueId, TxStatus,
};
use crate::packet::{Direction, NodeId};
use crate::time::{Duration, Instant};

impl Wimax {
    /// Whether nothing waits and no request is pending.
    fn is_quiet(&self, cell: &impl CellContext) -> bool {
        self.stations.iter().all(|station| {
            station.down.connection.is_empty(cell)
                && station.outstanding == 0
                && station.up.connection.is_empty(cell)
                && !station.request.is_pending()
        })
    }

    /// Counts the frames that begin before `limit`, in which nothing happens.
    #[cold]
    fn skip(&mut self, limit: Instant) {
        let frame = self.config.phy.frame();
        let frames = limit.since(self.next_frame).div_ceil(frame);
        self.next_frame += frame * frames;
        let with_descriptors = match frames.checked_sub(self.descriptors_in + 1) {
            Some(after_first) => 1 + after_first / self.descriptor_period,
            None => 0,
        };
        self.descriptors_in += self.descriptor_period * with_descriptors;
        self.descriptors_in -= frames;
        let counts = &mut self.counts;
        counts.frames += frames;
        counts.ul_symbols_available += frames * u64::from(self.layout.ul_room().capacity());
        for (frames, descriptors) in [(frames - with_descriptors, false), (with_descriptors, true)]
        {
            let room = self.layout.dl_room(0, descriptors);
            counts.dl_symbols_available += frames * u64::from(room.capacity());
        }
        self.settle_airtime();
        self.bursts.clear();
        // A scheduler may remember who was waiting.
        self.needs.fill(Need::default());
        self.schedule(Direction::Up, 0, false);
        self.schedule(Direction::Down, 0, false);
    }

    /// Decides on all that happens in the next frame.
    #[inline(never)]
    fn begin_frame(&mut self, cell: &mut impl CellContext) {
        self.settle_airtime();
        let now = self.next_frame;
        self.frame_start = now;
        self.next_frame = now + self.config.phy.frame();
        let descriptors = self.descriptors_in == 0;
        if descriptors {
            self.descriptors_in = self.descriptor_period;
        }
        self.descriptors_in -= 1;
        self.counts.frames += 1;
        self.bursts.clear();
        self.downlink.clear();
        self.uplink.clear();
        self.over = 0;

        let grants = self.grant(now, cell);
        self.transmit_down(now, grants, descriptors, cell);
        self.request(now, cell);
        if self.listening == Listening::Everything {
            self.announce(cell);
        }
    }

    /// Schedules and fills the bursts of the uplink; returns their number.
    fn grant(&mut self, now: Instant, cell: &mut impl CellContext) -> u32 {
        for (need, station) in self.needs.iter_mut().zip(&self.stations) {
            *need = Need::new(station.outstanding.into());
        }
        let (used, available) = self.schedule(Direction::Up, 0, false);
        self.counts.ul_symbols_used += used;
        self.counts.ul_symbols_available += available;
        let mut symbol = self.layout.before_grants();
        for index in 0..self.allocations.len() {
            let Allocation { station: number, symbols } = self.allocations[index];
            let capacity = symbols * self.sizes[number].bytes();
            let station = &mut self.stations[number];
            station.outstanding = station.outstanding.saturating_sub(capacity);
            if let Some(made_at) = station.request.end() {
                station.grant_delays.record(now.since(made_at));
            }
            symbol += 1;
            self.fill(now, Direction::Up, index, symbol, cell);
            symbol += symbols;
        }
        self.allocations.len() as u32
    }

    /// Schedules and fills the bursts of the downlink.
    fn transmit_down(
        &mut self,
        now: Instant,
        grants: u32,
        descriptors: bool,
        cell: &mut impl CellContext,
    ) {
        for (need, station) in self.needs.iter_mut().zip(&self.stations) {
            *need = Need::new(station.down.connection.need(self.overhead, cell));
        }
        let (used, available) = self.schedule(Direction::Down, grants, descriptors);
        self.counts.dl_symbols_used += used;
        self.counts.dl_symbols_available += available;
        let bursts = self.allocations.len() as u32;
        let mut symbol = self.layout.before_bursts(grants, bursts, descriptors);
        for index in 0..self.allocations.len() {
            symbol += 1;
            self.fill(now, Direction::Down, index, symbol, cell);
            symbol += self.allocations[index].symbols;
        }
    }

    /// Allocates symbols by `needs`; returns those given to bursts and those that there were.
    fn schedule(&mut self, direction: Direction, grants: u32, descriptors: bool) -> (u64, u64) {
        self.allocations.clear();
        let (scheduler, mut room) = match direction {
            Direction::Up => (&mut self.grant_scheduler, self.layout.ul_room()),
            Direction::Down => {
                (&mut self.burst_scheduler, self.layout.dl_room(grants, descriptors))
            }
        };
        scheduler.allocate(&mut room, &mut self.needs, &self.sizes, &mut self.allocations);
        (room.used().into(), room.capacity().into())
    }

    /// Makes, repeats and gives up bandwidth requests, and lets those transmit whose backoff is
    /// over.
    fn request(&mut self, now: Instant, cell: &mut impl CellContext) {
        let opportunities = self.contention.opportunities();
        let region_end = now + self.layout.time(Direction::Up, self.layout.before_grants());
        let requests = &mut self.counts.requests;
        self.contention.begin();
        for (index, station) in self.stations.iter_mut().enumerate() {
            let (request, up) = (&mut station.request, &mut station.up);
            match request.expiry(now, &self.config) {
                Expiry::No => {}
                Expiry::Retry => {
                    requests.retried += 1;
                    request.retry(up.connection.need(self.overhead, cell), &self.config);
                }
                Expiry::GiveUp => {
                    requests.given_up += 1;
                    let value = request.value().into();
                    let told = (station.node, self.listening);
                    let dropped = up.connection.discard(now, told, value, self.overhead, cell);
                    up.sdus.given_up += dropped;
                    request.end();
                }
            }
            if !request.is_pending() && !up.connection.is_empty(cell) {
                request.make(now, up.connection.need(self.overhead, cell), &self.config);
            }
            if let Some(opportunity) = request.count_down(opportunities, region_end) {
                self.contention.transmit(index, opportunity);
            }
        }
        for (index, _, received) in self.contention.outcomes() {
            let station = &mut self.stations[index];
            requests.sent += 1;
            station.attempts += 1;
            if received {
                station.outstanding = station.request.value();
            } else {
                requests.collided += 1;
                station.collisions += 1;
            }
        }
    }
}

impl Medium for Wimax {
    fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What arrives waits for the next frame.
    fn is_idle(&self, _: TxQueueId) -> bool {
        false
    }

    fn wake(&mut self, _: Instant, _: TxQueueId, _: Option<Taken>, _: &mut impl CellContext) {}

    fn listen(&mut self, to: Listening) {
        self.listening = self.listening.max(to);
    }

    fn poll_at(&self) -> Instant {
        match (self.received, self.next_end()) {
            (Some((at, _)), _) => at,
            (None, Some((_, end))) => end.at,
            (None, None) => self.next_frame,
        }
    }

    #[inline(always)]
    fn poll(&mut self, limit: Instant, cell: &mut impl CellContext) -> Option<Reception> {
        if let Some((at, packet)) = self.received.take() {
            cell.release(at, packet, TxStatus::Delivered);
        }
        loop {
            let mut limit = limit.min(cell.wake_at());
            while let Some((direction, end)) = self.next_end() {
                let SduEnd { at, packet, station, lost } = end;
                if at >= limit {
                    return None;
                }
                if self.listening >= Listening::Outcomes {
                    self.tell_end_of_sdu(direction, end, cell);
                }
                self.over += 1;
                let station = &mut self.stations[station as usize];
                let sdus = &mut station.side(direction).sdus;
                if lost {
                    sdus.lost += 1;
                    cell.lose(at, packet);
                    limit = limit.min(cell.wake_at());
                    continue;
                }
                sdus.delivered += 1;
                self.received = Some((at, packet));
                let (from, to) = station.ends(direction);
                return Some(Reception { at, packet, from, to, mode: station.mode });
            }
            if self.next_frame >= limit {
                return None;
            }
            if self.is_quiet(cell) {
                // Without a limit there is nothing to come.
                if limit < Instant::NEVER {
                    self.skip(limit);
                }
                return None;
            }
            self.begin_frame(cell);
        }
    }

    fn usage(&self, now: Instant, node: NodeId) -> AirUsage {
        let sdus = self.sdus(node);
        let usage = self.sum_of(node, |sum: &mut AirUsage, station, direction| match direction {
            Direction::Down => sum.data_frames += station.down.pdus,
            Direction::Up => {
                sum.data_frames += station.up.pdus;
                sum.attempts += station.attempts;
                sum.collisions += station.collisions;
            }
        });
        AirUsage {
            delivered: sdus.delivered,
            dropped: sdus.lost + sdus.given_up,
            airtime: self.airtime(now, node, self.setup.associations.direction_from(node)),
            ..usage
        }
    }

    fn traffic_airtime(&self, now: Instant, node: NodeId) -> Duration {
        let [down, up] =
            [Direction::Down, Direction::Up].map(|direction| self.airtime(now, node, direction));
        down.total() + up.total()
    }

    fn reset_stats(&mut self, _now: Instant) {
        for station in &mut self.stations {
            station.grant_delays.reset();
        }
    }
}
