//! PHY modes: with which modulation, coding and width a transmission is sent.
//!
//! Each cell has a table of those that its frames may have, [`PhyModes`]. Everything that happens on the air
//! names a mode by its index there, [`PhyMode`]: two modes may have the same rate. The rate is for people, and for
//! loss models.

use crate::time::Duration;
use crate::units::Rate;

/// How a transmission is modulated and coded: the parameters of a transmission of IEEE 802.11-2020 (TXVECTOR,
/// 8.3.4.4) that decide on its duration and on its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxVector {
    /// Its data rate, which identifies modulation and coding in a format without MCS.
    pub rate: Rate,
    /// Modulation and coding of HT, VHT and HE.
    pub mcs: Option<Mcs>,
    /// The PHY whose format it has.
    pub format: PhyFormat,
    /// Width of the channel that it occupies, Hz.
    pub width_hz: u32,
    /// Spatial streams.
    pub streams: u8,
    /// Guard interval, or cyclic prefix, of its OFDM symbols; zero without OFDM.
    pub guard_interval: Duration,
}

/// Modulation and coding scheme: modulation and code rate of each spatial stream, 0 to 11. The index of 802.11n
/// is 8 more for each further stream: its MCS 15 is this one's 7 with two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mcs(pub u8);

/// The format of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhyFormat {
    /// DSSS and CCK of 802.11b (IEEE 802.11-2007 clause 18).
    Dsss,
    /// OFDM of 802.11a and 802.11g (clauses 17 and 19); of 802.16 (IEEE 802.16-2004 8.3), with other widths and
    /// guard intervals.
    Ofdm,
    /// HT-mixed format of 802.11n (IEEE 802.11-2020 clause 19).
    Ht,
    /// VHT of 802.11ac, for one receiver (clause 21).
    Vht,
    /// HE SU of 802.11ax (IEEE 802.11ax-2021 clause 27).
    He,
}

impl TxVector {
    /// OFDM of 802.11 in 20 MHz, with a guard interval of 0.8 us (IEEE 802.11-2007 17.3.2.3).
    pub const fn ofdm(rate: Rate) -> Self {
        Self {
            format: PhyFormat::Ofdm,
            width_hz: 20_000_000,
            streams: 1,
            guard_interval: Duration::from_nanos(800),
            rate,
            mcs: None,
        }
    }

    /// DSSS or CCK of 802.11b, in the 22 MHz of the main lobe of its spectrum (18.4.7.3).
    pub const fn dsss(rate: Rate) -> Self {
        Self {
            format: PhyFormat::Dsss,
            width_hz: 22_000_000,
            streams: 1,
            guard_interval: Duration::ZERO,
            rate,
            mcs: None,
        }
    }
}

/// A PHY mode of a cell: an index into its [`PhyModes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhyMode(pub u16);

/// The PHY modes of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhyModes {
    vectors: Vec<TxVector>,
}

impl PhyModes {
    /// These modes, in this order; each counts once.
    pub fn new(vectors: impl IntoIterator<Item = TxVector>) -> Self {
        let mut modes = Self { vectors: Vec::new() };
        for vector in vectors {
            if modes.find(&vector).is_none() {
                modes.vectors.push(vector);
            }
        }
        modes
    }

    /// What `mode` stands for.
    ///
    /// # Panics
    /// If it is of another cell that has more modes.
    #[inline(always)]
    pub fn vector(&self, mode: PhyMode) -> &TxVector {
        &self.vectors[usize::from(mode.0)]
    }

    /// The data rate of `mode`.
    #[inline(always)]
    pub fn rate(&self, mode: PhyMode) -> Rate {
        self.vector(mode).rate
    }

    /// The mode that stands for `vector`; `None` if the cell does not have it.
    pub fn find(&self, vector: &TxVector) -> Option<PhyMode> {
        let place = self.vectors.iter().position(|other| other == vector)?;
        Some(PhyMode(place as u16))
    }

    /// All modes.
    pub fn iter(&self) -> impl Iterator<Item = (PhyMode, &TxVector)> {
        (0..).map(PhyMode).zip(&self.vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two modes may have one rate: 6 Mb/s in 20 MHz, and in 10 MHz (17.3.2.2).
    #[test]
    fn a_mode_is_not_its_rate() {
        let rate = Rate::from_mbps(6);
        let half = TxVector { width_hz: 10_000_000, ..TxVector::ofdm(rate) };
        let modes = PhyModes::new([TxVector::ofdm(rate), half, TxVector::ofdm(rate)]);
        assert_eq!(modes.iter().count(), 2);
        let found = [TxVector::ofdm(rate), half, TxVector::dsss(rate)].map(|v| modes.find(&v));
        assert_eq!(found, [Some(PhyMode(0)), Some(PhyMode(1)), None]);
        assert_eq!([0, 1].map(|mode| modes.rate(PhyMode(mode))), [rate; 2]);
    }
}
