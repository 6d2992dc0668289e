//! What the unit `evenaird@INTERFACE` of systemd lacks for a configuration: a drop-in, which
//! `evenaird check` prints.

use std::fmt::Write;
use std::fs;
use std::net::{IpAddr, ToSocketAddrs};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::config::{Config, Listen, Signal, UNIT_USER};

/// Where this host's name servers are (resolv.conf(5)).
const RESOLVER: &str = "/etc/resolv.conf";

/// The drop-in of a configuration: the addresses that the daemon needs, and no others
/// (systemd.resource-control(5)); more rights where they are needed.
pub fn drop_in(config: &Config) -> String {
    let resolver = fs::read_to_string(RESOLVER).unwrap_or_default();
    text(config, &resolver, config.queue.is_some() && has_legacy_iptables())
}

fn text(config: &Config, resolver: &str, needs_raw: bool) -> String {
    let mut text = format!(
        "# systemctl edit evenaird@{}\n[Service]\nIPAddressDeny=any\n",
        escaped(&config.interface)
    );
    // Writing to a String does not fail.
    if let Some(Signal::Snmp(snmp)) = &config.signal {
        match snmp.host.parse::<IpAddr>() {
            Ok(address) => {
                let _ = writeln!(text, "IPAddressAllow={address}");
            }
            Err(_) => {
                let found = (snmp.host.as_str(), snmp.port).to_socket_addrs().into_iter().flatten();
                let mut all: Vec<IpAddr> = found.map(|address| address.ip()).collect();
                all.sort();
                all.dedup();
                let _ = writeln!(text, "# {}, as it is now, and the name servers", snmp.host);
                for address in all.into_iter().chain(name_servers(resolver)) {
                    let _ = writeln!(text, "IPAddressAllow={address}");
                }
            }
        }
    }
    if let Some(Listen::Tcp(_)) = config.metrics {
        text += "IPAddressAllow=localhost\n";
    }
    if config.pinned {
        text += "# Links are pinned in a directory of root's; secrets must belong to root, too.\nUser=root\n";
    }
    if needs_raw {
        text += "# iptables-legacy needs a raw socket, and to read its lock.\n\
                 CapabilityBoundingSet=CAP_NET_RAW\nAmbientCapabilities=CAP_NET_RAW\n\
                 ExecStartPre=+/bin/sh -c ': >>/run/xtables.lock'\n";
        let _ = writeln!(text, "ExecStartPre=+/bin/chgrp {UNIT_USER} /run/xtables.lock");
        text += "ExecStartPre=+/bin/chmod 640 /run/xtables.lock\n";
    }
    text
}

/// The addresses of `nameserver` lines, without zones.
fn name_servers(resolver: &str) -> impl Iterator<Item = IpAddr> {
    let values = resolver.lines().filter_map(|line| line.trim().strip_prefix("nameserver"));
    values.filter_map(|value| value.trim().split('%').next()?.parse().ok())
}

/// The name of an instance as systemd-escape(1) has it.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'/' => text.push('-'),
            b'.' if at > 0 => text.push('.'),
            b':' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => text.push(byte.into()),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text
}

/// Whether `iptables` is the one that does not use nftables (xtables-legacy(8)).
fn has_legacy_iptables() -> bool {
    let output = Command::new("iptables").arg("--version").stdin(Stdio::null()).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("(legacy)"))
}

/// The files with secrets that belong to root: the unit's user cannot read them.
pub fn of_root(config: &Config) -> Vec<&Path> {
    let files = config.signal.iter().flat_map(Signal::secret_files);
    let is_of_root = |file: &Path| fs::metadata(file).is_ok_and(|status| status.uid() == 0);
    files.map(|(_, file)| file.as_path()).filter(|file| is_of_root(file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(host: &str, lines: &str) -> Config {
        let text = format!(
            "interface = \"br-lan\"\n{lines}\n[loss_signal]\nkind = \"snmp\"\ninterface = 1\n\
             community_file = \"/c\"\nhost = \"{host}\"\n"
        );
        Config::parse(text.as_bytes(), "test").unwrap()
    }

    #[test]
    fn the_addresses_are_those_of_the_agent_and_of_clients() {
        let address = config("192.0.2.2", "metrics.listen = \"[::1]:9723\"");
        let expected = "# systemctl edit evenaird@br\\x2dlan\n[Service]\nIPAddressDeny=any\n\
                        IPAddressAllow=192.0.2.2\nIPAddressAllow=localhost\n";
        assert_eq!(text(&address, "nameserver 192.0.2.53\n", false), expected);
    }

    /// `localhost` has an address without a name server.
    #[test]
    fn a_name_needs_the_name_servers() {
        let name = config("localhost", "");
        let resolver =
            "search example\nnameserver 192.0.2.53\n nameserver fe80::1%eth0\n# nameserver 1\n";
        let shown = text(&name, resolver, false);
        for line in ["127.0.0.1", "192.0.2.53", "fe80::1"] {
            let line = format!("IPAddressAllow={line}");
            assert!(shown.lines().any(|other| other == line), "{line} is not in {shown}");
        }
    }

    #[test]
    fn rights_are_given_where_they_are_needed() {
        let plain = config("192.0.2.2", "");
        let shown = text(&plain, "", false);
        assert!(!shown.contains("CAP_NET_RAW") && !shown.contains("User="), "{shown}");
        assert!(text(&plain, "", true).contains("\nAmbientCapabilities=CAP_NET_RAW\n"));
        let pinned = config("192.0.2.2", "pinned = true");
        assert!(text(&pinned, "", false).contains("\nUser=root\n"));
    }
}
