//! Use of the air.

use crate::time::Duration;

/// Use of the air by the transmissions of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AirUsage {
    /// Attempts: in 802.11 RTS frames, and data frames sent without RTS; in 802.16 bandwidth requests.
    pub attempts: u64,
    /// Attempts that collided with another node's.
    pub collisions: u64,
    /// Data frames put on the air, retries included; in 802.16 PDUs.
    pub data_frames: u64,
    /// Packets acknowledged, or received on a medium without acknowledgements.
    pub delivered: u64,
    /// Packets given up at a retry limit, or lost on a medium without retries.
    pub dropped: u64,
    /// Time on the air.
    pub airtime: Airtime,
}

/// What the time on the air was spent on. In 802.11 an exchange counts with its control frames, its
/// acknowledgement and the interframe spaces inside it; in 802.16 bursts count, in the uplink with their
/// preamble, and corrupted PDUs by their share of the bytes of a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Airtime {
    /// Exchanges that succeeded.
    pub successes: Duration,
    /// The node's own frames in collisions.
    pub collisions: Duration,
    /// Attempts in which a frame was corrupted.
    pub corrupted: Duration,
    /// The part of the successes in which bits of IP packets are sent. Only counted in 802.11.
    pub payload: Duration,
}

impl std::ops::AddAssign for Airtime {
    fn add_assign(&mut self, other: Self) {
        self.successes += other.successes;
        self.collisions += other.collisions;
        self.corrupted += other.corrupted;
        self.payload += other.payload;
    }
}

impl std::ops::Sub for Airtime {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            successes: self.successes - earlier.successes,
            collisions: self.collisions - earlier.collisions,
            corrupted: self.corrupted - earlier.corrupted,
            payload: self.payload - earlier.payload,
        }
    }
}

impl Airtime {
    /// Successes, collisions and corrupted attempts.
    pub fn total(&self) -> Duration {
        self.successes + self.collisions + self.corrupted
    }
}
