//! The messages that a frame begins with: DL-MAP and UL-MAP, and from time to time DCD and UCD.
//!
//! Sizes are those of the NIST add-on to ns-2 unless a clause of IEEE 802.16-2004 is given.

use crate::component::named;
use crate::medium::wimax::phy::Modulation;
use crate::medium::wimax::phy::symbol::SymbolSize;
use crate::time::Duration;

/// DL-MAP and UL-MAP with 10 information elements each, bytes.
const LARGEST_MAPS: u32 = 240;
/// Bursts that a DL-MAP of 10 information elements can announce.
pub(in crate::medium::wimax) const LARGEST_DL_MAP: u32 = 10;
/// Those of a UL-MAP, which also announces the two contention regions.
pub(in crate::medium::wimax) const LARGEST_UL_MAP: u32 = 8;
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

named! {
    /// How much of the downlink subframe DL-MAP and UL-MAP take.
    pub enum Maps {
        /// Always what their largest size takes, 10 information elements each, at 16-QAM 1/2 (NIST
        /// add-on).
        #[default]
        Maximum => "maximum",
        /// What the bursts of the frame need, at QPSK 1/2.
        Actual => "actual",
    }
    planned []
}

impl Maps {
    /// The symbols of the messages.
    pub(in crate::medium::wimax) fn symbol(self) -> SymbolSize {
        let modulation = match self {
            Self::Maximum => Modulation::Qam16R12,
            Self::Actual => Modulation::Qpsk12,
        };
        SymbolSize::new(modulation.bytes_per_symbol())
    }

    /// Symbols of DL-MAP and UL-MAP.
    pub(in crate::medium::wimax) fn symbols(self, grants: u32, bursts: u32) -> u32 {
        let size = self.symbol();
        match self {
            Self::Maximum => size.symbols(LARGEST_MAPS),
            Self::Actual => dl_map(size, bursts) + ul_map(size, grants),
        }
    }

    /// Symbols of DCD and UCD.
    pub(in crate::medium::wimax) fn descriptors(self) -> u32 {
        let size = self.symbol();
        size.symbols(DCD) + size.symbols(UCD)
    }
}

/// Symbols of a DL-MAP.
pub(in crate::medium::wimax) fn dl_map(size: SymbolSize, bursts: u32) -> u32 {
    size.symbols(DL_MAP[0] + DL_MAP[1] * bursts)
}

/// Symbols of a UL-MAP.
pub(in crate::medium::wimax) fn ul_map(size: SymbolSize, grants: u32) -> u32 {
    size.symbols(UL_MAP[0] + UL_MAP[1] * (grants + 2))
}
