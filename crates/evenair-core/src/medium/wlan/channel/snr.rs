//! A channel with white noise and a constant ratio of signal to noise.

use super::error_rate::{ErrorModel, ErrorRates};
use crate::component::{configuration, number};
use crate::medium::wlan::phy::Phy;
use crate::medium::{PhyMode, PhyModes};
use crate::time::Instant;

configuration! {
    /// Parameters of a channel with white noise.
    pub struct SnrConfig {
        name: "snr",
        summary: "white Gaussian noise: error rates by modulation and coding",
        source: "Miller (NIST) 2003, Pei and Henderson 2009 (802.11b), tables by MCS, as in ns-3",
    }
    /// ratio of signal to noise in the bandwidth of the frame (OFDM 20 MHz, 802.11b 22 MHz), dB; of N
    /// spatial streams each has 1/N of the signal
    snr_db: f64 = 25.0, number(-30.0..=100.0);
}

/// A channel with white noise.
#[derive(Clone, Debug)]
pub struct Snr {
    errors: ErrorRates,
}

impl Snr {
    pub(super) fn new(config: &SnrConfig, _: &Phy, modes: &PhyModes, errors: ErrorModel) -> Self {
        Self { errors: ErrorRates::new(modes, errors, |_| config.snr_db) }
    }

    pub(super) fn success(&self, _: Instant, mode: PhyMode, bytes: u32) -> f64 {
        self.errors.success(mode, bytes)
    }

    pub(super) fn header_success(&self, _: Instant, mode: PhyMode) -> f64 {
        self.errors.header_success(mode)
    }

    pub(super) fn mpdu_success(&self, _: Instant, mode: PhyMode, bytes: u32) -> f64 {
        self.errors.mpdu_success(mode, bytes)
    }
}
