//! Deficit round robin over airtime (Høiland-Jørgensen, Kazior, Täht, Hurtig and Brunstrom, USENIX
//! ATC 2017), with the rules of Linux's ath9k (`drivers/net/wireless/ath/ath9k/xmit.c` and `recv.c`,
//! Linux 4.11 to 4.20), the implementation that the paper describes.
//!
//! - Each station has a deficit, which is charged with the airtime of all attempts to and from it
//!   when they are over. It is served while its deficit is above 0.
//! - A station that becomes backlogged joins the list of new stations if its deficit is above 0,
//!   otherwise the list of old ones. New stations go first: a sparse station does not wait for a
//!   round of the others.
//! - The turn of a station ends when its deficit is 0 or less: it gets a quantum and goes to the end
//!   of the old list.
//! - A new station without backlog at its turn moves to the end of the old list, or leaves if that
//!   list is empty; an old one leaves. It keeps its deficit.
//! - A station whose deficit is 0 or less is in a list even without backlog, so that it gets its
//!   quanta: what it has received or sent while others wait is paid for within their rounds, and
//!   forgotten when nobody waits.
//!
//! A turn is a transmission of any length: a packet, or with aggregation many. What it takes above the
//! deficit is paid for later.

use std::collections::VecDeque;

use super::aql::{AqlLimits, AqlSetting, aql_setting};
use super::contract::{StationScheduler, Turn};
use crate::component::{Parameter, Parameters, Value, configuration, named, names, positive};
use crate::time::Duration;

configuration! {
    /// Parameters of deficit round robin over airtime.
    pub struct AirtimeDrrConfig {
        name: "airtime-drr",
        summary: "deficit round robin over airtime: a queue per station, sparse stations first",
        source: "Hoiland-Jorgensen et al. 2017; Linux 4.11, ath9k",
    }
    /// The form, and the parameters whose defaults it sets.
    settings: AirtimeSettings = AirtimeSettings::of(AirtimeForm::Ath9k);
}

named! {
    /// Whose rules the scheduler follows.
    pub enum AirtimeForm {
        /// The driver ath9k of Linux 4.11, which this file is about.
        #[default]
        Ath9k => "ath9k",
        /// `mac80211` of later Linux ([`Mac80211Drr`](super::Mac80211Drr)).
        Mac80211 => "mac80211",
    }
    planned []
}

configuration! {
    /// The form alone.
    pub group AirtimeFormKey;
    /// whose rules: those of the driver ath9k in Linux 4.11, or of mac80211 in Linux 6, which looks at what the hardware
    /// has (`cell.hardware_depth`)
    form: AirtimeForm = AirtimeForm::Ath9k, names();
}

configuration! {
    /// What the forms have in common.
    pub group AirtimeRules;
    // ATH_AIRTIME_QUANTUM in ath9k.h, Linux 4.11; IEEE80211_DEFAULT_AIRTIME_WEIGHT in cfg80211.h, Linux 5.0.
    /// airtime that a station gets in a round, with a weight of 256; 256 us in the form "mac80211"
    quantum: Duration = Duration::from_micros(300), positive();
    /// airtime that a station may have in the hardware: "off", or a table of limits; with the form "mac80211" Linux's
    aql: AqlSetting = AqlSetting(None), aql_setting();
}

/// The form and its parameters. Assigning the form sets them to those of its source.
#[derive(Clone, Debug, PartialEq)]
pub struct AirtimeSettings {
    /// Whose rules.
    pub form: AirtimeForm,
    /// Quantum and limits.
    pub rules: AirtimeRules,
}

impl AirtimeSettings {
    /// A form with the parameters of its source.
    pub fn of(form: AirtimeForm) -> Self {
        let rules = match form {
            AirtimeForm::Ath9k => AirtimeRules::default(),
            AirtimeForm::Mac80211 => AirtimeRules {
                quantum: Duration::from_micros(256),
                aql: AqlSetting(Some(AqlLimits::default())),
            },
        };
        Self { form, rules }
    }
}

impl Default for AirtimeSettings {
    fn default() -> Self {
        Self::of(AirtimeForm::default())
    }
}

impl Parameters for AirtimeSettings {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        AirtimeFormKey { form: self.form }.visit(visitor);
        self.rules.visit(visitor);
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        let mut key = AirtimeFormKey { form: self.form };
        if !key.assign(name, value.clone()) {
            return self.rules.assign(name, value);
        }
        *self = Self::of(key.form);
        true
    }
}

/// The lists and deficits of all stations, which are numbered from 0.
#[derive(Clone, Debug)]
pub struct AirtimeDrr {
    stations: Vec<Station>,
    /// Stations that became backlogged with a deficit above 0, in the order of their turns.
    new: VecDeque<u32>,
    /// All others that wait for a turn, in the order of their turns.
    old: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Station {
    /// Airtime that the station may still use in this turn, nanoseconds.
    deficit: i64,
    /// What it gets in a round, nanoseconds.
    quantum: i64,
    /// Whether it is in one of the lists.
    is_listed: bool,
}

impl AirtimeDrr {
    /// No station is backlogged; each has a deficit of its quantum.
    pub fn new(quanta: &[Duration]) -> Self {
        let station = |quantum: &Duration| {
            let quantum = quantum.as_nanos() as i64;
            Station { deficit: quantum, quantum, is_listed: false }
        };
        Self {
            stations: quanta.iter().map(station).collect(),
            new: VecDeque::with_capacity(quanta.len()),
            old: VecDeque::with_capacity(quanta.len()),
        }
    }

    /// Adds the quanta of all rounds in which no station has a turn, so that the cost of a turn does
    /// not depend on the quantum.
    fn skip_rounds(&mut self) {
        if !self.new.is_empty() {
            return;
        }
        let old = self.old.iter().map(|&station| self.stations[station as usize]);
        let rounds = old.map(|Station { deficit, quantum, .. }| -deficit / quantum).min();
        if let Some(rounds @ 1..) = rounds {
            for &station in &self.old {
                let Station { deficit, quantum, .. } = &mut self.stations[station as usize];
                *deficit += rounds * *quantum;
            }
        }
    }
}

impl StationScheduler for AirtimeDrr {
    fn backlogged(&mut self, station: usize) {
        let Station { deficit, is_listed, .. } = &mut self.stations[station];
        if !*is_listed {
            *is_listed = true;
            let list = if *deficit > 0 { &mut self.new } else { &mut self.old };
            list.push_back(station as u32);
        }
    }

    fn charge(&mut self, station: usize, cost: u64) {
        let deficit = &mut self.stations[station].deficit;
        *deficit -= cost as i64;
        if *deficit <= 0 {
            self.backlogged(station);
        }
    }

    fn next_turn(&mut self) -> Option<Turn> {
        loop {
            let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
            let first = *list.front()?;
            let Station { deficit, quantum, .. } = &mut self.stations[first as usize];
            if *deficit > 0 {
                return Some(Turn { station: first as usize, most: u64::MAX });
            }
            *deficit += *quantum;
            let has_turn = *deficit > 0;
            list.pop_front();
            self.old.push_back(first);
            if !has_turn {
                self.skip_rounds();
            }
        }
    }

    fn has_no_backlog(&mut self) {
        if let Some(station) = self.new.pop_front() {
            if !self.old.is_empty() {
                self.old.push_back(station);
                return;
            }
            self.stations[station as usize].is_listed = false;
        } else if let Some(station) = self.old.pop_front() {
            self.stations[station as usize].is_listed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scheduler(stations: usize) -> AirtimeDrr {
        AirtimeDrr::new(&vec![Duration::from_micros(300); stations])
    }

    fn micros(us: u64) -> u64 {
        Duration::from_micros(us).as_nanos()
    }

    fn next_station(scheduler: &mut AirtimeDrr) -> Option<usize> {
        scheduler.next_turn().map(|turn| turn.station)
    }

    /// The next `turns` stations, whose frames take this many microseconds and which are always
    /// backlogged.
    fn serve(scheduler: &mut AirtimeDrr, frames: &[u64], turns: usize) -> Vec<usize> {
        let mut serve_one = || {
            let station = next_station(scheduler).unwrap();
            scheduler.charge(station, micros(frames[station]));
            station
        };
        (0..turns).map(|_| serve_one()).collect()
    }

    /// By hand. Deficits in microseconds when the station is chosen: (300, 300) A; (100, 300) A;
    /// (-100, 300), a quantum for A: (200, 300) B; (200, -700), a quantum for B: (200, -400) A;
    /// (0, -400), a quantum for each: (300, -100) A; (100, -100) A; (-100, -100), a quantum for
    /// each, A is first: (200, 200) A; (0, 200), a quantum for A: (300, 200) B.
    #[test]
    fn a_slow_station_waits_until_its_deficit_is_paid() {
        let mut scheduler = scheduler(2);
        scheduler.backlogged(0);
        scheduler.backlogged(1);
        let order = serve(&mut scheduler, &[200, 1000], 8);
        assert_eq!(order, [0, 0, 1, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_lone_station_has_all_turns() {
        let mut scheduler = scheduler(3);
        assert_eq!(next_station(&mut scheduler), None);
        scheduler.backlogged(2);
        assert_eq!(serve(&mut scheduler, &[0, 0, 100_000], 50), [2; 50]);
    }

    /// Stations 0 and 1 have frames of one quantum, so that they alternate. Station 2 goes first
    /// when it becomes backlogged, but not when its queue is refilled before it has waited for a
    /// round.
    #[test]
    fn a_sparse_station_goes_first_once_in_a_round() {
        let mut scheduler = scheduler(3);
        let frames = [300, 300, 100];
        scheduler.backlogged(0);
        scheduler.backlogged(1);
        assert_eq!(serve(&mut scheduler, &frames, 2), [0, 1]);
        scheduler.backlogged(2);
        assert_eq!(serve(&mut scheduler, &frames, 1), [2]);
        assert_eq!(next_station(&mut scheduler), Some(2), "200 us are left");
        scheduler.has_no_backlog();
        scheduler.backlogged(2);
        assert_eq!(serve(&mut scheduler, &frames, 3), [0, 1, 2]);
        assert_eq!(next_station(&mut scheduler), Some(2), "100 us are left");
        scheduler.has_no_backlog();
        assert_eq!(next_station(&mut scheduler), Some(0));
        scheduler.backlogged(2);
        assert_eq!(next_station(&mut scheduler), Some(2));
    }

    /// By hand: station 2 has sent for 1000 us, has a deficit of -700 us, and gets its third
    /// quantum after three turns of the others. Then it is the last of the round.
    #[test]
    fn airtime_of_the_uplink_is_paid_in_the_rounds_of_the_others() {
        let mut scheduler = scheduler(3);
        scheduler.backlogged(0);
        scheduler.backlogged(1);
        scheduler.charge(2, micros(1000));
        scheduler.backlogged(2);
        let order = serve(&mut scheduler, &[300, 300, 100], 9);
        assert_eq!(order, [0, 1, 0, 1, 0, 1, 0, 1, 2]);
    }

    #[test]
    fn airtime_of_the_uplink_is_forgotten_while_nobody_waits() {
        let mut scheduler = scheduler(2);
        scheduler.charge(1, micros(1000));
        assert_eq!(next_station(&mut scheduler), Some(1));
        scheduler.has_no_backlog();
        assert_eq!(next_station(&mut scheduler), None);
        scheduler.backlogged(1);
        scheduler.backlogged(0);
        assert_eq!(next_station(&mut scheduler), Some(1));
    }

    /// What happens to a station.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Arrival(usize),
        Uplink(usize, u64),
        /// The access point sends a packet that takes this long.
        Departure(u64),
    }

    fn events(stations: usize) -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            4 => (0..stations).prop_map(Event::Arrival),
            1 => ((0..stations), 1..3_000_000_u64).prop_map(|(s, ns)| Event::Uplink(s, ns)),
            4 => (1..3_000_000_u64).prop_map(Event::Departure),
        ];
        prop::collection::vec(event, 1..200)
    }

    /// The same rules, with a queue of packets per station and one step for each quantum.
    #[derive(Debug)]
    struct Plain {
        quantum: i64,
        waiting: Vec<u32>,
        deficits: Vec<i64>,
        new: Vec<usize>,
        old: Vec<usize>,
    }

    impl Plain {
        fn join(&mut self, station: usize) {
            if !self.new.contains(&station) && !self.old.contains(&station) {
                let owes = self.deficits[station] <= 0;
                if owes { self.old.push(station) } else { self.new.push(station) }
            }
        }

        fn charge(&mut self, station: usize, ns: u64) {
            self.deficits[station] -= ns as i64;
            if self.deficits[station] <= 0 {
                self.join(station);
            }
        }

        fn depart(&mut self) -> Option<usize> {
            loop {
                let is_new = !self.new.is_empty();
                let station = *self.new.first().or(self.old.first())?;
                let owes = self.deficits[station] <= 0;
                if !owes && self.waiting[station] > 0 {
                    self.waiting[station] -= 1;
                    return Some(station);
                }
                if is_new {
                    self.new.remove(0)
                } else {
                    self.old.remove(0)
                };
                if owes {
                    self.deficits[station] += self.quantum;
                }
                if owes || (is_new && !self.old.is_empty()) {
                    self.old.push(station);
                }
            }
        }
    }

    fn quanta() -> impl Strategy<Value = u64> {
        prop_oneof![300_000..300_001_u64, 100..5_000_000_u64]
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(1000))]

        /// Each choice is that of the plain rules, and something is sent whenever something waits.
        /// No deficit is above a quantum.
        #[test]
        fn choices_are_those_of_the_rules(quantum in quanta(), events in events(4)) {
            let mut scheduler = AirtimeDrr::new(&[Duration::from_nanos(quantum); 4]);
            let mut plain = Plain {
                quantum: quantum as i64,
                waiting: vec![0; 4],
                deficits: vec![quantum as i64; 4],
                new: Vec::new(),
                old: Vec::new(),
            };
            let mut waiting = [0; 4];
            for event in events {
                match event {
                    Event::Arrival(station) => {
                        waiting[station] += 1;
                        plain.waiting[station] += 1;
                        plain.join(station);
                        scheduler.backlogged(station);
                    }
                    Event::Uplink(station, ns) => {
                        plain.charge(station, ns);
                        scheduler.charge(station, ns);
                    }
                    Event::Departure(ns) => {
                        let chosen = loop {
                            match next_station(&mut scheduler) {
                                Some(station) if waiting[station] == 0 => scheduler.has_no_backlog(),
                                chosen => break chosen,
                            }
                        };
                        prop_assert_eq!(chosen, plain.depart());
                        prop_assert_eq!(chosen.is_some(), waiting.iter().any(|&packets| packets > 0));
                        if let Some(station) = chosen {
                            waiting[station] -= 1;
                            plain.charge(station, ns);
                            scheduler.charge(station, ns);
                        }
                    }
                }
                let deficits = scheduler.stations.iter().map(|station| station.deficit);
                prop_assert!(deficits.eq(plain.deficits.iter().copied()));
                prop_assert!(plain.deficits.iter().all(|&deficit| deficit <= quantum as i64));
            }
        }

        /// Backlogged stations with frames of other durations: at no time has one had more airtime
        /// than another by a quantum and the longest frame. Deficits stay above minus that frame.
        #[test]
        fn airtimes_are_equal_within_a_quantum_and_a_frame(
            quantum in quanta(),
            longest in prop::collection::vec(1..3_000_000_u64, 2..6),
            draws in prop::collection::vec(0.0..1.0_f64, 50..400),
        ) {
            let quanta = vec![Duration::from_nanos(quantum); longest.len()];
            let mut scheduler = AirtimeDrr::new(&quanta);
            (0..longest.len()).for_each(|station| scheduler.backlogged(station));
            let frame = *longest.iter().max().unwrap();
            let mut airtimes = vec![0; longest.len()];
            for draw in draws {
                let station = next_station(&mut scheduler).unwrap();
                let airtime = 1 + (draw * (longest[station] - 1) as f64) as u64;
                scheduler.charge(station, airtime);
                airtimes[station] += airtime;
                let spread = airtimes.iter().max().unwrap() - airtimes.iter().min().unwrap();
                prop_assert!(spread < quantum + frame, "{airtimes:?}");
                let least = scheduler.stations.iter().map(|station| station.deficit).min().unwrap();
                prop_assert!(least > -(frame as i64));
            }
        }
    }
}
