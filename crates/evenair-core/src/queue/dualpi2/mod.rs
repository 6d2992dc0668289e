//! DualPI2: two queues that are coupled by one controller (RFC 9332 with the controller of its appendix A, and the
//! defaults of Linux).
//!
//! Packets whose senders expect early marks (L4S: ECT(1), RFC 9331) and packets with CE wait in the low-latency queue L,
//! all others in the classic queue C. A controller updates the base probability p' every `tupdate`. A packet of L is marked
//! with probability k p', or if it has waited longer than `step_thresh`; a packet of C is dropped, or marked if it has ECN,
//! with probability p'^2. A scheduler lets L go first, but leaves a share to C.
//!
//! Where RFC 9332 is open, this does what Linux does (`net/sched/sch_dualpi2.c` of version 6.17). Decisions:
//! - **Arithmetic.** Probabilities are floating-point numbers, and weights are per second, as in the appendix. In Linux a
//!   probability has 32 bits, and weights are multiples of 0.0036 per second, rounded down: 0.160 and 3.198 by default.
//! - **Updates without a timer.** Each arrival and departure first makes all updates that are due, including one due at `now`
//!   (`dualpi2_timer`). The result is the same as with a timer: an update uses only the state of the discipline, which does
//!   not change between two calls.
//! - **Queue delay** (appendix A.2; `get_queue_delays`). The longer of the times for which the heads of both queues have waited; 0
//!   of an empty queue.
//! - **Random draws** (`dualpi2_roll`). One number for a packet of L. For the square one for a packet of C, and a second one
//!   where the first is below p'. (Appendix A.1 sums up probabilities instead of drawing numbers.)
//! - **Short queues** (appendix A.1 on Linux; `must_drop`). While less than two packets of `mtu` bytes wait beside a packet, the controller spares it,
//!   and draws no number. So the last packet is never dropped, and a queue that is not empty always returns one. Linux counts
//!   frames with their Ethernet header, here bytes are those of IP.
//! - **Overload** (section 4.2.3, appendix A.2; `dualpi2_scalable_marking`). Where k p' is above 1, a packet of L is dropped with probability
//!   p'^2 and otherwise marked, and packets of C are dropped even if they have ECN. Without `drop_on_overload` p' is at most
//!   1/k, and both queues grow up to the limit.
//! - **Step** (`do_step_aqm`). It compares the wait when the packet leaves, or with `step_packets` the packets that are left in L.
//!   With `min_qlen_step`, only packets that have found as many in L as that (`skb_apply_step`; the manual of tc says more; appendix
//!   A.2 has one). Appendix A.1 has a ramp of probabilities there, of which a step is a special case (its note c).
//! - **Scheduler** (`dequeue_packet`). Weighted round robin by credit: the credit begins at `mtu` times the difference of the
//!   weights, changes only while both queues hold packets, and begins anew when a packet arrives at empty queues (Linux: when an
//!   empty queue is asked). A packet that is dropped does not change it. Appendix A.2 recommends such a scheduler, and does not show one.
//! - **Marks** count once for each packet; Linux counts a packet twice that both the step and the controller mark.
//! - **A full queue** drops the packet that arrives, without a draw. The limit counts the packets of both queues.
//! - **Packets for one receiver** ([`QueueDiscipline::dequeue_of`]) leave as if no others waited: neither are those of other
//!   receivers dropped, nor do they have turns.
//! - **Not implemented:** filters, which can assign packets to a queue; the limit of memory beside that of packets; and the split
//!   of large segments of a sending host (`split_gso`): each packet here is one of the link.

mod config;
mod control;
mod scheduler;

use std::collections::VecDeque;

pub use config::{Classification, DualPi2Config};
use control::Control;
use scheduler::{Lane, Scheduler};

use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::rng::RngStream;
use crate::time::Instant;

/// The DualPI2 queue discipline.
#[derive(Clone, Debug)]
pub struct DualPi2<P> {
    backlog: Backlog,
    /// Apart, so that it does not make queues of other disciplines larger, which are variants of one enum.
    config: Box<DualPi2Config>,
    rng: RngStream,
    control: Control,
    scheduler: Scheduler,
    low_latency: VecDeque<LowLatency<P>>,
    classic: VecDeque<P>,
}

/// A packet of the low-latency queue.
#[derive(Clone, Debug)]
struct LowLatency<P> {
    packet: P,
    /// Whether its wait may mark it.
    has_step: bool,
}

/// What the controller does to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    None,
    /// A mark, or a drop without ECN.
    Mark,
    Drop,
}

impl<P: QueueItem> DualPi2<P> {
    /// Creates an empty queue.
    pub fn new(config: DualPi2Config, limit: QueueLimit, rng: RngStream) -> Self {
        Self {
            backlog: Backlog::new(limit),
            rng,
            control: Control::new(&config),
            scheduler: Scheduler::new(&config),
            config: Box::new(config),
            low_latency: VecDeque::new(),
            classic: VecDeque::new(),
        }
    }

    /// The base probability p' after the last call.
    pub fn base_probability(&self) -> f64 {
        self.control.probability()
    }

    /// Makes the updates of the controller that are due.
    fn catch_up(&mut self, now: Instant) {
        let low_latency = self.low_latency.front().map(|head| head.packet.enqueued_at());
        let classic = self.classic.front().map(P::enqueued_at);
        let oldest = low_latency.into_iter().chain(classic).min();
        self.control.catch_up(&self.config, now, oldest);
    }

    /// The queue of packets with the ECN field of `packet`.
    fn lane_of(&self, packet: &P) -> Lane {
        let is_low_latency = self.config.classify.is_low_latency(packet.ecn());
        if is_low_latency { Lane::LowLatency } else { Lane::Classic }
    }

    /// What the controller does to a packet of `lane` beside which `bytes` wait.
    fn signal(&mut self, lane: Lane, bytes: u64) -> Signal {
        if bytes < 2 * self.config.mtu {
            return Signal::None;
        }
        let probability = self.control.probability();
        let coupled = self.config.coupling_factor as f64 * probability;
        let is_overloaded = self.config.drop_on_overload && coupled > 1.0;
        match lane {
            Lane::LowLatency if is_overloaded => {
                if self.squared(probability) {
                    Signal::Drop
                } else {
                    Signal::Mark
                }
            }
            Lane::LowLatency if self.rng.bernoulli(coupled) => Signal::Mark,
            Lane::Classic if self.squared(probability) => {
                if is_overloaded {
                    Signal::Drop
                } else {
                    Signal::Mark
                }
            }
            _ => Signal::None,
        }
    }

    /// True with the square of `probability`.
    fn squared(&mut self, probability: f64) -> bool {
        self.rng.bernoulli(probability) && self.rng.bernoulli(probability)
    }

    /// Whether the wait of a packet that leaves the low-latency queue marks it.
    fn exceeds_step(&self, now: Instant, packet: &P) -> bool {
        match self.config.step_packets {
            Some(packets) => self.low_latency.len() as u64 > packets,
            None => now.since(packet.enqueued_at()) > self.config.step_thresh,
        }
    }

    /// The next packet of those that `is_wanted`, or none if it has more than `max_bytes`.
    fn next(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        self.catch_up(now);
        loop {
            let low_latency = self.low_latency.iter().position(|held| is_wanted(&held.packet));
            let classic = self.classic.iter().position(&is_wanted);
            let lane = self.scheduler.turn(low_latency.is_some(), classic.is_some())?;
            let (packet, has_step) = match lane {
                Lane::LowLatency => {
                    let held = remove(&mut self.low_latency, low_latency, |held| {
                        held.packet.size() <= max_bytes
                    })?;
                    (held.packet, held.has_step)
                }
                Lane::Classic => {
                    let fits = |packet: &P| packet.size() <= max_bytes;
                    (remove(&mut self.classic, classic, fits)?, false)
                }
            };
            if let Some(packet) = self.leave(now, lane, packet, has_step, actions) {
                if low_latency.is_some() && classic.is_some() {
                    self.scheduler.sent(lane, packet.size());
                }
                return Some(packet);
            }
        }
    }

    /// Accounts for `packet`, which is removed from `lane`: it is returned, perhaps marked, or dropped.
    fn leave(
        &mut self,
        now: Instant,
        lane: Lane,
        mut packet: P,
        has_step: bool,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        let signal = if self.config.drop_early {
            Signal::None
        } else {
            self.signal(lane, self.backlog.bytes() - u64::from(packet.size()))
        };
        let is_marked = signal == Signal::Mark || has_step && self.exceeds_step(now, &packet);
        if signal == Signal::Drop || is_marked && !actions.mark(&mut packet) {
            self.backlog.remove(&packet);
            actions.drop(packet, DropReason::OnDeparture);
            return None;
        }
        self.backlog.serve(&packet);
        Some(packet)
    }
}

/// Removes what is at `place`, if there is one and it `fits`.
fn remove<T>(
    queue: &mut VecDeque<T>,
    place: Option<usize>,
    fits: impl Fn(&T) -> bool,
) -> Option<T> {
    let place = place?;
    if fits(&queue[place]) { queue.remove(place) } else { None }
}

impl<P: QueueItem> QueueDiscipline<P> for DualPi2<P> {
    fn enqueue(&mut self, now: Instant, mut packet: P, actions: &mut impl Actions<P>) {
        self.catch_up(now);
        let lane = self.lane_of(&packet);
        let signal = if !self.backlog.has_room_for(&packet) {
            Signal::Drop
        } else if self.config.drop_early {
            self.signal(lane, self.backlog.bytes())
        } else {
            Signal::None
        };
        if signal == Signal::Drop || signal == Signal::Mark && !actions.mark(&mut packet) {
            actions.drop(packet, DropReason::OnArrival);
            return;
        }
        if self.backlog.packets() == 0 {
            self.scheduler.reset();
        }
        self.backlog.add(&packet);
        match lane {
            Lane::LowLatency => {
                let waiting = self.low_latency.len() as u64;
                let has_step = signal == Signal::None && waiting >= self.config.min_qlen_step;
                self.low_latency.push_back(LowLatency { packet, has_step });
            }
            Lane::Classic => self.classic.push_back(packet),
        }
    }

    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        self.next(now, |_| true, u32::MAX, actions)
    }

    fn dequeue_of(
        &mut self,
        now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        actions: &mut impl Actions<P>,
    ) -> Option<P> {
        self.next(now, is_wanted, max_bytes, actions)
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    /// The turns of [`DualPi2::dequeue`], played with a copy of the scheduler.
    fn packets(&self) -> Vec<&P> {
        let mut scheduler = self.scheduler;
        let mut low_latency = self.low_latency.iter().map(|held| &held.packet).peekable();
        let mut classic = self.classic.iter().peekable();
        let mut packets = Vec::with_capacity(self.low_latency.len() + self.classic.len());
        loop {
            let waits = [low_latency.peek().is_some(), classic.peek().is_some()];
            let Some(lane) = scheduler.turn(waits[0], waits[1]) else { return packets };
            let next = match lane {
                Lane::LowLatency => low_latency.next(),
                Lane::Classic => classic.next(),
            };
            packets.extend(next);
            if let ([true, true], Some(packet)) = (waits, next) {
                scheduler.sent(lane, packet.size());
            }
        }
    }
}
