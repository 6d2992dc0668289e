//! TUN devices in the namespaces of hosts.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;

use evenair_core::time::Instant;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sched::{CloneFlags, setns};
use nix::sys::time::TimeSpec;

use crate::device::payload::Pool;
use crate::device::ports::{Arriving, Ports, Site};
use crate::timing::clock::Clock;

/// Packets that are read from a device before the others have their turn.
const BATCH: usize = 64;
/// The processors that receive the packets of a new device (receive packet steering), of the
/// namespace of the thread that writes it: `sysctl/net.rst` of the kernel's documentation.
const RECEIVERS: &str = "/proc/sys/net/core/rps_default_mask";
/// A line for each device of the namespace of the thread that opens it (proc_pid_net(5)).
const STATISTICS: &str = "/proc/thread-self/net/dev";

/// The devices of all hosts.
pub struct Tuns {
    devices: Vec<Tun>,
    arrivals: VecDeque<Arriving>,
    /// Where packets are read to.
    scratch: Vec<u8>,
    /// The mask of the processors on which hosts receive; that of the writer if there is none.
    receivers: Option<String>,
}

struct Tun {
    site: Site,
    device: &'static str,
    name: String,
    file: File,
    /// [`STATISTICS`] of its namespace.
    statistics: File,
    /// Packets that it has refused.
    refused: u64,
}

impl Tuns {
    /// No devices. Packets of more than `largest` bytes are cut after the next byte. What hosts
    /// receive is processed by the processors of the mask `receivers`.
    pub fn new(largest: usize, receivers: Option<String>) -> Self {
        let (devices, arrivals) = (Vec::new(), VecDeque::new());
        Self { devices, arrivals, scratch: vec![0; largest + 1], receivers }
    }

    /// Creates a device in a namespace.
    ///
    /// # Errors
    /// One line: the namespace or TUN is not there, or the kernel refuses.
    pub fn open(&mut self, site: Site, namespace: &Path) -> Result<(), String> {
        let device = match site {
            Site::Station(_) => "wlan0",
            Site::ApRadio => "ap0",
            Site::ApWire => "wan0",
            Site::Host(_) => "eth0",
        };
        let name = format!("{device} in {}", namespace.display());
        let files = create(device, namespace, self.receivers.as_deref());
        let (file, statistics) = files.map_err(|error| format!("{name}: {error}"))?;
        self.devices.push(Tun { site, device, name, file, statistics, refused: 0 });
        // For `deliver`.
        self.devices.sort_by_key(|tun| tun.site);
        Ok(())
    }

    /// Reads what has arrived at the devices with these numbers.
    fn read(&mut self, ready: &[usize], clock: &Clock, pool: &Pool) -> Result<(), String> {
        let at = clock.now();
        for &number in ready {
            let tun = &mut self.devices[number];
            for _ in 0..BATCH {
                match tun.file.read(&mut self.scratch) {
                    Ok(length) => {
                        let buffer = pool.buffer(&self.scratch[..length]);
                        self.arrivals.push_back(Arriving { at, site: tun.site, buffer });
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(format!("{}: {error}", tun.name)),
                }
            }
        }
        Ok(())
    }
}

impl Ports for Tuns {
    fn wait(&mut self, clock: &Clock, pool: &Pool, until: Instant) -> Result<(), String> {
        let fds = self.devices.iter().map(|tun| PollFd::new(tun.file.as_fd(), PollFlags::POLLIN));
        let mut fds: Vec<PollFd<'_>> = fds.collect();
        let nanos = until.since(clock.now()).as_nanos();
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(nanos));
        match ppoll(&mut fds, Some(timeout), None) {
            Ok(0) | Err(Errno::EINTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(format!("ppoll: {error}")),
        }
        let events = |fd: &PollFd<'_>| fd.revents().unwrap_or(PollFlags::empty());
        let is_gone = |fd| events(fd).intersects(PollFlags::POLLERR | PollFlags::POLLHUP);
        if let Some(gone) = fds.iter().position(is_gone) {
            return Err(format!("{}: the device is gone", self.devices[gone].name));
        }
        let ready = fds.iter().enumerate().filter(|(_, fd)| events(fd).contains(PollFlags::POLLIN));
        let ready: Vec<usize> = ready.map(|(number, _)| number).collect();
        self.read(&ready, clock, pool)
    }

    fn next_arrival(&self) -> Instant {
        self.arrivals.front().map_or(Instant::NEVER, |arriving| arriving.at)
    }

    fn receive(&mut self) -> Option<Arriving> {
        self.arrivals.pop_front()
    }

    fn deliver(&mut self, _at: Instant, site: Site, packet: &[u8]) -> bool {
        let Ok(number) = self.devices.binary_search_by_key(&site, |tun| tun.site) else {
            return false;
        };
        let tun = &mut self.devices[number];
        loop {
            match tun.file.write(packet) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                written => {
                    let is_taken = written.is_ok_and(|bytes| bytes == packet.len());
                    tun.refused += u64::from(!is_taken);
                    return is_taken;
                }
            }
        }
    }

    fn lost(&mut self) -> u64 {
        let lost = |tun: &mut Tun| {
            let mut text = String::new();
            tun.statistics.read_to_string(&mut text).ok()?;
            // The kernel counts what a device refuses as well.
            Some(dropped(&text, tun.device)?.saturating_sub(tun.refused))
        };
        self.devices.iter_mut().filter_map(lost).sum()
    }
}

/// What a device has dropped of what its host was to receive, by [`STATISTICS`]: the fourth number.
fn dropped(statistics: &str, device: &str) -> Option<u64> {
    let numbers = statistics.lines().find_map(|line| {
        let (name, numbers) = line.split_once(':')?;
        (name.trim() == device).then_some(numbers)
    });
    numbers?.split_whitespace().nth(3)?.parse().ok()
}

/// Creates a TUN device, which is removed when its file, the first one, is closed. The second one
/// has [`STATISTICS`]. A thread of its own enters the namespace.
fn create(name: &str, namespace: &Path, receivers: Option<&str>) -> io::Result<(File, File)> {
    let namespace = File::open(namespace)?;
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            setns(&namespace, CloneFlags::CLONE_NEWNET)?;
            if let Some(mask) = receivers {
                // Linux has it since 6.3, and a container may not be allowed to write it. Then the
                // writer receives: more packets are late, which is measured.
                let _ = fs::write(RECEIVERS, mask);
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(libc::O_NONBLOCK)
                .open("/dev/net/tun")?;
            attach(&file, name)?;
            Ok((file, File::open(STATISTICS)?))
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Makes `file` a device for plain IP packets, without offloads.
fn attach(file: &File, name: &str) -> io::Result<()> {
    // SAFETY: the structure consists of numbers, of which all may be zero.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as i16;
    // SAFETY: TUNSETIFF reads and writes the one structure, which lives during the call.
    match unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_a_device_are_found() {
        let text = "Inter-|   Receive                          |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes\n    \
            lo:       1       2    3    4    5     6          7         8        9\n \
            wlan0: 8612     56    0   17    0     0          0         0     5000\n";
        assert_eq!(dropped(text, "wlan0"), Some(17));
        assert_eq!(dropped(text, "lo"), Some(4));
        assert_eq!(dropped(text, "eth0"), None);
    }
}
