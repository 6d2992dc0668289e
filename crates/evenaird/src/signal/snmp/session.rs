//! Requests to an agent, and the replies to them. What is no reply to the request is skipped: a duplicate, a
//! late one, one that is not authentic.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use snmp2::snmp::MSG_GET;
use snmp2::v3::Security;
use snmp2::{Error, MessageType, Oid, Pdu, Version};

use super::message::{self, MAX_SIZE};
use super::target::{Login, Target};

/// An agent answers within this or not at all: it is one wired hop away.
pub(super) const TIMEOUT: Duration = Duration::from_millis(200);

/// The clock of an SNMPv3 agent takes another exchange to learn, and one more if the agent has just
/// restarted (RFC 3414 §3.2, 7).
const MAX_EXCHANGES: u32 = 3;

/// A socket that is connected to an agent.
pub(super) struct Session {
    socket: UdpSocket,
    identity: Identity,
    /// Of the last request.
    id: i32,
    buffer: Vec<u8>,
}

enum Identity {
    Community(String),
    /// When the time of the agent's engine was that of `Security`.
    User(Box<Security>, Instant),
}

impl Session {
    /// `peer` is told where replies come from.
    pub(super) fn open(target: &Target, peer: &Mutex<Option<SocketAddr>>) -> Result<Self> {
        let mut addresses = (target.host.as_str(), target.port)
            .to_socket_addrs()
            .context("the name cannot be resolved")?;
        let address = addresses.next().context("the name has no address")?;
        *peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
        let any = match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        };
        let socket = UdpSocket::bind((any, 0))?;
        socket.connect(address)?;
        let identity = match &target.credentials.0 {
            Login::V2c { community } => Identity::Community(community.clone()),
            Login::V3 { security } => Identity::User(security.clone(), Instant::now()),
        };
        // Any number that the last session is unlikely to have used; below 2^31.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let id = now.subsec_nanos().cast_signed();
        Ok(Self { socket, identity, id, buffer: vec![0; MAX_SIZE.into()] })
    }

    /// Asks, and reads the reply to this request.
    pub(super) fn ask<T>(
        &mut self,
        kind: u8,
        objects: &[&Oid<'_>],
        read: impl Fn(Pdu<'_>) -> Result<T>,
    ) -> Result<T> {
        self.id = self.id.checked_add(1).unwrap_or(1);
        // Of SNMPv3, discovery is one more.
        for _ in 0..=MAX_EXCHANGES {
            let request = self.request(kind, objects)?;
            self.socket.send(&request).map_err(|_| Error::Send)?;
            if let Some(result) = self.receive(&read)? {
                return Ok(result);
            }
        }
        Err(Error::AuthUpdated.into())
    }

    fn request(&mut self, kind: u8, objects: &[&Oid<'_>]) -> Result<Vec<u8>, Error> {
        match &mut self.identity {
            Identity::Community(community) => Ok(message::v2c(community, kind, self.id, objects)),
            Identity::User(security, _) if security.engine_id().is_empty() => {
                Ok(message::plain_v3(security.engine_id(), MSG_GET, self.id, &[]))
            }
            Identity::User(security, learnt_at) => {
                // The agent's clock has gone on meanwhile.
                let seconds = learnt_at.elapsed().as_secs();
                *learnt_at += Duration::from_secs(seconds);
                let time = security.engine_time().saturating_add_unsigned(seconds);
                let boots = security.engine_boots();
                let now = security.as_ref().clone().with_engine_boots_and_time(boots, time);
                **security = now;
                message::v3(security, kind, self.id, objects)
            }
        }
    }

    /// Waits for the reply; `None` if another one has told the engine or the clock of an agent.
    fn receive<T>(&mut self, read: impl Fn(Pdu<'_>) -> Result<T>) -> Result<Option<T>> {
        let version = match &self.identity {
            Identity::Community(_) => Version::V2C,
            Identity::User(..) => Version::V3,
        };
        let deadline = Instant::now() + TIMEOUT;
        let mut skipped = Error::Receive;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let received = match left {
                Duration::ZERO => None,
                left => {
                    self.socket.set_read_timeout(Some(left))?;
                    self.socket.recv(&mut self.buffer).ok()
                }
            };
            let Some(length) = received else { return Err(explain(skipped)) };
            let bytes = &self.buffer[..length];
            let (parsed, before) = match &mut self.identity {
                Identity::Community(_) => (Pdu::from_bytes(bytes), None),
                Identity::User(security, at) => {
                    let before = (security.clone(), *at);
                    *at = Instant::now();
                    (Pdu::from_bytes_with_security(bytes, Some(security)), Some(before))
                }
            };
            skipped = match parsed {
                // It would accept one of another version, which is not authenticated.
                Ok(pdu) if pdu.version() != Ok(version) => Error::UnsupportedVersion,
                // The reply to another request.
                Ok(pdu) if pdu.req_id != self.id => Error::RequestIdMismatch,
                Ok(pdu) if pdu.message_type != MessageType::Response => {
                    return Err(Error::AsnWrongType.into());
                }
                Ok(pdu) => return read(pdu).map(Some),
                Err(error) => error,
            };
            if let Some((security, at)) = before {
                let is_discovery = security.engine_id().is_empty();
                if matches!(skipped, Error::AuthUpdated)
                    && (is_discovery || message::is_authenticated(bytes))
                {
                    return Ok(None);
                }
                // The library learns the clock of a message before it authenticates it (RFC 3414 §3.2, 6).
                if !matches!(skipped, Error::RequestIdMismatch) {
                    self.identity = Identity::User(security, at);
                }
            }
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
