//! What a rate control does, and what it knows.

pub use crate::medium::Outcome;
use crate::medium::wlan::Protection;
use crate::medium::wlan::channel::Channel;
use crate::medium::wlan::phy::Phy;
use crate::medium::{PhyMode, TxVector};
use crate::rng::RngStream;
use crate::time::Instant;

/// What a rate control knows of its link from the start.
#[derive(Clone, Debug)]
pub struct LinkInfo<'a> {
    /// The modes that the link can have, by ascending rate. A rate control names them by their index here.
    pub modes: Vec<(PhyMode, TxVector)>,
    /// The mode of the first data frame, unless the rate control has its own.
    pub first: usize,
    /// Timing of the cell.
    pub phy: &'a Phy,
    /// What is known of the channel.
    pub channel: Option<&'a Channel>,
    /// Own random numbers.
    pub stream: RngStream,
}

/// A data frame whose rate is to be chosen.
#[derive(Clone, Copy, Debug)]
pub struct NextFrame {
    /// When its attempt begins.
    pub now: Instant,
    /// Its size, MAC overhead included.
    pub bytes: u32,
    /// What goes before it, for its size or for protection.
    pub prelude: Protection,
}

/// How the attempt to transmit a PPDU has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// When it is over.
    pub now: Instant,
    /// Whether there was a data PPDU; an RTS without CTS tells nothing about a data rate.
    pub sent_data: bool,
    /// How it has ended: an A-MPDU is delivered if there was a Block Ack.
    pub outcome: Outcome,
    /// MPDUs of the PPDU.
    pub mpdus: u32,
    /// Those of them that are acknowledged.
    pub acknowledged: u32,
}

impl Report {
    /// Of a data frame, or of the RTS before it if not `sent_data`.
    pub const fn of_frame(now: Instant, sent_data: bool, outcome: Outcome) -> Self {
        let acknowledged = matches!(outcome, Outcome::Delivered) as u32;
        Self { now, sent_data, outcome, mpdus: 1, acknowledged }
    }
}

/// Chooses the rates of one direction of a link.
pub trait RateControl {
    /// The rate of an attempt that begins now.
    fn choose(&mut self, frame: &NextFrame) -> usize;

    /// Whether the PPDU of the last [`RateControl::choose`] may have several MPDUs: one that tries a mode may not.
    fn may_aggregate(&self) -> bool {
        true
    }

    /// The attempt of the last [`RateControl::choose`] is over.
    fn report(&mut self, report: &Report);

    /// The rate at which packets are sent at present, but for those that try another one.
    fn present(&self) -> usize;
}
