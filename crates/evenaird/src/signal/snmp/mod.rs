//! The losses of an access point by SNMP: ifOutDiscards (RFC 2863) of its radio interface, or
//! another counter. A thread polls the agent, so that a slow agent delays no control round.
//!
//! Whether the agent's counters are fresh is judged by the octets that the interface has sent. An
//! agent that refreshes these more often than the losses is not recognised.

mod agent;
mod message;
mod query;
mod session;
mod target;

use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

pub use query::Query;
pub use snmp2::v3::{AuthProtocol, Cipher};
pub use target::{Credentials, Interface, ObjectId, Target};

use self::agent::Agent;
use self::session::TIMEOUT;
use super::counter::Counter;
use super::{LossSignal, Sample};

/// The agent is asked this often: several times per control interval of 1 s, so that the time of a
/// refresh is known well enough, at a load of 5 datagrams per second.
const PERIOD: Duration = Duration::from_millis(200);

/// An agent that has failed twice in a row is asked this often.
const RETRY_PERIOD: Duration = Duration::from_secs(1);

/// The agent is unreachable when two requests in a row have failed.
const PATIENCE: Duration = PERIOD.saturating_mul(2).saturating_add(TIMEOUT);

/// The loss signal of an SNMP agent.
pub struct SnmpSignal {
    started: Instant,
    state: Arc<Mutex<State>>,
    peer: Arc<Mutex<Option<SocketAddr>>>,
    /// The thread ends when this is dropped.
    _stop: mpsc::Sender<()>,
}

struct State {
    counter: Counter,
    error: Option<String>,
}

impl SnmpSignal {
    /// Starts to poll; an agent that does not answer is asked again and again.
    pub fn start(target: Target) -> io::Result<Self> {
        let counter = Counter::new(Duration::ZERO, PATIENCE);
        let error = Some(format!("{target}: no answer yet"));
        let state = Arc::new(Mutex::new(State { counter, error }));
        let started = Instant::now();
        let (stop, stopped) = mpsc::channel();
        let thread_state = Arc::clone(&state);
        let peer = Arc::default();
        let agent = Agent::new(target, Arc::clone(&peer));
        thread::Builder::new()
            .name("snmp".into())
            .spawn(move || poll_until(&stopped, started, agent, &thread_state))?;
        Ok(SnmpSignal { started, state, peer, _stop: stop })
    }
}

impl LossSignal for SnmpSignal {
    fn poll(&mut self, active: bool) -> Sample {
        lock(&self.state).counter.sample(self.started.elapsed(), active)
    }

    fn refresh(&self) -> Option<Duration> {
        lock(&self.state).counter.refresh()
    }

    fn peer(&self) -> Option<SocketAddr> {
        *lock(&self.peer)
    }

    fn error(&self) -> Option<String> {
        lock(&self.state).error.clone()
    }
}

fn poll_until(
    stopped: &mpsc::Receiver<()>,
    started: Instant,
    mut agent: Agent,
    state: &Mutex<State>,
) {
    let mut failures = 0;
    let mut next = Instant::now();
    loop {
        let result = agent.read();
        let mut state = lock(state);
        match result {
            Ok(reading) => {
                failures = 0;
                state.error = None;
                state.counter.read(started.elapsed(), reading);
            }
            Err(error) => {
                failures += 1;
                state.error = Some(error);
            }
        }
        drop(state);
        next = Instant::now().max(next + if failures < 2 { PERIOD } else { RETRY_PERIOD });
        let wait = next.saturating_duration_since(Instant::now());
        if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
