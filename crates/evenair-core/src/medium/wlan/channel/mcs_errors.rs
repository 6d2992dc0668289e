//! Errors of PPDUs in white Gaussian noise by MCS: simulations of links with soft decisions, as tables.
//!
//! Source: the tables of ns-3.44 (`TableBasedErrorRateModel`: MATLAB WLAN Toolbox, 2020, frames of 1458 bytes), of which
//! three points of each curve are kept: the ratios of signal to noise at which 90 %, 10 % and 1 % of the frames are
//! lost.
//!
//! - The logarithm of the expected number of errors in a frame, ln(-ln(1 - p)), is taken to be linear in dB between two
//!   points, and goes on so beyond the last.
//! - A frame of other length is lost as if errors were independent: 1 - (1 - p)^(length / 1458). ns-3 has a table of
//!   its own for frames below 400 bytes.
//! - A frame without MCS has the modulation and code rate of an MCS (802.11-2020 table 10-10), and convolutional codes.
//!   9 Mb/s, BPSK with 3/4, is that of no MCS.

use crate::component::named;
use crate::medium::{Mcs, PhyFormat, TxVector};

named! {
    /// The code of data PPDUs with MCS.
    pub enum Coding {
        /// Low-density parity check codes (IEEE 802.11-2020 19.3.11.7).
        #[default]
        Ldpc => "ldpc",
        /// Convolutional codes (17.3.5.6).
        Bcc => "bcc",
    }
    planned []
}

/// Of the frames of the tables, bits.
const FRAME_BITS: f64 = 8.0 * 1458.0;
/// The shares of lost frames of the points of a curve.
const LOST: [f64; 3] = [0.9, 0.1, 0.01];

/// By MCS: the ratios of signal to noise of these points, dB.
type Curve = [f64; 3];

const BCC: [Curve; 10] = [
    [-0.2, 0.9, 1.5],
    [2.7, 3.9, 4.5],
    [5.2, 6.4, 7.1],
    [8.3, 9.6, 10.5],
    [11.5, 12.7, 13.5],
    [15.6, 17.0, 18.0],
    [16.9, 18.3, 19.2],
    [18.2, 19.6, 20.5],
    [22.1, 23.7, 24.7],
    [23.6, 25.1, 26.1],
];

const LDPC: [Curve; 12] = [
    [-1.2, -0.7, -0.3],
    [1.8, 2.3, 2.7],
    [4.3, 4.8, 5.1],
    [7.3, 7.9, 8.2],
    [10.3, 10.9, 11.2],
    [14.5, 15.1, 15.4],
    [15.8, 16.5, 16.8],
    [17.3, 18.0, 18.4],
    [21.0, 21.6, 22.0],
    [22.8, 23.5, 23.9],
    [26.0, 26.8, 27.2],
    [28.1, 28.9, 29.3],
];

impl Coding {
    /// Whether an MCS can have it: 1024-QAM has no convolutional codes (802.11ax-2021 27.3.12.5).
    pub fn has(self, mcs: Mcs) -> bool {
        self.curve(mcs).is_some()
    }

    fn curve(self, mcs: Mcs) -> Option<&'static Curve> {
        let curves: &[Curve] = match self {
            Self::Ldpc => &LDPC,
            Self::Bcc => &BCC,
        };
        curves.get(usize::from(mcs.0))
    }

    /// Expected errors in a bit of a frame with `mcs`; `None` if the table does not have it.
    fn errors(self, mcs: Mcs, snr_db: f64) -> Option<f64> {
        let curve = self.curve(mcs)?;
        // The logarithm of the expected errors in a frame.
        let at = |point: usize| libm::log(-libm::log1p(-LOST[point]));
        let first = usize::from(snr_db > curve[1]);
        let slope = (at(first + 1) - at(first)) / (curve[first + 1] - curve[first]);
        Some(libm::exp(at(first) + slope * (snr_db - curve[first])) / FRAME_BITS)
    }
}

/// Expected errors in a bit of a PPDU in `mode`, whose data has `coding` if it has an MCS; `None` if the table does not
/// have the mode.
pub(super) fn errors(mode: &TxVector, coding: Coding, snr_db: f64) -> Option<f64> {
    match (mode.format, mode.mcs) {
        (_, Some(mcs)) => coding.errors(mcs, snr_db),
        (PhyFormat::Ofdm, None) => Coding::Bcc.errors(Mcs::with_modulation_of(mode.rate)?, snr_db),
        _ => None,
    }
}

/// Expected errors in a bit of the PHY header of a PPDU with MCS, which is modulated as MCS 0 (L-SIG: 17.3.4).
pub(super) fn header_errors(snr_db: f64) -> f64 {
    Coding::Bcc.errors(Mcs(0), snr_db).unwrap_or(f64::INFINITY)
}
