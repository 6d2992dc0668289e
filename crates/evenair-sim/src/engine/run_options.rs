//! What a run can be told besides its scenario and its seed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::scenario::Seconds;

/// Options of a run that do not affect its result.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// End the run early, with [`RunError::Cancelled`](crate::RunError::Cancelled), once this is true.
    pub cancel: Option<Arc<AtomicBool>>,
    /// The interval of the series of a scenario without `trace`, above 0. Everything else in the result
    /// is as without it.
    pub sampled: Option<Seconds>,
    /// Measure where the delay of each flow is
    /// ([`FlowResult::delay_by_place_s`](crate::FlowResult::delay_by_place_s)). Everything else in the result is as without it,
    /// but for the number of events.
    pub delay_by_place: bool,
}
