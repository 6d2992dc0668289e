//! [`Contention`] against a slow one, and cases by hand.

mod examples;
mod oracle;

use std::array::from_fn;

use proptest::prelude::*;

use super::rule::{AllBoundaries, CounterRule};
use super::*;
use crate::rng::{RngStream, StreamId};
use oracle::{Slow, Standard};

/// Random contenders, arrivals, deferrals and backoffs.
struct Random(RngStream);

impl Random {
    fn up_to(&mut self, max: u32) -> u32 {
        self.0.up_to(max)
    }

    fn with_probability(&mut self, p: f64) -> bool {
        self.0.bernoulli(p)
    }

    /// A deferral beyond AIFS; often none.
    fn deferral(&mut self) -> u64 {
        if self.0.bernoulli(0.5) { 0 } else { u64::from(self.0.up_to(12)) }
    }
}

/// Both contentions, and the contention window of each contender.
struct Pair<R, const CLASSES: usize> {
    fast: Contention<R, CLASSES>,
    slow: Slow,
    /// The smallest AIFSN: boundary 0.
    aifsn: u64,
    per_node: usize,
    windows: Vec<u32>,
    random: Random,
}

impl<R: CounterRule, const CLASSES: usize> Pair<R, CLASSES> {
    fn new(standard: Standard, nodes: usize, per_node: usize, seed: u64) -> Self {
        let mut random = Random(RngStream::new(seed, StreamId::Traffic, 0));
        let aifsn: [u32; CLASSES] = from_fn(|_| 2 + random.up_to(7));
        let classes: Vec<_> =
            (0..nodes * per_node).map(|_| random.up_to(CLASSES as u32 - 1) as u8).collect();
        let of_contenders = classes.iter().map(|&class| aifsn[usize::from(class)]);
        let slow = Slow::new(standard, of_contenders);
        Self {
            slow,
            aifsn: u64::from(*aifsn.iter().min().unwrap()),
            per_node,
            windows: classes.iter().map(|_| (1 << random.up_to(10)) - 1).collect(),
            fast: Contention::new(aifsn, classes, 1023),
            random,
        }
    }

    fn backoff(&mut self, id: usize) -> u32 {
        self.random.up_to(self.windows[id])
    }

    /// A contender that has no frame.
    fn without_frame(&mut self) -> Option<usize> {
        let id = self.random.up_to(self.windows.len() as u32 - 1) as usize;
        (!self.slow.contenders[id].has_frame).then_some(id)
    }

    /// Counters of all that have a frame, or slots left of a post-backoff, and where they begin.
    fn compare(&self, with_from: bool) {
        let counts = |&&(.., slots, has_frame): &&(_, _, _, bool)| has_frame || slots > 0;
        let key = |from| if with_from { from } else { 0 };
        let fast = self.fast.counters().into_iter();
        let fast: Vec<_> =
            fast.map(|c| (c.id.index(), key(c.from), c.slots, c.has_frame)).collect();
        let slow = self.slow.contenders.iter().enumerate().filter(|(_, c)| !c.sends);
        let slow: Vec<_> = slow
            .map(|(id, c)| {
                let slots = u64::from(c.counter.unwrap_or(0));
                (id, key(c.ready - self.aifsn), slots, c.has_frame)
            })
            .collect();
        assert_eq!(
            fast.iter().filter(counts).collect::<Vec<_>>(),
            slow.iter().filter(counts).collect::<Vec<_>>(),
        );
    }

    /// A busy period ends. All but one node wait EIFS; those that have sent begin a backoff.
    fn become_idle(&mut self, sent: &mut Vec<usize>) {
        let deferral = self.random.deferral();
        self.fast.idle(deferral);
        self.slow.idle(deferral);
        let nodes = self.windows.len() / self.per_node;
        let node = self.random.up_to(nodes as u32 - 1) as usize;
        let of_node = node * self.per_node..(node + 1) * self.per_node;
        let other = self.random.with_probability(0.5).then(|| self.random.deferral());
        if let Some(other) = other {
            for id in of_node.clone() {
                self.fast.exempt(ContenderId(id as u32), other);
                self.slow.waits(id, other);
            }
        }
        for id in sent.drain(..) {
            let own = match other.filter(|_| of_node.contains(&id)) {
                Some(other) => other,
                None if self.random.with_probability(0.5) => deferral,
                None => self.random.deferral(),
            };
            let (backoff, has_frame) = (self.backoff(id), self.random.with_probability(0.6));
            self.fast.back_off(ContenderId(id as u32), own, backoff, has_frame);
            self.slow.waits(id, own);
            self.slow.back_off(id, backoff, has_frame);
        }
        self.compare(true);
    }

    /// A frame arrives while the medium is idle, before `boundary`.
    fn arrive_idle(&mut self, id: usize, boundary: u64) {
        let contender = ContenderId(id as u32);
        let access = self.fast.arrive(contender, Some(boundary));
        // In the model of EDCA a counter that has reached 0 is none.
        if self.slow.standard() == Standard::Dcf {
            assert_eq!(access == Access::BackoffOver, self.slow.needs_backoff(id));
        }
        let late = self.slow.standard() == Standard::Dcf && self.random.with_probability(0.3);
        let late = late.then(|| (boundary + self.random.deferral(), self.backoff(id)));
        if access == Access::BackoffOver {
            match late {
                Some((from, backoff)) => self.fast.late_backoff(contender, from, backoff),
                None => self.fast.immediate(contender, boundary),
            }
        }
        let late = late.map(|(from, backoff)| (from + self.aifsn, backoff));
        self.slow.arrive_idle(id, boundary + self.aifsn, late);
    }

    /// An idle period, with arrivals, up to the next access. Returns those that have reached 0.
    fn idle_period(&mut self) -> Vec<ContenderId> {
        let preempted: Vec<_> = (0..self.windows.len()).map(|id| self.backoff(id)).collect();
        let mut boundary = 0;
        loop {
            while self.random.with_probability(0.5) {
                if let Some(id) = self.without_frame() {
                    self.arrive_idle(id, boundary);
                }
            }
            let (next, steps) = (self.fast.next_access(), u64::from(self.random.up_to(20)));
            let end = next.filter(|&next| next <= boundary + steps);
            for before in boundary..end.unwrap_or(boundary + steps + 1) {
                let slow = self.slow.boundary(before + self.aifsn, &preempted);
                assert!(slow.is_empty(), "{slow:?} at {before} before {next:?}");
            }
            let Some(end) = end else {
                boundary += steps + 1;
                continue;
            };
            let mut reached = Vec::new();
            let draw = |id: ContenderId| preempted[id.index()];
            self.fast.seize(end, |id| reached.push(id), draw);
            reached.sort_unstable();
            let fast: Vec<_> = reached.iter().map(|id| id.index()).collect();
            assert_eq!(fast, self.slow.boundary(end + self.aifsn, &preempted), "at {end}");
            return reached;
        }
    }

    /// Who has reached 0 transmits, or has collided with another contender of its node.
    fn transmit(&mut self, mut reached: Vec<ContenderId>) -> Vec<usize> {
        let all: Vec<_> = reached.iter().map(|id| id.index()).collect();
        if self.slow.standard() == Standard::Dcf {
            return all;
        }
        let mut collided = Vec::new();
        internal::split(&mut reached, self.per_node as u32, &mut collided);
        for id in collided {
            let backoff = self.backoff(id.index());
            self.fast.defer(id, backoff);
            self.slow.back_off(id.index(), backoff, true);
        }
        let node = |id: usize| id / self.per_node;
        let is_highest =
            |&id: &usize| !all.iter().any(|&other| other > id && node(other) == node(id));
        let highest: Vec<_> = all.iter().copied().filter(is_highest).collect();
        assert_eq!(reached.iter().map(|id| id.index()).collect::<Vec<_>>(), highest);
        highest
    }

    /// Frames arrive while the medium is busy.
    fn busy_period(&mut self) {
        while self.random.with_probability(0.6) {
            let Some(id) = self.without_frame() else { continue };
            let (contender, backoff) = (ContenderId(id as u32), self.backoff(id));
            let over = self.fast.arrive(contender, None) == Access::BackoffOver;
            assert_eq!(over, self.slow.needs_backoff(id));
            if over {
                self.fast.defer(contender, backoff);
            }
            self.slow.arrive_busy(id, backoff);
        }
        self.compare(false);
    }

    fn run(mut self, accesses: usize) {
        let mut sent = Vec::new();
        for _ in 0..accesses {
            self.become_idle(&mut sent);
            let reached = self.idle_period();
            sent = self.transmit(reached);
            self.busy_period();
        }
    }
}

proptest! {
    #![proptest_config(evenair_testing::config!(3000))]

    /// Those that transmit, the boundaries at which they do, and the counters that remain.
    #[test]
    fn it_agrees_with_a_contention_that_visits_each_boundary(
        nodes in 1..6usize,
        per_node in 1..5usize,
        accesses in 1..30usize,
        seed: u64,
    ) {
        use Standard::{Dcf, Edca};
        Pair::<IdleSlots, 1>::new(Dcf, nodes, per_node, seed).run(accesses);
        Pair::<IdleSlots, 3>::new(Dcf, nodes, per_node, seed).run(accesses);
        Pair::<AllBoundaries, 1>::new(Edca, nodes, per_node, seed).run(accesses);
        Pair::<AllBoundaries, 4>::new(Edca, nodes, per_node, seed).run(accesses);
    }
}
