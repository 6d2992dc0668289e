//! Congestion controls in Python.

use std::sync::Arc;

use evenair_core::component::Value;
use evenair_core::congestion::boxed::{BoxedControl, NewControl};
use evenair_core::congestion::{self, CongestionControl, LossDetection};
use evenair_core::time::Duration;
use pyo3::prelude::*;

use super::class::{Class, Failure};

/// The constructor of a class of congestion controls.
pub(super) fn constructor(class: Arc<Class>) -> Box<NewControl> {
    Box::new(move |values: &[Value]| -> Box<dyn BoxedControl> {
        Box::new(Python::attach(|py| Control::new(py, Arc::clone(&class), values)))
    })
}

/// The congestion window, in segments.
#[pyclass(module = "evenair._core")]
pub struct Window {
    window: congestion::Window,
}

#[pymethods]
impl Window {
    /// The congestion window, segments.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, cwnd: f64) {
        self.window.cwnd = cwnd;
    }

    /// The slow-start threshold, segments.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, ssthresh: f64) {
        self.window.ssthresh = ssthresh;
    }

    /// Slow start and congestion avoidance (RFC 5681 section 3.1).
    fn grow(&mut self, credit: f64) {
        congestion::grow(&mut self.window, credit);
    }

    /// Slow start alone; return what is left of the credit once ssthresh is reached.
    fn slow_start(&mut self, credit: f64) -> f64 {
        congestion::slow_start(&mut self.window, credit)
    }

    /// The part of cwnd that is in use, segments.
    fn in_use(&self, event: &AckEvent) -> f64 {
        congestion::in_use(&self.window, &event.event)
    }

    fn __repr__(&self) -> String {
        format!("Window(cwnd={:?}, ssthresh={:?})", self.window.cwnd, self.window.ssthresh)
    }
}

/// What the sender knows when something happens.
#[pyclass(frozen, module = "evenair._core")]
pub struct AckEvent {
    event: congestion::AckEvent,
}

#[pymethods]
impl AckEvent {
    /// The time, ns.
    #[getter]
    fn now(&self) -> u64 {
        self.event.now.as_nanos()
    }

    /// Segments newly acknowledged; 0 of a duplicate ACK.
    #[getter]
    fn acked(&self) -> f64 {
        self.event.acked
    }

    /// Segments by which this ACK counts: 1, or `acked` with byte counting.
    #[getter]
    fn credit(&self) -> f64 {
        self.event.credit
    }

    /// Segments that were outstanding before (RFC 5681: FlightSize).
    #[getter]
    fn flight(&self) -> f64 {
        self.event.flight
    }

    /// The round-trip time of the last acknowledged segment, ns; None if it was sent twice.
    #[getter]
    fn rtt(&self) -> Option<u64> {
        self.event.rtt.map(Duration::as_nanos)
    }

    /// The first byte that had not been acknowledged before.
    #[getter]
    fn snd_una(&self) -> u64 {
        self.event.snd_una
    }

    /// The next byte to be sent.
    #[getter]
    fn snd_nxt(&self) -> u64 {
        self.event.snd_nxt
    }

    /// Payload bytes of a full segment.
    #[getter]
    fn segment(&self) -> u64 {
        self.event.segment
    }

    /// The first byte that is not acknowledged now.
    #[getter]
    fn ack(&self) -> u64 {
        self.event.ack()
    }
}

/// The methods that a class may leave out.
#[derive(Clone, Copy, Debug)]
struct Optional {
    duplicate_ack: bool,
    congestion_mark: bool,
    partial_ack: bool,
    recovered: bool,
}

/// An instance of the class.
#[derive(Debug)]
struct Control {
    class: Arc<Class>,
    object: Py<PyAny>,
    defines: Optional,
    loss_detection: LossDetection,
}

impl Control {
    fn new(py: Python<'_>, class: Arc<Class>, values: &[Value]) -> Self {
        let object = class.instance(py, None, values);
        let defines = Optional {
            duplicate_ack: class.defines(py, "on_duplicate_ack"),
            congestion_mark: class.defines(py, "on_congestion_mark"),
            partial_ack: class.defines(py, "on_partial_ack"),
            recovered: class.defines(py, "on_recovered"),
        };
        let attribute = class.class.getattr(py, "loss_detection");
        let fine = attribute
            .is_ok_and(|name| name.extract::<String>(py).is_ok_and(|name| name == "fine-grained"));
        let loss_detection =
            if fine { LossDetection::FineGrained } else { LossDetection::Configured };
        Self { class, object, defines, loss_detection }
    }

    /// Calls a method, with `first` if there is one, and takes the window from it.
    fn call(
        &self,
        method: &str,
        window: &mut congestion::Window,
        event: &congestion::AckEvent,
        first: Option<bool>,
    ) {
        let done = Python::attach(|py| self.call_attached(py, method, *window, event, first));
        *window = done.unwrap_or_else(|failure| failure.end_run());
    }

    fn call_attached(
        &self,
        py: Python<'_>,
        method: &str,
        window: congestion::Window,
        event: &congestion::AckEvent,
        first: Option<bool>,
    ) -> Result<congestion::Window, Failure> {
        let call = || {
            let window = Bound::new(py, Window { window })?;
            let event = Bound::new(py, AckEvent { event: *event })?;
            let object = self.object.bind(py);
            match first {
                None => object.call_method1(method, (window.clone(), event))?,
                Some(first) => object.call_method1(method, (window.clone(), event, first))?,
            };
            let window = window.borrow().window;
            Ok(window)
        };
        let window = call().map_err(|error| self.class.raised(py, method, &error))?;
        for (name, value) in [("cwnd", window.cwnd), ("ssthresh", window.ssthresh)] {
            if !(value >= 1.0 && value.is_finite()) {
                let problem = format!("set {name} to {value}; accepted: a number from 1, segments");
                return Err(self.class.misused(py, method, &problem));
            }
        }
        Ok(window)
    }
}

impl CongestionControl for Control {
    fn loss_detection(&self) -> LossDetection {
        self.loss_detection
    }

    fn on_ack(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        self.call("on_ack", window, event, None);
    }

    fn on_duplicate_ack(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        if self.defines.duplicate_ack {
            self.call("on_duplicate_ack", window, event, None);
        }
    }

    fn on_loss(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        self.call("on_loss", window, event, None);
    }

    fn on_congestion_mark(
        &mut self,
        window: &mut congestion::Window,
        event: &congestion::AckEvent,
    ) {
        let method = if self.defines.congestion_mark { "on_congestion_mark" } else { "on_loss" };
        self.call(method, window, event, None);
    }

    fn on_partial_ack(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        if self.defines.partial_ack {
            self.call("on_partial_ack", window, event, None);
        }
    }

    fn on_recovered(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        if self.defines.recovered {
            self.call("on_recovered", window, event, None);
        }
    }

    fn on_timeout(
        &mut self,
        window: &mut congestion::Window,
        event: &congestion::AckEvent,
        first: bool,
    ) {
        self.call("on_timeout", window, event, Some(first));
    }
}
