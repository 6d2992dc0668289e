//! Requests of the lab's page, answered by the code that the page has as WebAssembly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use evenair_sim::RunOptions;
use pyo3::prelude::*;

use crate::interrupt::{SIGNAL_INTERVAL, STACK_BYTES, no_thread};
use crate::pool::last_panic;
use crate::prototype::caught;

/// From now on, no scenario of this process may name files, as on the page in a browser.
#[pyfunction]
pub fn read_no_files() {
    evenair_sim::scenario::read_no_files();
}

/// Answer a request of the lab's page, as its WebAssembly does. Both are JSON text.
///
/// `check` is called on this thread while it waits; what it raises cancels the run, and is raised
/// once the run has ended.
#[pyfunction]
pub fn answer(py: Python<'_>, request: &str, check: &Bound<'_, PyAny>) -> PyResult<String> {
    let check = check.clone().unbind();
    let cancel = Arc::new(AtomicBool::new(false));
    let options = RunOptions { cancel: Some(Arc::clone(&cancel)), ..RunOptions::default() };
    py.detach(|| {
        thread::scope(|scope| {
            let (done, answers) = mpsc::channel();
            let work = move || {
                let outcome = caught(|| evenair_web::answer_with(request, &options));
                // Nobody waits after an exception.
                let _ = done.send(outcome.unwrap_or_else(|failure| {
                    evenair_web::failure(&failure.unwrap_or_else(|_| last_panic()))
                }));
            };
            thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, work)
                .map_err(|error| no_thread(&error))?;
            loop {
                match answers.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(answer) => return Ok(answer),
                    Err(RecvTimeoutError::Timeout) => {
                        let checked = Python::attach(|py| check.call0(py).map(drop));
                        if checked.is_err() {
                            cancel.store(true, Ordering::Relaxed);
                        }
                        checked?;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Ok(evenair_web::failure("the engine has ended without an answer"));
                    }
                }
            }
        })
    })
}
