//! The account of packets: what was read is what was written, dropped, or is still under way.

use serde::Serialize;

/// Packets since the start of the engine. A packet that the gateway forwards is read and written
/// twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Read from devices.
    pub read: u64,
    /// Written to devices.
    pub written: u64,
    /// Dropped, by reason.
    pub dropped: Dropped,
    /// Under way at the end: waiting in queues, or on the air or a link.
    pub in_flight: u64,
}

/// Packets dropped, by reason. What the gateway's policer drops it drops between two devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// By queues of nodes and links, filtered acknowledgements included.
    pub queue: u64,
    /// By a MAC at its retry limit, or with a bandwidth request that was given up.
    pub retry_limit: u64,
    /// By loss models of the air and of links.
    pub error: u64,
    /// Larger than the largest packet of any flow of the scenario.
    pub too_large: u64,
    /// Neither IPv4 nor IPv6.
    pub not_ip: u64,
    /// To an address that no node has on that side, such as a multicast address.
    pub no_route: u64,
    /// Refused by the device that they came out at, which is down or full.
    pub device_full: u64,
}

impl Account {
    /// Packets of which it is not known what became of them: 0, but for an error.
    pub fn unaccounted(&self) -> i64 {
        let Dropped { queue, retry_limit, error, too_large, not_ip, no_route, device_full } =
            self.dropped;
        let dropped = queue + retry_limit + error + too_large + not_ip + no_route + device_full;
        self.read.cast_signed() - (self.written + dropped + self.in_flight).cast_signed()
    }
}
