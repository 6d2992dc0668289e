//! What of a medium never changes.

use super::association::Associations;
use super::phy_mode::PhyModes;
use super::queues::QueueLayout;

/// Who belongs to whom on the channel of a medium, from which queues it takes packets, and in which PHY modes it
/// transmits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The access point of each station.
    pub associations: Associations,
    /// The transmit queues.
    pub layout: QueueLayout,
    /// The PHY modes of its transmissions.
    pub modes: PhyModes,
}
