//! Airtime deficit round robin as mac80211 has it (`ieee80211_next_txq`, `__ieee80211_schedule_txq` in `net/mac80211/tx.c` and
//! `ieee80211_sta_register_airtime` in `sta_info.c`, Linux 6.8).
//!
//! - Each station has a deficit, which is charged with the airtime of all attempts to and from it when they are over, if something has
//!   waited for it within the last 100 ms. What it still has in the hardware is subtracted when the deficit is looked at.
//! - There is one list. A station that becomes backlogged, or still is after its turn, goes to its front.
//! - The first of the list is looked at. Below a deficit of 0 it gets its weight and goes to the end; so does one that
//!   has as much airtime in the hardware as it may. Otherwise it has a turn. When all have been looked at and none may have
//!   more in the hardware, nobody has a turn.
//! - A station without backlog after its turn leaves the list. With a deficit below 0, and if it was active within 100 ms, it goes
//!   to the end instead: it gets its weight while others have turns.

use std::collections::VecDeque;

use super::contract::{Pending, StationScheduler, Turn};
use crate::time::{Duration, Instant};

/// How long a station counts as active (`AIRTIME_ACTIVE_DURATION`, HZ / 10, `net/mac80211/ieee80211_i.h`).
const ACTIVE: Duration = Duration::from_millis(100);

/// The list and the deficits of all stations.
#[derive(Clone, Debug)]
pub struct Mac80211Drr {
    now: Instant,
    stations: Vec<Station>,
    list: VecDeque<u32>,
    /// The station whose turn was last, and when, until it is known whether more waits for it.
    turn: Option<(u32, Instant)>,
}

#[derive(Clone, Copy, Debug)]
struct Station {
    /// Nanoseconds.
    deficit: i64,
    /// What it gets in a round, nanoseconds.
    weight: i64,
    is_listed: bool,
    /// When something has last begun to wait for it.
    active_at: Option<Instant>,
}

impl Mac80211Drr {
    /// No station is backlogged; each has a deficit of its weight, the airtime that it gets in a round.
    pub fn new(weights: &[Duration]) -> Self {
        let station = |weight: &Duration| {
            let weight = weight.as_nanos() as i64;
            Station { deficit: weight, weight, is_listed: false, active_at: None }
        };
        Self {
            now: Instant::ZERO,
            stations: weights.iter().map(station).collect(),
            list: VecDeque::with_capacity(weights.len()),
            turn: None,
        }
    }

    fn is_active(&self, station: u32) -> bool {
        let active_at = self.stations[station as usize].active_at;
        active_at.is_some_and(|at| self.now.since(at) <= ACTIVE)
    }

    /// Lists a station for which something waits since `at`.
    fn list_first(&mut self, station: u32, at: Instant) {
        let Station { is_listed, active_at, .. } = &mut self.stations[station as usize];
        if !*is_listed {
            (*is_listed, *active_at) = (true, Some(at));
            self.list.push_front(station);
        }
    }

    /// More waits for the station whose turn it was.
    fn end_turn(&mut self) {
        if let Some((station, at)) = self.turn.take() {
            self.list_first(station, at);
        }
    }

    fn list_last(&mut self, station: u32) {
        self.stations[station as usize].is_listed = true;
        self.list.push_back(station);
    }
}

impl StationScheduler for Mac80211Drr {
    fn advance(&mut self, now: Instant) {
        self.now = now;
    }

    fn backlogged(&mut self, station: usize) {
        self.end_turn();
        self.list_first(station as u32, self.now);
    }

    fn charge(&mut self, station: usize, cost: u64) {
        self.end_turn();
        if self.is_active(station as u32) {
            self.stations[station].deficit -= cost as i64;
        }
    }

    fn next_turn(&mut self) -> Option<Turn> {
        self.next_turn_beside(&|_| Pending { airtime: 0, may_take: true })
    }

    fn next_turn_beside(&mut self, pending: &dyn Fn(usize) -> Pending) -> Option<Turn> {
        self.end_turn();
        let (mut head, mut has_found) = (None, false);
        loop {
            let first = *self.list.front()?;
            if head == Some(first) && !std::mem::take(&mut has_found) {
                return None;
            }
            head.get_or_insert(first);
            let Pending { airtime, may_take } = pending(first as usize);
            let Station { deficit, weight, is_listed, .. } = &mut self.stations[first as usize];
            has_found |= may_take;
            let is_in_debt = *deficit < airtime as i64;
            if is_in_debt {
                *deficit += *weight;
            }
            self.list.pop_front();
            if is_in_debt || !may_take {
                self.list.push_back(first);
                continue;
            }
            *is_listed = false;
            self.turn = Some((first, self.now));
            return Some(Turn { station: first as usize, most: u64::MAX });
        }
    }

    fn has_no_backlog(&mut self) {
        self.has_no_backlog_beside(0);
    }

    fn has_no_backlog_beside(&mut self, pending: u64) {
        let Some((station, _)) = self.turn.take() else { return };
        if self.stations[station as usize].deficit < pending as i64 && self.is_active(station) {
            self.list_last(station);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WEIGHT: u64 = 256;

    fn scheduler(stations: usize) -> Mac80211Drr {
        Mac80211Drr::new(&vec![Duration::from_micros(WEIGHT); stations])
    }

    fn ns(us: u64) -> u64 {
        1000 * us
    }

    /// By hand. Two stations whose transmissions take 200 and 1000 us, deficits in microseconds when the first of the list is
    /// looked at. Station 1 has become backlogged last. (256, 256) 1; (256, -744), 1 gets its weight and goes to the end: 0; (56,
    /// -488) 0; (-144, -488), both get it: (112, -232) 0; (-88, -232), both: (168, 24) 0; (-32, 24), 0 gets it: 1.
    #[test]
    fn a_station_in_debt_waits() {
        let mut scheduler = scheduler(2);
        scheduler.backlogged(0);
        scheduler.backlogged(1);
        let mut serve = || {
            let Turn { station, .. } = scheduler.next_turn().unwrap();
            scheduler.charge(station, ns([200, 1000][station]));
            station
        };
        assert_eq!([(); 6].map(|()| serve()), [1, 0, 0, 0, 0, 1]);
    }

    /// By hand: of stations 0 and 1 the first may have no more in the hardware, and both have airtime there. Station 1 has
    /// 256 - 300 < 0 and gets its weight, then 512 - 300 and its turn.
    #[test]
    fn a_station_with_enough_in_the_hardware_is_passed_over() {
        let mut scheduler = scheduler(2);
        scheduler.backlogged(1);
        scheduler.backlogged(0);
        let pending = |station| Pending { airtime: ns(300), may_take: station == 1 };
        let turn = scheduler.next_turn_beside(&pending);
        assert_eq!(turn.map(|turn| turn.station), Some(1));
        scheduler.has_no_backlog_beside(ns(300));
        let nobody = |_| Pending { airtime: 0, may_take: false };
        assert_eq!(scheduler.next_turn_beside(&nobody), None, "the list is not empty");
        let turn = scheduler.next_turn();
        assert_eq!(turn.map(|turn| turn.station), Some(0));
    }

    /// What a station has sent while nothing has waited for it for more than 100 ms is not paid for.
    #[test]
    fn airtime_of_an_inactive_station_is_not_charged() {
        for (ms, expected) in [(100, 1), (101, 0)] {
            let mut scheduler = scheduler(2);
            scheduler.backlogged(0);
            assert_eq!(scheduler.next_turn().map(|turn| turn.station), Some(0));
            scheduler.has_no_backlog();
            scheduler.advance(Instant::ZERO + Duration::from_millis(ms));
            scheduler.charge(0, ns(1000));
            scheduler.backlogged(1);
            scheduler.backlogged(0);
            let first = scheduler.next_turn().map(|turn| turn.station);
            assert_eq!(first, Some(expected), "after {ms} ms");
        }
    }

    /// What happens.
    #[derive(Clone, Debug)]
    enum Event {
        Arrival(usize),
        Airtime(usize, u64),
        Time(u64),
        /// The hardware has room: what each station has there, and whether it may have more; the turn takes this
        /// many packets at most.
        Turn(Vec<(u64, bool)>, u32),
    }

    fn events(stations: usize) -> impl Strategy<Value = Vec<Event>> {
        let pending =
            prop::collection::vec((0..1_000_000_u64, prop::bool::weighted(0.8)), stations);
        let event = prop_oneof![
            4 => (0..stations).prop_map(Event::Arrival),
            2 => (0..stations, 1..3_000_000_u64).prop_map(|(station, ns)| Event::Airtime(station, ns)),
            1 => (0..60_000_000_u64).prop_map(Event::Time),
            4 => (pending, 1..5_u32).prop_map(|(pending, packets)| Event::Turn(pending, packets)),
        ];
        prop::collection::vec(event, 1..200)
    }

    /// The steps of the source, with a number of packets per station.
    struct Plain {
        now: u64,
        weights: Vec<i64>,
        packets: Vec<u32>,
        deficits: Vec<i64>,
        last_active: Vec<Option<u64>>,
        active: Vec<usize>,
    }

    impl Plain {
        fn is_active(&self, station: usize) -> bool {
            self.last_active[station].is_some_and(|at| self.now - at <= 100_000_000)
        }

        fn schedule(&mut self, station: usize, pending: u64) {
            if self.active.contains(&station) {
                return;
            }
            if self.packets[station] > 0 {
                self.active.insert(0, station);
                self.last_active[station] = Some(self.now);
            } else if self.deficits[station] - (pending as i64) < 0 && self.is_active(station) {
                self.active.push(station);
            }
        }

        fn next(&mut self, pending: &[(u64, bool)]) -> Option<usize> {
            let (mut head, mut found_eligible) = (usize::MAX, false);
            loop {
                let &station = self.active.first()?;
                if station == head {
                    if !found_eligible {
                        return None;
                    }
                    found_eligible = false;
                }
                if head == usize::MAX {
                    head = station;
                }
                let (airtime, aql_check) = pending[station];
                let deficit = self.deficits[station] - airtime as i64;
                found_eligible |= aql_check;
                if deficit < 0 {
                    self.deficits[station] += self.weights[station];
                }
                self.active.remove(0);
                if deficit < 0 || !aql_check {
                    self.active.push(station);
                } else {
                    return Some(station);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(1000))]

        /// Each choice is that of the source's steps; no station that may have a turn starves.
        #[test]
        fn choices_are_those_of_the_source(
            weights in prop::collection::vec(1_000..1_000_000_u64, 4),
            events in events(4),
        ) {
            let each: Vec<_> = weights.iter().map(|ns| Duration::from_nanos(*ns)).collect();
            let mut scheduler = Mac80211Drr::new(&each);
            let weights: Vec<_> = weights.into_iter().map(|ns| ns as i64).collect();
            let mut plain = Plain {
                now: 0,
                packets: vec![0; 4],
                deficits: weights.clone(),
                weights,
                last_active: vec![None; 4],
                active: Vec::new(),
            };
            for event in events {
                match event {
                    Event::Arrival(station) => {
                        plain.packets[station] += 1;
                        plain.schedule(station, 0);
                        scheduler.backlogged(station);
                    }
                    Event::Airtime(station, ns) => {
                        if plain.is_active(station) {
                            plain.deficits[station] -= ns as i64;
                        }
                        scheduler.charge(station, ns);
                    }
                    Event::Time(ns) => {
                        plain.now += ns;
                        scheduler.advance(Instant::from_nanos(plain.now));
                    }
                    Event::Turn(pending, most) => {
                        let of = |station: usize| {
                            let (airtime, may_take) = pending[station];
                            Pending { airtime, may_take }
                        };
                        let chosen = scheduler.next_turn_beside(&of).map(|turn| turn.station);
                        prop_assert_eq!(chosen, plain.next(&pending));
                        if let Some(station) = chosen {
                            let taken = most.min(plain.packets[station]);
                            plain.packets[station] -= taken;
                            plain.schedule(station, pending[station].0);
                            if plain.packets[station] == 0 {
                                scheduler.has_no_backlog_beside(pending[station].0);
                            }
                        }
                    }
                }
                let deficits = scheduler.stations.iter().map(|station| station.deficit);
                prop_assert!(deficits.eq(plain.deficits.iter().copied()));
            }
        }

        /// Backlogged stations with other weights have airtime in proportion to them, within a transmission and a
        /// round of each.
        #[test]
        fn airtimes_are_in_proportion_to_weights(
            weights in prop::collection::vec(64..1024_u64, 2..6),
            frames in prop::collection::vec(100_000..4_000_000_u64, 6),
        ) {
            let each: Vec<_> = weights.iter().map(|us| Duration::from_micros(*us)).collect();
            let mut scheduler = Mac80211Drr::new(&each);
            (0..weights.len()).for_each(|station| scheduler.backlogged(station));
            let mut airtimes = vec![0_u64; weights.len()];
            for _ in 0..400 {
                let Turn { station, .. } = scheduler.next_turn().unwrap();
                scheduler.charge(station, frames[station]);
                airtimes[station] += frames[station];
            }
            let longest = *frames.iter().max().unwrap() as f64;
            let rounds = |station: usize| airtimes[station] as f64 / ns(weights[station]) as f64;
            for (one, other) in (0..weights.len()).zip(1..weights.len()) {
                let apart = (rounds(one) - rounds(other)).abs();
                let least = ns(weights[one].min(weights[other])) as f64;
                prop_assert!(apart <= 2.0 + longest / least, "{airtimes:?}: {apart} rounds");
            }
        }
    }
}
