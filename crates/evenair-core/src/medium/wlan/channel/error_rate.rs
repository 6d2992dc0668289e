//! Error rates of the modulations and codes of 802.11 in white Gaussian noise.
//!
//! OFDM: L. E. Miller, Validation of 802.11a/UWB Coexistence Simulation, NIST 2003 (`NistErrorRateModel`
//! of ns-3). DSSS: G. Pei and T. Henderson, Validation of ns-3 802.11b PHY Model, Boeing 2009
//! (`DsssErrorRateModel` of ns-3).
//!
//! - OFDM: the bit error rate of BPSK, QPSK, 16-QAM and 64-QAM with Gray coding, hard decisions, and the
//!   union bound of the convolutional code with generators 133, 171 (17.3.5.5) and its punctured forms.
//!   The information weights of the bound are those of Frenger, Orten and Ottosson (1999) for rate 1/2,
//!   and of Haccoun and Begin (1989) for 2/3 and 3/4. Hard decisions lose about 2 dB.
//! - DSSS at 1 and 2 Mb/s: DBPSK, and the asymptotic bit error rate of DQPSK.
//! - CCK at 5.5 and 11 Mb/s: symbols of 4 and 8 bits as biorthogonal ones of 16, and pairs of these.
//!
//! A frame is received if its PLCP header is (24 bits of BPSK 1/2 with OFDM, 17.3.4; 48 bits at 1 Mb/s
//! with DSSS, 18.2.3) and all bits of the rest.
//!
//! Cells with MCS have the tables of [`mcs_errors`](super::mcs_errors) instead, of OFDM as well, where these have it.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use super::mcs_errors::{self, Coding};
use crate::medium::wlan::phy::{DSSS_RATES, OFDM_RATES};
use crate::medium::{PhyFormat, PhyMode, PhyModes, TxVector};

/// SIGNAL of OFDM (17.3.4), with which all later PPDUs begin as well: L-SIG.
const HEADER_BITS: f64 = 24.0;
/// Noise bandwidth of a DSSS channel, Hz (ns-3).
pub const BANDWIDTH_DSSS: f64 = 22e6;

/// How many errors there are at a ratio of signal to noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorModel {
    /// Formulas for OFDM and DSSS; frames with MCS are not received.
    Formulas,
    /// Tables by MCS, data PPDUs with this code; what these do not have is that of the formulas.
    Tables(Coding),
}

/// Errors in one mode at one ratio of signal to noise.
#[derive(Clone, Copy, Debug)]
struct Errors {
    /// Logarithm of the probability that the PLCP header is received.
    header: f64,
    /// The same of one bit behind it.
    bit: f64,
    /// Bits that the PHY adds to those of the frame.
    extra_bits: f64,
}

/// Error rates of all modes of a cell.
#[derive(Clone, Debug)]
pub struct ErrorRates {
    /// By mode; `None` of a rate that its PHY does not have, at which nothing is received.
    modes: Vec<Option<Errors>>,
}

impl ErrorRates {
    /// Of these modes, where the ratio of signal to noise of a frame in each, of all its streams, is `snr_db`, dB.
    pub fn new(modes: &PhyModes, model: ErrorModel, snr_db: impl Fn(&TxVector) -> f64) -> Self {
        let errors = |mode: &TxVector| Errors::new(mode, model, snr_db(mode));
        Self { modes: modes.iter().map(|(_, mode)| errors(mode)).collect() }
    }

    /// The probability that a frame of `bytes` in `mode` is received.
    pub fn success(&self, mode: PhyMode, bytes: u32) -> f64 {
        self.modes[usize::from(mode.0)].map_or(0.0, |Errors { header, bit, extra_bits }| {
            libm::exp(header + (8.0 * f64::from(bytes) + extra_bits) * bit)
        })
    }

    /// The probability that the PHY header of a PPDU in `mode` is received.
    pub fn header_success(&self, mode: PhyMode) -> f64 {
        self.modes[usize::from(mode.0)].map_or(0.0, |Errors { header, .. }| libm::exp(header))
    }

    /// The probability that an MPDU of `bytes` is received of a PPDU in `mode` whose header is.
    pub fn mpdu_success(&self, mode: PhyMode, bytes: u32) -> f64 {
        self.modes[usize::from(mode.0)]
            .map_or(0.0, |Errors { bit, .. }| libm::exp(8.0 * f64::from(bytes) * bit))
    }
}

impl Errors {
    /// In `mode` at a ratio of signal to noise of `snr_db`, of which each stream has an equal part.
    fn new(mode: &TxVector, model: ErrorModel, snr_db: f64) -> Option<Self> {
        if let ErrorModel::Tables(coding) = model {
            let of_stream = snr_db - 10.0 * libm::log10(f64::from(mode.streams));
            if let Some(bit) = mcs_errors::errors(mode, coding, of_stream) {
                let header = -HEADER_BITS * mcs_errors::header_errors(snr_db);
                return Some(Self { header, bit: -bit, extra_bits: 0.0 });
            }
        }
        Self::by_formulas(mode, libm::exp10(snr_db / 10.0))
    }

    fn by_formulas(mode: &TxVector, snr: f64) -> Option<Self> {
        // SERVICE and tail bits of OFDM: 17.3.2.1.
        let (rates, error, header_bits, extra_bits): (_, fn(usize, f64) -> f64, _, _) =
            match mode.format {
                PhyFormat::Dsss => (DSSS_RATES, dsss_error, 48.0, 0.0),
                PhyFormat::Ofdm => (OFDM_RATES, ofdm_error, HEADER_BITS, 22.0),
                PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => return None,
            };
        let rate = rates.iter().position(|rate| *rate == mode.rate)?;
        let header = header_bits * libm::log1p(-error(0, snr));
        Some(Self { header, bit: libm::log1p(-error(rate, snr)), extra_bits })
    }
}

/// Error rate of the bits of OFDM at its rate of this index, behind the decoder.
pub(super) fn ofdm_error(rate: usize, snr: f64) -> f64 {
    let [bpsk, qpsk, qam16, qam64] = MODULATIONS;
    let (modulation, code) = match rate {
        0 => (bpsk, &RATE_1_2),
        1 => (bpsk, &RATE_3_4),
        2 => (qpsk, &RATE_1_2),
        3 => (qpsk, &RATE_3_4),
        4 => (qam16, &RATE_1_2),
        5 => (qam16, &RATE_3_4),
        6 => (qam64, &RATE_2_3),
        _ => (qam64, &RATE_3_4),
    };
    code.error(modulation.error(snr))
}

/// A modulation: its bit error rate is `factor` erfc sqrt(snr / `divisor`).
#[derive(Clone, Copy, Debug)]
struct Modulation {
    factor: f64,
    divisor: f64,
}

impl Modulation {
    fn error(self, snr: f64) -> f64 {
        self.factor * libm::erfc((snr / self.divisor).sqrt())
    }
}

/// BPSK, QPSK, 16-QAM, 64-QAM. Of M-QAM with m = log2 M the factor is (1 - 2^(-m/2)) 2/m and the divisor
/// 2 (M - 1) / 3 (Proakis, Digital Communications, 4th ed. 2001, 5.2.9).
const MODULATIONS: [Modulation; 4] = [
    Modulation { factor: 0.5, divisor: 1.0 },
    Modulation { factor: 0.5, divisor: 2.0 },
    Modulation { factor: 0.375, divisor: 10.0 },
    Modulation { factor: 7.0 / 24.0, divisor: 42.0 },
];

/// A convolutional code.
#[derive(Debug)]
pub(super) struct Code {
    /// Information bits of a period of the puncturing.
    pub(super) bits: u32,
    /// The free distance.
    pub(super) first: u32,
    /// By how much the distances of the next paths grow.
    pub(super) step: u32,
    /// Information weight of all error paths of each distance.
    pub(super) weights: &'static [f64],
}

/// 1/2.
pub(super) static RATE_1_2: Code = Code {
    bits: 1,
    first: 10,
    step: 2,
    weights: &[
        36.0,
        211.0,
        1_404.0,
        11_633.0,
        77_433.0,
        502_690.0,
        3_322_763.0,
        21_292_910.0,
        134_365_911.0,
    ],
};

/// 2/3.
pub(super) static RATE_2_3: Code = Code {
    bits: 2,
    first: 6,
    step: 1,
    weights: &[
        3.0,
        70.0,
        285.0,
        1_276.0,
        6_160.0,
        27_128.0,
        117_019.0,
        498_860.0,
        2_103_891.0,
        8_784_123.0,
    ],
};

/// 3/4.
pub(super) static RATE_3_4: Code = Code {
    bits: 3,
    first: 5,
    step: 1,
    weights: &[
        42.0,
        201.0,
        1_492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};

impl Code {
    /// The union bound of the bit error rate where bits before the decoder are wrong with probability
    /// `p`: paths of distance d are confused with probability D^d / 2 at most, D^2 = 4 p (1 - p).
    fn error(&self, p: f64) -> f64 {
        let d = (4.0 * p * (1.0 - p)).sqrt();
        let mut power = libm::pow(d, f64::from(self.first));
        let factor = libm::pow(d, f64::from(self.step));
        let mut sum = 0.0;
        for weight in self.weights {
            sum += weight * power;
            power *= factor;
        }
        (sum / f64::from(2 * self.bits)).min(1.0)
    }
}

/// Error rate of the bits of 802.11b at its rate of this index. Of symbols: the rate of bits that, if
/// they were independent, would spoil as many symbols.
pub(super) fn dsss_error(rate: usize, snr: f64) -> f64 {
    // Energy of a bit over the density of the noise.
    let per_bit = |bits_per_second: f64| snr * BANDWIDTH_DSSS / bits_per_second;
    let per_symbol = |error: f64, bits: f64| -libm::expm1(libm::log1p(-error) / bits);
    let error = match rate {
        0 => 0.5 * libm::exp(-per_bit(1e6)),
        1 => dqpsk_error(per_bit(2e6)),
        2 => per_symbol(biorthogonal_error(4.0 * per_bit(5.5e6)), 4.0),
        _ => {
            let half = biorthogonal_error(4.0 * per_bit(11e6));
            per_symbol(1.0 - (1.0 - half) * (1.0 - half), 8.0)
        }
    };
    error.min(1.0)
}

/// Bit error rate of DQPSK with Gray coding, for large `per_bit` (Pei and Henderson 2009).
fn dqpsk_error(per_bit: f64) -> f64 {
    let factor = (SQRT_2 + 1.0) / (8.0 * PI * SQRT_2).sqrt();
    factor / per_bit.sqrt() * libm::exp(-(2.0 - SQRT_2) * per_bit)
}

/// Symbol error rate of 16 biorthogonal symbols (Proakis 5.2.33): one minus the integral from -b of
/// (2 Phi(x + b) - 1)^7 phi(x), where b^2 is `energy`.
pub(super) fn biorthogonal_error(energy: f64) -> f64 {
    const STEPS: u32 = 2000;
    let b = energy.sqrt();
    // Beyond 9 the density has less than 1e-18.
    let (low, high) = ((-b).max(-9.0), 9.0);
    let width = (high - low) / f64::from(STEPS);
    let density = |x: f64| libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt();
    // 1 - (1 - erfc)^7, without cancellation.
    let wrong = |x: f64| {
        let missed = libm::erfc((x + b) * FRAC_1_SQRT_2);
        density(x) * -libm::expm1(7.0 * libm::log1p(-missed))
    };
    // Simpson's rule.
    let mut sum = wrong(low) + wrong(high);
    for step in 1..STEPS {
        let factor = if step % 2 == 1 { 4.0 } else { 2.0 };
        sum += factor * wrong(low + f64::from(step) * width);
    }
    let tail = 0.5 * libm::erfc(-low * FRAC_1_SQRT_2);
    (tail + sum * width / 3.0).min(1.0)
}
