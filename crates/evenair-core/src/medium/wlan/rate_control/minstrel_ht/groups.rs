//! The modes of a link in groups, and the time that a packet of average size takes in each.

use std::cmp::Reverse;

use crate::medium::wlan::high_throughput;
use crate::medium::wlan::phy::Phy;
use crate::medium::{PhyFormat, PhyMode, TxVector};
use crate::time::Duration;

/// Bytes of the packets that are compared, and how many an A-MPDU has of them.
const PACKET_BYTES: u64 = 1200;
const PACKETS: u64 = 16;
const FCS_BYTES: u64 = 4;
/// Places of a group: MCS 0 to 9, with HE 0 to 11.
const PLACES: usize = 10;
const PLACES_HE: usize = 12;
/// A guard interval below this is a short one of HT and VHT.
const LONG_GUARD: Duration = Duration::from_nanos(800);

/// A mode: a place in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RateId {
    group: u8,
    place: u8,
}

impl RateId {
    /// The mode at `place` of `group`; there are at most 96 groups: four widths, three guard intervals, eight streams.
    pub(super) const fn new(group: usize, place: usize) -> Self {
        Self { group: group as u8, place: place as u8 }
    }

    /// Its group.
    pub(super) fn group(self) -> usize {
        usize::from(self.group)
    }

    /// Its place there.
    pub(super) fn place(self) -> usize {
        usize::from(self.place)
    }
}

/// The modes of one format, width, guard interval and number of streams.
#[derive(Clone, Debug)]
struct Group {
    format: PhyFormat,
    streams: u8,
    /// By MCS; those without MCS by rate.
    modes: [Option<Mode>; PLACES_HE],
}

#[derive(Clone, Copy, Debug)]
struct Mode {
    /// Its index in the modes of the link.
    index: usize,
    /// Of a packet, nanoseconds.
    duration: u64,
}

/// All groups of a link.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    groups: Vec<Group>,
    places: usize,
}

impl Groups {
    /// In the order of Linux: HT, DSSS, OFDM, VHT, and HE behind them; from narrow to wide, from the longest guard
    /// interval to the shortest, from one stream to many.
    pub(super) fn new(phy: &Phy, modes: &[(PhyMode, TxVector)]) -> Self {
        let key = |mode: &TxVector| {
            let format = match mode.format {
                PhyFormat::Ht => 0,
                PhyFormat::Dsss => 1,
                PhyFormat::Ofdm => 2,
                PhyFormat::Vht => 3,
                PhyFormat::He => 4,
            };
            (format, mode.width_hz, Reverse(mode.guard_interval), mode.streams)
        };
        let mut keys: Vec<_> = modes.iter().map(|(_, mode)| key(mode)).collect();
        keys.sort_unstable();
        keys.dedup();
        let group_of = |wanted| {
            let of_group = modes.iter().enumerate().filter(|(_, (_, mode))| key(mode) == wanted);
            Group::new(phy, of_group.map(|(index, (_, mode))| (index, mode)))
        };
        let groups: Vec<Group> = keys.into_iter().filter_map(group_of).collect();
        let has_he = groups.iter().any(|group| group.format == PhyFormat::He);
        Self { groups, places: if has_he { PLACES_HE } else { PLACES } }
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Places of a group.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// The modes of a group, ascending.
    pub(super) fn rates(&self, group: usize) -> impl DoubleEndedIterator<Item = RateId> + use<> {
        let modes = self.groups[group].modes;
        let places = (0..PLACES_HE).filter(move |&place| modes[place].is_some());
        places.map(move |place| RateId::new(group, place))
    }

    /// The lowest mode of a group.
    pub(super) fn lowest(&self, group: usize) -> RateId {
        let rate = self.rates(group).next();
        rate.unwrap_or(RateId::new(group, 0))
    }

    /// Whether the link has this mode.
    pub(super) fn has(&self, rate: RateId) -> bool {
        self.mode(rate).is_some()
    }

    /// Whether the modes of a group have no MCS, and so no A-MPDUs.
    pub(super) fn is_legacy(&self, group: usize) -> bool {
        self.is_dsss(group) || self.groups[group].format == PhyFormat::Ofdm
    }

    /// Whether they are those of 802.11b.
    pub(super) fn is_dsss(&self, group: usize) -> bool {
        self.groups[group].format == PhyFormat::Dsss
    }

    /// Whether they are those of HT.
    pub(super) fn is_ht(&self, group: usize) -> bool {
        self.groups[group].format == PhyFormat::Ht
    }

    /// The first group with MCS.
    pub(super) fn first_with_mcs(&self) -> Option<usize> {
        (0..self.len()).find(|&group| !self.is_legacy(group))
    }

    /// Spatial streams of a group.
    pub(super) fn streams(&self, group: usize) -> u8 {
        self.groups[group].streams
    }

    /// The time of a packet in a mode, nanoseconds.
    pub(super) fn duration(&self, rate: RateId) -> u64 {
        self.mode(rate).map_or(u64::MAX, |mode| mode.duration)
    }

    /// The index of a mode in those of the link.
    pub(super) fn index(&self, rate: RateId) -> usize {
        self.mode(rate).map_or(0, |mode| mode.index)
    }

    fn mode(&self, rate: RateId) -> Option<Mode> {
        self.groups[rate.group()].modes[rate.place()]
    }
}

impl Group {
    fn new<'a>(phy: &Phy, of: impl Iterator<Item = (usize, &'a TxVector)>) -> Option<Self> {
        let mut modes = [None; PLACES_HE];
        let mut first = None;
        for (rank, (index, mode)) in of.enumerate() {
            let duration = packet_nanos(phy, mode);
            let (vector, longest) = *first.get_or_insert((mode, duration));
            let place = mode.mcs.map_or(rank, |mcs| usize::from(mcs.0));
            // Linux stores 16 bits of each duration, those that the longest needs.
            let shift = (u64::BITS - longest.leading_zeros()).saturating_sub(16);
            modes[place] = Some(Mode { index, duration: duration >> shift << shift });
            debug_assert_eq!(vector.streams, mode.streams);
        }
        let (vector, _) = first?;
        Some(Self { format: vector.format, streams: vector.streams, modes })
    }
}

/// A packet's part of an A-MPDU without preamble; without MCS the whole frame with preamble and SIFS. Nanoseconds.
fn packet_nanos(phy: &Phy, mode: &TxVector) -> u64 {
    let frame_bits = 8 * (PACKET_BYTES + FCS_BYTES);
    let rate = mode.rate.as_bps() / 100_000;
    match mode.format {
        PhyFormat::Dsss => {
            let is_short = phy.has_short_preamble() && rate > 10;
            1000 * (10 + if is_short { 72 + 24 } else { 144 + 48 } + frame_bits * 10 / rate)
        }
        // Service and tail bits are not scaled by ten, as in Linux.
        PhyFormat::Ofdm => 1000 * (16 + 16 + 4 + 4 * ((16 + frame_bits * 10 + 6) / (rate * 4))),
        PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => {
            let (bits, time) = high_throughput::symbols(&TxVector { streams: 1, ..*mode });
            let symbols = (8 * PACKET_BYTES * PACKETS).div_ceil(bits * u64::from(mode.streams));
            let nanos = if mode.format != PhyFormat::He && mode.guard_interval < LONG_GUARD {
                (symbols * 18_000 + 4_000) / 5
            } else {
                symbols * time.as_nanos()
            };
            nanos / PACKETS
        }
    }
}
