//! Values that are selected by name.

use evenair_core::component::named;

named! {
    /// The kind of medium.
    pub enum CellKind {
        /// IEEE 802.11 DCF.
        #[default]
        Wlan => "wlan",
        /// IEEE 802.16, OFDM with time division duplex.
        Wimax => "wimax",
    }
    planned []
}

named! {
    /// The kind of a WLAN cell.
    pub enum WlanKind {
        /// IEEE 802.11 DCF.
        #[default]
        Wlan => "wlan",
    }
    planned []
}

named! {
    /// The frequency band of a WLAN cell.
    pub enum Band {
        /// 5 GHz.
        #[default]
        Five => "5 GHz",
        /// 2.4 GHz.
        TwoPointFour => "2.4 GHz",
    }
    planned []
}

named! {
    /// An access point of which much is known, for `cell.access_point`.
    pub enum AccessPoint {
        /// mac80211 and a driver of Linux 6.
        #[default]
        Linux => "linux",
    }
    planned []
}

named! {
    /// The network stack of a host of which much is known, for `station.stack`.
    pub enum Stack {
        /// mac80211 and TCP of Linux 6.
        #[default]
        Linux => "linux",
    }
    planned []
}

named! {
    /// The kind of a WiMAX cell.
    pub enum WimaxKind {
        /// IEEE 802.16, OFDM with time division duplex.
        #[default]
        Wimax => "wimax",
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
        /// Two flows: one up, and one down.
        Both => "both",
    }
    planned []
}
