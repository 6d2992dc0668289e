//! The SNMP agent of the emulated access point: SNMPv2c (RFC 1901, RFC 3416), read-only, with the
//! interface of its radio ([`mib`]).
//!
//! Requests with another community or version, and what is no request, are not answered.

mod ber;
mod message;
mod mib;

pub use mib::{Counters, Radio};

use std::fs::File;
use std::io;
use std::net::UdpSocket;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns};

use self::mib::Mib;
use crate::spec::SnmpSpec;

/// How often the thread looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(100);
/// The largest datagram of UDP over IPv4 (RFC 768, RFC 791).
const LARGEST_DATAGRAM: usize = 65_507;

/// The response of an agent whose counters are 0 to a datagram, for the crate evenair-fuzz.
#[doc(hidden)]
#[must_use]
pub fn answer(datagram: &[u8], largest: usize) -> Option<Vec<u8>> {
    message::answer(datagram, b"public", &Mib::new(0, Counters::default()), largest)
}

/// The agent, on a thread of its own. Dropping it ends the thread.
#[derive(Debug)]
pub struct Agent {
    is_ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Agent {
    /// Answers requests at the specified address of a namespace.
    ///
    /// # Errors
    /// The address cannot be bound there.
    pub fn start(spec: &SnmpSpec, namespace: &Path, radio: Arc<Radio>) -> io::Result<Self> {
        let socket = bind(spec, namespace)?;
        let is_ending = Arc::new(AtomicBool::new(false));
        let shown = radio.read();
        let server = Server {
            socket,
            community: spec.community.clone().into_bytes(),
            refresh: Duration::from_secs_f64(spec.refresh_s),
            started: Instant::now(),
            radio,
            is_ending: Arc::clone(&is_ending),
        };
        let thread = thread::Builder::new().name("evenair-snmp".to_owned());
        let thread = thread.spawn(move || server.serve(shown))?;
        Ok(Self { is_ending, thread: Some(thread) })
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic has been reported.
            let _ = thread.join();
        }
    }
}

/// A socket in a namespace. A thread of its own enters the namespace.
fn bind(spec: &SnmpSpec, namespace: &Path) -> io::Result<UdpSocket> {
    let namespace = File::open(namespace)?;
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            setns(&namespace, CloneFlags::CLONE_NEWNET)?;
            UdpSocket::bind(spec.listen)
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

struct Server {
    socket: UdpSocket,
    community: Vec<u8>,
    /// Zero: the counters are always those of now.
    refresh: Duration,
    started: Instant,
    radio: Arc<Radio>,
    is_ending: Arc<AtomicBool>,
}

impl Server {
    /// Answers requests; `shown` are the counters at the start.
    fn serve(&self, mut shown: Counters) {
        let mut buffer = vec![0; LARGEST_DATAGRAM];
        let mut refresh_at = self.started + self.refresh;
        while !self.is_ending.load(Ordering::Relaxed) {
            let wait = match self.refresh {
                Duration::ZERO => PATIENCE,
                _ => PATIENCE.min(refresh_at.saturating_duration_since(Instant::now())),
            };
            // A timeout of zero would wait for ever.
            let wait = wait.max(Duration::from_micros(1));
            let received = self
                .socket
                .set_read_timeout(Some(wait))
                .and_then(|()| self.socket.recv_from(&mut buffer));
            if self.refresh.is_zero() {
                shown = self.radio.read();
            }
            let now = Instant::now();
            if !self.refresh.is_zero() && now >= refresh_at {
                shown = self.radio.read();
                // A refresh that was missed is not made up for.
                refresh_at = now.max(refresh_at + self.refresh);
            }
            if let Ok((length, from)) = received
                && let Some(answer) = self.answer(&buffer[..length], shown)
            {
                // Who asked may be gone.
                let _ = self.socket.send_to(&answer, from);
            }
        }
    }

    fn answer(&self, datagram: &[u8], shown: Counters) -> Option<Vec<u8>> {
        // In hundredths of a second (RFC 3418); it wraps after 497 days.
        let uptime = (self.started.elapsed().as_millis() / 10) as u32;
        message::answer(datagram, &self.community, &Mib::new(uptime, shown), LARGEST_DATAGRAM)
    }
}
