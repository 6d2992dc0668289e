//! Which modes are the best: by throughput, and by probability.

use super::groups::RateId;
use super::stats::{Stats, share};

/// Modes ordered by throughput.
pub(super) const BEST: usize = 4;

/// The best modes of a group or of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Best {
    /// By throughput, the highest first.
    pub(super) fastest: [RateId; BEST],
    /// By probability.
    pub(super) surest: RateId,
}

/// The best modes of the link and of its groups.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) link: Best,
    groups: Vec<Best>,
}

impl Selection {
    /// The lowest modes.
    pub(super) fn new(stats: &Stats) -> Self {
        let of = |group| {
            let lowest = stats.groups.lowest(group);
            Best { fastest: [lowest; BEST], surest: lowest }
        };
        let first = stats.groups.first_with_mcs().unwrap_or(0);
        Self { link: of(first), groups: (0..stats.groups.len()).map(of).collect() }
    }

    /// An interval ends.
    pub(super) fn update(&mut self, stats: &mut Stats) {
        *self = Self::new(stats);
        stats.update_mpdus();
        self.find_fastest(stats);
        self.find_surest(stats);
        if stats.groups.first_with_mcs().is_some() {
            self.reduce_streams(stats);
        }
    }

    /// The highest throughputs. DSSS has no A-MPDUs: in a link with MCS its modes count if one of them is the best.
    fn find_fastest(&mut self, stats: &mut Stats) {
        let has_mcs = stats.groups.first_with_mcs().is_some();
        let mut dsss = None;
        for group in 0..stats.groups.len() {
            let of_group = &mut self.groups[group].fastest;
            let is_apart = has_mcs && stats.groups.is_dsss(group);
            let list = if is_apart { dsss.insert(*of_group) } else { &mut self.link.fastest };
            stats.update_group(group, |stats, rate| {
                if stats.throughput(rate) > 0 {
                    insert(stats, rate, list);
                    insert(stats, rate, of_group);
                }
            });
        }
        if let Some(dsss) = dsss
            && stats.throughput(dsss[0]) > stats.throughput(self.link.fastest[0])
        {
            for rate in dsss {
                insert(stats, rate, &mut self.link.fastest);
            }
        }
    }

    /// The best probabilities; of those above 75% the best throughput.
    fn find_surest(&mut self, stats: &Stats) {
        let groups = &stats.groups;
        let fastest = self.link.fastest[0];
        for rate in (0..groups.len()).flat_map(|group| groups.rates(group)) {
            let probability = stats.probability(rate);
            let is_apart = groups.is_legacy(rate.group()) && !groups.is_legacy(fastest.group());
            let is_doubtful = groups.duration(rate) < groups.duration(fastest)
                && probability < stats.probability(fastest);
            if is_apart || is_doubtful {
                continue;
            }
            for surest in [&mut self.link.surest, &mut self.groups[rate.group()].surest] {
                let is_better = if probability > share(75) {
                    stats.throughput(rate) > stats.throughput(*surest)
                } else {
                    probability > stats.probability(*surest)
                };
                if is_better {
                    *surest = rate;
                }
            }
        }
    }

    /// With fewer streams than the fastest mode the surest one is more robust.
    fn reduce_streams(&mut self, stats: &Stats) {
        let streams = stats.groups.streams(self.link.fastest[0].group());
        let mut most = 0;
        for group in 0..stats.groups.len() {
            let surest = self.groups[group].surest;
            let throughput = stats.throughput(surest);
            let is_fewer = stats.groups.streams(group) < streams;
            if is_fewer && !stats.groups.is_dsss(group) && throughput > most {
                (self.link.surest, most) = (surest, throughput);
            }
        }
    }

    /// Replaces the fastest mode, or the second (`place` 1), by that of the next lower group with no more streams.
    pub(super) fn downgrade(&mut self, place: usize, stats: &Stats) {
        let from = self.link.fastest[place].group();
        let most = stats.groups.streams(from);
        let lower = (0..from).rev().find(|&group| stats.groups.streams(group) <= most);
        if let Some(group) = lower {
            self.link.fastest[place] = self.groups[group].fastest[place];
        }
    }
}

/// Inserts a mode in a list by throughput; of equals the one of higher probability is before the other.
fn insert(stats: &Stats, rate: RateId, list: &mut [RateId; BEST]) {
    let merit = |rate: RateId| (stats.throughput(rate), stats.probability(rate));
    let merit_of_rate = merit(rate);
    let place = list.iter().rposition(|&other| merit(other) >= merit_of_rate);
    let place = place.map_or(0, |place| place + 1);
    if place < BEST {
        list.copy_within(place..BEST - 1, place + 1);
        list[place] = rate;
    }
}
