//! When a counter is decremented: a type for each of the two rules.

/// What the access methods of 802.11 do not have in common.
pub(in crate::medium::wlan) trait CounterRule {
    /// Slots that a contender counts at a boundary at which another one transmits.
    const BUSY_BOUNDARY: u64;
    /// Whether a counter of 0 is the same as none. Otherwise a post-backoff of 0 lasts until its boundary,
    /// and a contender that was about to transmit without a backoff draws one if another preempts it.
    const ZERO_IS_NONE: bool;
}

/// That of the DCF (IEEE 802.11-2007 9.2.5.2): a counter is decremented at the end of a slot during which the
/// medium was idle. After a busy period it continues from its value.
#[derive(Debug)]
pub(in crate::medium::wlan) enum IdleSlots {}

impl CounterRule for IdleSlots {
    const BUSY_BOUNDARY: u64 = 0;
    const ZERO_IS_NONE: bool = false;
}

/// That of EDCA (IEEE 802.11-2020 10.23.2.4): at each boundary from its AIFS on, a contender does exactly one of
/// these: transmit, decrement its counter, begin a backoff because of an internal collision, or nothing. It
/// cannot sense who transmits at the same boundary, so that it decrements its counter there as well. A counter
/// of 0 without a frame waits for nothing, and remains 0 if a frame arrives while the medium is idle
/// (10.23.2.2: a backoff is drawn for a frame that finds the medium busy).
#[derive(Debug)]
pub(in crate::medium::wlan) enum AllBoundaries {}

impl CounterRule for AllBoundaries {
    const BUSY_BOUNDARY: u64 = 1;
    const ZERO_IS_NONE: bool = true;
}
