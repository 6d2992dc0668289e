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

named! {
    /// How the retransmission timeout follows from round-trip times.
    pub enum RtoFormula {
        /// RFC 6298: `min_rto` bounds the timeout.
        Rfc6298 => "rfc6298",
        /// Linux: `min_rto` bounds what is added to SRTT.
        #[default]
        Linux => "linux",
    }
    planned []
}

named! {
    /// When an unanswered SYN, or the request after it, is repeated.
    pub enum SynTimer {
        /// Exactly after the timeout.
        Exact => "exact",
        /// On the ticks of Linux's timer wheel, on a clock of the flow's own.
        #[default]
        Linux => "linux",
    }
    planned []
}
