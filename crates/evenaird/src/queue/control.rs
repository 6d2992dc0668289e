//! The queue between rounds of the control loop: opened while the daemon enforces, emptied at a rate
//! that follows what the rounds show.

use std::time::Duration;

use evenair_core::units::Rate;

use super::downlink::{Counts, Downlink};
use super::rate::{Round, ShapedRate};
use crate::config::QueueConfig;
use crate::journal;
use crate::status::QueueStatus;

/// The queue of a control loop, if its configuration has one.
#[derive(Default)]
pub struct QueueControl {
    open: Option<Open>,
    /// Counts of queues that are closed.
    earlier: Counts,
    error: Option<String>,
}

struct Open {
    queue: Box<dyn Downlink>,
    config: QueueConfig,
    rate: ShapedRate,
    counts: Counts,
}

impl QueueControl {
    /// Opens and closes the queue, so that it is the one that is wanted now.
    ///
    /// # Errors
    /// It cannot be opened, and everything passes.
    pub fn update(
        &mut self,
        wanted: Option<&QueueConfig>,
        open: impl FnOnce(&QueueConfig, Rate) -> Result<Box<dyn Downlink>, String>,
    ) -> Result<(), String> {
        if self.open.as_ref().map(|open| &open.config) != wanted {
            self.close();
        }
        let Some(config) = wanted else {
            self.error = None;
            return Ok(());
        };
        if self.open.is_none() {
            let rate = ShapedRate::new(&config.rate);
            let queue =
                open(config, rate.rate()).inspect_err(|err| self.error = Some(err.clone()))?;
            if queue.is_open() {
                self.error = None;
            }
            let (config, counts) = (config.clone(), Counts::default());
            self.open = Some(Open { queue, config, rate, counts });
        }
        Ok(())
    }

    /// Waits until the queue is open, if it is wanted.
    ///
    /// # Errors
    /// It cannot be opened, and everything passes.
    pub fn settle(&mut self) -> Result<(), String> {
        self.open.as_mut().map_or(Ok(()), |open| open.queue.settle())
    }

    /// The rate stays; it holds for another lease.
    pub fn renew(&mut self, lease: Duration) {
        if let Some(open) = &mut self.open {
            open.queue.set_rate(open.rate.rate(), lease);
        }
    }

    /// A round has ended. The rate after it holds until `lease` ends.
    pub fn round(&mut self, round: &Round, lease: Duration) {
        let Some(open) = &mut self.open else { return };
        match open.queue.counts() {
            Ok(counts) => {
                if open.queue.is_open() {
                    self.error = None;
                }
                let is_limiting = counts.delayed > open.counts.delayed;
                open.counts = counts;
                open.rate.round(&Round { is_limiting, ..*round });
                open.queue.set_rate(open.rate.rate(), lease);
            }
            Err(problem) => {
                if self.error.as_ref() != Some(&problem) {
                    journal::error(&problem);
                }
                self.close();
                self.error = Some(problem);
            }
        }
    }

    /// Closes the queue; what waits in it passes.
    pub fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let counts = open.queue.counts().unwrap_or(open.counts);
        self.earlier = self.earlier.plus(&counts);
        drop(open);
    }

    /// Why the queue is not open, although it should be.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// What status and metrics show; `None` without a queue.
    pub fn status(&self, config: Option<&QueueConfig>) -> Option<QueueStatus> {
        let config = config?;
        let open = self.open.as_ref().filter(|open| open.queue.is_open());
        let now = open.map(|open| (open.queue.counts().unwrap_or(open.counts), &open.rate));
        let (counts, rate) = now.unzip();
        let counts = self.earlier.plus(&counts.unwrap_or_default());
        Some(QueueStatus {
            discipline: config.discipline.name().to_owned(),
            open: rate.is_some(),
            rate_bps: rate.map(|rate| rate.rate().as_bps()),
            capacity_bps: rate.and_then(ShapedRate::estimate).map(|rate| rate.as_bps()),
            backlog_packets: counts.backlog_packets,
            backlog_bytes: counts.backlog_bytes,
            packets: counts.packets,
            bytes: counts.bytes,
            delayed_packets: counts.delayed,
            dropped_packets: counts.dropped,
            marked_packets: counts.marked,
            error: self.error.clone().filter(|_| rate.is_none()),
        })
    }
}

impl Counts {
    /// These counts and `later` ones of another queue, whose backlog is that of now.
    fn plus(&self, later: &Self) -> Self {
        Self {
            packets: self.packets + later.packets,
            bytes: self.bytes + later.bytes,
            delayed: self.delayed + later.delayed,
            dropped: self.dropped + later.dropped,
            marked: self.marked + later.marked,
            ..*later
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::config::Config;

    const LEASE: Duration = Duration::from_secs(5);

    /// What a queue was told, and what it says.
    #[derive(Default)]
    struct Machine {
        counts: Counts,
        rates: Vec<u64>,
        closed: u32,
        failure: Option<String>,
    }

    struct FakeQueue(Rc<RefCell<Machine>>);

    impl Downlink for FakeQueue {
        fn set_rate(&mut self, rate: Rate, lease: Duration) {
            assert_eq!(lease, LEASE);
            self.0.borrow_mut().rates.push(rate.as_bps());
        }

        fn counts(&self) -> Result<Counts, String> {
            let machine = self.0.borrow();
            machine.failure.clone().map_or(Ok(machine.counts), Err)
        }
    }

    impl Drop for FakeQueue {
        fn drop(&mut self) {
            self.0.borrow_mut().closed += 1;
        }
    }

    fn config(queue: &str) -> Option<QueueConfig> {
        let text = format!(
            "interface = \"ap0\"\nloss_signal = {{ kind = \"local\", device = \"ap0\" }}\n{queue}"
        );
        Config::parse(text.as_bytes(), "f").unwrap().queue
    }

    fn round(lost: u64) -> Round {
        let [up, down, lost] = [1, 3, lost].map(Rate::from_mbps);
        Round { up, down, lost: Some(lost), is_released: false, is_limiting: false }
    }

    #[test]
    fn the_rate_follows_the_rounds() {
        let machine = Rc::new(RefCell::new(Machine::default()));
        let mut control = QueueControl::default();
        let wanted = config("queue = { kind = \"las\", share = 0.5 }");
        control.update(wanted.as_ref(), |_, _| Ok(Box::new(FakeQueue(machine.clone())))).unwrap();
        control.update(wanted.as_ref(), |_, _| panic!("it is open")).unwrap();
        control.round(&round(1), LEASE);
        machine.borrow_mut().counts.delayed = 1;
        control.round(&round(0), LEASE);
        control.round(&round(0), LEASE);
        // By hand: 6 * 7 / 8 = 5.25 Mb/s, half of that less 1 Mb/s. Then the estimate is 1 + 1 / 40500 times
        // as much, once, since nothing more was delayed.
        assert_eq!(machine.borrow().rates, [1_625_000, 1_625_064, 1_625_064]);
        control.update(None, |_, _| panic!("none is wanted")).unwrap();
        assert_eq!(machine.borrow().closed, 1);
        let status = control.status(wanted.as_ref()).unwrap();
        assert_eq!((status.open, status.delayed_packets, status.rate_bps), (false, 1, None));
        assert_eq!(control.status(None), None);
    }

    #[test]
    fn another_configuration_is_another_queue() {
        let machine = Rc::new(RefCell::new(Machine::default()));
        let mut control = QueueControl::default();
        for (number, kind) in ["las", "fq-codel", "fq-codel"].into_iter().enumerate() {
            let wanted = config(&format!("queue.kind = {kind:?}"));
            control
                .update(wanted.as_ref(), |_, _| Ok(Box::new(FakeQueue(machine.clone()))))
                .unwrap();
            assert_eq!(machine.borrow().closed, number.min(1) as u32);
        }
    }

    #[test]
    fn a_queue_that_fails_is_opened_again() {
        let machine = Rc::new(RefCell::new(Machine::default()));
        let mut control = QueueControl::default();
        let wanted = config("queue = \"las\"");
        assert!(control.update(wanted.as_ref(), |_, _| Err("no iptables".to_owned())).is_err());
        assert_eq!(control.error(), Some("no iptables"));
        control.update(wanted.as_ref(), |_, _| Ok(Box::new(FakeQueue(machine.clone())))).unwrap();
        assert_eq!(control.error(), None);
        machine.borrow_mut().failure = Some("socket".to_owned());
        control.round(&round(0), LEASE);
        assert_eq!((control.error(), machine.borrow().closed), (Some("socket"), 1));
        assert!(!control.status(wanted.as_ref()).unwrap().open);
        machine.borrow_mut().failure = None;
        control.update(wanted.as_ref(), |_, _| Ok(Box::new(FakeQueue(machine.clone())))).unwrap();
        assert!(control.status(wanted.as_ref()).unwrap().open);
    }
}
