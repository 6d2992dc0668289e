//! What the headers of 802.11 frames have in common (IEEE 802.11-2007 clause 7).

use super::headers::{GATEWAY_MAC, station_mac};

/// A node of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The access point.
    AccessPoint,
    /// A station, counted from 0.
    Station(u32),
}

/// Second byte of the Frame Control field (7.1.3.1).
pub(super) const TO_DS: u8 = 0x01;
pub(super) const FROM_DS: u8 = 0x02;
pub(super) const RETRY: u8 = 0x08;

/// LLC (two SAPs, unnumbered information) and SNAP with the EtherType's organisation code.
pub(super) const LLC_SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];
pub(super) const BROADCAST: [u8; 6] = [0xFF; 6];

pub(super) fn mac(node: Node) -> [u8; 6] {
    match node {
        Node::AccessPoint => GATEWAY_MAC,
        Node::Station(i) => station_mac(i),
    }
}
