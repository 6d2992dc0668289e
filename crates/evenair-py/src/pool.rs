//! Runs on a pool of threads, while the calling thread hands over results and listens to Ctrl-C.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use evenair_sim::scenario::Scenario;
use evenair_sim::{RunOptions, RunResult};
use pyo3::prelude::*;

/// Python acts on a signal only when it is asked to; Ctrl-C must be felt at once.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Jobs that are ready per thread: enough that threads find work while results are being stored,
/// few enough that a campaign of any length fits into memory.
const AHEAD: usize = 32;

/// One run.
pub(crate) struct Job {
    /// Or the one line that says why it is not valid.
    pub(crate) scenario: Result<Arc<Scenario>, String>,
    pub(crate) seed: u64,
}

/// The result as JSON text, or the one line that says why there is none.
pub(crate) type Outcome = Result<String, String>;

/// Where jobs come from and where results go. Everything is called on the calling thread.
pub(crate) trait Driver: Send {
    /// The next job; jobs are numbered from 0. None: there are no more.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Job>>;

    /// These jobs have come to their end, in the order of their ends.
    fn finished(&mut self, py: Python<'_>, outcomes: Vec<(usize, Outcome)>) -> PyResult<()>;
}

impl Job {
    fn run(&self, options: &RunOptions) -> Outcome {
        let scenario = self.scenario.as_ref().map_err(Clone::clone)?;
        let start = now();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            evenair_sim::run(scenario, self.seed, options)
        }));
        let wall = start.elapsed();
        match outcome {
            Ok(Ok(result)) => to_json(&result, wall),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("the engine panicked {}; please report this", LAST_PANIC.take())),
        }
        .map_err(|reason| format!("scenario {:?}, seed {}: {reason}", scenario.name, self.seed))
    }
}

/// Runs all jobs of `driver`, `threads` at a time. An error of the driver, or Ctrl-C, stops all.
pub(crate) fn run(
    py: Python<'_>,
    driver: &mut impl Driver,
    threads: usize,
    pcap: Option<PathBuf>,
) -> PyResult<()> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = RunOptions { pcap, cancel: Some(Arc::clone(&cancel)) };
    let (post, inbox) = mpsc::channel::<(usize, Job)>();
    let inbox = Mutex::new(inbox);
    let work = |done: mpsc::Sender<(usize, Outcome)>| {
        while !cancel.load(Ordering::Relaxed) {
            let job = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((index, job)) = job else { break };
            if done.send((index, job.run(&options))).is_err() {
                break;
            }
        }
    };

    py.detach(|| {
        thread::scope(|scope| {
            let (done, results) = mpsc::channel();
            let mut workers = 0;
            let handle = || {
                // Dropping the post tells the workers that nothing more will come.
                let mut post = Some(post);
                let (mut posted, mut pending) = (0, 0);
                loop {
                    while let Some(to_workers) = &post
                        && pending < AHEAD * threads
                    {
                        let Some(job) = Python::attach(|py| driver.next(py))? else {
                            post = None;
                            break;
                        };
                        if to_workers.send((posted, job)).is_err() {
                            unreachable!("the inbox outlives the post");
                        }
                        (posted, pending) = (posted + 1, pending + 1);
                        if workers < threads.min(posted) {
                            let done = done.clone();
                            scope.spawn(|| work(done));
                            workers += 1;
                        }
                    }
                    if pending == 0 {
                        return Ok(());
                    }
                    match results.recv_timeout(SIGNAL_INTERVAL) {
                        Ok(first) => {
                            let outcomes: Vec<_> =
                                [first].into_iter().chain(results.try_iter()).collect();
                            pending -= outcomes.len();
                            Python::attach(|py| {
                                driver.finished(py, outcomes)?;
                                py.check_signals()
                            })?;
                        }
                        Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    }
                }
            };
            let handled = handle();
            cancel.store(true, Ordering::Relaxed);
            handled
        })
    })
}

thread_local! {
    /// Where and why this thread panicked last, for the report of the run.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic becomes one line of a `RunError`, instead of a backtrace on standard error.
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let message = (payload.downcast_ref::<&str>().copied())
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("without a message");
        let place = info.location().map(|place| format!("at {place}: "));
        LAST_PANIC.set(place.unwrap_or_default() + &message.replace('\n', " "));
    }));
}

/// The result document. `wall_s` is its only member that differs between two equal runs, and the
/// last.
fn to_json(result: &RunResult, wall: Duration) -> Result<String, String> {
    let mut text = serde_json::to_string(result).map_err(|error| error.to_string())?;
    text.pop();
    text.push_str(&format!(",\"wall_s\":{}}}", wall.as_secs_f64()));
    Ok(text)
}

#[allow(
    clippy::disallowed_methods,
    reason = "this is a driver: it tells people how long the run took, and the engine nothing"
)]
fn now() -> Instant {
    Instant::now()
}
