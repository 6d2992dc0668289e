//! What is known of each mode: the probability that an MPDU arrives, its throughput, and how often to try.

use super::groups::{Groups, RateId};
use crate::medium::{PhyFormat, PhyMode, TxVector};

/// A probability of 1.
const ONE: i64 = 1 << SCALE;
const SCALE: u32 = 12;
/// Weight of the past in the average of the MPDUs of a PPDU: 96/128.
const PAST: i64 = 96;
const WEIGHTS: i64 = 128;
/// Coefficients of the filter of probabilities: those of its last two outputs, and of its input. With
/// a = exp(-pi sqrt(2) / 16): 2 a cos(2 pi sqrt(2) / 16), -a^2, and what is left of 1.
const LAST: i64 = 0x1499;
const LAST_BUT_ONE: i64 = -0x92e;
const INPUT: i64 = ONE - LAST - LAST_BUT_ONE;
/// The most attempts at a mode of a chain, and what they may take, microseconds.
const MAX_TRIES: u32 = 7;
const SEGMENT_US: u64 = 6000;
/// Slot and contention windows by which attempts are counted.
const SLOT_US: u64 = 9;
const CW_MIN: u64 = 15;
const CW_MAX: u64 = 1023;
/// Bytes of an ACK, without FCS.
const ACK_BYTES: u64 = 10;

/// `percent` as a probability.
pub(super) const fn share(percent: i64) -> i64 {
    percent * ONE / 100
}

/// The statistics of one mode.
#[derive(Clone, Debug, Default)]
pub(super) struct RateStats {
    /// MPDUs in this interval, and those of them that arrived.
    pub(super) attempts: u64,
    pub(super) successes: u64,
    /// Whether there has been any attempt before it.
    pub(super) is_tried: bool,
    /// The last two outputs of the filter. The first may be taken over from a higher mode.
    pub(super) probability: i64,
    pub(super) previous: i64,
    /// See [`Stats::throughput`].
    throughput: i64,
}

impl RateStats {
    /// An interval ends.
    fn update(&mut self) {
        if self.attempts > 0 {
            self.filter((self.successes << SCALE) as i64 / self.attempts as i64);
            self.is_tried = true;
        }
        (self.attempts, self.successes) = (0, 0);
    }

    /// A low-pass filter of second order.
    fn filter(&mut self, share: i64) {
        let input = share.max(1);
        if self.probability == 0 {
            (self.probability, self.previous) = (input, input);
            return;
        }
        let sum = INPUT * input + LAST * self.probability + LAST_BUT_ONE * self.previous;
        self.previous = self.probability;
        let output = (sum >> SCALE).min(ONE);
        self.probability = if output < 0 { 1 } else { output };
    }
}

/// The statistics of a link.
#[derive(Clone, Debug)]
pub(super) struct Stats {
    pub(super) groups: Groups,
    rates: Vec<RateStats>,
    /// MPDUs and PPDUs of this interval, and their average ratio, scaled.
    mpdus: u64,
    ppdus: u64,
    mean_mpdus: i64,
    /// What an attempt takes apart from its packets, microseconds: plain and with RTS/CTS, with MCS and without.
    overhead: [u64; 2],
    legacy_overhead: [u64; 2],
}

impl Stats {
    /// Of a link with these modes.
    pub(super) fn new(groups: Groups, modes: &[(PhyMode, TxVector)]) -> Self {
        let ack = ofdm_micros(ACK_BYTES, 60);
        let lowest = modes.iter().find(|(_, mode)| mode.mcs.is_none());
        let legacy_ack = match lowest {
            Some((_, mode)) if mode.format == PhyFormat::Dsss => dsss_micros(ACK_BYTES, mode),
            Some((_, mode)) => ofdm_micros(ACK_BYTES, mode.rate.as_bps() / 100_000),
            None => ack,
        };
        let with_rts = |plain: u64, ack: u64| [plain, plain + 2 * ack];
        Self {
            rates: vec![RateStats::default(); groups.len() * groups.places()],
            groups,
            mpdus: 0,
            ppdus: 0,
            mean_mpdus: ONE,
            overhead: with_rts(ofdm_micros(0, 60) + ack, ack),
            legacy_overhead: with_rts(legacy_ack, legacy_ack),
        }
    }

    /// The statistics of a mode.
    pub(super) fn of(&self, rate: RateId) -> &RateStats {
        &self.rates[rate.group() * self.groups.places() + rate.place()]
    }

    /// The same, to be changed.
    pub(super) fn of_mut(&mut self, rate: RateId) -> &mut RateStats {
        &mut self.rates[rate.group() * self.groups.places() + rate.place()]
    }

    /// A PPDU of this many MPDUs is done with.
    pub(super) fn count(&mut self, mpdus: u64) {
        self.ppdus += 1;
        self.mpdus += mpdus;
    }

    /// The interval ends, as to the MPDUs of a PPDU.
    pub(super) fn update_mpdus(&mut self) {
        if self.ppdus > 0 {
            let mean = (self.mpdus << SCALE) as i64 / self.ppdus as i64;
            let before = self.mean_mpdus >> SCALE;
            self.mean_mpdus += (WEIGHTS - PAST) * (mean - self.mean_mpdus) / WEIGHTS;
            (self.mpdus, self.ppdus) = (0, 0);
            if self.mean_mpdus >> SCALE != before {
                for group in 0..self.groups.len() {
                    for rate in self.groups.rates(group) {
                        self.calculate_throughput(rate);
                    }
                }
            }
        }
    }

    /// It ends for the modes of a group. Calls `each` with each of them, from the highest to the lowest, when this one
    /// is up to date: the lower ones are not yet.
    ///
    /// A mode that has never been tried takes over the best probability of the higher ones.
    pub(super) fn update_group(&mut self, group: usize, mut each: impl FnMut(&Self, RateId)) {
        let mut best = 0;
        for rate in self.groups.rates(group).rev() {
            let stats = self.of_mut(rate);
            stats.update();
            let probability = stats.probability.max(best);
            if stats.is_tried {
                best = probability;
            } else {
                stats.probability = probability;
            }
            self.calculate_throughput(rate);
            each(self, rate);
        }
    }

    /// The average probability of a mode.
    pub(super) fn probability(&self, rate: RateId) -> i64 {
        self.of(rate).probability
    }

    /// Packets in 10 ms that a mode delivers, 90% of them at most.
    pub(super) fn throughput(&self, rate: RateId) -> i64 {
        self.of(rate).throughput
    }

    /// The probability of a mode has changed, or the MPDUs of a PPDU.
    pub(super) fn calculate_throughput(&mut self, rate: RateId) {
        let probability = self.probability(rate);
        let ([overhead, _], mpdus) = self.overhead_of(rate);
        let throughput = || {
            let nanos = 1000 * overhead / mpdus + self.groups.duration(rate);
            (100 * (probability.min(share(90)) * 1_000_000 / nanos as i64)) >> SCALE
        };
        self.of_mut(rate).throughput = if probability < share(10) { 0 } else { throughput() };
    }

    /// Attempts that a chain has at a mode: plain, and with RTS/CTS before each.
    pub(super) fn tries(&self, rate: RateId) -> [u32; 2] {
        if self.probability(rate) < share(20) {
            return [2, 2];
        }
        let (overhead, mpdus) = self.overhead_of(rate);
        let data = self.groups.duration(rate) * mpdus / 1000;
        let mut cw = CW_MIN;
        let mut backoff = || {
            let mean = SLOT_US * cw / 2;
            cw = (2 * cw + 1).min(CW_MAX);
            mean
        };
        let first_two = backoff() + backoff();
        let mut taken = overhead.map(|overhead| first_two + 2 * (overhead + data));
        let mut tries = [2, 2];
        loop {
            let backoff = backoff();
            for kind in 0..2 {
                taken[kind] += backoff + overhead[kind] + data;
                tries[kind] += u32::from(taken[kind] < SEGMENT_US && tries[kind] < MAX_TRIES);
            }
            if taken[0] >= SEGMENT_US || tries[0] == MAX_TRIES {
                return tries;
            }
        }
    }

    /// Overheads of an attempt at a mode, and the MPDUs that share them.
    fn overhead_of(&self, rate: RateId) -> ([u64; 2], u64) {
        if self.groups.is_legacy(rate.group()) {
            (self.legacy_overhead, 1)
        } else {
            (self.overhead, (self.mean_mpdus >> SCALE) as u64)
        }
    }
}

/// SIFS, signal extension, preamble, and a frame of `bytes` and an FCS with OFDM at `rate`, 100 kb/s.
fn ofdm_micros(bytes: u64, rate: u64) -> u64 {
    16 + 16 + 4 + 4 * ((16 + 8 * (bytes + 4) + 6) * 10).div_ceil(4 * rate)
}

/// The same with DSSS and the short preamble.
fn dsss_micros(bytes: u64, mode: &TxVector) -> u64 {
    10 + 72 + 24 + (8 * (bytes + 4) * 1_000_000).div_ceil(mode.rate.as_bps())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients of the formula in the documentation of the constants, in 1/4096.
    #[test]
    fn the_filter_has_a_period_of_sixteen() {
        let pi = std::f64::consts::PI;
        let a = libm::exp(-pi * std::f64::consts::SQRT_2 / 16.0);
        let last = 2.0 * a * (2.0 * pi * std::f64::consts::SQRT_2 / 16.0).cos();
        let scaled = [last, -a * a].map(|c| (c * 4096.0) as i64);
        assert_eq!(scaled, [LAST, LAST_BUT_ONE]);
    }
}
