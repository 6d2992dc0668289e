//! Queue disciplines in Python.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use evenair_core::component::Value;
use evenair_core::packet::Ecn;
use evenair_core::queue::boxed::{BoxedDiscipline, NewDiscipline, Ticket};
use evenair_core::queue::{
    ActionLog, Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit,
};
use evenair_core::rng::RngStream;
use evenair_core::time::Instant;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

use super::class::{Class, Failure, shown};
use super::random::RandomStream;

/// Numbers the queues of this process, so that a packet of another queue is noticed.
static QUEUES: AtomicU64 = AtomicU64::new(0);

/// The constructor of a class of queue disciplines.
pub(super) fn constructor(class: Arc<Class>) -> Box<NewDiscipline> {
    Box::new(
        move |values: &[Value], limit: QueueLimit, rng: RngStream| -> Box<dyn BoxedDiscipline> {
            Box::new(Python::attach(|py| {
                Discipline::new(py, Arc::clone(&class), values, limit, rng)
            }))
        },
    )
}

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Arriving,
    Waiting,
    Left,
}

/// A packet in a queue.
#[pyclass(module = "evenair._core")]
pub struct Packet {
    ticket: Ticket,
    queue: u64,
    place: Place,
}

#[pymethods]
impl Packet {
    /// The flow's number in the scenario.
    #[getter]
    fn flow(&self) -> u32 {
        self.ticket.connection().0.0
    }

    /// The number of the flow's connection, modulo 256.
    #[getter]
    fn connection(&self) -> u8 {
        self.ticket.connection().1
    }

    /// Bytes at IP level.
    #[getter]
    fn size(&self) -> u32 {
        self.ticket.size()
    }

    /// Sequence number of data, acknowledgement number of a pure acknowledgement, bytes.
    #[getter]
    fn progress(&self) -> u64 {
        self.ticket.progress()
    }

    /// Whether it is a TCP acknowledgement without payload.
    #[getter]
    fn is_pure_ack(&self) -> bool {
        self.ticket.is_pure_ack()
    }

    /// Whether its source has marked it as high priority.
    #[getter]
    fn is_high_priority(&self) -> bool {
        self.ticket.is_high_priority()
    }

    /// When it arrived at the queue, ns.
    #[getter]
    fn enqueued_at(&self) -> u64 {
        self.ticket.enqueued_at().as_nanos()
    }

    /// The ECN field: "not-ect", "ect0", "ect1" or "ce".
    #[getter]
    fn ecn(&self) -> &'static str {
        match self.ticket.ecn() {
            Ecn::NotEct => "not-ect",
            Ecn::Ect0 => "ect0",
            Ecn::Ect1 => "ect1",
            Ecn::Ce => "ce",
        }
    }

    fn __repr__(&self) -> String {
        let kind = if self.ticket.is_pure_ack() { "ACK" } else { "packet" };
        format!("<{kind} {} of flow {}, {} bytes>", self.progress(), self.flow(), self.size())
    }
}

/// What is being called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calling {
    Nothing,
    Enqueue,
    Dequeue,
}

/// The queue of a discipline: what waits, and what the discipline does with it.
#[pyclass(module = "evenair._core")]
pub struct QueueContext {
    queue: u64,
    backlog: Backlog,
    log: ActionLog<Ticket>,
    calling: Calling,
    rng: Py<RandomStream>,
}

#[pymethods]
impl QueueContext {
    /// Waiting packets. A packet counts when `enqueue` has kept it, until it is dropped or `dequeue`
    /// has returned it.
    #[getter]
    fn packets(&self) -> u32 {
        self.backlog.packets()
    }

    /// Waiting bytes at IP level.
    #[getter]
    fn bytes(&self) -> u64 {
        self.backlog.bytes()
    }

    /// Waiting TCP acknowledgements without payload.
    #[getter]
    fn acks(&self) -> u32 {
        self.backlog.acks()
    }

    /// The queue's own random numbers.
    #[getter]
    fn rng(&self, py: Python<'_>) -> Py<RandomStream> {
        self.rng.clone_ref(py)
    }

    /// Whether the limit has room for the packet.
    fn has_room_for(&self, packet: &Packet) -> bool {
        self.backlog.has_room_for(&packet.ticket)
    }

    /// Whether the limit has room for the packet once these are dropped.
    fn has_room_without(&self, victims: Vec<PyRef<'_, Packet>>, packet: &Packet) -> PyResult<bool> {
        let mut numbers = BTreeSet::new();
        for victim in &victims {
            self.check(victim)?;
            if victim.place != Place::Waiting || !numbers.insert(victim.ticket.number) {
                return Err(PyValueError::new_err("victims: each must wait in the queue, once"));
            }
        }
        let victims = victims.iter().map(|victim| &victim.ticket);
        Ok(self.backlog.has_room_without(victims, &packet.ticket))
    }

    /// Drop the packet that arrives, or one that waits.
    ///
    /// `reason` is "on-arrival", "on-departure", "evicted" or "superseded". By default it is
    /// "on-arrival" for the packet that arrives, "evicted" for another one in `enqueue`, and
    /// "on-departure" in `dequeue`.
    #[pyo3(signature = (packet, reason = None))]
    fn drop(&mut self, mut packet: PyRefMut<'_, Packet>, reason: Option<&str>) -> PyResult<()> {
        self.check(&packet)?;
        let reason = match reason {
            None if packet.place == Place::Arriving => DropReason::OnArrival,
            None if self.calling == Calling::Enqueue => DropReason::Evicted,
            None => DropReason::OnDeparture,
            Some("on-arrival") => DropReason::OnArrival,
            Some("on-departure") => DropReason::OnDeparture,
            Some("evicted") => DropReason::Evicted,
            Some("superseded") => DropReason::Superseded,
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "reason: got {other:?}; accepted: \"on-arrival\", \"on-departure\", \"evicted\", \
                     \"superseded\""
                )));
            }
        };
        if packet.place == Place::Waiting {
            self.backlog.remove(&packet.ticket);
        }
        packet.place = Place::Left;
        self.log.drop(packet.ticket, reason);
        Ok(())
    }

    /// Set the ECN field to "ce" if the packet's transport supports ECN; return
    /// whether it does.
    fn mark(&mut self, mut packet: PyRefMut<'_, Packet>) -> PyResult<bool> {
        self.check(&packet)?;
        Ok(self.log.mark(&mut packet.ticket))
    }
}

impl QueueContext {
    /// Whether something can be done with the packet now.
    fn check(&self, packet: &Packet) -> PyResult<()> {
        if self.calling == Calling::Nothing {
            let problem = "a queue drops and marks packets in enqueue and dequeue alone";
            return Err(PyRuntimeError::new_err(problem));
        }
        if packet.queue != self.queue {
            return Err(PyValueError::new_err(FOREIGN));
        }
        if packet.place == Place::Left {
            return Err(PyValueError::new_err("the packet has left the queue"));
        }
        Ok(())
    }
}

const FOREIGN: &str = "the packet is of another queue; do instances share a list?";

/// An instance of the class.
#[derive(Debug)]
struct Discipline {
    class: Arc<Class>,
    object: Py<PyAny>,
    context: Py<QueueContext>,
    queue: u64,
    /// The context has a copy during a call.
    backlog: Backlog,
    has_ready_at: bool,
}

impl Discipline {
    fn new(
        py: Python<'_>,
        class: Arc<Class>,
        values: &[Value],
        limit: QueueLimit,
        rng: RngStream,
    ) -> Self {
        let (queue, backlog) = (QUEUES.fetch_add(1, Ordering::Relaxed), Backlog::new(limit));
        let make = || {
            let rng = Py::new(py, RandomStream::new(rng))?;
            let (log, calling) = (ActionLog::new(), Calling::Nothing);
            Py::new(py, QueueContext { queue, backlog, log, calling, rng })
        };
        let context = match make() {
            Ok(context) => context,
            Err(error) => class.raised(py, "__init__", &error).end_run(),
        };
        let object = class.instance(py, Some(context.clone_ref(py).into_any()), values);
        let has_ready_at = class.defines(py, "ready_at");
        Self { class, object, context, queue, backlog, has_ready_at }
    }

    /// Calls `work` while the context can be used, and reports what was done with it.
    fn within<'py, T>(
        &mut self,
        py: Python<'py>,
        calling: Calling,
        actions: &mut impl Actions<Ticket>,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        {
            let mut context = self.context.borrow_mut(py);
            (context.backlog, context.calling) = (self.backlog, calling);
        }
        let done = work(self);
        let mut context = self.context.borrow_mut(py);
        (self.backlog, context.calling) = (context.backlog, Calling::Nothing);
        for dropped in std::mem::take(&mut context.log.dropped) {
            actions.drop(dropped.packet, dropped.reason);
        }
        for _ in 0..std::mem::take(&mut context.log.marked) {
            actions.marked();
        }
        done
    }

    fn call_enqueue(&self, py: Python<'_>, now: Instant, ticket: Ticket) -> Result<(), Failure> {
        let raised = |error: PyErr| self.class.raised(py, "enqueue", &error);
        let arriving = Packet { ticket, queue: self.queue, place: Place::Arriving };
        let packet = Bound::new(py, arriving).map_err(raised)?;
        let arguments = (now.as_nanos(), packet.clone());
        self.object.bind(py).call_method1(intern!(py, "enqueue"), arguments).map_err(raised)?;
        let mut packet = packet.borrow_mut();
        if packet.place == Place::Arriving {
            let mut context = self.context.borrow_mut(py);
            if !context.backlog.has_room_for(&ticket) {
                let problem =
                    "kept a packet beyond the queue's limit; drop it unless has_room_for(packet)";
                return Err(self.class.misused(py, "enqueue", problem));
            }
            packet.place = Place::Waiting;
            context.backlog.add(&ticket);
        }
        Ok(())
    }

    fn call_dequeue(&self, py: Python<'_>, now: Instant) -> Result<Option<Ticket>, Failure> {
        let misused = |problem: &str| self.class.misused(py, "dequeue", problem);
        let returned = (self.object.bind(py))
            .call_method1(intern!(py, "dequeue"), (now.as_nanos(),))
            .map_err(|error| self.class.raised(py, "dequeue", &error))?;
        if returned.is_none() {
            let waiting = self.context.borrow(py).packets();
            let ready = !self.has_ready_at || self.earliest(py)? <= now;
            if waiting > 0 && ready {
                return Err(misused(&format!(
                    "returned None, but {waiting} packets wait; only ready_at can hold them back"
                )));
            }
            return Ok(None);
        }
        let Ok(packet) = returned.cast::<Packet>() else {
            let accepted = "a packet that waits in this queue, or None";
            return Err(misused(&format!("returned {}; accepted: {accepted}", shown(&returned))));
        };
        let mut packet = packet.borrow_mut();
        if packet.queue != self.queue {
            return Err(misused(FOREIGN));
        }
        if packet.place != Place::Waiting {
            return Err(misused("returned a packet that has left the queue"));
        }
        packet.place = Place::Left;
        self.context.borrow_mut(py).backlog.serve(&packet.ticket);
        Ok(Some(packet.ticket))
    }

    /// What the method `ready_at` returns.
    fn earliest(&self, py: Python<'_>) -> Result<Instant, Failure> {
        let returned = (self.object.bind(py))
            .call_method0(intern!(py, "ready_at"))
            .map_err(|error| self.class.raised(py, "ready_at", &error))?;
        match returned.extract::<u64>() {
            Ok(ns) => Ok(Instant::from_nanos(ns)),
            Err(_) => {
                let got = shown(&returned);
                let problem = format!("returned {got}; accepted: a time in whole nanoseconds");
                Err(self.class.misused(py, "ready_at", &problem))
            }
        }
    }
}

impl QueueDiscipline<Ticket> for Discipline {
    fn enqueue(&mut self, now: Instant, packet: Ticket, actions: &mut impl Actions<Ticket>) {
        let done = Python::attach(|py| {
            self.within(py, Calling::Enqueue, actions, |own| own.call_enqueue(py, now, packet))
        });
        done.unwrap_or_else(|failure| failure.end_run());
    }

    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<Ticket>) -> Option<Ticket> {
        let done = Python::attach(|py| {
            self.within(py, Calling::Dequeue, actions, |own| own.call_dequeue(py, now))
        });
        done.unwrap_or_else(|failure| failure.end_run())
    }

    fn ready_at(&self) -> Instant {
        let waiting = self.backlog.packets();
        if waiting == 0 || !self.has_ready_at {
            return if waiting == 0 { Instant::NEVER } else { Instant::ZERO };
        }
        let done = Python::attach(|py| self.earliest(py));
        done.unwrap_or_else(|failure| failure.end_run())
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }
}
