//! What an access point's driver has taken from its queues: it waits in the hardware, below schedulers and disciplines.
//!
//! A driver keeps the hardware busy by filling it ahead. Whenever a category has fewer PPDUs there than its depth, the scheduler
//! names a station, and the packets of a PPDU leave its queue: as many as the next PPDU of the link has room for, and as the
//! airtime queue limits let the station have. PPDUs leave the hardware in this order. What is to be repeated joins the next PPDU
//! of its station, and what finds no place in that stays the next of its queue.

use std::collections::VecDeque;

use super::packet::CellPacket;
use crate::medium::scheduler::{Aql, AqlLimits, Pending, expected_airtime};
use crate::medium::wlan::high_throughput;
use crate::medium::{Attempt, PhyMode, PhyModes, TxQueueId};
use crate::packet::AccessCategory;

/// How a driver fills the hardware of its access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareConfig {
    /// PPDUs of a category that it holds, the one on the air included.
    pub depth: usize,
    /// What each station may have there.
    pub limits: Option<AqlLimits>,
}

/// The hardware of all access points.
#[derive(Debug)]
pub(super) struct Hardware<P> {
    depth: usize,
    aql: Aql,
    /// The mode of the last PPDU to each station.
    last_modes: Vec<Option<PhyMode>>,
    /// The last estimate of each station.
    estimates: Vec<Estimate>,
    /// By number of the scheduler.
    ppdus: Vec<VecDeque<Prepared<P>>>,
    /// By packet that the medium has taken: what it counts in the limits of which station and category.
    counted: Vec<Option<Counted>>,
}

/// The packets of a PPDU that may have others to repeat as well.
#[derive(Debug)]
struct Prepared<P> {
    queue: TxQueueId,
    packets: VecDeque<(P, Counted)>,
    /// Whether the medium serves it.
    is_first: bool,
}

/// The airtime of packets of a size at the mode of the last PPDU to a station.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    /// Of what it is: none at first.
    of: Option<(PhyMode, AccessCategory, u32)>,
    airtime: u64,
}

/// A packet in the airtime queue limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    station: u32,
    category: AccessCategory,
    airtime: u64,
}

impl<P: CellPacket> Hardware<P> {
    pub(super) fn new(config: HardwareConfig, stations: usize, schedulers: usize) -> Self {
        Self {
            depth: config.depth,
            aql: Aql::new(config.limits, stations),
            last_modes: vec![None; stations],
            estimates: vec![Estimate::default(); stations],
            ppdus: (0..schedulers).map(|_| VecDeque::new()).collect(),
            counted: Vec::new(),
        }
    }

    /// Whether another PPDU of the scheduler with this number may be prepared.
    pub(super) fn has_room(&self, scheduler: usize) -> bool {
        self.ppdus[scheduler].len() < self.depth
    }

    /// What `station` has.
    pub(super) fn pending(&self, station: usize, category: AccessCategory) -> Pending {
        self.aql.pending(station, category)
    }

    /// A packet of `bytes` for `station` is taken.
    pub(super) fn count(
        &mut self,
        station: usize,
        category: AccessCategory,
        bytes: u32,
        modes: &PhyModes,
    ) -> Counted {
        let Estimate { of, airtime } = &mut self.estimates[station];
        let now = self.last_modes[station].map(|mode| (mode, category, bytes));
        if *of != now {
            *of = now;
            *airtime = now.map_or(0, |(mode, ..)| {
                let vector = modes.vector(mode);
                let symbols = match vector.mcs {
                    Some(_) => high_throughput::symbols(vector),
                    None => Default::default(),
                };
                expected_airtime(vector, symbols, category, bytes)
            });
        }
        let airtime = *airtime;
        self.aql.add(station, category, airtime);
        Counted { station: station as u32, category, airtime }
    }

    /// A PPDU is prepared.
    pub(super) fn push(
        &mut self,
        scheduler: usize,
        queue: TxQueueId,
        packets: VecDeque<(P, Counted)>,
    ) {
        self.ppdus[scheduler].push_back(Prepared { queue, packets, is_first: false });
    }

    /// The PPDU that the medium has served is over, if all its packets have been taken. Returns its queue.
    pub(super) fn finish_first(&mut self, scheduler: usize) -> Option<TxQueueId> {
        let ppdus = &mut self.ppdus[scheduler];
        let first = ppdus.front().filter(|first| first.is_first)?;
        let (queue, is_over) = (first.queue, first.packets.is_empty());
        if is_over {
            ppdus.pop_front();
        }
        Some(queue)
    }

    /// The queue of the PPDU that the medium serves next: one with packets, or whose queue `holds` some to repeat.
    pub(super) fn first(
        &mut self,
        scheduler: usize,
        holds: impl Fn(TxQueueId) -> bool,
    ) -> Option<TxQueueId> {
        let ppdus = &mut self.ppdus[scheduler];
        while ppdus.front().is_some_and(|first| first.packets.is_empty() && !holds(first.queue)) {
            ppdus.pop_front();
        }
        let first = ppdus.front_mut()?;
        first.is_first = true;
        Some(first.queue)
    }

    /// The medium takes the next packet of the PPDU that it serves, if that is of `queue` and the packet has at most
    /// `max_bytes`.
    pub(super) fn take(
        &mut self,
        scheduler: usize,
        queue: TxQueueId,
        max_bytes: u32,
    ) -> Option<(P, Counted)> {
        let first = self.ppdus[scheduler].front_mut().filter(|first| first.queue == queue)?;
        first.packets.front().filter(|(packet, _)| packet.size() <= max_bytes)?;
        first.packets.pop_front()
    }

    /// The medium names a packet so from now on.
    pub(super) fn name(&mut self, packet: usize, counted: Counted) {
        self.counted.resize(self.counted.len().max(packet + 1), None);
        self.counted[packet] = Some(counted);
    }

    /// The medium is done with a packet.
    pub(super) fn release(&mut self, packet: usize) {
        if let Some(counted) = self.counted.get_mut(packet).and_then(Option::take) {
            let Counted { station, category, airtime } = counted;
            self.aql.remove(station as usize, category, airtime);
        }
    }

    /// An attempt to the station with this number is over.
    pub(super) fn note_mode(&mut self, station: usize, attempt: &Attempt) {
        if attempt.sent_data && !attempt.is_up() {
            self.last_modes[station] = attempt.mode.or(self.last_modes[station]);
        }
    }
}
