//! The applications of flows, for programs of the test-bed, which have sockets.

use std::cell::RefCell;
use std::sync::Arc;

use evenair_core::time::Instant;
use evenair_core::traffic::Received;
use evenair_core::traffic::session::Connections;
use evenair_sim::application::{DatagramApplication, StreamApplication};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::RunError;
use crate::scenario::{Scenario, invalid};

/// The session of a flow over TCP: what its application does with its connections.
///
/// Times are nanoseconds since the start of the run. `connections` of its methods is an object with these methods,
/// which get the number of a slot:
///
/// - `open(slot, bytes)`: open a new connection instead of the present one, over which so many bytes are transferred
/// - `request(slot, bytes)`: the receiver asks for so many more over the present one
/// - `received(slot)`: payload bytes that have arrived over it, and whether any have
/// - `is_done(slot)`: whether the sender knows that all has arrived
/// - `repairs(slot)`: segments sent again, and expiries of retransmission timers
/// - `stop(slot)`: send nothing new; return whether something is under way
#[pyclass(module = "evenair._core")]
pub struct StreamSession {
    application: StreamApplication,
}

#[pymethods]
impl StreamSession {
    /// The session of flow number `flow`. Raises ValueError if it has none.
    #[new]
    fn new(scenario: &Scenario, seed: u64, flow: u32) -> PyResult<Self> {
        let resolved = Arc::clone(scenario.resolved().map_err(invalid)?);
        let application = StreamApplication::new(resolved, seed, flow);
        let application = application
            .ok_or_else(|| PyValueError::new_err(format!("flow {flow} has no session")))?;
        Ok(Self { application })
    }

    /// How many connections it may have at a time.
    #[getter]
    fn slots(&self) -> usize {
        self.application.slots()
    }

    /// Whether the receiver of the data opens the connections; otherwise their sender does.
    #[getter]
    fn is_opened_by_receiver(&self) -> bool {
        self.application.is_opened_by_receiver()
    }

    /// Payload of a request of the receiver, bytes.
    #[getter]
    fn request(&self) -> u32 {
        self.application.request()
    }

    /// How many transfers are over.
    #[getter]
    fn finished(&self) -> usize {
        self.application.finished()
    }

    /// Return when `on_timer` is to be called.
    ///
    /// None: not before something else has happened.
    fn poll_at(&self) -> Option<u64> {
        due(self.application.poll_at())
    }

    /// Do what is due.
    fn on_timer(&mut self, now: u64, connections: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut calls = Calls::new(connections, self.application.pad());
        self.application.on_timer(Instant::from_nanos(now), &mut calls);
        calls.finish()
    }

    /// Note what the connection of a slot has brought.
    ///
    /// The first data have arrived, or all that was asked for, or the sender knows that.
    fn on_progress(
        &mut self,
        now: u64,
        slot: usize,
        connections: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut calls = Calls::new(connections, self.application.pad());
        self.application.on_progress(Instant::from_nanos(now), slot, &mut calls);
        calls.finish()
    }

    /// Return what was measured up to `now` as JSON text.
    ///
    /// `flow` has members of a flow's result; `sessions` its finite transfers. What a slowdown is
    /// compared with is simulated. Raises RunError.
    fn result(&self, py: Python<'_>, now: u64) -> PyResult<String> {
        let result = py.detach(|| self.application.result(Instant::from_nanos(now)));
        serde_json::to_string(&result.map_err(failed)?).map_err(failed)
    }
}

/// The datagrams of a flow over UDP, and what its ends make of those that arrive.
///
/// Times are nanoseconds since the start of the run.
#[pyclass(module = "evenair._core")]
pub struct DatagramSource {
    application: DatagramApplication,
}

#[pymethods]
impl DatagramSource {
    /// The datagrams of flow number `flow`. Raises ValueError if it has none.
    #[new]
    fn new(scenario: &Scenario, seed: u64, flow: u32) -> PyResult<Self> {
        let application =
            DatagramApplication::new(scenario.resolved().map_err(invalid)?, seed, flow);
        let application = application
            .ok_or_else(|| PyValueError::new_err(format!("flow {flow} has no datagrams")))?;
        Ok(Self { application })
    }

    /// Whether the receiver sends back what it receives.
    #[getter]
    fn is_echoed(&self) -> bool {
        self.application.is_echoed()
    }

    /// Return when the next datagram is to be sent, and its payload, bytes.
    ///
    /// None: there is no other.
    fn next(&self) -> (Option<u64>, u32) {
        let (at, payload) = self.application.next();
        (due(at), payload)
    }

    /// Note that it has been sent.
    fn on_sent(&mut self, now: u64) {
        self.application.on_sent(Instant::from_nanos(now));
    }

    /// Note that a datagram with `size` bytes of payload has arrived.
    ///
    /// Before it `number` others were sent.
    fn on_datagram(&mut self, now: u64, sent: u64, number: u64, size: u32) {
        // The clocks of both are the same, but one is read by the kernel.
        let (now, sent) = (Instant::from_nanos(now.max(sent)), Instant::from_nanos(sent));
        self.application.on_datagram(&Received { now, sent, number, bytes: size });
    }

    /// Note that the datagram has come back before which `number` others were sent.
    fn on_echo(&mut self, now: u64, number: u64) {
        self.application.on_echo(Instant::from_nanos(now), number);
    }

    /// Return what was measured up to `now` as JSON text: members of a flow's result.
    fn result(&mut self, now: u64) -> PyResult<String> {
        let result = self.application.result(Instant::from_nanos(now));
        serde_json::to_string(&result).map_err(failed)
    }
}

/// Calls the methods of a Python object. After an exception, which is kept, it calls none.
struct Calls<'a, 'py> {
    connections: &'a Bound<'py, PyAny>,
    /// What transfers are filled up to a multiple of, bytes.
    pad: u64,
    error: RefCell<Option<PyErr>>,
}

impl<'a, 'py> Calls<'a, 'py> {
    fn new(connections: &'a Bound<'py, PyAny>, pad: u64) -> Self {
        Self { connections, pad, error: RefCell::new(None) }
    }

    fn call<T, A>(&self, name: &str, arguments: A) -> T
    where
        T: Default + for<'x> FromPyObject<'x, 'py, Error = PyErr>,
        A: PyCallArgs<'py>,
    {
        if self.error.borrow().is_some() {
            return T::default();
        }
        let answer = self.connections.call_method1(name, arguments);
        answer.and_then(|answer| answer.extract()).unwrap_or_else(|error| {
            self.error.replace(Some(error));
            T::default()
        })
    }

    fn finish(self) -> PyResult<()> {
        self.error.into_inner().map_or(Ok(()), Err)
    }
}

impl Connections for Calls<'_, '_> {
    fn open(&mut self, slot: usize, bytes: u64) {
        self.call::<Option<bool>, _>("open", (slot, bytes.next_multiple_of(self.pad)));
    }

    fn request(&mut self, slot: usize, bytes: u64) {
        self.call::<Option<bool>, _>("request", (slot, bytes.next_multiple_of(self.pad)));
    }

    fn received(&self, slot: usize) -> (u64, bool) {
        self.call("received", (slot,))
    }

    fn is_done(&self, slot: usize) -> bool {
        self.call("is_done", (slot,))
    }

    fn repairs(&self, slot: usize) -> [u64; 2] {
        let (retransmissions, timeouts) = self.call("repairs", (slot,));
        [retransmissions, timeouts]
    }

    fn stop(&mut self, slot: usize) -> bool {
        self.call("stop", (slot,))
    }
}

fn due(at: Instant) -> Option<u64> {
    (at != Instant::NEVER).then_some(at.as_nanos())
}

fn failed(error: impl ToString) -> PyErr {
    RunError::new_err(error.to_string())
}
