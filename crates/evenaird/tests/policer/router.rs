//! A gateway that routes between a station and a server, and counts what it forwards.

use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use evenaird::data_path::{DataPath, Policy, Tcx};
use nix::libc;

use crate::support::cell::{Cell, policy};
use crate::support::namespace::{Namespace, connect};

pub struct Router {
    pub cell: Cell,
    /// Kept for what is forwarded to it.
    _server: Namespace,
}

impl Router {
    /// Nothing that a frame asks for is refused: source routes, sources of other networks, packets of
    /// 9,000 bytes.
    pub fn new() -> Self {
        let (cell, server) = (Cell::new(), Namespace::new());
        connect((&cell.gateway, "wan0"), (&server, "srv0"), 2);
        for (namespace, device) in [
            (&cell.station, "sta0"),
            (&cell.gateway, "ap0"),
            (&cell.gateway, "wan0"),
            (&server, "srv0"),
        ] {
            namespace.ip(&format!("link set {device} mtu 9000"));
        }
        cell.gateway.ip("-6 address add fe80::2/64 dev ap0 nodad");
        cell.gateway.ip("neighbor replace fe80::9 lladdr 02:00:00:00:01:01 dev ap0");
        cell.gateway.enter(|| {
            let set = |name: &str, value: &str| {
                fs::write(format!("/proc/sys/net/{name}"), value).unwrap();
            };
            set("ipv4/ip_forward", "1");
            set("ipv6/conf/all/forwarding", "1");
            for device in ["all", "ap0"] {
                set(&format!("ipv4/conf/{device}/rp_filter"), "0");
                set(&format!("ipv4/conf/{device}/accept_source_route"), "1");
                set(&format!("ipv6/conf/{device}/accept_source_route"), "1");
            }
        });
        Self { cell, _server: server }
    }

    /// A policer that drops what is charged, or one that drops nothing.
    pub fn attach(&self, is_closed: bool) -> Tcx {
        self.cell.attach(&policy(if is_closed { 0 } else { Policy::UNLIMITED }, 1))
    }

    /// IPv4 and IPv6 packets that the gateway has forwarded (RFC 4293, ipIfStatsOutForwDatagrams).
    pub fn forwarded(&self) -> [u64; 2] {
        self.cell.gateway.enter(|| {
            let read =
                |name: &str| fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap();
            let (v4, v6) = (read("snmp"), read("snmp6"));
            let mut lines = v4.lines().filter(|line| line.starts_with("Ip: "));
            let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
            let mut columns = names.split_whitespace().zip(values.split_whitespace());
            let v4 = columns.find(|(name, _)| *name == "ForwDatagrams").unwrap().1;
            let v6 = v6.lines().find_map(|line| line.strip_prefix("Ip6OutForwDatagrams"));
            [v4.parse().unwrap(), v6.unwrap().trim().parse().unwrap()]
        })
    }

    /// What the gateway forwards of these frames of the station.
    pub fn forwarded_of<'a>(&self, frames: impl IntoIterator<Item = &'a [u8]>) -> [u64; 2] {
        let before = self.forwarded();
        let socket = self.cell.station.enter(|| Raw::open("sta0"));
        frames.into_iter().for_each(|frame| socket.send(frame));
        // The veth device hands frames over on the sender's processor; some may be on their way.
        std::thread::sleep(std::time::Duration::from_millis(200));
        let after = self.forwarded();
        [after[0] - before[0], after[1] - before[1]]
    }

    /// Packets that the policer has passed, and those that it has dropped.
    pub fn policed(&self, data_path: &mut Tcx) -> [u64; 2] {
        let counters = self.cell.gateway.enter(|| data_path.counters()).unwrap();
        [counters.up, counters.dropped].map(|all| all.iter().map(|one| one.packets).sum())
    }
}

/// A socket that sends frames as they are.
struct Raw {
    socket: OwnedFd,
    address: libc::sockaddr_ll,
}

impl Raw {
    /// On a device of the thread's namespace.
    fn open(device: &str) -> Self {
        // SAFETY: a socket without further conditions. It receives nothing: its protocol is 0.
        let socket =
            unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
        assert!(socket >= 0, "{}", std::io::Error::last_os_error());
        // SAFETY: a sockaddr_ll of zeros is valid.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_ifindex = nix::net::if_::if_nametoindex(device).unwrap().cast_signed();
        // SAFETY: the descriptor is nobody else's.
        Self { socket: unsafe { OwnedFd::from_raw_fd(socket) }, address }
    }

    fn send(&self, frame: &[u8]) {
        // SAFETY: frame and address are valid for their lengths.
        let sent = unsafe {
            let to = (&raw const self.address).cast();
            let length = size_of_val(&self.address) as u32;
            let socket = self.socket.as_raw_fd();
            libc::sendto(socket, frame.as_ptr().cast(), frame.len(), 0, to, length)
        };
        assert_eq!(usize::try_from(sent), Ok(frame.len()), "{}", std::io::Error::last_os_error());
    }
}
