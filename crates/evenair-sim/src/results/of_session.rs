//! What is noticed of a session, in a result.

use std::collections::BTreeMap;

use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::Session;
use evenair_core::traffic::session::{Tally, Transfer};
use serde::Serialize;

use crate::results::completion::{ArrivalsResult, CompletionResult, Taken, TimesResult};
use crate::results::quality::Quality;

/// Of the members of a [`FlowResult`](crate::FlowResult) those that a session has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct OfSession {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sessions: Option<u64>,
    #[serde(flatten)]
    pub(crate) quality: Option<Quality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_load_s: Option<Option<TimesResult>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completion_s: Option<Option<CompletionResult>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arrivals: Option<ArrivalsResult>,
}

impl OfSession {
    /// Measured from `begin` to `until`. `before` is the tally at the beginning; `alone` says how long a transfer of so
    /// many bytes takes alone.
    pub(crate) fn new(
        session: &Session,
        alone: &BTreeMap<u64, Duration>,
        before: Option<Tally>,
        (begin, until): (Instant, Instant),
    ) -> Self {
        if let Some(viewing) = session.viewing(until) {
            return Self { quality: Some(Quality::of_stream(&viewing)), ..Self::default() };
        }
        let taken = |transfer: &Transfer| Taken {
            bytes: transfer.bytes,
            time: transfer.last_byte.since(transfer.start),
            alone: alone.get(&transfer.bytes).copied(),
        };
        let taken: Vec<Taken> = measured(session, begin).map(taken).collect();
        let finished = taken.len() as u64;
        let arrivals = session.tally(begin).map(|tally| {
            let before = before.unwrap_or_default();
            ArrivalsResult {
                arrived: tally.arrived - before.arrived,
                finished,
                dropped: tally.dropped - before.dropped,
                waiting: tally.waiting,
                under_way: tally.under_way,
            }
        });
        let is_page = matches!(session, Session::Pages(_));
        Self {
            sessions: Some(finished),
            quality: None,
            page_load_s: is_page.then(|| TimesResult::new(taken.iter())),
            completion_s: arrivals.is_some().then(|| CompletionResult::new(&taken)),
            arrivals,
        }
    }
}

/// The finished transfers of a session that began at `begin` or later.
pub(crate) fn measured(session: &Session, begin: Instant) -> impl Iterator<Item = &Transfer> {
    session.finished().iter().filter(move |transfer| transfer.start >= begin)
}
