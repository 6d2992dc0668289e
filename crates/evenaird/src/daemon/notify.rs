//! The notification protocol of systemd, sd_notify(3): datagrams to the socket in `NOTIFY_SOCKET`.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use evenair_core::time::{Duration, Instant};

/// The connection to the service manager; without one, every notification is a no-op.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<UnixDatagram>,
    /// How often the watchdog is to be told that the daemon lives.
    period: Option<Duration>,
    next_ping: Instant,
}

impl Notifier {
    /// The manager that the environment names. A socket that cannot be reached is an error: the
    /// manager would wait for it in vain.
    pub fn from_environment() -> io::Result<Self> {
        let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return Ok(Self::default()) };
        let is_for_us =
            std::env::var("WATCHDOG_PID").map_or(true, |pid| pid == std::process::id().to_string());
        let micros = std::env::var("WATCHDOG_USEC").ok().filter(|_| is_for_us);
        let timeout = micros.and_then(|text| text.parse().ok()).map(Duration::from_micros);
        Self::connect(&path, timeout)
    }

    /// Connects to the socket at `path`, of which a leading `@` stands for the abstract namespace.
    /// `timeout` is that of the watchdog; half of it is the period of the pings, sd_watchdog_enabled(3).
    fn connect(path: &OsStr, timeout: Option<Duration>) -> io::Result<Self> {
        let socket = UnixDatagram::unbound()?;
        // A manager that does not read must not block the control loop.
        socket.set_nonblocking(true)?;
        let address = match path.as_bytes().strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(path)?,
        };
        socket.connect_addr(&address)?;
        let period = timeout.map(|timeout| Duration::from_nanos(timeout.as_nanos() / 2));
        Ok(Self { socket: Some(socket), period, next_ping: Instant::ZERO })
    }

    /// The daemon has started or has reloaded; `status` is for `systemctl status`.
    pub fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}"));
    }

    /// The daemon reloads its configuration, at `now` of CLOCK_MONOTONIC.
    pub fn reloading(&self, now: Instant) {
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={}", now.as_nanos() / 1000));
    }

    /// The daemon stops.
    pub fn stopping(&self) {
        self.send("STOPPING=1");
    }

    /// Tells the watchdog that the daemon lives, if that is due.
    pub fn ping(&mut self, now: Instant) {
        if let Some(period) = self.period
            && now >= self.next_ping
        {
            self.send("WATCHDOG=1");
            self.next_ping = now + period;
        }
    }

    /// When to call [`Self::ping`] next.
    pub fn ping_at(&self) -> Instant {
        self.period.map_or(Instant::NEVER, |_| self.next_ping)
    }

    fn send(&self, message: &str) {
        if let Some(socket) = &self.socket {
            // The manager notices by itself that it was not told.
            let _ = socket.send(message.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(manager: &UnixDatagram) -> String {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    #[test]
    fn messages_are_those_of_sd_notify() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        let notifier = Notifier::connect(path.as_os_str(), None).unwrap();
        notifier.ready("observing eth1");
        assert_eq!(received(&manager), "READY=1\nSTATUS=observing eth1");
        notifier.reloading(Instant::from_nanos(5_000_999));
        assert_eq!(received(&manager), "RELOADING=1\nMONOTONIC_USEC=5000");
        notifier.stopping();
        assert_eq!(received(&manager), "STOPPING=1");
    }

    #[test]
    fn the_watchdog_is_told_twice_per_timeout() {
        let name = format!("evenaird-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let manager = UnixDatagram::bind_addr(&address).unwrap();
        manager.set_nonblocking(true).unwrap();
        let path = format!("@{name}");
        let timeout = Some(Duration::from_secs(10));
        let mut notifier = Notifier::connect(OsStr::new(&path), timeout).unwrap();
        let at = |s| Instant::ZERO + Duration::from_secs(s);
        for second in 0..=10 {
            assert!(notifier.ping_at() >= at(second), "{second}");
            notifier.ping(at(second));
        }
        assert_eq!(notifier.ping_at(), at(15));
        for _ in 0..3 {
            assert_eq!(received(&manager), "WATCHDOG=1");
        }
        assert!(manager.recv(&mut [0; 8]).is_err());
    }

    #[test]
    fn a_manager_that_is_gone_is_an_error_at_the_start() {
        assert!(Notifier::connect(OsStr::new("/nonexistent/notify"), None).is_err());
    }
}
