//! The rates of control frames, and how long these last.
//!
//! IEEE 802.11-2007 9.6: an ACK or a CTS is transmitted at the highest rate of the BSSBasicRateSet
//! that is not above the rate of the frame that it answers and is of the same modulation class. If
//! there is none, at the highest mandatory rate of the PHY for which this holds. Table 9-2: the rates
//! of 802.11b are of one modulation class, those of OFDM of another.
//!
//! An RTS is transmitted at a basic rate; which one is left to the station. Here it is the rate of the
//! ACK of its data frame, as in Linux (`rts_cts_rate_idx` of mac80211). A CTS answers an RTS, and so
//! all control frames of an exchange have one rate.
//!
//! Protection (9.13, 9.2.11) goes before an OFDM frame in a cell with 802.11b stations: an RTS/CTS
//! exchange, or a CTS that the sender addresses to itself, at a basic rate of 802.11b; here the
//! highest one that is not above the rate of the data frame, else the highest such rate of 802.11b.

use super::phy::{ACK_BYTES, CTS_BYTES, DSSS_RATES, OFDM_MANDATORY, OFDM_RATES, Phy, RTS_BYTES};
use crate::component::named;
use crate::medium::{Mcs, PhyFormat, TxVector};
use crate::time::Duration;
use crate::units::Rate;

named! {
    /// What goes before OFDM frames, so that 802.11b stations know of them.
    pub enum Protection {
        /// Nothing.
        #[default]
        Off => "off",
        /// A CTS that the sender addresses to itself.
        CtsToSelf => "cts-to-self",
        /// An RTS/CTS exchange.
        RtsCts => "rts-cts",
    }
    planned []
}

/// The BSSBasicRateSet of a cell: some of the rates of 802.11b and of OFDM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasicRates {
    /// Bit i stands for the i-th rate of 802.11b, then for those of OFDM.
    bits: u16,
}

impl BasicRates {
    /// These rates. No frame is answered at a rate of another modulation class.
    pub fn new(rates: &[Rate]) -> Self {
        let bit = |(i, rate): (usize, Rate)| u16::from(rates.contains(&rate)) << i;
        Self { bits: all_rates().enumerate().map(bit).sum() }
    }

    /// The rate of the ACK that answers a frame in `mode`. A frame of HT, VHT or HE counts with the rate of OFDM
    /// that has its modulation and coding (802.11-2020 10.6.6.5.2).
    fn response(self, mode: &TxVector) -> Rate {
        let rate = mode.mcs.map_or(mode.rate, Mcs::non_ht_reference_rate);
        self.highest(rate, mode.format).unwrap_or(rate)
    }

    /// The rate of the frames that protect an OFDM frame at `rate`.
    fn protection(self, rate: Rate) -> Rate {
        self.highest(rate, PhyFormat::Dsss).unwrap_or(rate)
    }

    /// The highest basic rate of a format that is not above `rate`. Without one, the highest mandatory rate
    /// for which this holds.
    fn highest(self, rate: Rate, format: PhyFormat) -> Option<Rate> {
        let (all, mandatory) = match format {
            PhyFormat::Dsss => (DSSS_RATES, DSSS_RATES),
            PhyFormat::Ofdm | PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => {
                (OFDM_RATES, OFDM_MANDATORY)
            }
        };
        let fits = |candidate: &Rate| *candidate <= rate && all.contains(candidate);
        let highest = self.rates().filter(fits).max();
        highest.or_else(|| mandatory.iter().copied().rfind(fits))
    }

    /// The basic rates.
    fn rates(self) -> impl Iterator<Item = Rate> {
        let is_basic = move |&(i, _): &(usize, Rate)| self.bits >> i & 1 == 1;
        all_rates().enumerate().filter(is_basic).map(|(_, rate)| rate)
    }
}

/// The rates of 802.11b, then those of OFDM.
fn all_rates() -> impl Iterator<Item = Rate> {
    DSSS_RATES.iter().chain(OFDM_RATES).copied()
}

/// How the rate of RTS, CTS and ACK frames is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlRate {
    /// From the basic rates, by the rate of the data frame.
    Basic(BasicRates),
    /// Always this rate, as in ns-2.
    Fixed(Rate),
}

impl ControlRate {
    /// The rate of the ACK of a data frame in mode `data`, and of an RTS/CTS exchange before it.
    pub fn of(self, data: &TxVector) -> Rate {
        match self {
            Self::Basic(rates) => rates.response(data),
            Self::Fixed(rate) => rate,
        }
    }

    /// The rate of the frames that protect an OFDM frame at `data_rate`.
    pub(in crate::medium::wlan) fn of_protection(self, data_rate: Rate) -> Rate {
        match self {
            Self::Basic(rates) => rates.protection(data_rate),
            Self::Fixed(_) => BasicRates::new(&[]).protection(data_rate),
        }
    }

    /// The rates that it may choose besides those of data frames.
    pub(in crate::medium::wlan) fn rates(self) -> Vec<Rate> {
        match self {
            Self::Basic(rates) => rates.rates().collect(),
            Self::Fixed(rate) => vec![rate],
        }
    }

    /// Whether frames for all stations, and control frames, may have `rate`.
    pub fn is_basic(self, rate: Rate) -> bool {
        match self {
            Self::Basic(rates) => rates.rates().any(|other| other == rate),
            Self::Fixed(fixed) => rate == fixed,
        }
    }

    /// The rate of beacons: the lowest basic rate, which every station receives (9.6); the lowest
    /// mandatory rate of the PHY if there is none.
    pub fn of_beacons(self, phy: &Phy) -> Rate {
        match self {
            Self::Basic(rates) => rates.rates().min().unwrap_or(phy.mandatory_rates[0]),
            Self::Fixed(rate) => rate,
        }
    }
}

/// The control frames of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlFrames {
    /// Mode of the ACK.
    pub mode: TxVector,
    /// Mode of RTS and CTS.
    pub rts_mode: TxVector,
    /// Airtime of an RTS.
    pub rts: Duration,
    /// Airtime of a CTS.
    pub cts: Duration,
    /// Airtime of an ACK.
    pub ack: Duration,
}

impl ControlFrames {
    /// An ACK at `rate`, RTS and CTS at `rts_rate`.
    pub fn new(phy: &Phy, rate: Rate, rts_rate: Rate) -> Self {
        let (mode, rts_mode) = (phy.mode_of(rate), phy.mode_of(rts_rate));
        Self {
            mode,
            rts_mode,
            rts: phy.airtime(RTS_BYTES, &rts_mode),
            cts: phy.airtime(CTS_BYTES, &rts_mode),
            ack: phy.airtime(ACK_BYTES, &mode),
        }
    }
}
