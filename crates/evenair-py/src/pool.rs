//! Runs jobs on a pool of threads. The calling thread fetches jobs from Python, passes results back
//! and checks for Ctrl-C.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::panic;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use evenair_sim::scenario;
use evenair_sim::{CaptureOf, CaptureSinks, RunError, RunOptions, RunResult};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::interrupt::{SIGNAL_INTERVAL, no_thread};
use crate::prototype::{Threads, caught};
use crate::scenario::Scenario;

/// Jobs queued or running per thread: enough to keep the threads busy while Python handles
/// results, few enough to bound the memory of a campaign of any length.
const QUEUED_PER_THREAD: usize = 32;

/// One run.
struct Job {
    /// The error message if the scenario is not valid.
    scenario: Result<Arc<scenario::Scenario>, String>,
    seed: u64,
}

/// The result as JSON text, or the error message.
type Outcome = Result<String, String>;

/// The files of the air's capture, if there is to be one, and of the wire's.
type CaptureFiles = (Option<PathBuf>, PathBuf);

impl Job {
    fn run(&self, options: &RunOptions, pcap: Option<&CaptureFiles>) -> Outcome {
        let scenario = self.scenario.as_ref().map_err(Clone::clone)?;
        self.simulate(scenario, options, pcap)
            .map_err(|reason| format!("scenario {:?}, seed {}: {reason}", scenario.name, self.seed))
    }

    fn simulate(
        &self,
        scenario: &scenario::Scenario,
        options: &RunOptions,
        pcap: Option<&CaptureFiles>,
    ) -> Outcome {
        let captures = pcap.map(capture_sinks).transpose()?;
        let start = now();
        let outcome =
            caught(|| evenair_sim::run_with_captures(scenario, self.seed, options, captures));
        let wall_s = start.elapsed().as_secs_f64();
        match outcome {
            Ok(Ok(result)) => serde_json::to_string(&RunResult { wall_s: Some(wall_s), ..result })
                .map_err(|error| error.to_string()),
            Ok(Err(RunError::Capture(of, error))) => Err(match (pcap, of) {
                (Some((Some(air), _)), CaptureOf::Air) => format!("{}: {error}", air.display()),
                (Some((_, wire)), CaptureOf::Wire) => format!("{}: {error}", wire.display()),
                _ => error.to_string(),
            }),
            Ok(Err(error)) => Err(error.to_string()),
            Err(Ok(reason)) => Err(reason),
            Err(Err(_)) => Err(last_panic()),
        }
    }
}

/// Creates the files.
fn capture_sinks((air, wire): &CaptureFiles) -> Result<CaptureSinks, String> {
    let create = |path: &PathBuf| -> Result<Box<dyn Write + Send>, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Box::new(file))
    };
    Ok(CaptureSinks { air: air.as_ref().map(create).transpose()?, wire: create(wire)? })
}

/// Run the jobs of an iterator, pairs of a `Scenario` and a seed, on `threads` threads.
///
/// The iterator is consumed a bounded number of jobs ahead of the threads. `on_results` is called
/// on this thread with a list of `(index of the job, result as JSON text or None, error or None)`:
/// the runs that have finished since the last call, in any order. A run that fails and a scenario
/// that is not valid do not stop the others. An exception in the iterator or in `on_results`, or
/// Ctrl-C, stops all of them.
///
/// If the system refuses a thread, those that have been started do all jobs; if there is none, this
/// raises RunError.
///
/// `pcap` names the capture files of the only job: that of the air, or None, and that of the wire.
/// Frames on the air of a cell of WiMAX, 802.11n, ac or ax are not captured. With `delay_by_place` the
/// results say where the delay of flows is.
#[pyfunction]
#[pyo3(signature = (jobs, threads, on_results, pcap = None, delay_by_place = false))]
pub fn run_jobs(
    jobs: &Bound<'_, PyAny>,
    threads: usize,
    on_results: Py<PyAny>,
    pcap: Option<CaptureFiles>,
    delay_by_place: bool,
) -> PyResult<()> {
    if threads == 0 {
        return Err(PyValueError::new_err("threads: got 0, at least 1 is needed"));
    }
    let py = jobs.py();
    let jobs = jobs.try_iter()?.into_any().unbind();
    let captures = pcap.is_some();
    let cancel = Arc::new(AtomicBool::new(false));
    let cancelled = Some(Arc::clone(&cancel));
    let options = RunOptions { cancel: cancelled, delay_by_place, ..RunOptions::default() };
    let (queue, inbox) = mpsc::channel::<(usize, Job)>();
    let inbox = Mutex::new(inbox);
    let threads_of_classes = Threads::new();
    let work = |done: mpsc::Sender<(usize, Outcome)>| {
        threads_of_classes.enter();
        while !cancel.load(Ordering::Relaxed) {
            let job = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((index, job)) = job else { break };
            if done.send((index, job.run(&options, pcap.as_ref()))).is_err() {
                break;
            }
        }
    };

    py.detach(|| {
        thread::scope(|scope| {
            let (done, results) = mpsc::channel();
            let handle = || {
                // Dropping the sender ends the workers once the queue is empty.
                let mut queue = Some(queue);
                let (mut workers, mut queued, mut pending) = (0, 0, 0);
                let mut threads = threads;
                loop {
                    while let Some(sender) = &queue
                        && pending < QUEUED_PER_THREAD.saturating_mul(threads)
                    {
                        let Some(job) = Python::attach(|py| next_job(jobs.bind(py)))? else {
                            queue = None;
                            break;
                        };
                        if captures && queued > 0 {
                            return Err(PyValueError::new_err("pcap: a capture is of one run"));
                        }
                        if sender.send((queued, job)).is_err() {
                            unreachable!("the receiver outlives the sender");
                        }
                        (queued, pending) = (queued + 1, pending + 1);
                        if workers < threads.min(queued) {
                            let done = done.clone();
                            match thread::Builder::new().spawn_scoped(scope, || work(done)) {
                                Ok(_) => workers += 1,
                                Err(error) if workers == 0 => return Err(no_thread(&error)),
                                Err(_) => threads = workers,
                            }
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
                                on_results.call1(py, (to_python(outcomes),))?;
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
            drop(done);
            // A run looks at `cancel` between its events; a class in an endless loop does not return
            // to it.
            while results.recv_timeout(SIGNAL_INTERVAL) != Err(RecvTimeoutError::Disconnected) {
                Python::attach(|py| threads_of_classes.interrupt(py))?;
            }
            handled
        })
    })
}

/// Fetches the next job of an iterator.
fn next_job(jobs: &Bound<'_, PyAny>) -> PyResult<Option<Job>> {
    let Some(job) = jobs.try_iter()?.next() else { return Ok(None) };
    let (scenario, seed): (PyRef<'_, Scenario>, u64) = job?.extract()?;
    let scenario = scenario.resolved().map(Arc::clone).map_err(|error| error.to_string());
    Ok(Some(Job { scenario, seed }))
}

/// Converts outcomes to triples of index, result and error.
fn to_python(outcomes: Vec<(usize, Outcome)>) -> Vec<(usize, Option<String>, Option<String>)> {
    let split = |(index, outcome)| match outcome {
        Ok(result) => (index, Some(result), None),
        Err(reason) => (index, None, Some(reason)),
    };
    outcomes.into_iter().map(split).collect()
}

thread_local! {
    /// Location and message of this thread's last panic.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What to say about this thread's last panic.
pub(crate) fn last_panic() -> String {
    format!("the engine panicked {}; please report this", LAST_PANIC.take())
}

/// Records panics for the error message of the run, instead of printing a backtrace.
pub(crate) fn record_panics() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let message = (payload.downcast_ref::<&str>().copied())
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("without a message");
        let place = info.location().map(|place| format!("at {place}: "));
        LAST_PANIC.set(place.unwrap_or_default() + &message.replace('\n', " "));
    }));
}

#[allow(
    clippy::disallowed_methods,
    reason = "a driver may read the clock: the engine never sees the duration of a run"
)]
fn now() -> Instant {
    Instant::now()
}
