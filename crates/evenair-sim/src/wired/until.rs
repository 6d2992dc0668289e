//! Up to when what has no events is computed.

use evenair_core::time::{Duration, Instant};

/// A limit of time: what has no events is computed up to it. What comes before the event of `link` at `at` is before
/// the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Until {
    pub(crate) at: Instant,
    pub(super) link: u32,
}

impl Until {
    /// Just before the event of `link` at `at`.
    pub(crate) const fn link(at: Instant, link: u32) -> Self {
        Self { at, link }
    }

    /// After the events of all links at `at`, before timers and the cell.
    pub(crate) const fn ends(at: Instant) -> Self {
        Self { at, link: u32::MAX }
    }

    /// Before anything that happens at `at`.
    pub(crate) const fn time(at: Instant) -> Self {
        Self { at, link: 0 }
    }

    /// After all that happens at `at`.
    pub(crate) const fn after(at: Instant) -> Self {
        Self::time(at.saturating_add(Duration::from_nanos(1)))
    }
}
