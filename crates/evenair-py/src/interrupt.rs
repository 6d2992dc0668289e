//! Work in Rust that Ctrl-C ends.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{io, thread};

use pyo3::prelude::*;

use crate::error::RunError;

/// Interval between two checks for signals.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The stack of a main thread, usually.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// Does `work` on a thread of its own, and checks for signals until it is done. If a signal handler
/// raises an exception, returns that; the thread goes on, and what it returns is dropped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, result) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // Nobody waits after an exception.
        let _ = done.send(work());
    });
    thread.map_err(|error| no_thread(&error))?;
    py.detach(move || {
        loop {
            match result.recv_timeout(SIGNAL_INTERVAL) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(RunError::new_err("the engine panicked; please report this"));
                }
            }
        }
    })
}

pub(crate) fn no_thread(error: &io::Error) -> PyErr {
    RunError::new_err(format!("a thread cannot be started: {error}"))
}
