//! A channel with white noise whose ratio of signal to noise follows from a distance.
//!
//! Path loss: that of free space up to a distance of 1 m (Friis 1946), then proportional to a power of
//! the distance (log-distance model; Rappaport, Wireless Communications, 2nd ed. 2002, section 4.9.1).
//! Noise: thermal noise of the frame's bandwidth at 290 K, and the noise figure of the receiver. The
//! power is the same in both directions.

use super::error_rate::{ErrorModel, ErrorRates};
use crate::component::{configuration, number};
use crate::medium::wlan::phy::Phy;
use crate::medium::{PhyMode, PhyModes, TxVector};
use crate::time::Instant;

configuration! {
    /// Parameters of a channel over a distance.
    pub struct DistanceConfig {
        name: "distance",
        summary: "white Gaussian noise; the signal loses power with the distance",
        source: "Friis 1946; Rappaport 2002, 4.9.1; power, exponent and noise figure of ns-3",
    }
    /// distance between station and access point, m
    metres: f64 = 20.0, number(0.001..=1e6);
    /// exponent of the path loss beyond 1 m: 2 in free space, 3 to 5 indoors
    exponent: f64 = 3.0, number(1.0..=10.0);
    /// radiated power of station and access point, dBm
    tx_power_dbm: f64 = 16.0206, number(-100.0..=100.0);
    /// noise figure of the receivers, dB
    noise_figure_db: f64 = 7.0, number(0.0..=100.0);
}

/// Speed of light, m/s.
const LIGHT: f64 = 299_792_458.0;
/// Power density of thermal noise at 290 K, dBm in 1 Hz: 10 log10 (1.380649e-23 J/K 290 K / 1 mW).
const THERMAL_NOISE_DBM: f64 = -173.975_189;

/// A channel over a distance.
#[derive(Clone, Debug)]
pub struct Distance {
    errors: ErrorRates,
}

impl Distance {
    pub(super) fn new(
        config: &DistanceConfig,
        phy: &Phy,
        modes: &PhyModes,
        errors: ErrorModel,
    ) -> Self {
        Self { errors: ErrorRates::new(modes, errors, |mode| snr_db(config, phy, mode)) }
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

/// The ratio of signal to noise of a frame in `mode`, of all its streams, dB.
pub fn snr_db(config: &DistanceConfig, phy: &Phy, mode: &TxVector) -> f64 {
    // Channel 6 at 2.4 GHz, channel 36 at 5 GHz (18.4.6.2, 17.3.8.3.3).
    let frequency = if phy.is_at_2_4_ghz() { 2.437e9 } else { 5.180e9 };
    let bandwidth = f64::from(mode.width_hz);
    let free_space =
        20.0 * libm::log10(4.0 * std::f64::consts::PI * config.metres.min(1.0) * frequency / LIGHT);
    let loss = free_space + 10.0 * config.exponent * libm::log10(config.metres.max(1.0));
    let noise = THERMAL_NOISE_DBM + 10.0 * libm::log10(bandwidth) + config.noise_figure_db;
    config.tx_power_dbm - loss.max(0.0) - noise
}
