//! The simulator's PHY timing, for the models in Python.

use evenair_core::medium::wlan::ControlRate;
use evenair_core::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use evenair_core::time::Duration;
use evenair_core::units::Rate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Slot time, interframe spaces and airtimes of a scenario's cell; made by `Scenario.phy`.
#[pyclass(frozen, module = "evenair._core")]
pub struct Phy {
    pub(crate) phy: evenair_core::medium::wlan::phy::Phy,
    pub(crate) control_rate: ControlRate,
}

#[pymethods]
impl Phy {
    /// aSlotTime, seconds.
    #[getter]
    fn slot_s(&self) -> f64 {
        seconds(self.phy.slot)
    }

    /// aSIFSTime, seconds.
    #[getter]
    fn sifs_s(&self) -> f64 {
        seconds(self.phy.sifs)
    }

    /// DIFS, seconds.
    #[getter]
    fn difs_s(&self) -> f64 {
        seconds(self.phy.difs())
    }

    /// EIFS, seconds.
    #[getter]
    fn eifs_s(&self) -> f64 {
        seconds(self.phy.eifs())
    }

    /// How long a sender waits for the start of a CTS or ACK, seconds.
    #[getter]
    fn response_timeout_s(&self) -> f64 {
        seconds(self.phy.response_timeout())
    }

    /// aCWmin: the first backoff is uniform on 0..=cw_min slots.
    #[getter]
    fn cw_min(&self) -> u32 {
        self.phy.cw_min
    }

    /// aCWmax.
    #[getter]
    fn cw_max(&self) -> u32 {
        self.phy.cw_max
    }

    /// Data rates, bit/s, ascending.
    #[getter]
    fn rates_bps(&self) -> Vec<u64> {
        self.phy.rates.iter().map(|rate| rate.as_bps()).collect()
    }

    /// Rate of RTS, CTS and ACK in an exchange whose data frame has this rate, bit/s.
    fn control_rate_bps(&self, data_rate_bps: u64) -> u64 {
        let data = self.phy.mode_of(Rate::from_bps(data_rate_bps));
        self.control_rate.of(&data).as_bps()
    }

    /// Bits of an ACK.
    #[classattr]
    const ACK_BITS: u32 = 8 * ACK_BYTES;

    /// Bits of a CTS.
    #[classattr]
    const CTS_BITS: u32 = 8 * CTS_BYTES;

    /// Bits of an RTS.
    #[classattr]
    const RTS_BITS: u32 = 8 * RTS_BYTES;

    /// The time on air of a frame, preamble included, in seconds, rounded to the nanosecond.
    fn airtime_s(&self, bits: u64, rate_bps: u64) -> PyResult<f64> {
        // Longer frames than any, at any rate, overflow the nanoseconds of an OFDM symbol count.
        if rate_bps < 1_000_000 || bits > 1 << 40 {
            let problem = format!("got {bits} bits at {rate_bps} bit/s, expected a frame");
            return Err(PyValueError::new_err(problem));
        }
        let mode = self.phy.mode_of(Rate::from_bps(rate_bps));
        Ok(seconds(self.phy.airtime_of_bits(bits, &mode)))
    }
}

fn seconds(span: Duration) -> f64 {
    // A division, because 1e-9 is no binary fraction: this gives 0.00002 for 20 us.
    span.as_nanos() as f64 / 1e9
}
