//! Network namespaces without a name: the kernel removes them, with the devices inside, when the
//! last file descriptor is closed, however the test ends.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::Command;
use std::thread;
use std::time::Duration;

use nix::sched::{CloneFlags, setns, unshare};

const ETHERNET_HEADER: u64 = 14;

/// A network namespace.
pub struct Namespace {
    file: File,
}

impl Namespace {
    /// A namespace with its loopback device up.
    pub fn new() -> Self {
        let file = thread::spawn(|| {
            unshare(CloneFlags::CLONE_NEWNET).unwrap();
            File::open("/proc/thread-self/ns/net").unwrap()
        });
        let namespace = Self { file: file.join().unwrap() };
        namespace.ip("link set lo up");
        namespace
    }

    /// Runs a function in this namespace, on a thread of its own. Sockets and processes that it
    /// makes stay in the namespace.
    pub fn enter<R: Send>(&self, function: impl FnOnce() -> R + Send) -> R {
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                setns(&self.file, CloneFlags::CLONE_NEWNET).unwrap();
                function()
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Runs `ip` in this namespace and returns what it prints.
    pub fn ip(&self, arguments: &str) -> String {
        self.enter(|| ip(arguments))
    }

    /// Waits until a device carries packets, which begins some time after it is set up.
    pub fn wait_until_up(&self, device: &str) {
        for _ in 0..500 {
            if self.ip(&format!("link show dev {device}")).contains("state UP") {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{device} is not up");
    }

    /// A path by which other processes find this namespace.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    /// Packets and bytes at IP level that the namespace's only Ethernet device has received, without
    /// IPv6 multicasts: with those, routers report their groups (RFC 3810).
    pub fn received(&self, device: &str) -> (u64, u64) {
        let statistics = self.statistics(device);
        let device = |name| statistics["rx"][name].as_u64().unwrap();
        let counters = self.enter(|| std::fs::read_to_string("/proc/thread-self/net/snmp6"));
        let counters = counters.unwrap();
        let multicast = |name| {
            let mut words = counters.split_whitespace();
            words.find(|word| *word == name).unwrap();
            words.next().unwrap().parse::<u64>().unwrap()
        };
        let bytes = device("bytes") - device("packets") * ETHERNET_HEADER;
        let packets = device("packets") - multicast("Ip6InMcastPkts");
        (packets, bytes - multicast("Ip6InMcastOctets"))
    }

    /// Packets that the other end of an Ethernet device did not take.
    pub fn not_sent(&self, device: &str) -> u64 {
        self.statistics(device)["tx"]["dropped"].as_u64().unwrap()
    }

    fn statistics(&self, device: &str) -> serde_json::Value {
        let text = self.ip(&format!("-s -j link show dev {device}"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json[0]["stats64"].clone()
    }
}

/// Runs `ip` of iproute2 in the thread's namespace and returns what it prints.
pub fn ip(arguments: &str) -> String {
    let output = Command::new("ip").args(arguments.split_whitespace()).output().expect("iproute2");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ip {arguments}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Addresses of the ends of [`connect`].
pub struct Addresses {
    pub v4: [String; 2],
    pub v6: [String; 2],
}

/// Connects two namespaces by Ethernet. Addresses of the link layer are known, and there are no
/// link-local ones: nothing crosses the link unasked but reports of multicast groups (RFC 3810).
pub fn connect(a: (&Namespace, &str), b: (&Namespace, &str), subnet: u8) -> Addresses {
    a.0.ip(&format!("link add {} type veth peer name {} netns {}", a.1, b.1, b.0.path()));
    let mac = |end: usize| format!("02:00:00:00:{subnet:02x}:{:02x}", end + 1);
    let v4 = [0, 1].map(|end| format!("10.0.{subnet}.{}", end + 1));
    let v6 = [0, 1].map(|end| format!("fd00:{subnet}::{}", end + 1));
    for (end, (namespace, device)) in [a, b].into_iter().enumerate() {
        let other = 1 - end;
        namespace.ip(&format!("link set {device} address {} addrgenmode none up", mac(end)));
        namespace.ip(&format!("address add {}/24 dev {device}", v4[end]));
        namespace.ip(&format!("address add {}/64 dev {device} nodad", v6[end]));
        for address in [&v4[other], &v6[other]] {
            let lladdr = mac(other);
            namespace.ip(&format!("neighbor replace {address} lladdr {lladdr} dev {device}"));
        }
    }
    for (namespace, device) in [a, b] {
        namespace.wait_until_up(device);
    }
    Addresses { v4, v6 }
}
