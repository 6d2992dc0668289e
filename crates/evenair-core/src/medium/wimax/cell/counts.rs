//! What a cell counts, since the start.

/// Frames, symbols and requests since the start. Those of a frame count from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames.
    pub frames: u64,
    /// Data symbols of downlink bursts.
    pub dl_symbols_used: u64,
    /// Data symbols that there were for these bursts, beside the overhead of their frames.
    pub dl_symbols_available: u64,
    /// Data symbols of uplink bursts.
    pub ul_symbols_used: u64,
    /// Data symbols that there were for these bursts, beside the overhead of their frames.
    pub ul_symbols_available: u64,
    /// Bandwidth requests of all stations.
    pub requests: RequestCounts,
}

/// Bandwidth requests sent in contention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestCounts {
    /// Transmissions.
    pub sent: u64,
    /// Transmissions that collided.
    pub collided: u64,
    /// Repetitions decided on when T16 had expired.
    pub retried: u64,
    /// Requests given up.
    pub given_up: u64,
}

/// What became of SDUs that have left their queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SduCounts {
    /// Received.
    pub delivered: u64,
    /// Lost with a PDU on the air.
    pub lost: u64,
    /// Dropped with a bandwidth request that was given up.
    pub given_up: u64,
}

impl std::ops::AddAssign for SduCounts {
    fn add_assign(&mut self, other: Self) {
        self.delivered += other.delivered;
        self.lost += other.lost;
        self.given_up += other.given_up;
    }
}
