//! The scheduler: weighted round robin between the two queues.

use super::config::DualPi2Config;

/// One of the two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// The low-latency queue, L.
    LowLatency,
    /// The classic queue, C.
    Classic,
}

/// Whose turn it is while both queues hold packets: each byte that one of them sends earns the other its weight. The
/// classic queue has the turn while the credit is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scheduler {
    credit: i64,
    /// The credit of an empty queue.
    initial: i64,
    /// The weight of the classic queue, percent; the rest is that of the low-latency queue.
    classic: i64,
}

impl Scheduler {
    /// That of an empty queue. The queue with the larger weight begins.
    pub(super) fn new(config: &DualPi2Config) -> Self {
        let classic = config.classic_protection as i64;
        let initial = config.mtu as i64 * (2 * classic - 100);
        Self { credit: initial, initial, classic }
    }

    /// Both queues are empty.
    pub(super) fn reset(&mut self) {
        self.credit = self.initial;
    }

    /// The queue whose turn it is. Nothing but the packets that wait there is known of the queues.
    pub(super) fn turn(&self, low_latency_waits: bool, classic_waits: bool) -> Option<Lane> {
        match (low_latency_waits, classic_waits) {
            (false, false) => None,
            (true, false) => Some(Lane::LowLatency),
            (false, true) => Some(Lane::Classic),
            (true, true) if self.credit <= 0 => Some(Lane::LowLatency),
            (true, true) => Some(Lane::Classic),
        }
    }

    /// `lane` has sent a packet of `bytes` while packets of the other queue waited, too.
    pub(super) fn sent(&mut self, lane: Lane, bytes: u32) {
        let weight = match lane {
            Lane::LowLatency => self.classic,
            Lane::Classic => self.classic - 100,
        };
        self.credit += weight * i64::from(bytes);
    }
}
