//! What a capture of the air says of the cell.

use evenair_core::medium::TxVector;
use evenair_core::medium::wlan::phy::{Phy, PhyKind};
use evenair_core::medium::wlan::{ControlRate, EdcaParameters, beacon_bytes};
use evenair_core::time::{Duration, Instant};

use super::{AirPhy, Beacon};

/// An 802.11 cell whose frames are captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapturedCell {
    kind: PhyKind,
    pub(super) phy: AirPhy,
    /// [`Beacon::basic_rates`].
    basic_rates: u128,
    /// Time between two beacons, time units.
    beacon_interval: u16,
}

impl CapturedCell {
    /// A cell with this timing, whose beacons are `beacon_interval` apart.
    pub(crate) fn new(phy: &Phy, control_rate: ControlRate, beacon_interval: Duration) -> Self {
        let possible = phy.kind.possible_basic_rates().into_iter().map(|rate| rate.rate());
        let basic = possible.filter(|rate| control_rate.is_basic(*rate));
        Self {
            kind: phy.kind,
            phy: match phy.kind {
                // Control frames of the others are those of 802.11a: see [`Self::with_edca`].
                PhyKind::Dot11a | PhyKind::Dot11n | PhyKind::Dot11ac | PhyKind::Dot11ax => {
                    AirPhy::A
                }
                PhyKind::Dot11g => AirPhy::G,
                PhyKind::Dot11b => AirPhy::B { short_preamble: phy.has_short_preamble() },
            },
            basic_rates: basic.map(|rate| 1 << (rate.as_bps() / 500_000)).sum(),
            beacon_interval: time_units(beacon_interval),
        }
    }

    /// The same with a PHY that has MCS, and `mode` for data. Where `has_ldpc` they have LDPC. Stations contend with
    /// `access`.
    pub(crate) fn with_edca(
        self,
        kind: PhyKind,
        mode: TxVector,
        has_ldpc: bool,
        access: EdcaParameters,
    ) -> Self {
        // OFDM, and so the control frames, are those of 802.11g at 2.4 GHz.
        let is_at_2_ghz = self.phy == AirPhy::G;
        let phy = AirPhy::HighThroughput { mode, is_at_2_ghz, has_ldpc, access };
        Self { kind, phy, ..self }
    }

    /// Whether it has EDCA.
    pub(super) fn has_edca(&self) -> bool {
        matches!(self.phy, AirPhy::HighThroughput { .. })
    }

    /// The beacon of `bytes` that begins at `start`.
    pub(super) fn beacon(&self, start: Instant, bytes: u32, sequence: u16) -> Beacon {
        Beacon {
            timestamp_us: start.as_nanos() / 1000,
            interval: self.beacon_interval,
            basic_rates: self.basic_rates,
            sequence,
            further_bytes: (bytes - beacon_bytes(self.kind)) as u8,
        }
    }
}

/// A Beacon Interval field: time units of 1024 us (IEEE 802.11-2007 7.3.1.3), rounded to the nearest.
fn time_units(span: Duration) -> u16 {
    const TIME_UNIT: u64 = 1_024_000;
    u16::try_from((span.as_nanos() + TIME_UNIT / 2) / TIME_UNIT).unwrap_or(u16::MAX)
}
