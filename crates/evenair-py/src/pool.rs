//! Runs on a pool of threads, while the calling thread hands over results and listens to Ctrl-C.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use evenair_sim::scenario::Scenario;
use evenair_sim::{RunOptions, RunResult};
use pyo3::prelude::*;

use crate::RunError;

/// Python acts on a signal only when it is asked to; Ctrl-C must be felt at once.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// One run.
pub(crate) struct Job {
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) seed: u64,
}

impl Job {
    /// The result as JSON text, or the one line that says why there is none.
    fn run(&self, options: &RunOptions) -> Result<String, String> {
        let start = now();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            evenair_sim::run(&self.scenario, self.seed, options)
        }));
        let wall = start.elapsed();
        match outcome {
            Ok(Ok(result)) => to_json(&result, wall),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("the engine panicked {}; please report this", LAST_PANIC.take())),
        }
        .map_err(|reason| {
            let Self { scenario, seed } = self;
            format!("scenario {:?}, seed {seed}: {reason}", scenario.name)
        })
    }
}

/// Runs all jobs, see `_core.run_many`.
pub(crate) fn run(
    py: Python<'_>,
    jobs: &[Job],
    threads: usize,
    on_result: &Py<PyAny>,
    pcap: Option<PathBuf>,
) -> PyResult<()> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = RunOptions { pcap, cancel: Some(Arc::clone(&cancel)) };
    let next = AtomicUsize::new(0);
    let work = |done: mpsc::Sender<(usize, Result<String, String>)>| {
        while !cancel.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            if done.send((index, job.run(&options))).is_err() {
                break;
            }
        }
    };

    py.detach(|| {
        thread::scope(|scope| {
            let (done, results) = mpsc::channel();
            for _ in 0..threads.min(jobs.len()) {
                let done = done.clone();
                scope.spawn(|| work(done));
            }
            drop(done);

            let mut failed: Option<(usize, String)> = None;
            loop {
                let handled = match results.recv_timeout(SIGNAL_INTERVAL) {
                    Ok((index, Ok(result))) => Python::attach(|py| {
                        on_result.call1(py, (index, result))?;
                        py.check_signals()
                    }),
                    Ok((index, Err(reason))) => {
                        if failed.as_ref().is_none_or(|(first, _)| index < *first) {
                            failed = Some((index, reason));
                        }
                        Ok(())
                    }
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if let Err(error) = handled {
                    cancel.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
            failed.map_or(Ok(()), |(_, reason)| Err(RunError::new_err(reason)))
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
