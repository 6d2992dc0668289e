//! Values that are selected by name.

use evenair_core::component::named;

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
