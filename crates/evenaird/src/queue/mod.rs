//! The optional downlink queue: packets that are forwarded to the stations wait here instead of in the
//! access point, under one of the simulator's disciplines, and leave just below the capacity.
//!
//! The kernel hands packets over through a netfilter queue ([`netfilter`]) by a rule with a bypass
//! ([`rules`]). A thread reads their headers ([`evenair_core::ip`]), holds them in the discipline
//! and releases them at the rate ([`shaper`]) that follows the capacity ([`rate`]). When the daemon
//! dies, the bypass lets everything pass.

pub mod control;
pub mod netfilter;
pub mod packet;
pub mod rate;
pub mod rules;
pub mod shaper;

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use evenair_core::ip::flows::FlowTable;
use evenair_core::queue::Limit;
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::time::Instant;
use evenair_core::units::Rate;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use self::netfilter::NetfilterQueue;
use self::packet::{Held, Verdicts, changed, hold};
use self::rules::Rules;
use self::shaper::Shaper;
use crate::clock;
use crate::config::QueueConfig;

/// What the queue has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that have left.
    pub packets: u64,
    /// Their bytes at IP level.
    pub bytes: u64,
    /// Of them, those that had to wait.
    pub delayed: u64,
    /// Packets that the discipline has dropped.
    pub dropped: u64,
    /// Packets in which it has set the ECN field to CE.
    pub marked: u64,
    /// Packets that wait now.
    pub backlog_packets: u64,
    /// Their bytes at IP level.
    pub backlog_bytes: u64,
}

/// A queue in front of the access point.
pub trait Downlink {
    /// From now on packets leave at this rate.
    fn set_rate(&mut self, rate: Rate);

    /// What it has done.
    ///
    /// # Errors
    /// It has failed, and everything passes.
    fn counts(&self) -> Result<Counts, String>;
}

/// The queue of the kernel, and the thread that serves it. Dropping it lets waiting packets pass, and
/// removes the rules.
pub struct KernelQueue {
    /// Before the thread ends, so that no packet is lost.
    rules: Option<Rules>,
    shared: Arc<Mutex<Shared>>,
    wake: UnixStream,
    thread: Option<JoinHandle<()>>,
}

/// Between the control loop and the thread.
#[derive(Debug)]
struct Shared {
    rate: Rate,
    counts: Counts,
    is_ending: bool,
    error: Option<String>,
}

impl KernelQueue {
    /// Opens the queue for what is forwarded to `interface`.
    ///
    /// # Errors
    /// One line: iptables is missing, or the kernel or another process is in the way.
    pub fn open(interface: &str, config: &QueueConfig, rate: Rate) -> Result<Self, String> {
        let number = config.number;
        let capacity = kernel_capacity(config.limit);
        let queue = NetfilterQueue::open(number, capacity).map_err(|err| {
            let why = match err.raw_os_error() {
                Some(libc::EPERM | libc::EBUSY) => {
                    "another process serves it, or CAP_NET_ADMIN is missing".to_owned()
                }
                _ => err.to_string(),
            };
            format!("queue.number: netfilter queue {number}: {why}")
        })?;
        let failed = |err: io::Error| format!("queue: {err}");
        let (wake, woken) = UnixStream::pair().map_err(failed)?;
        for end in [&wake, &woken] {
            end.set_nonblocking(true).map_err(failed)?;
        }
        let shared = Shared { rate, counts: Counts::default(), is_ending: false, error: None };
        let shared = Arc::new(Mutex::new(shared));
        let mut worker = Worker {
            queue,
            // Draws need not be the same in each run; those of FQ-CoDel's hash should not be.
            shaper: Shaper::new(
                &config.discipline,
                config.limit,
                RngStream::new(clock::now().as_nanos(), StreamId::Queue, number.into()),
                config.burst,
            ),
            flows: FlowTable::default(),
            shared: shared.clone(),
            woken,
            rate: Rate::UNLIMITED,
        };
        let thread = thread::Builder::new().name("evenaird-queue".to_owned());
        let thread = thread
            .spawn(move || {
                if let Err(err) = worker.run() {
                    lock(&worker.shared).error = Some(format!("queue: {err}"));
                }
            })
            .map_err(failed)?;
        let mut opened = Self { rules: None, shared, wake, thread: Some(thread) };
        // Last, as packets come from then on.
        opened.rules = Some(Rules::install(interface, number)?);
        crate::journal::notice(format_args!(
            "{interface}: downlink queue {}, netfilter queue {number}",
            config.discipline.name()
        ));
        Ok(opened)
    }

    fn wake(&mut self) {
        // A pipe that is full wakes the thread as well.
        let _ = self.wake.write(&[0]);
    }
}

impl Downlink for KernelQueue {
    fn set_rate(&mut self, rate: Rate) {
        lock(&self.shared).rate = rate;
        self.wake();
    }

    fn counts(&self) -> Result<Counts, String> {
        let shared = lock(&self.shared);
        match &shared.error {
            Some(error) => Err(error.clone()),
            None if self.thread.as_ref().is_none_or(JoinHandle::is_finished) => {
                Err("queue: its thread has ended".to_owned())
            }
            None => Ok(shared.counts),
        }
    }
}

impl Drop for KernelQueue {
    fn drop(&mut self) {
        self.rules = None;
        lock(&self.shared).is_ending = true;
        self.wake();
        if let Some(thread) = self.thread.take() {
            // A panic has been reported.
            let _ = thread.join();
        }
    }
}

/// How many packets may wait in the kernel for a verdict. More than the discipline holds, so that the
/// discipline decides which to drop; what is above passes, so that a thread that hangs stops nothing.
fn kernel_capacity(limit: Limit) -> u32 {
    /// Those that the thread has not yet read.
    const UNREAD: u32 = 1024;
    /// The smallest IP packet, that of a header.
    const SMALLEST: u64 = 20;
    let packets = match limit {
        Limit::Packets(packets) => packets,
        Limit::Bytes(bytes) => u32::try_from(bytes / SMALLEST).unwrap_or(u32::MAX),
    };
    packets.saturating_add(UNREAD)
}

struct Worker {
    queue: NetfilterQueue,
    shaper: Shaper<Held>,
    flows: FlowTable,
    shared: Arc<Mutex<Shared>>,
    woken: UnixStream,
    rate: Rate,
}

impl Worker {
    /// Serves the queue until it ends; then everything that waits has left.
    fn run(&mut self) -> io::Result<()> {
        let mut counts = Counts::default();
        loop {
            let now = clock::now();
            let is_ending = self.take_over(now, counts);
            let has_more = self.receive(now, &mut counts)?;
            self.release(now, &mut counts)?;
            if is_ending && !has_more {
                return Ok(());
            }
            if !has_more {
                (counts.backlog_packets, counts.backlog_bytes) = self.shaper.backlog();
                lock(&self.shared).counts = counts;
                self.wait()?;
            }
        }
    }

    /// Takes over the rate, and publishes counts. Returns whether the queue is to end.
    fn take_over(&mut self, now: Instant, counts: Counts) -> bool {
        let mut shared = lock(&self.shared);
        let rate = if shared.is_ending { Rate::UNLIMITED } else { shared.rate };
        shared.counts = counts;
        if rate != self.rate {
            self.shaper.set_rate(now, rate);
            self.rate = rate;
        }
        shared.is_ending
    }

    /// Puts packets that have arrived into the discipline. Returns whether there may be more.
    fn receive(&mut self, now: Instant, counts: &mut Counts) -> io::Result<bool> {
        /// Then those that are due leave.
        const BATCH: usize = 32;
        for _ in 0..BATCH {
            let Some(arrival) = self.queue.receive()? else { return Ok(false) };
            let id = arrival.id;
            match hold(now, arrival, &mut self.flows) {
                Some(held) => {
                    let mut verdicts = Verdicts::new(counts);
                    self.shaper.enqueue(now, held, &mut verdicts);
                    verdicts.pass_on(&self.queue)?;
                }
                None => self.queue.accept(id, None)?,
            }
        }
        Ok(true)
    }

    /// Releases the packets that are due.
    fn release(&mut self, now: Instant, counts: &mut Counts) -> io::Result<()> {
        loop {
            let mut verdicts = Verdicts::new(counts);
            let held = self.shaper.dequeue(now, &mut verdicts);
            verdicts.pass_on(&self.queue)?;
            let Some(mut held) = held else { return Ok(()) };
            counts.packets += 1;
            counts.bytes += u64::from(held.size);
            counts.delayed += u64::from(held.enqueued_at < now);
            self.queue.accept(held.content.id, changed(&mut held))?;
        }
    }

    /// Waits for packets, for a change of the rate, or until a packet is due.
    fn wait(&mut self) -> io::Result<()> {
        let ready_at = self.shaper.ready_at();
        let timeout = (ready_at != Instant::NEVER).then(|| {
            let nanos = ready_at.since(clock::now()).as_nanos();
            TimeSpec::from_duration(std::time::Duration::from_nanos(nanos))
        });
        let mut fds = [
            PollFd::new(self.queue.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.woken.as_fd(), PollFlags::POLLIN),
        ];
        match ppoll(&mut fds, timeout, None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(err) => return Err(err.into()),
        }
        loop {
            match self.woken.read(&mut [0; 64]) {
                Ok(64..) => {}
                Ok(_) => return Ok(()),
                Err(err) if err.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(err) if err.kind() == ErrorKind::Interrupted => {}
                Err(err) => return Err(err),
            }
        }
    }
}

/// A thread that has panicked leaves values behind that can be read.
fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
