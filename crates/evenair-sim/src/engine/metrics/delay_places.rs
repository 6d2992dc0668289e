//! Where packets have spent their one-way delays.

use evenair_core::delays::Delays;
use evenair_core::packet::Stage;
use evenair_core::time::Duration;

use crate::engine::flow::{Attachment, Flow};
use crate::results::delay_by_place::{DelayByPlace, TimesAt};

/// The times of the packets of a flow at each stage, of the wire without its queues, before what arrived was sent, and in
/// the queues of the wire.
const PLACES: usize = Stage::COUNT + 2;
const REPAIR: usize = Stage::COUNT;
const WIRED_QUEUE: usize = Stage::COUNT + 1;

/// Of all flows of stations; of none in runs without it.
#[derive(Debug, Default)]
pub(crate) struct DelayPlaces {
    flows: Vec<[Delays; PLACES]>,
}

impl DelayPlaces {
    /// A packet of the flow with this index has a one-way delay of `delay`. It has spent `times` at the stages since it was
    /// sent, of these `unloaded` on the wire but not in its queues.
    pub(crate) fn record(
        &mut self,
        flow: usize,
        delay: Duration,
        times: &[Duration; Stage::COUNT],
        unloaded: Duration,
    ) {
        self.flows.resize_with(self.flows.len().max(flow + 1), Default::default);
        let places = &mut self.flows[flow];
        let (sum, wire) = (
            times.iter().fold(Duration::ZERO, |sum, time| sum + *time),
            times[Stage::Wire as usize],
        );
        let mut times = times.to_vec();
        times[Stage::Wire as usize] = unloaded;
        times.extend([delay - sum, wire - unloaded]);
        places.iter_mut().zip(times).for_each(|(place, time)| place.record(time));
    }

    /// Starts anew.
    pub(crate) fn reset(&mut self) {
        self.flows.clear();
    }

    /// Of a flow of the scenario; `None` without any packet.
    pub(crate) fn of(&self, flows: &[Flow]) -> Option<DelayByPlace> {
        let is_up = match &flows[0].place {
            Attachment::Station { up, .. } => *up,
            Attachment::Wired { .. } => return None,
        };
        let mut sums: [Delays; PLACES] = Default::default();
        let known = flows.iter().filter_map(|flow| self.flows.get(flow.index.0 as usize));
        known
            .for_each(|places| sums.iter_mut().zip(places).for_each(|(sum, place)| sum.add(place)));
        let at = |place: usize| TimesAt::new(&sums[place]);
        let none = TimesAt { mean: 0.0, p95: 0.0 };
        let queue = at(Stage::Queue as usize)?;
        Some(DelayByPlace {
            repair: at(REPAIR)?,
            station_queue: if is_up { queue } else { none },
            ap_queue: if is_up { none } else { queue },
            ring: at(Stage::Ring as usize)?,
            hardware: at(Stage::Hardware as usize)?,
            air: at(Stage::Air as usize)?,
            reorder: at(Stage::Reorder as usize)?,
            wired_queue: at(WIRED_QUEUE)?,
            wire: at(Stage::Wire as usize)?,
        })
    }
}
