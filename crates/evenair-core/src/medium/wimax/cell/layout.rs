//! The symbols of a frame: overhead, room for bursts, capacity.
//!
//! ```text
//! downlink: preamble, FCH | DL-MAP, UL-MAP, [DCD, UCD] | gap, burst | gap, burst ...
//! uplink:   ranging | gap | bandwidth requests | preamble, burst | preamble, burst ...
//! ```
//!
//! Sizes are those of the NIST add-on to ns-2 unless a clause of IEEE 802.16-2004 is given.

use std::fmt;

use crate::medium::wimax::config::WimaxConfig;
use crate::medium::wimax::frame::maps::{LARGEST_DL_MAP, LARGEST_UL_MAP, Maps, ul_map};
use crate::medium::wimax::frame::room::{BEFORE_BURST, Room};
use crate::medium::wimax::phy::TTG;
use crate::packet::Direction;
use crate::time::Duration;

/// The long preamble has 2 symbols and the FCH 1 (8.3.5.1).
const PREAMBLE_AND_FCH: u32 = 3;
/// A ranging opportunity: symbols of preamble, and bytes of RNG-REQ (13) and generic header (6).
const RANGING_OPPORTUNITY: [u32; 2] = [2, 19];
/// A bandwidth request opportunity: symbols of preamble, and bytes of the header (6.3.2.1.2).
const REQUEST_OPPORTUNITY: [u32; 2] = [1, 6];
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
            while room.bursts() < stations && room.for_burst() > 0 {
                room.add_burst(1);
            }
            room
        };
        let ul = filled(layout.ul_room());
        let dl = filled(layout.dl_room(ul.bursts(), false));
        let (dl_data, ul_data) = (dl.bursts() + dl.left(), ul.bursts() + ul.left());
        let capacity = |data: u32| {
            f64::from(data * config.bytes_per_symbol * 8) / config.phy.frame().as_secs_f64()
        };
        Ok(Self {
            symbols: layout.dl + layout.ul,
            dl_symbols: layout.dl,
            ul_symbols: layout.ul,
            map_symbols: layout.dl - PREAMBLE_AND_FCH - dl_data - dl.bursts() * BEFORE_BURST,
            ranging_symbols: layout.ranging,
            request_symbols: layout.requests,
            dl_bursts: dl.bursts(),
            ul_bursts: ul.bursts(),
            dl_data_symbols: dl_data,
            ul_data_symbols: ul_data,
            dl_capacity: capacity(dl_data),
            ul_capacity: capacity(ul_data),
        })
    }
}

/// Subframes and overhead of a cell's frames.
#[derive(Clone, Debug)]
pub(super) struct Layout {
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
    pub(super) fn new(config: &WimaxConfig) -> Result<Self, FrameError> {
        let phy = &config.phy;
        let symbols = phy.symbols();
        let dl = config.dl_share.symbols(symbols);
        let ul = symbols - dl;
        let region = |[preamble, bytes]: [u32; 2]| {
            let bytes = config.contention_slots * bytes;
            config.contention_slots * preamble + bytes.div_ceil(config.bytes_per_symbol)
        };
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
            descriptors: config.maps.descriptors(),
            dl_times: times(0, dl),
            ul_times: times(ul_from, ul),
        };
        for (direction, subframe, room) in
            [(Direction::Up, ul, layout.ul_room()), (Direction::Down, dl, layout.dl_room(0, false))]
        {
            if room.for_burst() == 0 {
                let overhead = match direction {
                    Direction::Up => layout.before_grants(),
                    Direction::Down => PREAMBLE_AND_FCH + layout.maps.symbols(0, 1),
                };
                return Err(FrameError { direction, symbols, subframe, overhead });
            }
        }
        Ok(layout)
    }

    /// Room for uplink bursts.
    pub(super) fn ul_room(&self) -> Room {
        let limit = match self.maps {
            Maps::Maximum => LARGEST_UL_MAP,
            Maps::Actual => u32::MAX,
        };
        let free = self.ul.saturating_sub(self.before_grants());
        Room::new(free, limit, None)
    }

    /// Room for downlink bursts in a frame with this many grants, with or without DCD and UCD.
    pub(super) fn dl_room(&self, grants: u32, descriptors: bool) -> Room {
        let descriptors = if descriptors { self.descriptors } else { 0 };
        let (fixed, limit, dl_map) = match self.maps {
            Maps::Maximum => (self.maps.symbols(0, 0), LARGEST_DL_MAP, None),
            Maps::Actual => {
                let size = self.maps.symbol();
                (ul_map(size, grants), u32::MAX, Some(size))
            }
        };
        let free = self.dl.saturating_sub(PREAMBLE_AND_FCH + fixed + descriptors);
        Room::new(free, limit, dl_map)
    }

    /// The first symbol behind the broadcast messages.
    pub(super) fn before_bursts(&self, grants: u32, bursts: u32, descriptors: bool) -> u32 {
        let descriptors = if descriptors { self.descriptors } else { 0 };
        PREAMBLE_AND_FCH + self.maps.symbols(grants, bursts) + descriptors
    }

    /// The first symbol of the region of bandwidth requests.
    pub(super) fn before_requests(&self) -> u32 {
        self.ranging + BEFORE_BURST
    }

    /// Symbols of a subframe.
    pub(super) fn symbols(&self, direction: Direction) -> u32 {
        match direction {
            Direction::Down => self.dl,
            Direction::Up => self.ul,
        }
    }

    /// The first symbol behind the contention regions.
    pub(super) fn before_grants(&self) -> u32 {
        self.before_requests() + self.requests
    }

    /// From the start of a frame to the start of a symbol of its subframe.
    pub(super) fn time(&self, direction: Direction, symbol: u32) -> Duration {
        match direction {
            Direction::Down => self.dl_times[symbol as usize],
            Direction::Up => self.ul_times[symbol as usize],
        }
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
