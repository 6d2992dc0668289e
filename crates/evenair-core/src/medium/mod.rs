//! Media: who of a cell transmits when, and what is received.
//!
//! A [`Medium`] is the channel of one cell together with the MAC of every node in it, as one state
//! machine. It owns no packets. They wait in the transmit queues of its [`Cell`], and the medium
//! *takes* from there what it sends at the moment at which it decides to send: one frame, an
//! aggregate, a burst. It reports each reception, and for every packet that it took whether the MAC
//! of the sender succeeded.

mod air;
#[cfg(test)]
mod air_tests;
mod airtime;
mod association;
mod cell;
mod interface;
mod observable;
mod occupancy;
mod phy_mode;
mod queues;
pub mod scheduler;
mod setup;
pub mod wimax;
pub mod wlan;

pub use air::{
    Access, AccessDetail, AirEvent, Attempt, BlockAck, Carried, Contender, Fate, FramePart,
    Listening, Mpdu, Outcome, PacketId, Ppdu, PpduKind, PsduFormat, QosMpdu, QosPpdu, Slots,
    Transmitter,
};
pub use airtime::{AirUsage, Airtime};
pub use association::{Associations, LinkId};
pub use cell::{Arrival, Cell, CellPacket, Feed, HardwareConfig};
pub use interface::{
    Broadcast, CellContext, Medium, NextPpdu, Reception, Taken, Transmission, TxStatus,
};
pub use observable::{ExchangeTime, Observable};
pub use occupancy::{Attempts, BothWays, Occupancy};
pub use phy_mode::{Mcs, PhyFormat, PhyMode, PhyModes, TxVector};
pub use queues::{QueueLayout, TxQueueId};
pub use setup::Setup;
