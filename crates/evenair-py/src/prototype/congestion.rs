//! Congestion controls in Python.

use std::sync::Arc;

use evenair_core::component::Value;
use evenair_core::congestion::boxed::{BoxedControl, NewControl};
use evenair_core::congestion::{self, CongestionControl, LossDetection, Observed};
use evenair_core::time::Duration;
use evenair_core::units::Rate;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use super::class::{Class, Failure, shown};

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

    /// Whether cwnd may grow; what it grows by nevertheless is taken off.
    #[getter]
    fn may_grow(&self) -> bool {
        self.event.may_grow
    }

    /// Of `acked`, the segments that arrived with a congestion mark as far as the sender knows.
    #[getter]
    fn marked(&self) -> f64 {
        self.event.marked
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

/// A data segment leaves.
#[pyclass(frozen, module = "evenair._core")]
pub struct SentEvent {
    event: congestion::SentEvent,
}

#[pymethods]
impl SentEvent {
    /// The time, ns.
    #[getter]
    fn now(&self) -> u64 {
        self.event.now.as_nanos()
    }

    /// Payload bytes of the segment.
    #[getter]
    fn bytes(&self) -> u32 {
        self.event.bytes
    }

    /// Whether it has been sent before.
    #[getter]
    fn retransmission(&self) -> bool {
        self.event.retransmission
    }

    /// Payload bytes in the network before it; 0 after a pause.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.event.in_flight
    }
}

/// How fast payload is delivered, as one ACK tells it.
#[pyclass(frozen, module = "evenair._core")]
pub struct RateSample {
    sample: congestion::RateSample,
}

#[pymethods]
impl RateSample {
    /// The time, ns.
    #[getter]
    fn now(&self) -> u64 {
        self.sample.now.as_nanos()
    }

    /// Bytes that the ACK is the first to report.
    #[getter]
    fn newly_delivered(&self) -> u64 {
        self.sample.newly_delivered
    }

    /// Bytes delivered since the connection began.
    #[getter]
    fn total(&self) -> u64 {
        self.sample.total
    }

    /// What `total` was when the segment was sent that was sent last of those newly reported.
    #[getter]
    fn prior_delivered(&self) -> u64 {
        self.sample.prior_delivered
    }

    /// The time in which `total - prior_delivered` was delivered, ns; None if the ACKs were compressed.
    #[getter]
    fn interval(&self) -> Option<u64> {
        self.sample.interval.map(Duration::as_nanos)
    }

    /// The delivery rate, bit/s of payload; None without an interval.
    #[getter]
    fn rate(&self) -> Option<u64> {
        self.sample.rate().map(Rate::as_bps)
    }

    /// Whether the application had left the sender without data.
    #[getter]
    fn is_app_limited(&self) -> bool {
        self.sample.is_app_limited
    }

    /// Bytes in the network after the ACK.
    #[getter]
    fn in_flight(&self) -> u64 {
        self.sample.in_flight
    }

    /// The round-trip time of the segment that was sent last, ns; None if it was sent twice.
    #[getter]
    fn rtt(&self) -> Option<u64> {
        self.sample.rtt.map(Duration::as_nanos)
    }

    /// Bytes in the network before the ACK.
    #[getter]
    fn prior_in_flight(&self) -> u64 {
        self.sample.prior_in_flight
    }

    /// Bytes that the ACK has marked lost.
    #[getter]
    fn newly_lost(&self) -> u64 {
        self.sample.newly_lost
    }

    /// Bytes marked lost since the segment was sent that was sent last of those newly reported.
    #[getter]
    fn lost(&self) -> u64 {
        self.sample.lost
    }

    /// Bytes in the network just after that segment was sent.
    #[getter]
    fn tx_in_flight(&self) -> u64 {
        self.sample.tx_in_flight
    }

    /// Of `newly_delivered`, the bytes that arrived with a congestion mark as far as is known.
    #[getter]
    fn newly_marked(&self) -> u64 {
        self.sample.newly_marked
    }

    /// Bytes that arrived with a mark since that segment was sent.
    #[getter]
    fn marked(&self) -> u64 {
        self.sample.marked
    }

    /// Whether what is in the network has filled cwnd since the last sample.
    #[getter]
    fn is_cwnd_limited(&self) -> bool {
        self.sample.is_cwnd_limited
    }
}

/// The methods that a class may leave out.
#[derive(Clone, Copy, Debug)]
struct Optional {
    sent: bool,
    rate_sample: bool,
    pacing_rate: bool,
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
    /// The attributes of the object that a series has.
    observed: Vec<String>,
}

impl Control {
    fn new(py: Python<'_>, class: Arc<Class>, values: &[Value]) -> Self {
        let object = class.instance(py, None, values);
        let defines = Optional {
            sent: class.defines(py, "on_sent"),
            rate_sample: class.defines(py, "on_rate_sample"),
            pacing_rate: class.defines(py, "pacing_rate"),
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
        let observed = class.class.getattr(py, "observed");
        let observed = observed.and_then(|names| names.extract(py)).unwrap_or_default();
        Self { class, object, defines, loss_detection, observed }
    }

    /// Calls a method for an ACK or a loss.
    fn signal(&self, method: &str, window: &mut congestion::Window, event: &congestion::AckEvent) {
        self.call(method, window, |py| Ok((AckEvent { event: *event }.into_py_any(py)?, None)));
    }

    /// Calls a method with the window, this event and a further argument if there is one, and takes the
    /// window from it.
    fn call(
        &self,
        method: &str,
        window: &mut congestion::Window,
        event: impl FnOnce(Python<'_>) -> PyResult<(Py<PyAny>, Option<bool>)>,
    ) {
        let done = Python::attach(|py| self.call_attached(py, method, *window, event));
        *window = done.unwrap_or_else(|failure| failure.end_run());
    }

    fn call_attached(
        &self,
        py: Python<'_>,
        method: &str,
        window: congestion::Window,
        event: impl FnOnce(Python<'_>) -> PyResult<(Py<PyAny>, Option<bool>)>,
    ) -> Result<congestion::Window, Failure> {
        let call = || {
            let window = Bound::new(py, Window { window })?;
            let object = self.object.bind(py);
            match event(py)? {
                (event, None) => object.call_method1(method, (window.clone(), event))?,
                (event, Some(first)) => {
                    object.call_method1(method, (window.clone(), event, first))?
                }
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

    /// The value of an attribute, a state or a number, as `see` is told it.
    fn observe_attached(
        &self,
        py: Python<'_>,
        name: &str,
        see: &mut dyn FnMut(&str, Observed<'_>),
    ) -> Result<(), Failure> {
        let value = self.object.bind(py).getattr(name);
        let value = value.map_err(|error| self.class.raised(py, "__init__", &error))?;
        if let Ok(state) = value.extract::<String>() {
            see(name, Observed::State(&state));
        } else if let Ok(number) = value.extract::<Option<f64>>()
            && number.is_none_or(f64::is_finite)
        {
            see(name, Observed::Number(number));
        } else {
            let problem = format!("{name} is {}; accepted: a number, None or text", shown(&value));
            return Err(self.class.misused(py, "observed", &problem));
        }
        Ok(())
    }

    /// What the method `pacing_rate` returns.
    fn rate_attached(&self, py: Python<'_>) -> Result<Option<Rate>, Failure> {
        const METHOD: &str = "pacing_rate";
        let call = || self.object.bind(py).call_method0(METHOD)?.extract::<Option<f64>>();
        let rate = call().map_err(|error| self.class.raised(py, METHOD, &error))?;
        match rate {
            // Below, a segment would take longer than any run.
            Some(rate) if !(rate >= 1.0 && rate.is_finite()) => {
                let problem = format!("returned {rate}; accepted: None, or a number from 1, bit/s");
                Err(self.class.misused(py, METHOD, &problem))
            }
            rate => Ok(rate.map(|rate| Rate::from_bps(rate as u64))),
        }
    }
}

impl CongestionControl for Control {
    fn loss_detection(&self) -> LossDetection {
        self.loss_detection
    }

    fn is_rate_based(&self) -> bool {
        let Optional { sent, rate_sample, pacing_rate, .. } = self.defines;
        sent || rate_sample || pacing_rate
    }

    fn pacing_rate(&self) -> Option<Rate> {
        if !self.defines.pacing_rate {
            return None;
        }
        Python::attach(|py| self.rate_attached(py)).unwrap_or_else(|failure| failure.end_run())
    }

    fn on_sent(&mut self, window: &mut congestion::Window, event: &congestion::SentEvent) {
        if self.defines.sent {
            let event = *event;
            self.call("on_sent", window, |py| Ok((SentEvent { event }.into_py_any(py)?, None)));
        }
    }

    fn on_rate_sample(&mut self, window: &mut congestion::Window, sample: &congestion::RateSample) {
        if self.defines.rate_sample {
            let sample = *sample;
            self.call("on_rate_sample", window, |py| {
                Ok((RateSample { sample }.into_py_any(py)?, None))
            });
        }
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        for name in &self.observed {
            Python::attach(|py| self.observe_attached(py, name, see))
                .unwrap_or_else(|failure| failure.end_run());
        }
    }

    fn on_ack(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        self.signal("on_ack", window, event);
    }

    fn on_duplicate_ack(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        if self.defines.duplicate_ack {
            self.signal("on_duplicate_ack", window, event);
        }
    }

    fn on_loss(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        self.signal("on_loss", window, event);
    }

    fn on_congestion_mark(
        &mut self,
        window: &mut congestion::Window,
        event: &congestion::AckEvent,
    ) {
        let method = if self.defines.congestion_mark { "on_congestion_mark" } else { "on_loss" };
        self.signal(method, window, event);
    }

    fn on_partial_ack(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        if self.defines.partial_ack {
            self.signal("on_partial_ack", window, event);
        }
    }

    fn on_recovered(&mut self, window: &mut congestion::Window, event: &congestion::AckEvent) {
        if self.defines.recovered {
            self.signal("on_recovered", window, event);
        }
    }

    fn on_timeout(
        &mut self,
        window: &mut congestion::Window,
        event: &congestion::AckEvent,
        first: bool,
    ) {
        self.call("on_timeout", window, |py| {
            Ok((AckEvent { event: *event }.into_py_any(py)?, Some(first)))
        });
    }
}
