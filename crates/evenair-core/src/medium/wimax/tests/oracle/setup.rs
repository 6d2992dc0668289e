//! A cell in plain numbers, and the parts of its frame.

pub const TTG: u64 = 10;
const RTG: u64 = 10;
pub const SECOND: u64 = 1_000_000_000;
/// The field of a bandwidth request has 19 bits, that of a piggybacked one 16.
pub const LARGEST_REQUEST: u64 = (1 << 19) - 1;
pub const LARGEST_PIGGYBACKED: u64 = (1 << 16) - 1;

/// A cell in plain numbers.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Hz.
    pub bandwidth: u64,
    /// The cyclic prefix is one over this.
    pub prefix: u64,
    /// Nanoseconds.
    pub frame: u64,
    /// Symbols of downlink and uplink relate like these.
    pub ratio: (u64, u64),
    pub bytes_per_symbol: u64,
    /// Bytes per symbol of each station.
    pub stations: Vec<u64>,
    pub contention_slots: u64,
    /// First and last window exponent.
    pub backoff: (u32, u32),
    /// Nanoseconds.
    pub t16: u64,
    pub retries: u32,
    /// Whether a repeated request asks for what waits by then; else it is a copy.
    pub revalued: bool,
    pub actual_maps: bool,
    pub piggyback: bool,
    pub crc: bool,
    /// The quantum of deficit round robin; else round robin.
    pub quantum: Option<u64>,
    /// Packets, down and up.
    pub limits: [usize; 2],
    /// Share of the PDUs that are lost, in 1/256.
    pub loss: u8,
    pub seed: u64,
}

/// Whether the `nth` PDU of a station and direction is lost: a rule that looks random.
pub fn is_lost(setup: &Setup, station: usize, up: bool, nth: usize) -> bool {
    let key = setup.seed ^ (nth as u64) << 16 ^ (station as u64) << 1 ^ u64::from(up);
    let mixed = (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 56) < u64::from(setup.loss)
}

impl Setup {
    /// Hz: 8.3.2.4.
    pub fn sampling_rate(&self) -> u64 {
        let is_multiple = |hz: u64| self.bandwidth.is_multiple_of(hz);
        let (n, d) = if is_multiple(1_750_000) {
            (8, 7)
        } else if is_multiple(1_500_000) {
            (86, 75)
        } else if is_multiple(1_250_000) {
            (144, 125)
        } else if is_multiple(2_750_000) {
            (316, 275)
        } else if is_multiple(2_000_000) {
            (57, 50)
        } else {
            (8, 7)
        };
        self.bandwidth * n / (d * 8000) * 8000
    }

    pub fn ps_per_symbol(&self) -> u64 {
        64 + 64 / self.prefix
    }

    /// Nanoseconds from the start of a frame to this physical slot.
    pub fn time(&self, ps: u64) -> u64 {
        ps * 4 * SECOND / self.sampling_rate()
    }

    /// Symbols of downlink and uplink.
    pub fn subframes(&self) -> [u64; 2] {
        let ps = self.frame * self.sampling_rate() / (4 * SECOND);
        let symbols = ps.saturating_sub(TTG + RTG) / self.ps_per_symbol();
        let down = symbols * self.ratio.0 / (self.ratio.0 + self.ratio.1);
        [down, symbols - down]
    }

    /// Symbols of the ranging and the request region. An opportunity is 2 symbols and 19 bytes, or
    /// 1 symbol and 6 bytes.
    pub fn regions(&self) -> (u64, u64) {
        let region = |symbols: u64, bytes: u64| {
            let bytes = self.contention_slots * (symbols * self.bytes_per_symbol + bytes);
            bytes.div_ceil(self.bytes_per_symbol)
        };
        (region(2, 19), region(1, 6))
    }

    /// Symbols of both maps with these numbers of bursts.
    pub fn maps(&self, down: u64, up: u64) -> u64 {
        match self.actual_maps {
            true => (8 + 4 * down).div_ceil(23) + (7 + 6 * (up + 2)).div_ceil(23),
            false => 240_u64.div_ceil(47),
        }
    }

    /// Symbols of DCD and UCD.
    pub fn descriptors(&self) -> u64 {
        let rate = if self.actual_maps { 23 } else { 47 };
        109_u64.div_ceil(rate) + 71_u64.div_ceil(rate)
    }

    /// Symbols for uplink bursts, each with the one before it.
    pub fn up_room(&self) -> u64 {
        let (ranging, requests) = self.regions();
        self.subframes()[1].saturating_sub(ranging + 1 + requests)
    }

    /// Symbols for downlink bursts, each with the one before it, in a frame without descriptors.
    pub fn down_room(&self, down: u64, up: u64) -> u64 {
        self.subframes()[0].saturating_sub(3 + self.maps(down, up))
    }

    /// Header of a PDU with a whole SDU, and of one with a fragment.
    pub fn headers(&self) -> (u64, u64) {
        let crc = if self.crc { 4 } else { 0 };
        (6 + crc, 8 + crc)
    }
}
