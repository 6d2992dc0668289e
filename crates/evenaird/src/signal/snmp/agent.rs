//! One agent: the interface's ifIndex, and its counters.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use snmp2::snmp::{MSG_GET, MSG_GET_NEXT};
use snmp2::{Error, Pdu, Value};

use super::query::{Column, NAMES, Query};
use super::session::Session;
use super::target::{Interface, Target};
use crate::signal::counter::Reading;

/// The search for an interface by name ends after this many rows of a table and this time: far more
/// than an access point has and takes, so that no agent can keep the thread busy for ever.
const MAX_ROWS: usize = 4096;
const MAX_SEARCH: Duration = Duration::from_secs(5);

pub(super) struct Agent {
    target: Target,
    /// Where the session's replies come from.
    peer: Arc<Mutex<Option<SocketAddr>>>,
    session: Option<Session>,
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
            closed => closed.insert(Session::open(&self.target, &self.peer)?),
        };
        let query = match &mut self.query {
            Some(query) => query,
            unknown => unknown.insert(find(session, &self.target)?),
        };
        let objects = query.objects();
        session.ask(MSG_GET, &objects, |response| query.read(&response))
    }
}

fn find(session: &mut Session, target: &Target) -> Result<Query> {
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
fn search(session: &mut Session, column: &Column, name: &str) -> Result<Option<u32>> {
    let started = Instant::now();
    let mut last = None;
    for _ in 0..MAX_ROWS {
        ensure!(started.elapsed() < MAX_SEARCH, "the search for {name:?} takes too long");
        let after = last.map_or_else(|| column.root(), |index| column.of(index))?;
        let read = |response: Pdu<'_>| Ok(row(column, response, name));
        let row = session.ask(MSG_GET_NEXT, &[&after], read)?;
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
