//! Requests to an agent, and the replies to them. A reply to another request, a duplicate or a late one,
//! is skipped.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use snmp2::v3::AuthErrorKind;
use snmp2::{Error, Pdu, SyncSession};

use super::target::{Login, Target};

/// An agent answers within this or not at all: it is one wired hop away.
pub(super) const TIMEOUT: Duration = Duration::from_millis(200);

/// Where each reply comes twice: a duplicate of the last one, one of discovery (RFC 3414 §4), the clock
/// of an SNMPv3 agent, and the reply.
const MAX_EXCHANGES: u32 = 4;

/// A socket that is connected to an agent.
pub(super) struct Session {
    inner: SyncSession,
    address: SocketAddr,
}

impl Session {
    /// `peer` is told where replies come from.
    pub(super) fn open(target: &Target, peer: &Mutex<Option<SocketAddr>>) -> Result<Self> {
        let mut addresses = (target.host.as_str(), target.port)
            .to_socket_addrs()
            .context("the name cannot be resolved")?;
        let address = addresses.next().context("the name has no address")?;
        *super::lock(peer) = Some(address);
        Ok(Self { inner: connect(target, address)?, address })
    }

    /// Asks until the reply to the request is there, and reads it.
    pub(super) fn ask<T>(
        &mut self,
        target: &Target,
        request: impl for<'s> Fn(&'s mut SyncSession) -> Result<Pdu<'s>, Error>,
        read: impl Fn(Pdu<'_>) -> Result<T>,
    ) -> Result<T> {
        for _ in 1..MAX_EXCHANGES {
            match request(&mut self.inner).map(&read) {
                Ok(result) => return result,
                // The library has learnt the clock of an SNMPv3 agent, or met a second reply to its
                // discovery; the request keeps its number.
                Err(Error::AuthUpdated | Error::AuthFailure(AuthErrorKind::NotAuthenticated)) => {}
                // It reads one datagram per request: on this socket each would be late by one.
                Err(Error::RequestIdMismatch) => self.inner = connect(target, self.address)?,
                Err(error) => return Err(explain(error)),
            }
        }
        request(&mut self.inner).map(&read).unwrap_or_else(|error| Err(explain(error)))
    }
}

fn connect(target: &Target, address: SocketAddr) -> Result<SyncSession> {
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
