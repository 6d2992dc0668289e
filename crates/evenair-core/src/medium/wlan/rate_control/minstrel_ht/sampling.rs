//! Which other modes are tried, and when their turn is.

use super::groups::{Groups, RateId};
use super::selection::Best;
use super::stats::{Stats, share};
use crate::rng::RngStream;

/// Modes in a set.
const SET: usize = 5;
/// Columns of the table of samples.
const COLUMNS: usize = 10;

/// Why a mode is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It is the lowest of its group that is faster than the present one.
    Increment,
    /// Any that is faster.
    Jump,
    /// It is slower, from the fastest in use, which may be tried itself, to above the slowest.
    Slow,
}

/// Whose turn it is.
const SEQUENCE: [Kind; 6] =
    [Kind::Increment, Kind::Jump, Kind::Increment, Kind::Jump, Kind::Increment, Kind::Slow];

/// The modes to be tried.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    /// By kind.
    sets: [[Option<RateId>; SET]; 3],
    next_kind: usize,
    /// The groups that the last modes of [`Kind::Increment`] and [`Kind::Jump`] are of.
    last_group: [usize; 2],
    /// `COLUMNS` permutations of the places of a group, and the next entry for each group.
    table: Vec<usize>,
    next_entry: Vec<usize>,
}

impl Sampler {
    /// Without any modes.
    pub(super) fn new(groups: &Groups, stream: &mut RngStream) -> Self {
        // The groups of other formats are behind the first one of Linux, which is of HT.
        let last = if groups.is_ht(0) { 0 } else { groups.len() - 1 };
        Self {
            sets: [[None; SET]; 3],
            next_kind: 0,
            last_group: [last; 2],
            table: table(groups.places(), stream),
            next_entry: vec![0; groups.len()],
        }
    }

    /// The next mode to be tried, if its set has one.
    pub(super) fn next(&mut self) -> Option<RateId> {
        let kind = SEQUENCE[self.next_kind];
        self.next_kind = (self.next_kind + 1) % SEQUENCE.len();
        self.sets[kind as usize].iter_mut().find_map(Option::take)
    }

    /// Fills the sets for the modes that are the best now.
    pub(super) fn refill(&mut self, stats: &Stats, best: &Best) {
        let [first, second, ..] = best.fastest.map(|rate| stats.groups.duration(rate));
        let used = [first, second, stats.groups.duration(best.surest)];
        let (fast, slow) =
            used.iter().fold((u64::MAX, 0), |(fast, slow), &us| (fast.min(us), slow.max(us)));
        let mut filled = self.keep(stats, Kind::Increment, 0..fast);
        while filled < SET {
            let rate = self.next_increment(&stats.groups, first);
            self.sets[Kind::Increment as usize][filled] = rate;
            if rate.is_none() {
                break;
            }
            filled += 1;
        }
        let mut filled = self.keep(stats, Kind::Jump, 0..fast);
        let mut slow_filled = self.keep(stats, Kind::Slow, fast + 1..slow);
        while filled < SET {
            let rate = self.next_jump(stats, fast..slow, &mut slow_filled);
            self.sets[Kind::Jump as usize][filled] = rate;
            if rate.is_none() {
                break;
            }
            filled += 1;
        }
    }

    /// Keeps the modes of a set whose duration is within `wanted`. Returns where it goes on.
    ///
    /// As in Linux, a mode that is the first before and afterwards is not counted: the next one takes its place.
    fn keep(&mut self, stats: &Stats, kind: Kind, wanted: std::ops::Range<u64>) -> usize {
        let set = &mut self.sets[kind as usize];
        let mut kept = 0;
        for place in 0..SET {
            let Some(rate) = set[place] else { continue };
            if !wanted.contains(&stats.groups.duration(rate)) {
                set[place] = None;
            } else if place != kept {
                set[kept] = set[place].take();
                kept += 1;
            }
        }
        kept
    }

    fn has(&self, kind: Kind, rate: RateId) -> bool {
        let modes = self.sets[kind as usize].iter().map_while(|rate| *rate);
        modes.into_iter().any(|other| other == rate)
    }

    /// The lowest mode of the next group that has one faster than `below`.
    fn next_increment(&mut self, groups: &Groups, below: u64) -> Option<RateId> {
        let last = self.last_group[Kind::Increment as usize];
        let found = groups_after(last, groups.len())
            .filter_map(|group| faster(groups, group, below))
            .find(|rate| !self.has(Kind::Increment, *rate));
        self.last_group[Kind::Increment as usize] = found.map_or(last, |rate| rate.group());
        found
    }

    /// The next of the table, of the next group that has one faster than the fastest in use, `used.start`. Others
    /// that are faster than the slowest in use, `used.end`, come into the set of slow ones.
    fn next_jump(
        &mut self,
        stats: &Stats,
        used: std::ops::Range<u64>,
        slow_filled: &mut usize,
    ) -> Option<RateId> {
        let groups = &stats.groups;
        let last = self.last_group[Kind::Jump as usize];
        for group in groups_after(last, groups.len()) {
            let below = if *slow_filled < SET { used.end } else { used.start };
            let Some(lowest) = faster(groups, group, below) else { continue };
            let Some(rate) = self.next_of_table(groups, lowest) else { continue };
            let duration = groups.duration(rate);
            if duration < used.start {
                if !self.has(Kind::Jump, rate) {
                    self.last_group[Kind::Jump as usize] = group;
                    return Some(rate);
                }
            } else if !self.has(Kind::Slow, rate)
                && *slow_filled < SET
                && duration < used.end
                && stats.probability(rate) <= share(95)
            {
                self.sets[Kind::Slow as usize][*slow_filled] = Some(rate);
                *slow_filled += 1;
            }
        }
        None
    }

    /// The next mode of a group in the order of the table that is not below `lowest`.
    fn next_of_table(&mut self, groups: &Groups, lowest: RateId) -> Option<RateId> {
        let next = &mut self.next_entry[lowest.group()];
        for _ in 0..groups.places() {
            let rate = RateId::new(lowest.group(), self.table[*next]);
            *next = (*next + 1) % self.table.len();
            if rate.place() >= lowest.place() && groups.has(rate) {
                return Some(rate);
            }
        }
        None
    }
}

/// All groups, from the one behind `last` on.
fn groups_after(last: usize, groups: usize) -> impl Iterator<Item = usize> {
    (1..=groups).map(move |step| (last + step) % groups)
}

/// The lowest mode of a group that takes less than `below` nanoseconds.
fn faster(groups: &Groups, group: usize, below: u64) -> Option<RateId> {
    groups.rates(group).find(|rate| groups.duration(*rate) < below)
}

/// `COLUMNS` random permutations of `places` places.
fn table(places: usize, stream: &mut RngStream) -> Vec<usize> {
    let mut table = Vec::with_capacity(COLUMNS * places);
    for _ in 0..COLUMNS {
        let mut column = vec![None; places];
        for entry in 0..places {
            let mut place = (entry + stream.up_to(255) as usize) % places;
            while column[place].is_some() {
                place = (place + 1) % places;
            }
            column[place] = Some(entry);
        }
        table.extend(column.into_iter().flatten());
    }
    table
}
