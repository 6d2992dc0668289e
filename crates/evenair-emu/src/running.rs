//! A run on a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use evenair_sim::emulation::Places;

use crate::Error;
use crate::device::tun::Tuns;
use crate::engine::{Engine, largest_packet};
use crate::report::Report;
use crate::signals::Signals;
use crate::snmp::Agent;
use crate::spec::{GATEWAY, SnmpSpec, Spec};
use crate::timing::realtime::Processors;

/// A run. Dropping it stops it.
pub struct Running {
    signals: Arc<Signals>,
    snmp: Option<(SnmpSpec, PathBuf)>,
    agent: Mutex<Option<Agent>>,
    result: Mutex<Receiver<Result<Report, Error>>>,
}

impl Running {
    /// Creates the devices and starts to carry packets. The scenario begins with
    /// [`Running::start`].
    ///
    /// # Errors
    /// The specification is not valid, or a device cannot be created.
    pub fn begin(spec: Spec) -> Result<Self, Error> {
        let signals = Arc::new(Signals::default());
        let snmp = spec.snmp.clone().map(|snmp| (snmp, spec.namespaces.get(GATEWAY).cloned()));
        let snmp = match snmp {
            Some((_, None)) => {
                let message = "specification: namespaces: got no \"gateway\", where the agent is";
                return Err(Error::Invalid(message.to_owned()));
            }
            Some((snmp, Some(namespace))) => Some((snmp, namespace)),
            None => None,
        };
        let (send, result) = mpsc::channel();
        let (opened, is_open) = mpsc::channel();
        let thread_signals = Arc::clone(&signals);
        let run = move || {
            let engine = tuns(&spec).and_then(|tuns| Engine::new(spec, tuns, thread_signals));
            let engine = match engine {
                Ok(engine) => engine,
                Err(error) => {
                    let _ = opened.send(Err(error));
                    return;
                }
            };
            let _ = opened.send(Ok(()));
            // Nobody waits after the run was dropped.
            let _ = send.send(engine.run());
        };
        let thread = thread::Builder::new().name("evenair-emu".to_owned()).spawn(run);
        thread.map_err(|error| Error::Failed(format!("a thread cannot be started: {error}")))?;
        is_open.recv().map_err(|_| panicked())??;
        Ok(Self { signals, snmp, agent: Mutex::new(None), result: Mutex::new(result) })
    }

    /// Starts the SNMP agent; time 0 of the scenario is now.
    ///
    /// # Errors
    /// The address of the agent cannot be bound.
    pub fn start(&self) -> Result<(), Error> {
        if let Some((spec, namespace)) = &self.snmp {
            let agent = Agent::start(spec, namespace, Arc::clone(&self.signals.radio));
            let agent = agent.map_err(|error| {
                Error::Failed(format!("SNMP agent at {}: {error}", spec.listen))
            })?;
            *self.agent.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent);
        }
        self.signals.start();
        Ok(())
    }

    /// What the engine is told, and its time.
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// The result, if there is one within `timeout`.
    ///
    /// # Errors
    /// The run failed.
    pub fn result_within(&self, timeout: Duration) -> Result<Option<Report>, Error> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        match result.recv_timeout(timeout) {
            Ok(result) => result.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(panicked()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signals.stop();
    }
}

fn panicked() -> Error {
    Error::Failed("the engine panicked; please report this".to_owned())
}

/// Creates the devices of all hosts.
fn tuns(spec: &Spec) -> Result<Tuns, Error> {
    let places = Places::new(&spec.resolved()?);
    let receivers = spec.realtime.then(Processors::divided).flatten();
    let mut tuns = Tuns::new(largest_packet(&places), receivers.map(|each| each.others_mask()));
    for (site, _, namespace) in spec.devices(&places)? {
        tuns.open(site, namespace).map_err(Error::Failed)?;
    }
    Ok(tuns)
}
