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

/// Chooses the rates of one direction of a link.
pub trait RateControl {
    /// The rate of an attempt that begins now.
    fn choose(&mut self, frame: &NextFrame) -> usize;

    /// The attempt of the last [`RateControl::choose`] is over. `sent_data` is false if it had no data
    /// frame.
    fn report(&mut self, now: Instant, sent_data: bool, outcome: Outcome);

    /// The rate at which packets are sent at present, but for those that try another one.
    fn present(&self) -> usize;
}
