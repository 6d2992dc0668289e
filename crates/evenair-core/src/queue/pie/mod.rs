//! PIE, proportional integral controller enhanced: an arriving packet is dropped with a probability that is
//! updated every `tupdate`. The update depends on the difference between the queue delay and `target`, and
//! on the change of the delay since the last update.
//!
//! There are two forms, each with the rules of its source:
//!
//! - [`rfc8033`]: RFC 8033, with the options of its section 5 and appendix B as parameters;
//! - [`linux`]: `net/sched/sch_pie.c` of Linux 5.10.
//!
//! Common to both: **updates without a timer**. Each arrival and departure first applies all updates that are
//! due, including one due at `now`. The result is the same as with a timer: an update uses only the state of the
//! discipline, which does not change between two calls. The first one is due a `tupdate` after the start.

mod config;
mod control;
mod linux;
mod rfc8033;

use std::collections::VecDeque;

pub use self::config::{DelayEstimate, Form, FormConfig, LinuxConfig, PieConfig, Rfc8033Config};

use self::control::{Control, Verdict, Waiting};
use self::linux::Linux;
use self::rfc8033::Rfc8033;
use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::rng::RngStream;
use crate::time::{Duration, Instant};

/// The PIE queue discipline.
#[derive(Clone, Debug)]
pub struct Pie<P> {
    backlog: Backlog,
    packets: VecDeque<P>,
    rng: RngStream,
    tupdate: Duration,
    next_update: Instant,
    rules: Rules,
}

#[derive(Clone, Debug)]
enum Rules {
    Rfc8033(Rfc8033),
    Linux(Linux),
}

impl<P: QueueItem> Pie<P> {
    /// Creates an empty queue.
    pub fn new(config: PieConfig, limit: QueueLimit, rng: RngStream) -> Self {
        let tupdate = config.settings.tupdate();
        Self {
            backlog: Backlog::new(limit),
            packets: VecDeque::new(),
            rng,
            tupdate,
            next_update: Instant::ZERO + tupdate,
            rules: match config.settings {
                FormConfig::Rfc8033(config) => Rules::Rfc8033(Rfc8033::new(config)),
                FormConfig::Linux(config) => Rules::Linux(Linux::new(&config)),
            },
        }
    }

    /// The drop probability after the last call.
    pub fn drop_probability(&self) -> f64 {
        match &self.rules {
            Rules::Rfc8033(rules) => rules.probability(),
            Rules::Linux(rules) => rules.probability(),
        }
    }

    fn rules(&mut self) -> &mut dyn Control {
        match &mut self.rules {
            Rules::Rfc8033(rules) => rules,
            Rules::Linux(rules) => rules,
        }
    }

    fn waiting(&self) -> Waiting {
        Waiting { packets: self.backlog.packets(), bytes: self.backlog.bytes() }
    }

    /// Applies the updates that are due.
    fn catch_up(&mut self, now: Instant) {
        let waiting = self.waiting();
        while self.next_update <= now {
            self.next_update += self.tupdate;
            if !self.rules().update(waiting) {
                // The state is stationary, so the other updates that are due have no effect,
                // either.
                let due = now.since(self.next_update).as_nanos() / self.tupdate.as_nanos();
                self.next_update += self.tupdate * due;
            }
        }
    }

    /// Accounts for `packet`, which leaves.
    fn depart(&mut self, now: Instant, packet: P) -> P {
        self.backlog.serve(&packet);
        let (bytes, since, waiting) = (packet.size(), packet.enqueued_at(), self.waiting());
        self.rules().on_departure(now, bytes, since, waiting);
        packet
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Pie<P> {
    fn enqueue(&mut self, now: Instant, mut packet: P, actions: &mut impl Actions<P>) {
        self.catch_up(now);
        let (has_room, waiting) = (self.backlog.has_room_for(&packet), self.waiting());
        let verdict = match &mut self.rules {
            Rules::Rfc8033(rules) => rules.on_arrival(has_room, waiting, &mut self.rng),
            Rules::Linux(rules) => rules.on_arrival(has_room, waiting, &mut self.rng),
        };
        let is_queued = match verdict {
            Verdict::Queue => true,
            Verdict::Mark => actions.mark(&mut packet),
            Verdict::Drop => false,
        };
        if !is_queued {
            self.rules().on_drop();
            actions.drop(packet, DropReason::OnArrival);
            return;
        }
        self.backlog.add(&packet);
        self.packets.push_back(packet);
    }

    fn dequeue(&mut self, now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        self.catch_up(now);
        let packet = self.packets.pop_front()?;
        Some(self.depart(now, packet))
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        _actions: &mut impl Actions<P>,
    ) -> Option<P> {
        self.catch_up(now);
        let place = first_of(&self.packets, is_wanted, max_bytes)?;
        let packet = self.packets.remove(place)?;
        Some(self.depart(now, packet))
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.iter().collect()
    }
}
