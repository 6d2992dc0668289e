//! What the simulator needs of each kind of cell besides its medium: how it is built from a scenario
//! and how its frames are captured.

use evenair_core::medium::wlan::{Dcf, DcfConfig, RateControl};
use evenair_core::medium::{Arrival, Medium};
use evenair_core::packet::Packet;
use evenair_core::tcp::SackBlocks;

use crate::capture::AirPhy;
use crate::capture::writer::CaptureWriter;
use crate::scenario::{PhyKind, RtsThreshold, Scenario};

/// A medium that scenarios can name.
pub(crate) trait CellKind: Medium + Sized {
    /// The medium of the cell of `scenario`.
    fn build(scenario: &Scenario, seed: u64) -> Self;

    /// How captures describe its frames.
    fn capture_phy(&self) -> AirPhy;

    /// Writes the frames of the exchange in which `arrival` was received.
    fn capture(
        &self,
        writer: &mut CaptureWriter,
        arrival: &Arrival<Packet>,
        sack: Option<SackBlocks>,
    );
}

impl CellKind for Dcf {
    fn build(scenario: &Scenario, seed: u64) -> Self {
        let cell = &scenario.cell;
        let config = DcfConfig {
            phy: cell.timing(),
            control_rate: cell.control_rate(),
            rts_threshold: match cell.rts_threshold {
                RtsThreshold::Off => None,
                RtsThreshold::Bytes(bytes) => Some(bytes),
            },
            mac_overhead: cell.mac_overhead,
            immediate_access: cell.immediate_access,
            short_retry_limit: cell.short_retry_limit,
            long_retry_limit: cell.long_retry_limit,
        };
        let mut rates = vec![RateControl::Fixed(cell.data_rate.rate())];
        for group in &scenario.station {
            let rate = group.data_rate.unwrap_or(cell.data_rate).rate();
            rates.extend((0..group.count).map(|_| RateControl::Fixed(rate)));
        }
        Self::new(config, &rates, seed)
    }

    fn capture_phy(&self) -> AirPhy {
        let phy = &self.config().phy;
        match phy.kind {
            PhyKind::Dot11a => AirPhy::A,
            PhyKind::Dot11g => AirPhy::G,
            PhyKind::Dot11b => AirPhy::B { short_preamble: phy.has_short_preamble() },
        }
    }

    #[cold]
    fn capture(
        &self,
        writer: &mut CaptureWriter,
        arrival: &Arrival<Packet>,
        sack: Option<SackBlocks>,
    ) {
        writer.exchange(self, arrival, sack);
    }
}
