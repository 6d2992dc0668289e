//! What the control loop knows of a downlink queue.

use std::time::Duration;

use evenair_core::units::Rate;

/// What the queue has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that have left.
    pub packets: u64,
    /// Their bytes at IP level.
    pub bytes: u64,
    /// Of them, those that had to wait.
    pub delayed: u64,
    /// Packets that the discipline has dropped.
    pub dropped: u64,
    /// Packets in which it has set the ECN field to CE.
    pub marked: u64,
    /// Packets that wait now.
    pub backlog_packets: u64,
    /// Their bytes at IP level.
    pub backlog_bytes: u64,
}

/// A queue in front of the access point.
pub trait Downlink {
    /// From now on packets leave at this rate. If it is not set again before the lease ends, everything
    /// passes.
    fn set_rate(&mut self, rate: Rate, lease: Duration);

    /// What it has done.
    ///
    /// # Errors
    /// It has failed, and everything passes.
    fn counts(&self) -> Result<Counts, String>;

    /// Whether packets go through it: opening takes some time.
    fn is_open(&self) -> bool {
        true
    }

    /// Waits until it is open.
    ///
    /// # Errors
    /// It cannot be opened.
    fn settle(&mut self) -> Result<(), String> {
        Ok(())
    }
}
