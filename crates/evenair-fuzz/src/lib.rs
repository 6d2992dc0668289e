//! What holds for any bytes that parsers get. [`TARGETS`] are functions that panic where it does not.
//!
//! `make fuzz` runs each with libFuzzer, which looks for bytes that reach new code. `tests/replay.rs`
//! tries the bytes that are stored in `fuzz/corpus`, in each `make test`. Bytes that fail are added there.
#![allow(clippy::unwrap_used, reason = "a panic is how a target says that something does not hold")]

#[cfg(policer)]
mod bytes;
mod daemon;
mod ip;
#[cfg(policer)]
mod policer;
#[cfg(policer)]
mod reference;
#[path = "../../evenair-sim/tests/fuzz/check.rs"]
mod scenario;
mod snmp;

/// A name, which is also that of its corpus, and what is called with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("scenario", |bytes| scenario::check(bytes, &[])),
    ("override", overrides),
    ("gateway_config", daemon::config),
    ("records", daemon::records),
    ("netlink", daemon::netlink),
    ("netfilter", daemon::netfilter),
    ("snmp_reply", snmp::reply),
    ("snmp_request", snmp::request),
    ("ip_headers", ip::headers),
    #[cfg(policer)]
    ("policer_frame", policer::frame),
    #[cfg(policer)]
    ("policer_rate", policer::rate),
];

/// The scenario that is overridden: two kinds of stations and applications, and wired links.
const SCENARIO: &[u8] =
    b"[wired]\nlink = [{ between = ['server', 'r'] }, { between = ['r', 'ap'] }]\n\
    [[station]]\ncount = 3\nflows = [{ direction = 'up', application = { kind = 'web' } }]\n\
    [[station]]\nflows = [{ direction = 'down', transport = 'udp', rate = '2 Mbps' }]\n";

/// Lines `KEY=VALUE`.
fn overrides(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let pairs = text.split('\n').filter_map(|line| line.split_once('='));
    let pairs: Vec<_> = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    scenario::check(SCENARIO, &pairs);
}
