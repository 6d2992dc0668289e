//! What a loss model is, and what it sees.

use crate::time::Instant;
use crate::units::Rate;

/// Whether a frame carries a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// It does.
    Data,
    /// It is an RTS, CTS, ACK or beacon frame of the MAC.
    Control,
}

/// What a loss model may take into account besides the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its kind.
    pub kind: FrameKind,
    /// The rate at which it was transmitted.
    pub rate: Rate,
    /// Its size, bytes: on the air with MAC overhead for [`Level::Mac`](super::Level::Mac), else that of the IP packet.
    pub bytes: u32,
}

/// A model of packet loss on one link in one direction.
pub trait LossModel {
    /// Whether the `frame` that is received at `now` is lost. `now` never decreases.
    fn loses(&mut self, now: Instant, frame: Frame) -> bool;

    /// Nothing that is received before this time is lost: [`LossModel::loses`] need not be called
    /// for it.
    fn no_loss_before(&self) -> Instant {
        Instant::ZERO
    }
}
