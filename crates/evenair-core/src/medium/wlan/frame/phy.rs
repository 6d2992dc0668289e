//! PHY timing: slots, interframe spaces and how long a frame occupies the air.
//!
//! Sources: IEEE 802.11-2007, clause 18 (HR/DSSS, 802.11b), clause 17 (OFDM, 802.11a), clause 19
//! (ERP-OFDM, 802.11g); interframe spaces from clause 9.2.10.

use super::high_throughput;
use crate::component::{BitRate, Component, named};
use crate::medium::{PhyFormat, PhyMode, PhyModes, TxVector};
use crate::time::Duration;
use crate::units::Rate;

/// Bytes of an ACK or CTS frame (IEEE 802.11-2007 7.2.1.2, 7.2.1.3).
pub const ACK_BYTES: u32 = 14;
/// Bytes of a CTS frame (IEEE 802.11-2007 7.2.1.2).
pub const CTS_BYTES: u32 = 14;
/// Bytes of an RTS frame (IEEE 802.11-2007 7.2.1.1).
pub const RTS_BYTES: u32 = 20;

/// PLCP preamble and header of 802.11b, long: 144 + 48 bits at 1 Mb/s (18.2.2.1).
pub const LONG_PREAMBLE: Duration = Duration::from_micros(192);
/// PLCP preamble and header of 802.11b, short: 72 bits at 1 and 48 at 2 Mb/s (18.2.2.2).
pub const SHORT_PREAMBLE: Duration = Duration::from_micros(96);

named! {
    /// A physical layer.
    pub enum PhyKind {
        /// IEEE 802.11b: DSSS and CCK, 1 to 11 Mbit/s.
        #[default]
        Dot11b => "802.11b",
        /// IEEE 802.11a: OFDM at 5 GHz, 6 to 54 Mbit/s.
        Dot11a => "802.11a",
        /// IEEE 802.11g: OFDM at 2.4 GHz, 6 to 54 Mbit/s.
        Dot11g => "802.11g",
        /// IEEE 802.11n: HT, with EDCA and aggregation.
        Dot11n => "802.11n",
        /// IEEE 802.11ac: VHT.
        Dot11ac => "802.11ac",
        /// IEEE 802.11ax: HE, PPDUs for a single user.
        Dot11ax => "802.11ax",
    }
    planned ["802.11be"]
}

/// The timing of one PHY.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phy {
    /// Which PHY.
    pub kind: PhyKind,
    /// aSlotTime.
    pub slot: Duration,
    /// aSIFSTime.
    pub sifs: Duration,
    /// aCWmin: the first backoff is uniform on 0..=cw_min slots.
    pub cw_min: u32,
    /// aCWmax.
    pub cw_max: u32,
    /// Data rates that the PHY offers, ascending.
    pub rates: &'static [Rate],
    /// Those of them that every station has: all of 802.11b (18.2.3.3), and 6, 12 and 24 Mbit/s with
    /// OFDM (17.3.2.2, 19.1.2), ascending.
    pub mandatory_rates: &'static [Rate],
    /// The rate of the ACK in an EIFS: the lowest mandatory rate of the stations in the cell.
    eifs_rate: Rate,
    /// PLCP preamble and header of DSSS frames. Those at 1 Mbit/s have no short one (18.2.2.2).
    preamble: Duration,
    /// The silence behind OFDM frames.
    signal_extension: Duration,
}

/// The rates of 802.11b, all mandatory (18.2.3.3), ascending.
pub(in crate::medium::wlan) const DSSS_RATES: &[Rate] = &[
    Rate::from_bps(1_000_000),
    Rate::from_bps(2_000_000),
    Rate::from_bps(5_500_000),
    Rate::from_bps(11_000_000),
];
/// The rates of OFDM (17.3.2.2), ascending.
pub(in crate::medium::wlan) const OFDM_RATES: &[Rate] = &[
    Rate::from_mbps(6),
    Rate::from_mbps(9),
    Rate::from_mbps(12),
    Rate::from_mbps(18),
    Rate::from_mbps(24),
    Rate::from_mbps(36),
    Rate::from_mbps(48),
    Rate::from_mbps(54),
];

/// Its mandatory rates.
pub(in crate::medium::wlan) const OFDM_MANDATORY: &[Rate] =
    &[Rate::from_mbps(6), Rate::from_mbps(12), Rate::from_mbps(24)];

/// Every PHY, by the name that scenarios use.
pub static REGISTRY: &[Component] = &[
    Component {
        name: PhyKind::Dot11b.name(),
        summary: "DSSS and CCK at 2.4 GHz: 1, 2, 5.5, 11 Mb/s; long or short preamble",
        source: "IEEE 802.11-2007 clause 18",
        aliases: &[],
        ordered: &[],
    },
    Component {
        name: PhyKind::Dot11a.name(),
        summary: "OFDM at 5 GHz: 6, 9, 12, 18, 24, 36, 48, 54 Mb/s",
        source: "IEEE 802.11-2007 clause 17",
        aliases: &[],
        ordered: &[],
    },
    Component {
        name: PhyKind::Dot11g.name(),
        summary: "OFDM at 2.4 GHz: 6 to 54 Mb/s; short slots unless 802.11b stations are present",
        source: "IEEE 802.11-2007 clause 19",
        aliases: &[],
        ordered: &[],
    },
    Component {
        name: PhyKind::Dot11n.name(),
        summary: "HT at 5 or 2.4 GHz: 20 or 40 MHz, 1 to 4 streams, MCS 0 to 7 each; EDCA, A-MPDU, Block Ack",
        source: "IEEE 802.11-2020 clauses 10 and 19",
        aliases: &[],
        ordered: &[],
    },
    Component {
        name: PhyKind::Dot11ac.name(),
        summary: "VHT at 5 GHz: 20 to 160 MHz, 1 to 8 streams, MCS 0 to 9; EDCA, A-MPDU, Block Ack",
        source: "IEEE 802.11-2020 clauses 10 and 21",
        aliases: &[],
        ordered: &[],
    },
    Component {
        name: PhyKind::Dot11ax.name(),
        summary: "HE at 5 or 2.4 GHz: 20 to 160 MHz, 1 to 8 streams, MCS 0 to 11; EDCA, A-MPDU, Block Ack",
        source: "IEEE 802.11-2020 clause 10, 802.11ax-2021 clause 27",
        aliases: &[],
        ordered: &[],
    },
];

impl PhyKind {
    /// Slots, interframe spaces and airtimes; `preamble` is the PLCP preamble and header of 802.11b
    /// ([`LONG_PREAMBLE`] if `None`), and not used by the others.
    pub fn timing(self, preamble: Option<Duration>) -> Phy {
        match self {
            Self::Dot11b => Phy::dot11b(preamble.unwrap_or(LONG_PREAMBLE)),
            Self::Dot11a => Phy::dot11a(),
            Self::Dot11g => Phy::dot11g(),
            // In a band of 5 GHz (802.11-2020 table 19-25, 802.11ax-2021 table 27-54).
            Self::Dot11n | Self::Dot11ac | Self::Dot11ax => Phy { kind: self, ..Phy::dot11a() },
        }
    }

    /// The format of its PPDUs, if it has an MCS: of 802.11n, ac and ax, whose cells have EDCA.
    pub const fn high_throughput(self) -> Option<PhyFormat> {
        match self {
            Self::Dot11b | Self::Dot11a | Self::Dot11g => None,
            Self::Dot11n => Some(PhyFormat::Ht),
            Self::Dot11ac => Some(PhyFormat::Vht),
            Self::Dot11ax => Some(PhyFormat::He),
        }
    }

    /// The data rates, ascending.
    pub fn rates(self) -> impl DoubleEndedIterator<Item = BitRate> {
        self.timing(None).rates.iter().map(|rate| BitRate::from_bps(rate.as_bps()))
    }

    /// The default rate of data frames: the highest.
    pub fn default_data_rate(self) -> BitRate {
        self.rates().next_back().expect("every PHY has rates")
    }

    /// The rates that a cell may have as basic ones, ascending: the data rates, with 802.11g those of
    /// 802.11b, too (19.1.2).
    pub fn possible_basic_rates(self) -> Vec<BitRate> {
        let dsss = Self::Dot11b.rates().filter(|_| self == Self::Dot11g);
        let mut rates: Vec<BitRate> = dsss.chain(self.rates()).collect();
        rates.sort_unstable();
        rates
    }

    /// The default basic rates: the mandatory ones.
    pub fn default_basic_rates(self) -> Vec<BitRate> {
        let rates = self.timing(None).mandatory_rates;
        rates.iter().map(|rate| BitRate::from_bps(rate.as_bps())).collect()
    }
}

impl Phy {
    /// 802.11b with the given PLCP preamble and header duration ([`LONG_PREAMBLE`],
    /// [`SHORT_PREAMBLE`], or a simulator's own): slot 20 us, SIFS 10 us, CW 31 to 1023 (18.3.3).
    pub const fn dot11b(preamble: Duration) -> Self {
        Self {
            kind: PhyKind::Dot11b,
            slot: Duration::from_micros(20),
            sifs: Duration::from_micros(10),
            cw_min: 31,
            cw_max: 1023,
            rates: DSSS_RATES,
            mandatory_rates: DSSS_RATES,
            eifs_rate: DSSS_RATES[0],
            preamble,
            signal_extension: Duration::ZERO,
        }
    }

    /// 802.11a: slot 9 us, SIFS 16 us, CW 15 to 1023 (17.3.8.6, 17.4.3).
    pub const fn dot11a() -> Self {
        Self {
            kind: PhyKind::Dot11a,
            slot: Duration::from_micros(9),
            sifs: Duration::from_micros(16),
            cw_min: 15,
            cw_max: 1023,
            rates: OFDM_RATES,
            mandatory_rates: OFDM_MANDATORY,
            eifs_rate: OFDM_MANDATORY[0],
            preamble: LONG_PREAMBLE,
            signal_extension: Duration::ZERO,
        }
    }

    /// 802.11g without 802.11b stations: short slot 9 us, SIFS 10 us, CW 15 to 1023, and a signal
    /// extension of 6 us after every frame (19.3.2.3, 19.4.2, 19.8.4).
    pub const fn dot11g() -> Self {
        Self {
            kind: PhyKind::Dot11g,
            sifs: Duration::from_micros(10),
            signal_extension: Duration::from_micros(6),
            ..Self::dot11a()
        }
    }

    /// 802.11g with 802.11b stations in the cell: the slot is long (19.4.4), and the lowest mandatory
    /// rate, which EIFS depends on, is 1 Mbit/s. aCWmin is that of stations of 802.11g; see
    /// [`Phy::cw_min_of`].
    pub const fn dot11g_with_dot11b() -> Self {
        Self { slot: Duration::from_micros(20), eifs_rate: DSSS_RATES[0], ..Self::dot11g() }
    }

    /// aCWmin of a station of `kind`: 31 for 802.11b, also in a cell of 802.11g. An 802.11g station
    /// has 15 there, because the supported rates of its access point are not those of 802.11b alone
    /// (9.2.12).
    pub fn cw_min_of(&self, kind: PhyKind) -> u32 {
        if kind == self.kind { self.cw_min } else { kind.timing(None).cw_min }
    }

    /// The data rates of a station of `kind`, ascending.
    pub fn rates_of(&self, kind: PhyKind) -> &'static [Rate] {
        if kind == self.kind { self.rates } else { kind.timing(None).rates }
    }

    /// The mode of a frame at `rate`: DSSS if it is a rate of 802.11b (clause 18), else OFDM. These are different
    /// modulation classes (9.6, Table 9-2).
    pub fn mode_of(&self, rate: Rate) -> TxVector {
        if self.kind == PhyKind::Dot11b || DSSS_RATES.contains(&rate) {
            TxVector::dsss(rate)
        } else {
            TxVector::ofdm(rate)
        }
    }

    /// The modes that frames of the cell may have, and those of `others`, by rate.
    pub fn modes(&self, others: impl IntoIterator<Item = Rate>) -> PhyModes {
        let dsss = DSSS_RATES.iter().filter(|_| self.kind == PhyKind::Dot11g);
        let rates = dsss.chain(self.rates).copied();
        PhyModes::new(rates.chain(others).map(|rate| self.mode_of(rate)))
    }

    /// Those among `modes` that the data frames of a station of `kind` may have, by ascending rate.
    pub fn modes_of(&self, kind: PhyKind, modes: &PhyModes) -> Vec<(PhyMode, TxVector)> {
        let vectors = self.rates_of(kind).iter().map(|rate| self.mode_of(*rate));
        vectors.filter_map(|vector| Some((modes.find(&vector)?, vector))).collect()
    }

    /// DIFS = SIFS + 2 slots (9.2.10).
    pub fn difs(&self) -> Duration {
        self.sifs + self.slot * 2
    }

    /// EIFS = SIFS + DIFS + an ACK at the lowest mandatory rate (9.2.10), whatever the basic rates are.
    /// A cell of 802.11g stations alone is taken to have OFDM rates: 6 Mb/s; with 802.11b stations it
    /// is 1 Mb/s.
    pub fn eifs(&self) -> Duration {
        self.sifs + self.difs() + self.airtime(ACK_BYTES, &self.mode_of(self.eifs_rate))
    }

    /// How long a sender waits for the start of an ACK or CTS: SIFS + slot + aPHY-RX-START-Delay
    /// (9.2.8), the last being preamble and header of 802.11b (18.3.3) and 25 us with OFDM
    /// (17.4.3).
    pub fn response_timeout(&self) -> Duration {
        self.response_timeout_to(self.mode_of(self.mandatory_rates[0]).format)
    }

    /// The same after a frame of this format, whose response has its modulation class.
    pub(in crate::medium::wlan) fn response_timeout_to(&self, format: PhyFormat) -> Duration {
        let rx_start = match format {
            PhyFormat::Dsss => self.preamble,
            PhyFormat::Ofdm | PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => {
                Duration::from_micros(25)
            }
        };
        self.sifs + self.slot + rx_start
    }

    /// The time on air of a frame of `bytes` (MAC header and FCS included) in `mode`, rounded to
    /// the nanosecond. DSSS: preamble + 8 `bytes` / rate (18.3.4). OFDM: 20 us + 4 us for every
    /// symbol that 16 service bits, the frame and 6 tail bits need (17.4.3), plus the extension. HT, VHT and HE: see
    /// [`high_throughput`].
    pub fn airtime(&self, bytes: u32, mode: &TxVector) -> Duration {
        self.airtime_of_bits(8 * u64::from(bytes), mode)
    }

    /// As [`Self::airtime`], of a frame of `bits`: in published models a frame may end within a
    /// byte.
    pub fn airtime_of_bits(&self, bits: u64, mode: &TxVector) -> Duration {
        match mode.format {
            PhyFormat::Dsss => {
                let long = self.has_short_preamble() && mode.rate == DSSS_RATES[0];
                let preamble = if long { LONG_PREAMBLE } else { self.preamble };
                preamble + mode.rate.time_for_bits(bits)
            }
            PhyFormat::Ofdm => {
                let bits_per_symbol = mode.rate.as_bps() * 4 / 1_000_000;
                let symbols = Duration::from_micros(4) * (16 + 6 + bits).div_ceil(bits_per_symbol);
                Duration::from_micros(20) + symbols + self.signal_extension
            }
            PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => {
                high_throughput::preamble(mode)
                    + high_throughput::data_time(bits, mode)
                    + self.signal_extension
            }
        }
    }

    /// As [`Self::airtime`], with this preamble and header of a PPDU of HT, VHT or HE instead of its own.
    pub fn ppdu_time(&self, bytes: u32, mode: &TxVector, preamble: Option<Duration>) -> Duration {
        match preamble {
            Some(preamble) if mode.mcs.is_some() => {
                let data = high_throughput::data_time(8 * u64::from(bytes), mode);
                preamble + data + self.signal_extension
            }
            _ => self.airtime(bytes, mode),
        }
    }

    /// The largest PSDU of HT, VHT or HE of which [`Self::ppdu_time`] is at most `time`, bytes; 0 if there is none.
    pub fn bytes_within(&self, time: Duration, mode: &TxVector, preamble: Option<Duration>) -> u32 {
        let preamble = preamble.unwrap_or_else(|| high_throughput::preamble(mode));
        let data = time.saturating_sub(preamble + self.signal_extension);
        let bits = high_throughput::bits_within(data, mode).unwrap_or(0);
        u32::try_from(bits / 8).unwrap_or(u32::MAX)
    }

    /// Whether the cell is in the band of 2.4 GHz, where SIFS is 10 us (18.3.3, 19.8.4); else it is in one of 5 GHz.
    pub fn is_at_2_4_ghz(&self) -> bool {
        self.sifs == Self::dot11g().sifs
    }

    /// Whether frames begin with the short preamble of 802.11b.
    pub fn has_short_preamble(&self) -> bool {
        self.preamble == SHORT_PREAMBLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(span: Duration) -> f64 {
        span.as_nanos() as f64 / 1e3
    }

    /// Worked by hand from the clauses cited above.
    #[test]
    fn interframe_spaces() {
        let long = Phy::dot11b(LONG_PREAMBLE);
        let short = Phy::dot11b(SHORT_PREAMBLE);
        assert_eq!([us(long.difs()), us(long.eifs()), us(short.eifs())], [50.0, 364.0, 364.0]);
        assert_eq!([us(Phy::dot11a().difs()), us(Phy::dot11a().eifs())], [34.0, 94.0]);
        assert_eq!([us(Phy::dot11g().difs()), us(Phy::dot11g().eifs())], [28.0, 88.0]);
        assert_eq!(us(Phy::dot11b(Duration::from_micros(120)).eifs()), 292.0);
        assert_eq!([us(long.response_timeout()), us(short.response_timeout())], [222.0, 126.0]);
    }

    /// By hand: with 802.11b stations a slot has 20 us, so DIFS = 10 + 40 us, and EIFS = 10 + 50 us
    /// and an ACK of 192 + 112 us. SIFS, slot and 192 us or 25 us are the response timeouts.
    #[test]
    fn dot11g_with_dot11b_stations() {
        let mixed = Phy::dot11g_with_dot11b();
        assert_eq!([us(mixed.slot), us(mixed.difs()), us(mixed.eifs())], [20.0, 50.0, 364.0]);
        let mode = |mbps| mixed.mode_of(Rate::from_mbps(mbps));
        let timeouts = [1, 6].map(|rate| us(mixed.response_timeout_to(mode(rate).format)));
        assert_eq!(timeouts, [222.0, 55.0]);
        let cw_min = [PhyKind::Dot11b, PhyKind::Dot11g].map(|kind| mixed.cw_min_of(kind));
        assert_eq!(cw_min, [31, 15]);
        assert_eq!(us(mixed.airtime(14, &mode(2))), 248.0);
        assert_eq!(us(mixed.airtime(1536, &mode(54))), 254.0);
    }

    #[test]
    fn dsss_airtime() {
        let [one, two, eleven] = [1, 2, 11].map(|mbps| TxVector::dsss(Rate::from_mbps(mbps)));
        let long = Phy::dot11b(LONG_PREAMBLE);
        let short = Phy::dot11b(SHORT_PREAMBLE);
        assert_eq!([us(long.airtime(14, &two)), us(long.airtime(20, &two))], [248.0, 272.0]);
        assert_eq!(us(short.airtime(14, &two)), 152.0);
        assert_eq!(us(short.airtime(14, &one)), 304.0, "no short preamble at 1 Mb/s");
        assert_eq!(us(long.airtime(14, &one)), 304.0);
        assert_eq!(us(long.airtime(1098, &eleven)), 990.545);
        assert_eq!(us(long.airtime_of_bits(180, &two)), 282.0);
    }

    /// 1536 and 1528 bytes fall on the two sides of symbol boundaries at some rates only.
    #[test]
    fn ofdm_airtime() {
        let a = Phy::dot11a();
        let all = |bytes| {
            OFDM_RATES.iter().map(|&r| us(a.airtime(bytes, &a.mode_of(r)))).collect::<Vec<_>>()
        };
        assert_eq!(all(1536), [2072.0, 1388.0, 1048.0, 704.0, 536.0, 364.0, 280.0, 248.0]);
        assert_eq!(all(1528), [2064.0, 1384.0, 1044.0, 704.0, 532.0, 364.0, 276.0, 248.0]);
        assert_eq!(all(14), [44.0, 36.0, 32.0, 28.0, 28.0, 24.0, 24.0, 24.0]);
        assert_eq!(us(Phy::dot11g().airtime(14, &TxVector::ofdm(Rate::from_mbps(24)))), 34.0);
    }
}
