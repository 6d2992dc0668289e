//! What a cell and its stations are like.

use super::channel;
use super::frame::control::{ControlFrames, ControlRate, Protection};
use super::phy::{Phy, PhyKind};
use super::rate_control;
use crate::medium::{PhyFormat, PhyModes, TxVector};
use crate::units::Rate;

/// What all nodes of a cell have in common.
#[derive(Clone, Copy, Debug)]
pub struct DcfConfig {
    /// Slot, interframe spaces, airtimes.
    pub phy: Phy,
    /// Rate of ACK, RTS and CTS frames.
    pub control_rate: ControlRate,
    /// What goes before OFDM frames.
    pub protection: Protection,
    /// IP packets that with MAC overhead are longer than this follow an RTS/CTS exchange; `None`:
    /// never.
    pub rts_threshold: Option<u32>,
    /// Bytes that MAC header, FCS and LLC/SNAP add to an IP packet.
    pub mac_overhead: u32,
    /// Whether a node transmits without a backoff on an idle medium, as in the standard.
    pub immediate_access: bool,
    /// Attempts for an RTS, or for a frame without one.
    pub short_retry_limit: u32,
    /// Attempts for a frame after RTS/CTS.
    pub long_retry_limit: u32,
    /// Whether the access point has a queue for each station, among which a scheduler of the cell
    /// chooses, instead of one for all.
    pub station_queues: bool,
}

impl DcfConfig {
    /// A cell without RTS/CTS whose MAC follows the standard: retry limits of 7 and 4
    /// (dot11ShortRetryLimit, dot11LongRetryLimit), and 36 bytes of MAC header, FCS and LLC/SNAP.
    pub const fn new(phy: Phy, control_rate: ControlRate) -> Self {
        Self {
            phy,
            control_rate,
            protection: Protection::Off,
            rts_threshold: None,
            mac_overhead: 36,
            immediate_access: true,
            short_retry_limit: 7,
            long_retry_limit: 4,
            station_queues: false,
        }
    }

    /// The modes of a cell with these nodes.
    pub(super) fn modes(&self, nodes: &[StationConfig]) -> PhyModes {
        let rates = nodes.iter().map(|node| node.rate);
        self.phy.modes(rates.chain(self.control_rate.rates()))
    }

    /// The control frames of an exchange whose data frame has mode `data`.
    pub fn control_frames(&self, data: &TxVector) -> ControlFrames {
        let rate = self.control_rate.of(data);
        let rts_rate = match self.protection_of(data) {
            Protection::Off => rate,
            Protection::CtsToSelf | Protection::RtsCts => {
                self.control_rate.of_protection(data.rate)
            }
        };
        ControlFrames::new(&self.phy, rate, rts_rate)
    }

    /// What goes before a data frame in mode `data`.
    pub(super) fn protection_of(&self, data: &TxVector) -> Protection {
        match data.format {
            PhyFormat::Dsss => Protection::Off,
            PhyFormat::Ofdm | PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => self.protection,
        }
    }
}

/// A station, and its link with the access point.
#[derive(Clone, Debug)]
pub struct StationConfig {
    /// The PHY of the station: that of the cell, or 802.11b in a cell of 802.11g.
    pub phy: PhyKind,
    /// Rate of data frames in both directions, or the one with which rate control begins.
    pub rate: Rate,
    /// Chooses the rate of each data frame.
    pub rate_control: rate_control::Config,
    /// Corrupts frames by their rate; `None`: none.
    pub channel: Option<channel::Config>,
}

impl StationConfig {
    /// A station of the PHY of the cell whose data frames have one rate.
    pub fn fixed(phy: &Phy, rate: Rate) -> Self {
        let rate_control = rate_control::Config::default();
        Self { phy: phy.kind, rate, rate_control, channel: None }
    }
}
