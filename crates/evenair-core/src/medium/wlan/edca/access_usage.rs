//! What is counted of the accesses of a contender.

use crate::time::Duration;

/// The accesses of one category of a node, which have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessUsage {
    /// PPDUs that began an access or continued it, or the RTS before them, and BlockAckReqs.
    pub attempts: u64,
    /// Those of them that collided with another node's.
    pub collisions: u64,
    /// Accesses left to a higher category of the node.
    pub internal_collisions: u64,
    /// Data PPDUs.
    pub ppdus: u64,
    /// Their MPDUs.
    pub mpdus: u64,
    /// Those of them that had been transmitted before.
    pub retried_mpdus: u64,
    /// Time on the air, with responses.
    pub airtime: Duration,
}
