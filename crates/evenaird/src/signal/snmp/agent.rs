//! One agent: session, the interface's ifIndex, requests.

use std::net::{SocketAddr, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use snmp2::{Error, Pdu, SyncSession, Value};

use super::query::{Column, NAMES, Query};
use super::target::{Interface, Login, Target};
use crate::signal::counter::Reading;

/// An agent answers within this or not at all: it is one wired hop away.
pub(super) const TIMEOUT: Duration = Duration::from_millis(200);

/// The search for an interface by name ends after this many rows of a table and this time: far more
/// than an access point has and takes, so that no agent can keep the thread busy for ever.
const MAX_ROWS: usize = 4096;
const MAX_SEARCH: Duration = Duration::from_secs(5);

/// Discovery of an SNMPv3 agent takes two exchanges (RFC 3414 §4) before the request.
const MAX_EXCHANGES: u32 = 3;

pub(super) struct Agent {
    target: Target,
    /// Where the session's replies come from.
    peer: Arc<Mutex<Option<SocketAddr>>>,
    session: Option<SyncSession>,
    query: Option<Query>,
}

impl Agent {
    pub(super) fn new(target: Target, peer: Arc<Mutex<Option<SocketAddr>>>) -> Self {
        Agent { target, peer, session: None, query: None }
    }

    /// Asks once; the error is one line.
    pub(super) fn read(&mut self) -> Result<Reading, String> {
        // The decoder is a foreign library, its input comes from the network.
        let result = catch_unwind(AssertUnwindSafe(|| self.try_read()))
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the answer cannot be decoded")));
        result.map_err(|error| {
            // A late answer to this request must not be taken for one to the next.
            self.session = None;
            if error.downcast_ref::<Error>() != Some(&Error::Receive) {
                self.query = None;
            }
            format!("{}: {error:#}", self.target)
        })
    }

    fn try_read(&mut self) -> Result<Reading> {
        let session = match &mut self.session {
            Some(session) => session,
            closed => closed.insert(open(&self.target, &self.peer)?),
        };
        let query = match &mut self.query {
            Some(query) => query,
            unknown => unknown.insert(find(session, &self.target)?),
        };
        exchange(|| query.read(&session.get_many(&query.objects()).map_err(explain)?))
    }
}

fn open(target: &Target, peer: &Mutex<Option<SocketAddr>>) -> Result<SyncSession> {
    let mut addresses = (target.host.as_str(), target.port)
        .to_socket_addrs()
        .context("the name cannot be resolved")?;
    let address = addresses.next().context("the name has no address")?;
    *super::lock(peer) = Some(address);
    // Any number that the last session is unlikely to have used; below 2^31.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let request_id = now.subsec_nanos().cast_signed();
    match &target.credentials.0 {
        Login::V2c { community } => {
            Ok(SyncSession::new_v2c(address, community.as_bytes(), Some(TIMEOUT), request_id)?)
        }
        Login::V3 { security } => {
            let mut session =
                SyncSession::new_v3(address, Some(TIMEOUT), request_id, *security.clone())?;
            session.init().map_err(explain)?;
            Ok(session)
        }
    }
}

/// An agent is silent towards whom it does not know (RFC 1901), so say what may be wrong.
fn explain(error: Error) -> anyhow::Error {
    match error {
        Error::Receive => anyhow::Error::new(error)
            .context("no answer; address, port, community or user may be wrong"),
        error => error.into(),
    }
}

/// Repeats a request while the library learns the clock of an SNMPv3 agent.
fn exchange<T>(mut request: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..MAX_EXCHANGES {
        match request() {
            Err(error) if error.downcast_ref::<Error>() == Some(&Error::AuthUpdated) => {}
            result => return result,
        }
    }
    request()
}

fn find(session: &mut SyncSession, target: &Target) -> Result<Query> {
    let name = match &target.interface {
        Interface::Index(index) => return Query::new(*index, target.counter.as_ref(), None),
        Interface::Name(name) => name,
    };
    for column in NAMES {
        if let Some(index) = search(session, column, name)? {
            return Query::new(index, target.counter.as_ref(), Some((column, name)));
        }
    }
    bail!("it has no interface with ifName or ifDescr {name:?}")
}

/// The first ifIndex of which the column contains `name`.
fn search(session: &mut SyncSession, column: &Column, name: &str) -> Result<Option<u32>> {
    let started = Instant::now();
    let mut last = None;
    for _ in 0..MAX_ROWS {
        ensure!(started.elapsed() < MAX_SEARCH, "the search for {name:?} takes too long");
        let after = last.map_or_else(|| column.root(), |index| column.of(index))?;
        let row = exchange(|| Ok(row(column, session.getnext(&after).map_err(explain)?, name)))?;
        let Some((index, found)) = row else { return Ok(None) };
        ensure!(Some(index) > last, "a table of interfaces is not in order");
        if found {
            return Ok(Some(index));
        }
        last = Some(index);
    }
    bail!("a table of interfaces has more than {MAX_ROWS} rows")
}

/// The ifIndex of a row and whether it has `name`; `None` at the end of the column.
fn row(column: &Column, mut response: Pdu<'_>, name: &str) -> Option<(u32, bool)> {
    let (oid, value) = response.varbinds.next()?;
    let index = column.index(&oid)?;
    Some((index, matches!(value, Value::OctetString(octets) if octets == name.as_bytes())))
}
