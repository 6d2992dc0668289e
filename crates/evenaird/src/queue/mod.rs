//! The optional downlink queue: packets that are forwarded to the stations wait here instead of in the
//! access point, under one of the simulator's disciplines, and leave just below the capacity.
//!
//! The kernel hands packets over through a netfilter queue ([`netfilter`]) by a rule with a bypass
//! ([`rules`]). A thread reads their headers ([`evenair_core::ip`]), holds them in the discipline
//! and releases them at the rate ([`shaper`]) that follows the capacity ([`rate`]). When the daemon
//! dies, the bypass lets everything pass; when it hangs, the rate's lease ends.

pub mod control;
mod downlink;
pub mod netfilter;
pub mod packet;
pub mod rate;
pub mod rules;
pub mod shaper;

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use evenair_core::ip::flows::FlowTable;
use evenair_core::queue::QueueLimit;
use evenair_core::rng::{RngStream, StreamId};
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

pub use self::downlink::{Counts, Downlink};
use self::netfilter::NetfilterQueue;
use self::packet::{Held, Verdicts, changed, hold};
use self::rules::Rules;
use self::shaper::Shaper;
use crate::clock;
use crate::config::QueueConfig;

/// Threads of queues that are being closed, and of rules that are removed. The next queue is opened after
/// them.
static CLOSING: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// Waits until all queues that were dropped are closed, and their rules and those left by others are gone.
pub fn wait_until_closed() {
    let closing = std::mem::take(&mut *lock(&CLOSING));
    for thread in closing {
        // A panic has been reported.
        let _ = thread.join();
    }
}

/// Begins to remove the rules of an interface that an instance has left which was killed, since iptables may
/// hang. A queue that is opened later waits for it.
pub fn remove_leftovers(interface: &str) {
    let name = interface.to_owned();
    let removed = after_closing(move || {
        if let Err(problem) = rules::remove(&name) {
            crate::journal::warning(&problem);
        }
    });
    match removed {
        Ok(thread) => lock(&CLOSING).push(thread),
        Err(err) => {
            crate::journal::warning(format_args!("{interface}: rules are not removed: {err}"))
        }
    }
}

/// Runs a function on the thread that runs iptables, when all queues that were dropped are closed.
fn after_closing(function: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let before = std::mem::take(&mut *lock(&CLOSING));
    thread::Builder::new().name("evenaird-rules".to_owned()).spawn(move || {
        for thread in before {
            // A panic has been reported.
            let _ = thread.join();
        }
        function();
    })
}

/// The queue of the kernel. A thread opens and closes it, since iptables may hang, and another one
/// serves it. Dropping it lets waiting packets pass, and removes the rules, without waiting for that.
pub struct KernelQueue {
    shared: Arc<Mutex<Shared>>,
    wake: Arc<UnixStream>,
    /// Ends when the queue is open, or cannot be opened.
    opened: mpsc::Receiver<()>,
    /// Dropped to close the queue.
    close: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Between the control loop and the threads.
#[derive(Debug)]
struct Shared {
    rate: Rate,
    /// Then everything passes.
    expires: Instant,
    counts: Counts,
    is_open: bool,
    is_ending: bool,
    error: Option<String>,
}

impl KernelQueue {
    /// Begins to open the queue for what is forwarded to `interface`.
    ///
    /// # Errors
    /// The system has no thread or socket left.
    pub fn open(
        interface: &str,
        config: &QueueConfig,
        rate: Rate,
        lease: std::time::Duration,
    ) -> Result<Self, String> {
        let failed = |err: io::Error| format!("queue: {err}");
        let (wake, woken) = UnixStream::pair().map_err(failed)?;
        for end in [&wake, &woken] {
            end.set_nonblocking(true).map_err(failed)?;
        }
        let shared = Arc::new(Mutex::new(Shared {
            rate,
            expires: expiry(lease),
            counts: Counts::default(),
            is_open: false,
            is_ending: false,
            error: None,
        }));
        let wake = Arc::new(wake);
        let (opening, opened) = mpsc::channel();
        let (close, closed) = mpsc::channel();
        let keeper = Keeper {
            interface: interface.to_owned(),
            config: config.clone(),
            shared: shared.clone(),
            wake: wake.clone(),
        };
        let thread = after_closing(move || {
            let shared = keeper.shared.clone();
            if let Err(problem) = keeper.keep(woken, opening, &closed) {
                lock(&shared).error = Some(problem);
            }
        });
        let thread = Some(thread.map_err(failed)?);
        Ok(Self { shared, wake, opened, close: Some(close), thread })
    }
}

fn expiry(lease: std::time::Duration) -> Instant {
    clock::now() + Duration::from_nanos(u64::try_from(lease.as_nanos()).unwrap_or(u64::MAX))
}

/// Wakes the thread that serves the queue. A pipe that is full wakes it as well.
fn wake(mut end: &UnixStream) {
    let _ = end.write(&[0]);
}

impl Downlink for KernelQueue {
    fn set_rate(&mut self, rate: Rate, lease: std::time::Duration) {
        let mut shared = lock(&self.shared);
        (shared.rate, shared.expires) = (rate, expiry(lease));
        drop(shared);
        wake(&self.wake);
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

    fn is_open(&self) -> bool {
        lock(&self.shared).is_open
    }

    fn settle(&mut self) -> Result<(), String> {
        while self.opened.recv().is_ok() {}
        // The thread ends after a failure.
        if !self.is_open()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
        self.counts().map(|_| ())
    }
}

impl Drop for KernelQueue {
    fn drop(&mut self) {
        self.close = None;
        lock(&CLOSING).extend(self.thread.take());
    }
}

/// The thread that opens and closes a queue.
struct Keeper {
    interface: String,
    config: QueueConfig,
    shared: Arc<Mutex<Shared>>,
    wake: Arc<UnixStream>,
}

impl Keeper {
    /// Opens the queue, drops `opening`, and closes the queue after `closed`.
    fn keep(
        self,
        woken: UnixStream,
        opening: mpsc::Sender<()>,
        closed: &mpsc::Receiver<()>,
    ) -> Result<(), String> {
        let (config, number) = (&self.config, self.config.number);
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
            shared: self.shared.clone(),
            woken,
            rate: Rate::UNLIMITED,
            expires: Instant::NEVER,
        };
        let thread = thread::Builder::new().name("evenaird-queue".to_owned());
        let thread = thread
            .spawn(move || {
                let problem = match catch_unwind(AssertUnwindSafe(|| worker.run())) {
                    Ok(Ok(())) => return,
                    Ok(Err(err)) => format!("queue: {err}"),
                    Err(_) => "queue: its thread has ended".to_owned(),
                };
                lock(&worker.shared).error = Some(problem);
            })
            .map_err(|err| format!("queue: {err}"))?;
        // Last, as packets come from then on.
        let rules = Rules::install(&self.interface, number);
        if rules.is_ok() {
            lock(&self.shared).is_open = true;
            drop(opening);
            crate::journal::notice(format_args!(
                "{}: downlink queue {}, netfilter queue {number}",
                self.interface,
                config.discipline.name()
            ));
            // Until the other end is dropped.
            let _ = closed.recv();
        }
        // The rules go first, so that no packet is lost.
        let result = rules.map(drop);
        let mut shared = lock(&self.shared);
        (shared.is_open, shared.is_ending) = (false, true);
        drop(shared);
        wake(&self.wake);
        let _ = thread.join();
        result
    }
}

/// How many packets may wait in the kernel for a verdict. More than the discipline holds, so that the
/// discipline decides which to drop; what is above passes, so that a thread that hangs stops nothing.
fn kernel_capacity(limit: QueueLimit) -> u32 {
    /// Those that the thread has not yet read.
    const UNREAD: u32 = 1024;
    /// The smallest IP packet, that of a header.
    const SMALLEST: u64 = 20;
    let packets = match limit {
        QueueLimit::Packets(packets) => packets,
        QueueLimit::Bytes(bytes) => u32::try_from(bytes / SMALLEST).unwrap_or(u32::MAX),
        QueueLimit::Unlimited => u32::MAX,
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
    /// When `rate` no longer holds.
    expires: Instant,
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
        let holds = !shared.is_ending && now < shared.expires;
        let rate = if holds { shared.rate } else { Rate::UNLIMITED };
        self.expires = if holds { shared.expires } else { Instant::NEVER };
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
        let ready_at = self.shaper.ready_at().min(self.expires);
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
fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
