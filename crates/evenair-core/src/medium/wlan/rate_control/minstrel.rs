//! Minstrel, as Linux has it for rates without HT (`net/mac80211/rc80211_minstrel.c` of Linux 4.14).
//!
//! - Every 100 ms the share p of successful attempts at each rate in this time is averaged, with weight
//!   1/4 (32/128). The throughput of a rate is p, at most 90%, over the time of a frame of 1200 bytes,
//!   and 0 where p is below 10%.
//! - A packet is sent at a chain of rates: that of the highest throughput, of the second highest, of the
//!   best p (of several with 95% or more: that of the highest throughput), the lowest. Each has a number
//!   of attempts: as many as fit 6 ms, at most 7; at most two where p is above 95% or below 10%.
//! - A share of the packets, 10%, tries another rate, in the order of a table of random permutations. A
//!   faster one is the first of the chain, instead of the best; a slower one the second, so that it is
//!   used only if the best fails, or the first if it was not tried in the last 20 intervals. A rate with
//!   p above 95% or below 10% is tried at most 4 times in an interval. With RTS/CTS or
//!   CTS-to-self the share is 5%, and a sample is the first of the chain.
//!
//! All arithmetic is that of the source, in whole numbers. Differences from Linux:
//! - The retry limits of the cell end the chain earlier.
//! - The time is exact; Linux updates statistics at a tick of its clock. Frames have the preamble of the
//!   cell; Linux takes the short one.
//! - RTS frames without CTS do not count as attempts at a data rate. What hardware reports varies.
//! - The number of intervals without a sample does not wrap at 256.

use super::algorithm::{LinkInfo, NextFrame, Outcome, RateControl, Report};
use crate::component::{configuration, integer, positive};
use crate::medium::wlan::Protection;
use crate::medium::wlan::phy::Phy;
use crate::medium::{PhyFormat, TxVector};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of Minstrel.
    pub struct MinstrelConfig {
        name: "minstrel",
        summary: "measures the throughput of all rates with a tenth of the packets",
        source: "Linux 4.14, net/mac80211/rc80211_minstrel.c",
    }
    /// time between two updates of the statistics
    interval: Duration = Duration::from_millis(100), positive();
    /// share of the packets that try another rate, percent
    lookaround: u64 = 10, integer(0..=100);
}

/// Share of the packets that try another rate behind RTS/CTS or CTS-to-self, percent.
const LOOKAROUND_PROTECTED: i64 = 5;
/// A probability of 1.
const ONE: i64 = 1 << 12;
/// Weight of the past in averages: 96/128.
const PAST: i64 = 96;
const WEIGHTS: i64 = 128;
/// Columns of the table of samples.
const COLUMNS: usize = 10;
/// Rates ordered by throughput.
const BEST: usize = 4;
/// The most attempts at one rate of a chain.
const MAX_ATTEMPTS: u32 = 7;
/// What all attempts at one rate of a chain may take, microseconds.
const SEGMENT_US: i64 = 6000;
/// Bytes of the frames that are compared, and of an ACK, without FCS.
const FRAME_BYTES: u32 = 1200;
const ACK_BYTES: u32 = 10;
const FCS_BYTES: u32 = 4;
/// Slot and contention windows by which attempts are counted.
const SLOT_US: i64 = 9;
const CW_MIN: i64 = 15;
const CW_MAX: i64 = 1023;
/// Intervals after which a slower rate is tried first.
const SKIPPED: u32 = 20;
/// Samples of a sure or hopeless rate in an interval.
const SAMPLE_LIMIT: u32 = 4;
/// Packets after which the counters of samples begin anew.
const COUNTED_PACKETS: i64 = 10_000;

/// `percent` as a probability.
const fn share(percent: i64) -> i64 {
    percent * ONE / 100
}

/// What Minstrel knows of one rate.
#[derive(Clone, Debug)]
struct Stats {
    /// Time of a frame of 1200 bytes with SIFS, microseconds.
    frame_us: i64,
    /// Attempts that fit a segment: plain, behind a CTS-to-self, and behind RTS/CTS.
    fitting: [u32; 3],
    /// Attempts in a chain.
    count: u32,
    /// In this interval.
    attempts: u64,
    successes: u64,
    /// Whether there has been any attempt.
    tried: bool,
    /// The average of the share of successes.
    probability: i64,
    /// Intervals without an attempt.
    skipped: u32,
    /// Samples left in this interval; `None`: any number.
    samples: Option<u32>,
}

impl Stats {
    /// Of a rate whose frame of 1200 bytes and ACK take these times, where the ACK at the lowest rate
    /// takes `lowest_ack_us`.
    fn new(frame_us: i64, ack_us: i64, lowest_ack_us: i64, protects: bool) -> Self {
        let mut cw = CW_MIN;
        let mut fitting = [1; 3];
        let mut taken = [frame_us + lowest_ack_us, 0, 0];
        loop {
            let attempt = ack_us + frame_us + (SLOT_US * cw) / 2;
            cw = (2 * cw + 1).min(CW_MAX);
            for (kind, taken) in taken.iter_mut().enumerate() {
                *taken += attempt + kind as i64 * lowest_ack_us;
                if *taken < SEGMENT_US && fitting[kind] < MAX_ATTEMPTS {
                    fitting[kind] += 1;
                }
            }
            if taken[0] >= SEGMENT_US || fitting[0] == MAX_ATTEMPTS {
                break;
            }
        }
        if !protects {
            fitting[1] = fitting[0];
        }
        Self {
            frame_us,
            fitting,
            count: fitting[0],
            attempts: 0,
            successes: 0,
            tried: false,
            probability: 0,
            skipped: 0,
            samples: None,
        }
    }

    /// An interval ends.
    fn update(&mut self) {
        if self.attempts > 0 {
            let share = (self.successes << 12) as i64 / self.attempts as i64;
            self.skipped = 0;
            self.probability = if self.tried {
                self.probability + (WEIGHTS - PAST) * (share - self.probability) / WEIGHTS
            } else {
                share
            };
            self.tried = true;
        } else {
            self.skipped = self.skipped.saturating_add(1);
        }
        (self.attempts, self.successes) = (0, 0);
        let [plain, ..] = self.fitting;
        let is_settled = self.probability > share(95) || self.probability < share(10);
        self.samples = is_settled.then_some(SAMPLE_LIMIT);
        self.count = match (is_settled, plain / 2) {
            (false, _) => plain,
            (true, 0) => 2,
            (true, half) => half.min(2),
        };
    }

    fn throughput(&self) -> i64 {
        if self.probability < share(10) {
            return 0;
        }
        (100_000 * (self.probability.min(share(90)) / self.frame_us)) / ONE
    }

    /// Attempts of a sample.
    fn sample_count(&self, prelude: Protection) -> u32 {
        match prelude {
            Protection::Off => self.count,
            Protection::CtsToSelf => self.count.min(self.fitting[1]).max(2),
            Protection::RtsCts => self.count.min(self.fitting[2]).max(2),
        }
    }
}

/// One rate of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stage {
    rate: usize,
    /// Attempts at most.
    count: u32,
    /// Attempts so far.
    tried: u32,
}

/// Minstrel.
#[derive(Clone, Debug)]
pub struct Minstrel {
    interval: Duration,
    lookaround: i64,
    stats: Vec<Stats>,
    updated: Instant,
    /// Rates by throughput, the highest first.
    best: [usize; BEST],
    /// The rate of the best probability.
    surest: usize,
    /// Packets, samples among them, and samples at the second place of a chain that is not over.
    packets: i64,
    sampled: i64,
    deferred: i64,
    /// The last packet was a sample.
    sampled_last: bool,
    /// `COLUMNS` permutations of the rates, and the next place.
    table: Vec<usize>,
    next: usize,
    /// The chain of the present packet; `None` before its first attempt.
    chain: Option<[Stage; 4]>,
    stage: usize,
    /// Whether a sample is the second rate of the chain.
    defers: bool,
}

impl Minstrel {
    /// Begins at the lowest rate.
    pub fn new(config: MinstrelConfig, mut link: LinkInfo<'_>) -> Self {
        let micros = |bytes: u32, mode: &TxVector| frame_micros(link.phy, bytes, mode);
        let lowest_ack = micros(ACK_BYTES, &link.modes[0].1);
        let stats = |(_, mode): &(_, TxVector)| {
            let (frame, ack) = (micros(FRAME_BYTES, mode), micros(ACK_BYTES, mode));
            Stats::new(frame, ack, lowest_ack, mode.format != PhyFormat::Dsss)
        };
        Self {
            interval: config.interval,
            lookaround: config.lookaround as i64,
            stats: link.modes.iter().map(stats).collect(),
            updated: Instant::ZERO,
            best: [0; BEST],
            surest: 0,
            packets: 0,
            sampled: 0,
            deferred: 0,
            sampled_last: false,
            table: sample_table(link.modes.len(), &mut link.stream),
            next: 0,
            chain: None,
            stage: 0,
            defers: false,
        }
    }

    /// The chain of a packet.
    fn begin(&mut self, prelude: Protection) -> [Stage; 4] {
        let stage = |rate: usize| {
            let stats = &self.stats[rate];
            let count = match prelude {
                Protection::Off => stats.count,
                Protection::CtsToSelf => stats.fitting[1],
                Protection::RtsCts => stats.fitting[2],
            };
            Stage { rate, count, tried: 0 }
        };
        let lowest = Stage { rate: 0, count: MAX_ATTEMPTS, tried: 0 };
        let mut chain = [stage(self.best[0]), stage(self.best[1]), stage(self.surest), lowest];
        self.defers = false;
        if let Some((rate, place)) = self.sample(prelude == Protection::Off) {
            let count = self.stats[rate].sample_count(prelude);
            chain[place] = Stage { rate, count, tried: 0 };
        }
        chain
    }

    /// The rate that the next packet tries, and its place in the chain. `plain`: without control frames
    /// before the data frame.
    fn sample(&mut self, plain: bool) -> Option<(usize, usize)> {
        let lookaround =
            if plain { self.lookaround } else { self.lookaround.min(LOOKAROUND_PROTECTED) };
        self.packets += 1;
        let missing = self.packets * lookaround / 100 - (self.sampled + self.deferred / 2);
        let sampled_last = std::mem::replace(&mut self.sampled_last, false);
        if missing < 0 || (!plain && sampled_last) {
            return None;
        }
        let most = 2 * self.stats.len() as i64;
        if self.packets >= COUNTED_PACKETS {
            (self.packets, self.sampled, self.deferred) = (0, 0, 0);
        } else if missing > most {
            self.sampled += missing - most;
        }
        let rate = self.table[self.next];
        self.next = (self.next + 1) % self.table.len();
        let best_us = self.stats[self.best[0]].frame_us;
        let stats = &mut self.stats[rate];
        let defers = plain && stats.frame_us > best_us && stats.skipped < SKIPPED;
        if defers {
            self.deferred += 1;
        } else {
            match &mut stats.samples {
                Some(0) => return None,
                Some(left) => *left -= 1,
                None => {}
            }
            self.sampled += 1;
        }
        if !plain && stats.probability > share(95) {
            return None;
        }
        self.sampled_last = true;
        self.defers = defers;
        Some((rate, usize::from(defers)))
    }

    /// A packet is done with.
    fn end(&mut self, now: Instant, chain: &[Stage; 4], delivered: bool) {
        for stage in &chain[..=self.stage] {
            self.stats[stage.rate].attempts += u64::from(stage.tried);
        }
        self.stats[chain[self.stage].rate].successes += u64::from(delivered);
        self.sampled += i64::from(self.defers);
        self.deferred = (self.deferred - 1).max(0);
        if now.since(self.updated) > self.interval {
            self.updated = now;
            self.update();
        }
    }

    /// An interval ends.
    fn update(&mut self) {
        let (mut best, mut surest) = ([0; BEST], 0);
        for rate in 0..self.stats.len() {
            self.stats[rate].update();
            let throughput = |rate: usize| self.stats[rate].throughput();
            let place = best.iter().rposition(|&other| throughput(rate) <= throughput(other));
            let place = place.map_or(0, |place| place + 1);
            if place < BEST {
                best.copy_within(place..BEST - 1, place + 1);
                best[place] = rate;
            }
            let probability = |rate: usize| self.stats[rate].probability;
            let is_surer = if probability(rate) >= share(95) {
                throughput(rate) >= throughput(surest)
            } else {
                probability(rate) >= probability(surest)
            };
            if is_surer {
                surest = rate;
            }
        }
        (self.best, self.surest) = (best, surest);
    }
}

impl RateControl for Minstrel {
    fn choose(&mut self, frame: &NextFrame) -> usize {
        let chain = match self.chain {
            Some(chain) => chain,
            None => {
                self.stage = 0;
                let chain = self.begin(frame.prelude);
                *self.chain.insert(chain)
            }
        };
        while self.stage < chain.len() - 1 && chain[self.stage].tried >= chain[self.stage].count {
            self.stage += 1;
        }
        chain[self.stage].rate
    }

    fn report(&mut self, &Report { now, sent_data, outcome, .. }: &Report) {
        let Some(chain) = &mut self.chain else { return };
        chain[self.stage].tried += u32::from(sent_data);
        if outcome != Outcome::Failed {
            let chain = *chain;
            self.chain = None;
            self.end(now, &chain, outcome == Outcome::Delivered);
        }
    }

    fn present(&self) -> usize {
        self.best[0]
    }
}

/// SIFS and a frame of `bytes` and an FCS, microseconds, rounded up.
fn frame_micros(phy: &Phy, bytes: u32, mode: &TxVector) -> i64 {
    let span = phy.sifs + phy.airtime(bytes + FCS_BYTES, mode);
    span.div_ceil(Duration::from_micros(1)) as i64
}

/// `COLUMNS` random permutations of `rates` rates.
fn sample_table(rates: usize, stream: &mut RngStream) -> Vec<usize> {
    let mut table = Vec::with_capacity(COLUMNS * rates);
    for _ in 0..COLUMNS {
        let random = stream.next_u64().to_le_bytes();
        let mut column = vec![None; rates];
        for rate in 0..rates {
            let mut place = (rate + usize::from(random[rate % 8])) % rates;
            while column[place].is_some() {
                place = (place + 1) % rates;
            }
            column[place] = Some(rate);
        }
        table.extend(column.into_iter().flatten());
    }
    table
}

#[cfg(test)]
#[path = "minstrel_tests.rs"]
mod tests;
