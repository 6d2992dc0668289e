//! A server, a gateway that routes, and a station behind the gateway's `ap0`.

use std::fs;
use std::process::Command;
use std::sync::MutexGuard;

use evenaird::status::QueueStatus;
use tempfile::TempDir;

use crate::support::namespace::{Addresses, Namespace, connect};
use crate::support::process::Daemon;
use crate::support::{capable, has_program};

pub struct Router {
    pub server: Namespace,
    pub gateway: Namespace,
    pub station: Namespace,
    /// Of the station, then of the gateway's `ap0`.
    pub cell: Addresses,
    /// Of the server, then of the gateway.
    pub wan: Addresses,
    pub directory: TempDir,
}

/// What the tests need besides the data path.
pub fn can_queue(test: &str) -> Option<MutexGuard<'static, ()>> {
    let alone = capable(test)?;
    has_program(test, "iptables").then_some(alone)
}

impl Router {
    /// Everything is routed, over IPv4 and IPv6. The server's TCP is Reno.
    pub fn new() -> Self {
        let [server, gateway, station] = [(); 3].map(|()| Namespace::new());
        let cell = connect((&station, "sta0"), (&gateway, "ap0"), 1);
        let wan = connect((&server, "srv0"), (&gateway, "wan0"), 2);
        for (host, addresses) in [(&station, &cell), (&server, &wan)] {
            for address in [&addresses.v4[1], &addresses.v6[1]] {
                host.ip(&format!("route add default via {address}"));
            }
        }
        set(&gateway, "ipv4/ip_forward", "1");
        set(&gateway, "ipv6/conf/all/forwarding", "1");
        set(&server, "ipv4/tcp_congestion_control", "reno");
        Self { server, gateway, station, cell, wan, directory: tempfile::tempdir().unwrap() }
    }

    /// A daemon with this `queue`, whose limiter is out of the way.
    pub fn start(&self, queue: &str) -> Daemon {
        Daemon::start(&self.gateway, self.directory.path(), &config(queue))
    }

    /// The rules of the gateway, IPv4 and IPv6.
    pub fn rules(&self) -> String {
        let list = |command: &str| {
            let output = self
                .gateway
                .enter(|| Command::new(command).args(["-t", "mangle", "-S"]).output().unwrap());
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        list("iptables") + &list("ip6tables")
    }
}

/// Sets a parameter of a namespace's network.
pub fn set(namespace: &Namespace, name: &str, value: &str) {
    namespace.enter(|| fs::write(format!("/proc/sys/net/{name}"), value)).unwrap();
}

/// The configuration of a daemon that enforces, with this `queue`.
pub fn config(queue: &str) -> String {
    let limiter = "limiter = { kind = \"fixed\", rate = \"900 Mbps\", bucket = \"10 MB\" }";
    format!("mode = \"enforce\"\n{limiter}\nqueue = {queue}\n")
}

/// The queue of a daemon, once it is as wanted.
pub fn queue_when(
    daemon: &mut Daemon,
    what: &str,
    is_so: impl Fn(&QueueStatus) -> bool,
) -> QueueStatus {
    daemon.wait_for(what, |status| status.queue.as_ref().is_some_and(&is_so)).queue.unwrap()
}
