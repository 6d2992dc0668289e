//! A-MSDUs: MPDUs with several packets for one receiver (IEEE 802.11-2020 9.3.2.2.2).
//!
//! Each packet is a subframe of a header of 14 bytes, LLC/SNAP and the IP packet, padded to a multiple of 4 bytes but
//! the last. The MPDU has one sequence number and one FCS: its packets are lost, acknowledged and passed on together.
//! An MPDU with one packet has no subframe.

use super::config::ALIGNMENT;
use crate::medium::PacketId;

/// Destination, source and length of a subframe (9.3.2.2.2).
const SUBFRAME_HEADER: u32 = 14;
/// LLC and SNAP (RFC 1042), which each packet has.
const LLC_SNAP: u32 = 8;

/// An MPDU to which packets are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Msdus {
    /// How many packets it has.
    pub(super) count: u16,
    /// Bytes of all their IP packets.
    pub(super) payload: u32,
    /// Bytes of the A-MSDU of all; of an MPDU with one those of its only subframe.
    length: u32,
}

impl Msdus {
    /// Those of an MPDU of `bytes` with `count` packets of `payload` bytes, where an IP packet alone has `overhead` more.
    pub(super) const fn of(count: u16, payload: u32, bytes: u32, overhead: u32) -> Self {
        let length = match count {
            1 => SUBFRAME_HEADER + LLC_SNAP + payload,
            _ => Self::within(bytes, overhead),
        };
        Self { count, payload, length }
    }

    /// The bytes of an IP packet that can be added, so that the A-MSDU has at most `most` bytes; `None` without room.
    pub(super) fn room(&self, most: u32) -> Option<u32> {
        let start = self.length.next_multiple_of(ALIGNMENT) + SUBFRAME_HEADER + LLC_SNAP;
        most.checked_sub(start).filter(|room| *room > 0)
    }

    /// Adds an IP packet of `bytes`.
    pub(super) const fn add(&mut self, bytes: u32) {
        self.count += 1;
        self.payload += bytes;
        let start = self.length.next_multiple_of(ALIGNMENT) + SUBFRAME_HEADER + LLC_SNAP;
        self.length = start + bytes;
    }

    /// The bytes of the MPDU, where an IP packet alone has `overhead` more.
    pub(super) const fn mpdu(&self, overhead: u32) -> u32 {
        if self.count == 1 {
            return self.payload + overhead;
        }
        self.length + overhead.saturating_sub(LLC_SNAP)
    }

    /// What of an MPDU of `bytes` is left for an A-MSDU, where an IP packet alone has `overhead` more.
    pub(super) const fn within(bytes: u32, overhead: u32) -> u32 {
        bytes.saturating_sub(overhead.saturating_sub(LLC_SNAP))
    }
}

/// The packets of A-MSDUs, by the first of each, which names the MPDU. Those of an MPDU stay until its first
/// packet begins another one.
#[derive(Debug, Default)]
pub(super) struct Amsdus {
    others: Vec<Vec<PacketId>>,
}

impl Amsdus {
    /// `first` begins an MPDU.
    #[inline(always)]
    pub(super) fn begin(&mut self, first: PacketId) {
        if let Some(others) = self.others.get_mut(first.0 as usize) {
            others.clear();
        }
    }

    /// The MPDU of `first` gets another packet.
    pub(super) fn add(&mut self, first: PacketId, other: PacketId) {
        let place = first.0 as usize;
        if self.others.len() <= place {
            self.others.resize_with(place + 1, Vec::new);
        }
        self.others[place].push(other);
    }

    /// Whether there has been none: each MPDU has one packet.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.others.is_empty()
    }

    /// The packets of the MPDU of `first`, in order.
    #[inline(never)] // not needed where there has been none
    pub(super) fn packets(
        &self,
        first: PacketId,
    ) -> impl DoubleEndedIterator<Item = PacketId> + Clone {
        let others = self.others.get(first.0 as usize).map_or(&[][..], Vec::as_slice);
        std::iter::once(first).chain(others.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: subframes of 14 + 8 + 1,500 = 1,522 bytes, padded to 1,524; 26 bytes of QoS header and 4 of FCS. Packets
    /// of 40 bytes have subframes of 62, padded to 64.
    #[test]
    fn sizes_of_a_msdus() {
        let mut msdus = Msdus::of(1, 1500, 1538, 38);
        assert_eq!(msdus.mpdu(38), 1538);
        assert_eq!(msdus.room(3839), Some(3839 - 1524 - 22));
        msdus.add(1500);
        assert_eq!((msdus.count, msdus.payload), (2, 3000));
        assert_eq!(msdus.mpdu(38), 26 + 4 + 1524 + 1522);
        assert_eq!(Msdus::of(2, 3000, 26 + 4 + 1524 + 1522, 38), msdus);
        assert_eq!(msdus.room(3839), Some(3839 - 3048 - 22));
        assert_eq!(msdus.room(3070), None);
        msdus.add(40);
        assert_eq!(msdus.mpdu(38), 30 + 1524 + 1524 + 62);
        msdus.add(40);
        assert_eq!(msdus.mpdu(38), 30 + 1524 + 1524 + 64 + 62);
        assert_eq!(Msdus::within(msdus.mpdu(38), 38), 1524 + 1524 + 64 + 62);
    }

    #[test]
    fn packets_of_an_mpdu_stay_until_its_name_begins_another() {
        let [a, b, c] = [5, 2, 7].map(PacketId);
        let mut amsdus = Amsdus::default();
        amsdus.begin(a);
        assert_eq!(amsdus.packets(a).collect::<Vec<_>>(), [a]);
        amsdus.add(a, b);
        amsdus.add(a, c);
        assert_eq!(amsdus.packets(a).collect::<Vec<_>>(), [a, b, c]);
        amsdus.begin(a);
        assert_eq!(amsdus.packets(a).collect::<Vec<_>>(), [a]);
    }
}
