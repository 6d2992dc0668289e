//! Records of a capture file: numbers in its byte order, link-layer headers.

/// The end of errors about files that are damaged.
pub(super) const WHOLE: &str = "accepted: a whole capture file";

/// A record of a file.
pub(super) struct Record<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// Nanoseconds since an epoch of the file.
    pub(super) time: u128,
    pub(super) link: Link,
    /// What was captured.
    pub(super) data: &'a [u8],
    /// How long it was on the link.
    pub(super) length: u32,
}

/// A link-layer header type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link(pub(super) u16);

/// Records of another type may be anything: IP in them would be missed.
const ACCEPTED_LINKS: &str =
    "Ethernet (1), raw IP (101, 228, 229), loopback (0, 108), Linux cooked (113, 276)";

impl Link {
    const LOOPBACK: [Self; 2] = [Self(0), Self(108)];
    const ETHERNET: Self = Self(1);
    const RAW: [Self; 3] = [Self(101), Self(228), Self(229)];
    const COOKED: Self = Self(113);
    const COOKED_V2: Self = Self(276);

    /// Where the IP packet of `data` begins; none if it has another protocol, or is too short to tell.
    pub(super) fn ip_at(self, data: &[u8]) -> Result<Option<usize>, String> {
        Ok(match self {
            Self::ETHERNET => ethernet(data),
            Self::COOKED => (is_ip(ether_type(data, 14))).then_some(16),
            Self::COOKED_V2 => (is_ip(ether_type(data, 0))).then_some(20),
            link if Self::RAW.contains(&link) => Some(0),
            // The family of the address, of which the version of the packet tells as much.
            link if Self::LOOPBACK.contains(&link) => Some(4),
            Self(link) => return Err(format!("got link type {link}; accepted: {ACCEPTED_LINKS}")),
        })
    }
}

/// Behind any VLAN tags (IEEE 802.1Q-2018 9.6).
fn ethernet(data: &[u8]) -> Option<usize> {
    let mut at = 12;
    while let Some(0x8100 | 0x88a8) = ether_type(data, at) {
        at += 4;
    }
    is_ip(ether_type(data, at)).then_some(at + 2)
}

fn ether_type(data: &[u8], at: usize) -> Option<u16> {
    array(data, at).map(u16::from_be_bytes)
}

fn is_ip(ether_type: Option<u16>) -> bool {
    matches!(ether_type, Some(0x0800 | 0x86dd))
}

/// The bytes from `at` on, if there are as many.
pub(super) fn array<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..)?.first_chunk().copied()
}

/// Reads numbers of a file's byte order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) is_big_endian: bool,
}

impl Order {
    pub(super) fn u16(self, data: &[u8], at: usize) -> Option<u16> {
        let bytes = array(data, at)?;
        Some(if self.is_big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    pub(super) fn u32(self, data: &[u8], at: usize) -> Option<u32> {
        let bytes = array(data, at)?;
        Some(if self.is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}
