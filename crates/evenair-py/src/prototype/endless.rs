//! Calls of a class that do not return, when runs are to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Whether any class has been registered.
static REGISTERED: AtomicBool = AtomicBool::new(false);

pub(super) fn note_registration() {
    REGISTERED.store(true, Ordering::Relaxed);
}

/// The threads that may call a class, by Python's numbers.
pub(crate) struct Threads(Mutex<Vec<u64>>);

impl Threads {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Adds the present thread, if any class has been registered.
    pub(crate) fn enter(&self) {
        if !REGISTERED.load(Ordering::Relaxed) {
            return;
        }
        let number: PyResult<u64> =
            Python::attach(|py| py.import("threading")?.call_method0("get_ident")?.extract());
        if let Ok(number) = number {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(number);
        }
    }

    /// Raises KeyboardInterrupt in each thread that executes Python now.
    pub(crate) fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if numbers.is_empty() {
            return Ok(());
        }
        // The one function of Python's for this; a thread that executes no Python is not known to it.
        let ctypes = py.import("ctypes")?;
        let raise = ctypes.getattr("pythonapi")?.getattr("PyThreadState_SetAsyncExc")?;
        let exception =
            ctypes.call_method1("py_object", (py.get_type::<PyKeyboardInterrupt>(),))?;
        for number in numbers {
            raise.call1((ctypes.call_method1("c_ulong", (number,))?, &exception))?;
        }
        Ok(())
    }
}
