//! The symbols of a frame: overhead, room for bursts, capacity.
//!
//! ```text
//! downlink: preamble, FCH | DL-MAP, UL-MAP, [DCD, UCD] | gap, burst | gap, burst ...
//! uplink:   ranging | gap | bandwidth requests | preamble, burst | preamble, burst ...
//! ```
//!
//! Sizes are those of the NIST add-on to ns-2 unless a clause of IEEE 802.16-2004 is given.

use std::fmt;

use crate::medium::wimax::config::{Maps, WimaxConfig};
use crate::medium::wimax::phy::symbol::SymbolSize;
use crate::medium::wimax::phy::{Modulation, TTG};
use crate::packet::Direction;
use crate::time::Duration;

/// The long preamble has 2 symbols and the FCH 1 (8.3.5.1).
const PREAMBLE_AND_FCH: u32 = 3;
/// DL-MAP and UL-MAP with 10 information elements each, bytes.
const LARGEST_MAPS: u32 = 240;
/// Bursts that a DL-MAP of 10 information elements can announce.
const LARGEST_DL_MAP: u32 = 10;
/// Those of a UL-MAP, which also announces the two contention regions.
const LARGEST_UL_MAP: u32 = 8;
/// DL-MAP without and per information element, bytes (6.3.2.3.2, 8.3.6.2).
const DL_MAP: [u32; 2] = [8, 4];
/// UL-MAP without and per information element, bytes (6.3.2.3.4, 8.3.6.3).
const UL_MAP: [u32; 2] = [7, 6];
/// A DCD with 7 burst profiles, bytes.
const DCD: u32 = 25 + 12 * 7;
/// A UCD with 9 burst profiles, bytes.
const UCD: u32 = 17 + 6 * 9;
/// DCD and UCD are sent this often.
pub(in crate::medium::wimax) const DESCRIPTOR_INTERVAL: Duration = Duration::from_secs(5);
/// A ranging opportunity: symbols of preamble, and bytes of RNG-REQ (13) and generic header (6).
const RANGING_OPPORTUNITY: [u32; 2] = [2, 19];
/// A bandwidth request opportunity: symbols of preamble, and bytes of the header (6.3.2.1.2).
const REQUEST_OPPORTUNITY: [u32; 2] = [1, 6];
/// A gap or short preamble before each burst.
const BEFORE_BURST: u32 = 1;

/// The symbols of a frame in which `stations` have traffic in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameAccount {
    /// Symbols of the frame.
    pub symbols: u32,
    /// Those of the downlink subframe.
    pub dl_symbols: u32,
    /// Those of the uplink subframe.
    pub ul_symbols: u32,
    /// DL-MAP and UL-MAP, without the DCD and UCD that some frames have.
    pub map_symbols: u32,
    /// The ranging region.
    pub ranging_symbols: u32,
    /// The region of bandwidth requests.
    pub request_symbols: u32,
    /// Downlink bursts.
    pub dl_bursts: u32,
    /// Uplink bursts.
    pub ul_bursts: u32,
    /// Data symbols of all downlink bursts.
    pub dl_data_symbols: u32,
    /// Data symbols of all uplink bursts.
    pub ul_data_symbols: u32,
    /// Downlink capacity at the cell's modulation with MAC overhead, bit/s.
    pub dl_capacity: f64,
    /// Uplink capacity at the cell's modulation with MAC overhead, bit/s.
    pub ul_capacity: f64,
}

/// A subframe without room for a burst.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameError {
    direction: Direction,
    symbols: u32,
    subframe: u32,
    overhead: u32,
}

impl FrameAccount {
    /// Counts the symbols of each part. As many stations as possible have a burst in each
    /// direction.
    pub fn new(config: &WimaxConfig, stations: u32) -> Result<Self, FrameError> {
        let layout = Layout::new(config)?;
        let filled = |mut room: Room| {
            while room.bursts < stations && room.for_burst() > 0 {
                room.add_burst(1);
            }
            room
        };
        let ul = filled(layout.ul_room());
        let dl = filled(layout.dl_room(ul.bursts, false));
        let (dl_data, ul_data) = (dl.bursts + dl.left(), ul.bursts + ul.left());
        let capacity = |data: u32| {
            f64::from(data * config.bytes_per_symbol * 8) / config.phy.frame().as_secs_f64()
        };
        Ok(Self {
            symbols: layout.dl + layout.ul,
            dl_symbols: layout.dl,
            ul_symbols: layout.ul,
            map_symbols: layout.dl - PREAMBLE_AND_FCH - dl_data - dl.bursts * BEFORE_BURST,
            ranging_symbols: layout.ranging,
            request_symbols: layout.requests,
            dl_bursts: dl.bursts,
            ul_bursts: ul.bursts,
            dl_data_symbols: dl_data,
            ul_data_symbols: ul_data,
            dl_capacity: capacity(dl_data),
            ul_capacity: capacity(ul_data),
        })
    }
}

/// Subframes and overhead of a cell's frames.
#[derive(Clone, Debug)]
pub(in crate::medium::wimax) struct Layout {
    dl: u32,
    ul: u32,
    ranging: u32,
    requests: u32,
    maps: Maps,
    /// DCD and UCD.
    descriptors: u32,
    /// From the start of the frame to the start of each symbol of a subframe, and to its end.
    dl_times: Vec<Duration>,
    ul_times: Vec<Duration>,
}

impl Layout {
    pub(in crate::medium::wimax) fn new(config: &WimaxConfig) -> Result<Self, FrameError> {
        let phy = &config.phy;
        let symbols = phy.symbols();
        let dl = config.dl_share.symbols(symbols);
        let ul = symbols - dl;
        let region = |[preamble, bytes]: [u32; 2]| {
            let bytes = config.contention_slots * bytes;
            config.contention_slots * preamble + bytes.div_ceil(config.bytes_per_symbol)
        };
        let map_size = map_size(config.maps);
        let ul_from = u64::from(dl) * phy.symbol_slots() + TTG;
        let times = |from: u64, symbols: u32| {
            let starts = (0..=u64::from(symbols)).map(|symbol| from + symbol * phy.symbol_slots());
            starts.map(|slots| phy.time(slots)).collect()
        };
        let layout = Self {
            dl,
            ul,
            ranging: region(RANGING_OPPORTUNITY),
            requests: region(REQUEST_OPPORTUNITY),
            maps: config.maps,
            descriptors: map_size.symbols(DCD) + map_size.symbols(UCD),
            dl_times: times(0, dl),
            ul_times: times(ul_from, ul),
        };
        for (direction, subframe, room) in
            [(Direction::Up, ul, layout.ul_room()), (Direction::Down, dl, layout.dl_room(0, false))]
        {
            if room.for_burst() == 0 {
                let overhead = match direction {
                    Direction::Up => layout.before_grants(),
                    Direction::Down => PREAMBLE_AND_FCH + layout.maps(0, 1),
                };
                return Err(FrameError { direction, symbols, subframe, overhead });
            }
        }
        Ok(layout)
    }

    /// Room for uplink bursts.
    pub(in crate::medium::wimax) fn ul_room(&self) -> Room {
        let limit = match self.maps {
            Maps::Maximum => LARGEST_UL_MAP,
            Maps::Actual => u32::MAX,
        };
        let free = self.ul.saturating_sub(self.before_grants());
        Room { free, used: 0, bursts: 0, limit, dl_map: None }
    }

    /// Room for downlink bursts in a frame with this many grants, with or without DCD and UCD.
    pub(in crate::medium::wimax) fn dl_room(&self, grants: u32, descriptors: bool) -> Room {
        let descriptors = if descriptors { self.descriptors } else { 0 };
        let (fixed, limit, dl_map) = match self.maps {
            Maps::Maximum => (self.maps(0, 0), LARGEST_DL_MAP, None),
            Maps::Actual => (ul_map(grants), u32::MAX, Some(map_size(self.maps))),
        };
        let free = self.dl.saturating_sub(PREAMBLE_AND_FCH + fixed + descriptors);
        Room { free, used: 0, bursts: 0, limit, dl_map }
    }

    /// The first symbol behind the broadcast messages.
    pub(in crate::medium::wimax) fn before_bursts(
        &self,
        grants: u32,
        bursts: u32,
        descriptors: bool,
    ) -> u32 {
        let descriptors = if descriptors { self.descriptors } else { 0 };
        PREAMBLE_AND_FCH + self.maps(grants, bursts) + descriptors
    }

    /// The first symbol of the region of bandwidth requests.
    pub(in crate::medium::wimax) fn before_requests(&self) -> u32 {
        self.ranging + BEFORE_BURST
    }

    /// Symbols of a subframe.
    pub(in crate::medium::wimax) fn symbols(&self, direction: Direction) -> u32 {
        match direction {
            Direction::Down => self.dl,
            Direction::Up => self.ul,
        }
    }

    /// The first symbol behind the contention regions.
    pub(in crate::medium::wimax) fn before_grants(&self) -> u32 {
        self.before_requests() + self.requests
    }

    /// From the start of a frame to the start of a symbol of its subframe.
    #[inline(always)]
    pub(in crate::medium::wimax) fn time(&self, direction: Direction, symbol: u32) -> Duration {
        match direction {
            Direction::Down => self.dl_times[symbol as usize],
            Direction::Up => self.ul_times[symbol as usize],
        }
    }

    /// Symbols of DL-MAP and UL-MAP.
    fn maps(&self, grants: u32, bursts: u32) -> u32 {
        let size = map_size(self.maps);
        match self.maps {
            Maps::Maximum => size.symbols(LARGEST_MAPS),
            Maps::Actual => dl_map(size, bursts) + ul_map(grants),
        }
    }
}

/// The modulation of the maps.
fn map_size(maps: Maps) -> SymbolSize {
    let modulation = match maps {
        Maps::Maximum => Modulation::Qam16R12,
        Maps::Actual => Modulation::Qpsk12,
    };
    SymbolSize::new(modulation.bytes_per_symbol())
}

fn dl_map(size: SymbolSize, bursts: u32) -> u32 {
    size.symbols(DL_MAP[0] + DL_MAP[1] * bursts)
}

fn ul_map(grants: u32) -> u32 {
    map_size(Maps::Actual).symbols(UL_MAP[0] + UL_MAP[1] * (grants + 2))
}

/// What is left of a subframe while bursts are scheduled.
#[derive(Clone, Copy, Debug)]
pub(in crate::medium::wimax) struct Room {
    /// Symbols for bursts, and for the DL-MAP where its size depends on them.
    free: u32,
    used: u32,
    bursts: u32,
    limit: u32,
    dl_map: Option<SymbolSize>,
}

impl Room {
    /// Data symbols that one more burst can have.
    pub(in crate::medium::wimax) fn for_burst(&self) -> u32 {
        if self.bursts == self.limit {
            return 0;
        }
        self.behind(self.bursts + 1).saturating_sub(BEFORE_BURST)
    }

    /// Data symbols that the bursts can have in addition.
    pub(in crate::medium::wimax) fn left(&self) -> u32 {
        self.behind(self.bursts)
    }

    /// Adds a burst of this many data symbols.
    pub(in crate::medium::wimax) fn add_burst(&mut self, symbols: u32) {
        self.bursts += 1;
        self.used += BEFORE_BURST + symbols;
    }

    /// Adds data symbols to a burst.
    pub(in crate::medium::wimax) fn extend_burst(&mut self, symbols: u32) {
        self.used += symbols;
    }

    /// Data symbols that there are for the bursts that have been added.
    pub(in crate::medium::wimax) fn capacity(&self) -> u32 {
        let map = self.dl_map.map_or(0, |size| dl_map(size, self.bursts));
        self.free.saturating_sub(map + self.bursts * BEFORE_BURST)
    }

    /// Symbols that are not used, of a subframe with this many bursts.
    fn behind(&self, bursts: u32) -> u32 {
        let map = self.dl_map.map_or(0, |size| dl_map(size, bursts));
        self.free.saturating_sub(self.used + map)
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, symbols, subframe, overhead } = self;
        let (name, parts) = match direction {
            Direction::Down => ("downlink", "preamble, FCH and maps"),
            Direction::Up => ("uplink", "the contention regions"),
        };
        write!(
            f,
            "the {name} has {subframe} of {symbols} symbols, {parts} take {overhead}, and a burst \
             takes 2 or more; accepted: at least {} symbols for the {name}",
            overhead + 2
        )
    }
}

impl std::error::Error for FrameError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::wimax::DlShare;
    use crate::medium::wimax::phy::OfdmPhy;

    fn config(dl: u32, maps: Maps) -> WimaxConfig {
        let dl_share = DlShare::Ratio { dl, ul: 1 };
        WimaxConfig { dl_share, maps, ..WimaxConfig::new(OfdmPhy::default()) }
    }

    /// By hand at 1:1: 73 symbols each. Downlink: 3 + 6 of overhead and one gap. Uplink: regions of
    /// 5 (2 + 19/107) = 10.9 and 5 (1 + 6/107) = 5.3 symbols, a gap, and one preamble.
    #[test]
    fn one_station() {
        let account = FrameAccount::new(&config(1, Maps::Maximum), 1).unwrap();
        let expected = FrameAccount {
            symbols: 146,
            dl_symbols: 73,
            ul_symbols: 73,
            map_symbols: 6,
            ranging_symbols: 11,
            request_symbols: 6,
            dl_bursts: 1,
            ul_bursts: 1,
            dl_data_symbols: 63,
            ul_data_symbols: 54,
            dl_capacity: 63.0 * 856.0 / 0.005,
            ul_capacity: 54.0 * 856.0 / 0.005,
        };
        assert_eq!(account, expected);
    }

    /// At 6:1 the uplink has 21 - 18 symbols: one burst for any number of stations. Maps have room
    /// for 10 and 8 bursts.
    #[test]
    fn bursts_are_limited_by_room_and_maps() {
        let account = |dl, stations| {
            let account = FrameAccount::new(&config(dl, Maps::Maximum), stations).unwrap();
            let FrameAccount { dl_bursts, dl_data_symbols, ul_bursts, ul_data_symbols, .. } =
                account;
            [dl_bursts, dl_data_symbols, ul_bursts, ul_data_symbols]
        };
        assert_eq!(account(6, 6), [6, 110, 1, 2]);
        assert_eq!(account(5, 6), [6, 106, 3, 4]);
        assert_eq!(account(1, 12), [10, 54, 8, 47]);
        assert_eq!(account(1, 0), [0, 64, 0, 55]);
    }

    /// By hand with 23 bytes in a symbol: DL-MAPs of 12 and 32 bytes, UL-MAPs of 25 and 55.
    #[test]
    fn actual_maps_grow_with_bursts() {
        for (stations, maps) in [(1, 1 + 2), (6, 2 + 3)] {
            let account = FrameAccount::new(&config(1, Maps::Actual), stations).unwrap();
            assert_eq!(account.map_symbols, maps);
            assert_eq!(account.dl_data_symbols, 73 - 3 - maps - stations);
            assert_eq!((account.dl_bursts, account.ul_bursts), (stations, stations));
        }
    }

    /// At 7:1 the uplink has 19 symbols; 1:14 leaves 9 to the downlink.
    #[test]
    fn a_frame_without_room_is_refused() {
        let refused = |config: &WimaxConfig| FrameAccount::new(config, 1).unwrap_err().to_string();
        assert_eq!(
            refused(&config(7, Maps::Maximum)),
            "the uplink has 19 of 146 symbols, the contention regions take 18, and a burst \
             takes 2 or more; accepted: at least 20 symbols for the uplink"
        );
        let dl_share = DlShare::Ratio { dl: 1, ul: 14 };
        assert_eq!(
            refused(&WimaxConfig { dl_share, ..config(1, Maps::Maximum) }),
            "the downlink has 9 of 146 symbols, preamble, FCH and maps take 9, and a burst \
             takes 2 or more; accepted: at least 11 symbols for the downlink"
        );
        assert!(FrameAccount::new(&config(6, Maps::Maximum), 1).is_ok());
    }
}
