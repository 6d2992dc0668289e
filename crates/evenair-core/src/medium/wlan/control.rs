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

use super::phy::{ACK_BYTES, CTS_BYTES, Phy, RTS_BYTES};
use crate::time::Duration;
use crate::units::Rate;

/// The BSSBasicRateSet of a cell: some of the rates of its PHY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasicRates {
    /// Bit i stands for `Phy::rates[i]`.
    bits: u16,
}

impl BasicRates {
    /// Those of `rates` that frames of `phy` can have. Others are of another modulation class, and no
    /// frame is answered at them.
    pub fn new(phy: &Phy, rates: &[Rate]) -> Self {
        let bit = |(i, rate): (usize, &Rate)| u16::from(rates.contains(rate)) << i;
        Self { bits: phy.rates.iter().enumerate().map(bit).sum() }
    }

    /// The rate of the ACK that answers a frame at `rate`.
    fn response(self, phy: &Phy, rate: Rate) -> Rate {
        let is_basic = |&(i, _): &(usize, &Rate)| self.bits >> i & 1 == 1;
        let basic = phy.rates.iter().enumerate().filter(is_basic).map(|(_, rate)| rate);
        let not_above = |candidate: &&Rate| **candidate <= rate;
        let response = basic.filter(not_above).max();
        *response.or_else(|| phy.mandatory_rates.iter().rfind(not_above)).unwrap_or(&rate)
    }

    /// The lowest basic rate; the lowest mandatory rate of the PHY if there is none.
    fn lowest(self, phy: &Phy) -> Rate {
        let basic = phy.rates.iter().enumerate().find(|(i, _)| self.bits >> i & 1 == 1);
        basic.map_or(phy.mandatory_rates[0], |(_, rate)| *rate)
    }
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
    /// The rate in an exchange whose data frame has `data_rate`.
    pub fn of(self, phy: &Phy, data_rate: Rate) -> Rate {
        match self {
            Self::Basic(rates) => rates.response(phy, data_rate),
            Self::Fixed(rate) => rate,
        }
    }

    /// The rate of beacons: the lowest basic rate, which every station receives (9.6).
    pub fn of_beacons(self, phy: &Phy) -> Rate {
        match self {
            Self::Basic(rates) => rates.lowest(phy),
            Self::Fixed(rate) => rate,
        }
    }
}

/// The control frames of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlFrames {
    /// Their rate.
    pub rate: Rate,
    /// Airtime of an RTS.
    pub rts: Duration,
    /// Airtime of a CTS.
    pub cts: Duration,
    /// Airtime of an ACK.
    pub ack: Duration,
}

impl ControlFrames {
    /// Control frames at `rate`.
    pub fn new(phy: &Phy, rate: Rate) -> Self {
        let [rts, cts, ack] =
            [RTS_BYTES, CTS_BYTES, ACK_BYTES].map(|bytes| phy.airtime(bytes, rate));
        Self { rate, rts, cts, ack }
    }
}
