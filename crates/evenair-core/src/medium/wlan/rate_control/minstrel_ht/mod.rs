//! Minstrel-HT, as Linux has it (`net/mac80211/rc80211_minstrel_ht.c` of Linux 6.18).
//!
//! - Modes are in groups of one format, width, guard interval and number of streams. Every 50 ms the share p of MPDUs
//!   that arrived in each mode in this time is filtered (second order, a period of 16). A mode that was never tried has
//!   the best p of the higher modes of its group. Its throughput is p, at most 90%, over the time of a packet of 1200
//!   bytes and its part of preamble and response, for the average number of MPDUs in a PPDU; it is 0 where p is below
//!   10%.
//! - A PPDU is sent in a chain of modes: those of the three highest throughputs, then that of the best p (of several
//!   above 75%: that of the highest throughput, with fewer streams than the first if there is one). Each has a number
//!   of attempts: as many as fit 6 ms, at least two; two where p is below 20%.
//! - If fewer than a quarter of more than 30 MPDUs arrive in the first or second mode before the interval is over, that
//!   of the next lower group takes its place.
//! - Every 20 ms another mode is tried, once, as the first of the chain; each set of them in turn: the lowest mode of
//!   each group that is faster than the first of the chain; random faster ones; the same; again the first two; the
//!   first, and random ones from the fastest to above the slowest in use, unless p is above 95%.
//!
//! All arithmetic is that of the source, in whole numbers. What the source leaves to drivers is as with ath9k: a chain
//! has four modes, it is followed until there is a response, and then statistics have its attempts; the PPDU that tries
//! another mode has one MPDU. Differences from Linux:
//! - HE and widths of 160 MHz, which Linux does not have, are treated as VHT, with the time of their own symbols.
//! - The cell decides on RTS/CTS; Linux asks for it before all but the first mode, and counts attempts with it there,
//!   as is done here.
//! - The retry limits of the cell end the chain earlier. RTS frames without CTS do not count as attempts.
//! - A chain without response counts; ath9k reports it when it gives an MPDU up.
//! - The time is exact; Linux updates statistics at a tick of its clock. DSSS has the preamble of the cell, counters do
//!   not wrap, and each direction of a link has its own table of random samples.

mod groups;
mod sampling;
mod selection;
mod stats;
#[cfg(test)]
mod tests;

use groups::{Groups, RateId};
use sampling::Sampler;
use selection::Selection;
use stats::Stats;

use super::algorithm::{LinkInfo, NextFrame, Outcome, RateControl, Report};
use crate::component::{configuration, positive};
use crate::medium::wlan::Protection;
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of Minstrel-HT.
    pub struct MinstrelHtConfig {
        name: "minstrel-ht",
        summary: "measures the throughput of all modes with A-MPDUs; every 20 ms it tries another one",
        source: "Linux 6.18, net/mac80211/rc80211_minstrel_ht.c",
    }
    /// time between two updates of the statistics
    interval: Duration = Duration::from_millis(50), positive();
}

/// Time between two samples.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);
/// Modes of a chain.
const CHAIN: usize = 4;
/// MPDUs after which the first modes may be replaced before the interval is over.
const SUDDEN: u64 = 30;

/// One mode of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    rate: RateId,
    /// Attempts at most.
    count: u32,
    /// Attempts so far, and MPDUs in them.
    tried: u32,
    mpdus: u32,
}

/// The attempts of a PPDU.
#[derive(Clone, Copy, Debug)]
struct Chain {
    stages: [Stage; CHAIN],
    stage: usize,
    is_sample: bool,
}

/// Minstrel-HT.
#[derive(Clone, Debug)]
pub struct MinstrelHt {
    interval: Duration,
    // Boxes, as the links of other rate controls have the size of this type, too.
    stats: Box<Stats>,
    selection: Selection,
    sampler: Box<Sampler>,
    updated: Instant,
    next_sample: Instant,
    /// The modes of a chain, and their attempts: plain and with RTS/CTS.
    table: [(RateId, [u32; 2]); CHAIN],
    /// Of the present PPDU; `None` before its first attempt.
    chain: Option<Chain>,
}

impl MinstrelHt {
    /// Begins at the lowest mode.
    pub fn new(config: MinstrelHtConfig, mut link: LinkInfo<'_>) -> Self {
        let groups = Groups::new(link.phy, &link.modes);
        let sampler = Box::new(Sampler::new(&groups, &mut link.stream));
        let stats = Box::new(Stats::new(groups, &link.modes));
        let selection = Selection::new(&stats);
        let table = [(selection.link.surest, [0; 2]); CHAIN];
        let mut control = Self {
            interval: config.interval,
            stats,
            selection,
            sampler,
            updated: Instant::ZERO,
            next_sample: Instant::ZERO,
            table,
            chain: None,
        };
        control.update(Instant::ZERO);
        control.fill_table();
        control
    }

    /// The chain of a PPDU.
    fn begin(&mut self, now: Instant, prelude: Protection) -> Chain {
        let [before_first, before_others] = match prelude {
            Protection::Off => [0, 1],
            Protection::CtsToSelf => [0, 0],
            Protection::RtsCts => [1, 1],
        };
        let stage = |rate, count| Stage { rate, count, tried: 0, mpdus: 0 };
        let mut stages = self.table.map(|(rate, tries)| stage(rate, tries[before_others]));
        stages[0].count = self.table[0].1[before_first];
        let sample = self.sample(now);
        if let Some(rate) = sample {
            stages[0] = stage(rate, 1);
        }
        Chain { stages, stage: 0, is_sample: sample.is_some() }
    }

    /// The mode that a PPDU tries.
    fn sample(&mut self, now: Instant) -> Option<RateId> {
        if now < self.next_sample {
            return None;
        }
        self.next_sample = now + SAMPLE_INTERVAL;
        self.sampler.next()
    }

    /// There has been a response, or the chain is over.
    fn end(&mut self, now: Instant, chain: &Chain, mpdus: u32, acknowledged: u32) {
        let last = chain.stages.iter().rposition(|stage| stage.tried > 0);
        if let Some(last) = last {
            self.stats.count(u64::from(mpdus));
            for stage in &chain.stages[..=last] {
                self.stats.of_mut(stage.rate).attempts += u64::from(stage.mpdus);
            }
            self.stats.of_mut(chain.stages[last].rate).successes += u64::from(acknowledged);
        }
        let mut is_changed = false;
        for place in 0..2 {
            let stats = self.stats.of(self.selection.link.fastest[place]);
            if stats.attempts > SUDDEN && stats.successes < stats.attempts / 4 {
                self.selection.downgrade(place, &self.stats);
                is_changed = true;
            }
        }
        if now.since(self.updated) > self.interval {
            self.update(now);
            is_changed = true;
        }
        if is_changed {
            self.fill_table();
        }
    }

    /// An interval ends.
    fn update(&mut self, now: Instant) {
        self.selection.update(&mut self.stats);
        self.sampler.refill(&self.stats, &self.selection.link);
        (self.updated, self.next_sample) = (now, now);
    }

    fn fill_table(&mut self) {
        let link = &self.selection.link;
        let [first, second, third, _] = link.fastest;
        self.table = [first, second, third, link.surest].map(|rate| (rate, self.stats.tries(rate)));
    }
}

impl RateControl for MinstrelHt {
    fn choose(&mut self, frame: &NextFrame) -> usize {
        let chain = match self.chain {
            Some(chain) => chain,
            None => {
                let chain = self.begin(frame.now, frame.prelude);
                *self.chain.insert(chain)
            }
        };
        self.stats.groups.index(chain.stages[chain.stage].rate)
    }

    fn report(&mut self, report: &Report) {
        let Some(chain) = &mut self.chain else { return };
        if report.sent_data {
            let stage = &mut chain.stages[chain.stage];
            stage.tried += 1;
            stage.mpdus += report.mpdus;
            chain.stage += usize::from(stage.tried >= stage.count);
        }
        if report.outcome != Outcome::Failed || chain.stage == CHAIN {
            let chain = *chain;
            self.chain = None;
            self.end(report.now, &chain, report.mpdus, report.acknowledged);
        }
    }

    fn may_aggregate(&self) -> bool {
        self.chain.is_none_or(|chain| !chain.is_sample)
    }

    fn present(&self) -> usize {
        self.stats.groups.index(self.selection.link.fastest[0])
    }
}
