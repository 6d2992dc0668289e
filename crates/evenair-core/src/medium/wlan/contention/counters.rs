//! The counters of all contenders, for observers and tests.

use super::contender::ContenderId;
use super::rule::CounterRule;
use super::{Contender, Contention, OffGrid, State};

/// A contender that counts down, as an observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::medium::wlan) struct Counter {
    /// The contender.
    pub(in crate::medium::wlan) id: ContenderId,
    /// The slot boundary from which it counts in this idle period, or will count in the next.
    pub(in crate::medium::wlan) from: u64,
    /// Slots that it has to count from there.
    pub(in crate::medium::wlan) slots: u64,
    /// Whether it has a frame; else this is the backoff after its last one.
    pub(in crate::medium::wlan) has_frame: bool,
    /// Whether it transmits without a backoff.
    pub(in crate::medium::wlan) immediate: bool,
}

impl<R: CounterRule, const CLASSES: usize> Contention<R, CLASSES> {
    /// All contenders that count down, in ascending order.
    #[cold]
    pub(in crate::medium::wlan) fn counters(&self) -> Vec<Counter> {
        let on_grid =
            |id, from, slots, has_frame| Counter { id, from, slots, has_frame, immediate: false };
        let contending = self.classes.iter().flat_map(|class| {
            let contenders = class.ring.contenders(class.elapsed);
            contenders.map(move |(id, slots)| on_grid(id, class.from, slots, true))
        });
        let post = (0..).map(ContenderId).zip(&self.contenders);
        let post = post.filter_map(|(id, &Contender { state, class })| {
            let class = &self.classes[usize::from(class)];
            match state {
                State::Post(position) if position > class.elapsed => {
                    Some(on_grid(id, class.from, position - class.elapsed, false))
                }
                _ => None,
            }
        });
        let off_grid =
            self.off_grid.iter().map(|&OffGrid { id, from, counter, has_frame, immediate }| {
                Counter { id, from, slots: counter, has_frame, immediate }
            });
        let mut counters: Vec<_> = contending.chain(post).chain(off_grid).collect();
        counters.sort_unstable_by_key(|counter| counter.id);
        counters
    }
}
