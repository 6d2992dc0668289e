//! Rate controls in Python.

use std::sync::Arc;

use evenair_core::component::Value;
use evenair_core::medium::TxVector;
use evenair_core::medium::wlan::phy::Phy;
use evenair_core::medium::wlan::rate_control::boxed::{BoxedRateControl, NewRateControl};
use evenair_core::medium::wlan::rate_control::{self, LinkInfo, Outcome, RateControl, Report};
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;

use super::class::{Class, Failure, shown};
use super::random::RandomStream;

/// The constructor of a class of rate controls.
pub(super) fn constructor(class: Arc<Class>) -> Box<NewRateControl> {
    Box::new(move |values: &[Value], link: LinkInfo<'_>| -> Box<dyn BoxedRateControl> {
        Box::new(Python::attach(|py| Control::new(py, Arc::clone(&class), values, link)))
    })
}

/// What a rate control knows of its direction of a link from the start.
#[pyclass(frozen, module = "evenair._core")]
pub struct Link {
    modes: Vec<TxVector>,
    first: usize,
    phy: Phy,
    rng: Py<RandomStream>,
}

#[pymethods]
impl Link {
    /// The rates, ascending, bit/s. A rate control names a rate by its index here.
    #[getter]
    fn rates(&self) -> Vec<u64> {
        self.modes.iter().map(|mode| mode.rate.as_bps()).collect()
    }

    /// MCS, spatial streams and width in Hz at each of the rates; None at one without MCS.
    #[getter]
    fn modes(&self) -> Vec<Option<(u8, u8, u32)>> {
        let mode = |mode: &TxVector| Some((mode.mcs?.0, mode.streams, mode.width_hz));
        self.modes.iter().map(mode).collect()
    }

    /// The index of the rate of the first data frame.
    #[getter]
    fn first(&self) -> usize {
        self.first
    }

    /// Random numbers of this direction of the link.
    #[getter]
    fn rng(&self, py: Python<'_>) -> Py<RandomStream> {
        self.rng.clone_ref(py)
    }

    /// Time on air of a frame of `size` bytes, preamble included, at the rate with this index, ns.
    fn airtime(&self, size: u32, rate: usize) -> PyResult<u64> {
        let mode = self.modes.get(rate);
        let mode = mode.ok_or_else(|| PyIndexError::new_err("rate: the link has no such rate"))?;
        Ok(self.phy.airtime(size, mode).as_nanos())
    }
}

/// A data frame whose rate is to be chosen.
#[pyclass(frozen, module = "evenair._core")]
pub struct NextFrame {
    frame: rate_control::NextFrame,
}

#[pymethods]
impl NextFrame {
    /// When its attempt begins, ns.
    #[getter]
    fn now(&self) -> u64 {
        self.frame.now.as_nanos()
    }

    /// Its size, MAC overhead included.
    #[getter]
    fn bytes(&self) -> u32 {
        self.frame.bytes
    }

    /// What goes before it: "off", "cts-to-self" or "rts-cts".
    #[getter]
    fn prelude(&self) -> &'static str {
        self.frame.prelude.name()
    }
}

/// An instance of the class.
#[derive(Debug)]
struct Control {
    class: Arc<Class>,
    object: Py<PyAny>,
    rates: usize,
    /// Whether it has the method that not every class has.
    hears_mpdus: bool,
}

impl Control {
    fn new(py: Python<'_>, class: Arc<Class>, values: &[Value], link: LinkInfo<'_>) -> Self {
        let rates = link.modes.len();
        let make = || {
            let rng = Py::new(py, RandomStream::new(link.stream))?;
            let modes = link.modes.into_iter().map(|(_, vector)| vector).collect();
            let (first, phy) = (link.first, *link.phy);
            Py::new(py, Link { modes, first, phy, rng })
        };
        let link = match make() {
            Ok(link) => link,
            Err(error) => class.raised(py, "__init__", &error).end_run(),
        };
        let object = class.instance(py, Some(link.into_any()), values);
        let hears_mpdus = class.defines(py, "report_mpdus");
        Self { class, object, rates, hears_mpdus }
    }

    /// The index of a rate that a method has returned.
    fn index(
        &self,
        py: Python<'_>,
        method: &str,
        returned: PyResult<Bound<'_, PyAny>>,
    ) -> Result<usize, Failure> {
        let returned = returned.map_err(|error| self.class.raised(py, method, &error))?;
        match returned.extract::<usize>() {
            Ok(index) if index < self.rates => Ok(index),
            _ => {
                let (got, last) = (shown(&returned), self.rates - 1);
                let problem = format!("returned {got}; accepted: the index of a rate, 0 to {last}");
                Err(self.class.misused(py, method, &problem))
            }
        }
    }
}

impl RateControl for Control {
    fn choose(&mut self, frame: &rate_control::NextFrame) -> usize {
        let chosen = Python::attach(|py| {
            let frame = NextFrame { frame: *frame };
            let returned = self.object.bind(py).call_method1(intern!(py, "choose"), (frame,));
            self.index(py, "choose", returned)
        });
        chosen.unwrap_or_else(|failure| failure.end_run())
    }

    fn report(&mut self, report: &Report) {
        let outcome = match report.outcome {
            Outcome::Delivered => "delivered",
            Outcome::Failed => "failed",
            Outcome::GivenUp => "given-up",
        };
        let done = Python::attach(|py| {
            let object = self.object.bind(py);
            if self.hears_mpdus && report.sent_data {
                let arguments = (report.mpdus, report.acknowledged);
                let returned = object.call_method1(intern!(py, "report_mpdus"), arguments);
                returned.map_err(|error| self.class.raised(py, "report_mpdus", &error))?;
            }
            let arguments = (report.now.as_nanos(), report.sent_data, outcome);
            let returned = object.call_method1(intern!(py, "report"), arguments);
            returned.map(drop).map_err(|error| self.class.raised(py, "report", &error))
        });
        done.unwrap_or_else(|failure: Failure| failure.end_run());
    }

    fn present(&self) -> usize {
        let present = Python::attach(|py| {
            let returned = self.object.bind(py).call_method0(intern!(py, "present"));
            self.index(py, "present", returned)
        });
        present.unwrap_or_else(|failure| failure.end_run())
    }
}
