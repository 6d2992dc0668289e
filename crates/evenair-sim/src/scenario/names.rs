//! Values that are selected by name.

use evenair_core::component::{BitRate, named};
use evenair_core::medium::wlan::phy::Phy;

use super::choices::Preamble;

named! {
    /// The kind of medium.
    pub enum CellKind {
        /// IEEE 802.11 DCF.
        #[default]
        Wlan => "wlan",
    }
    planned ["wimax"]
}

named! {
    /// The physical layer.
    pub enum PhyKind {
        /// IEEE 802.11b: DSSS and CCK, 1 to 11 Mbit/s.
        #[default]
        Dot11b => "802.11b",
        /// IEEE 802.11a: OFDM at 5 GHz, 6 to 54 Mbit/s.
        Dot11a => "802.11a",
        /// IEEE 802.11g without 802.11b stations: OFDM at 2.4 GHz, 6 to 54 Mbit/s.
        Dot11g => "802.11g",
    }
    planned []
}

named! {
    /// Where a flow's data go.
    pub enum Direction {
        /// From the station to the wired server.
        Up => "up",
        /// From the wired server to the station.
        #[default]
        Down => "down",
    }
    planned []
}

named! {
    /// What each of the first two duplicate ACKs permits to be sent beyond cwnd.
    pub enum LimitedTransmit {
        /// Nothing.
        Off => "off",
        /// A segment that has never been sent (RFC 3042).
        #[default]
        New => "new",
        /// The next segment in turn, after a timeout one that was sent before, as in ns-2.
        Any => "any",
    }
    planned []
}

impl PhyKind {
    /// Slots, interframe spaces and airtimes; `preamble` is 802.11b's.
    pub fn timing(self, preamble: Option<Preamble>) -> Phy {
        match self {
            Self::Dot11b => Phy::dot11b(preamble.unwrap_or(Preamble::Long).duration()),
            Self::Dot11a => Phy::dot11a(),
            Self::Dot11g => Phy::dot11g(),
        }
    }

    /// The rates to choose from, slowest first.
    pub fn rates(self) -> impl DoubleEndedIterator<Item = BitRate> {
        self.timing(None).rates.iter().map(|rate| BitRate::from_bps(rate.as_bps()))
    }

    /// The rate of data frames where the scenario names none: the fastest.
    pub fn default_data_rate(self) -> BitRate {
        self.rates().next_back().expect("every PHY has rates")
    }

    /// The rate of control frames where the scenario names none: the fastest mandatory one
    /// that every station of the PHY's first standard has.
    pub fn default_control_rate(self) -> BitRate {
        match self {
            Self::Dot11b => BitRate::from_bps(2_000_000),
            Self::Dot11a | Self::Dot11g => BitRate::from_bps(24_000_000),
        }
    }
}
