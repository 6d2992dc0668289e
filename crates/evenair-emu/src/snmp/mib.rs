//! The objects of the agent: sysUpTime (RFC 3418), and the row of ifTable and ifXTable (RFC 2863)
//! of the access point's radio, whose ifIndex is 1.
//!
//! The interface is between IP and MAC: octets are those of IP packets. What is sent out of it are
//! the packets for the stations.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ber::{COUNTER32, COUNTER64, INTEGER, OCTET_STRING, TIME_TICKS, element, number};

/// The name of the interface.
pub const NAME: &str = "radio0";
/// ifType ieee80211 (IANAifType-MIB).
const IEEE_80211: u64 = 71;
/// ifAdminStatus and ifOperStatus "up" (RFC 2863).
const UP: u64 = 1;

/// The counters of the radio, which the engine writes and the agent reads.
#[derive(Debug, Default)]
pub struct Radio {
    in_packets: AtomicU64,
    in_octets: AtomicU64,
    out_packets: AtomicU64,
    out_octets: AtomicU64,
    discards: AtomicU64,
}

/// The values of the counters at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets from stations.
    pub in_packets: u64,
    /// Their bytes at IP level.
    pub in_octets: u64,
    /// Packets for stations, those included that were discarded.
    pub out_packets: u64,
    /// Bytes at IP level that stations have received.
    pub out_octets: u64,
    /// Packets that the access point's queue has lost.
    pub discards: u64,
}

impl Radio {
    /// Shows these values from now on.
    pub fn write(&self, counters: Counters) {
        for (place, value) in [
            (&self.in_packets, counters.in_packets),
            (&self.in_octets, counters.in_octets),
            (&self.out_packets, counters.out_packets),
            (&self.out_octets, counters.out_octets),
            (&self.discards, counters.discards),
        ] {
            place.store(value, Ordering::Relaxed);
        }
    }

    /// The values of now.
    pub fn read(&self) -> Counters {
        let of = |place: &AtomicU64| place.load(Ordering::Relaxed);
        Counters {
            in_packets: of(&self.in_packets),
            in_octets: of(&self.in_octets),
            out_packets: of(&self.out_packets),
            out_octets: of(&self.out_octets),
            discards: of(&self.discards),
        }
    }
}

/// All objects with their values, encoded, in lexicographic order.
pub struct Mib {
    objects: Vec<(Vec<u32>, Vec<u8>)>,
}

impl Mib {
    /// At the time `uptime` since the start of the agent, in hundredths of a second.
    pub fn new(uptime: u32, counters: Counters) -> Self {
        let system = [1, 3, 6, 1, 2, 1, 1];
        let interfaces = [1, 3, 6, 1, 2, 1, 2];
        let if_entry = [1, 3, 6, 1, 2, 1, 2, 2, 1];
        let ifx_entry = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1];
        let integer = |value| number(INTEGER, value);
        let text = |text: &str| element(OCTET_STRING, text.as_bytes());
        // These wrap (RFC 2578 section 7.1.6).
        let narrow = |value: u64| number(COUNTER32, value & 0xffff_ffff);
        let wide = |value| number(COUNTER64, value);
        let mut objects = vec![
            ([&system[..], &[3, 0]].concat(), number(TIME_TICKS, uptime.into())),
            ([&interfaces[..], &[1, 0]].concat(), integer(1)),
        ];
        for (column, value) in [
            (1, integer(1)),
            (2, text("evenair emulated radio")),
            (3, integer(IEEE_80211)),
            (7, integer(UP)),
            (8, integer(UP)),
            (10, narrow(counters.in_octets)),
            (11, narrow(counters.in_packets)),
            (13, narrow(0)),
            (14, narrow(0)),
            (16, narrow(counters.out_octets)),
            (17, narrow(counters.out_packets)),
            (19, narrow(counters.discards)),
            (20, narrow(0)),
        ] {
            objects.push(([&if_entry[..], &[column, 1]].concat(), value));
        }
        for (column, value) in [
            (1, text(NAME)),
            (6, wide(counters.in_octets)),
            (7, wide(counters.in_packets)),
            (10, wide(counters.out_octets)),
            (11, wide(counters.out_packets)),
            (19, number(TIME_TICKS, 0)),
        ] {
            objects.push(([&ifx_entry[..], &[column, 1]].concat(), value));
        }
        Self { objects }
    }

    /// The value of an object.
    pub fn get(&self, name: &[u32]) -> Option<&[u8]> {
        self.objects.iter().find(|(object, _)| object == name).map(|(_, value)| &value[..])
    }

    /// Whether `name` is of an object that has other instances.
    pub fn has_type(&self, name: &[u32]) -> bool {
        self.objects.iter().any(|(object, _)| name.starts_with(&object[..object.len() - 1]))
    }

    /// The first object after `name`.
    pub fn next(&self, name: &[u32]) -> Option<(&[u32], &[u8])> {
        let next = self.objects.iter().find(|(object, _)| &object[..] > name)?;
        Some((&next.0, &next.1))
    }
}
