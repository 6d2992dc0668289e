//! The gateway daemon: configurations, records, and messages of the kernel.

use evenair_core::control::limiter;
use evenair_core::ip::flows::FlowTable;
use evenair_core::time::{Duration, Instant};
use evenaird::config::Config;
use evenaird::queue::netfilter::packet;
use evenaird::queue::packet::hold;
use evenaird::record::{ReadError, next_line};
use evenaird::replay::{ReplayError, replay};
use evenaird::signal::netlink::pass_on;

/// A refusal is one line that says what is accepted.
fn check_line(message: &str, start: &str) {
    assert!(message.starts_with(start) && message.contains("accepted: "), "{message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

/// A configuration is refused in a line, or can be shown.
pub fn config(bytes: &[u8]) {
    match Config::parse(bytes, "file") {
        Ok(config) => {
            assert!(evenaird::report::text(&config).contains("interface"));
            assert!(config.interval().as_nanos() > 0);
        }
        Err(err) => check_line(&err.to_string(), "file: "),
    }
}

/// Records are read to their end or to a line that is refused, and a replay reads the same of them.
pub fn records(bytes: &[u8]) {
    let (mut input, mut number) = (bytes, 0);
    let refused = loop {
        match next_line(&mut input, &mut number) {
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(ReadError::Line(message)) => break Some(message),
            Err(ReadError::Io(err)) => panic!("{err}"),
        }
    };
    if let Some(message) = &refused {
        check_line(message, "line ");
    }
    let limiter = limiter::AdaptiveConfig::default().into();
    let mut output = Vec::new();
    match (replay(&limiter, Duration::from_secs(30), bytes, &mut output), refused) {
        (Ok(()), None) => {}
        (Err(ReplayError::Input(message)), Some(refused)) => assert_eq!(message, refused),
        (result, refused) => panic!("{result:?}, {refused:?}"),
    }
    for line in output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let state: serde_json::Value = serde_json::from_slice(line).unwrap();
        // R is at most C_max.
        assert!(state["rate_bps"].as_u64().unwrap() <= 6_000_000, "{state}");
    }
}

/// An answer of rtnetlink, of one datagram, to a request of a kind and number.
pub fn netlink(bytes: &[u8]) {
    let Some((&first, datagram)) = bytes.split_first() else { return };
    let mut messages = 0;
    let _ = pass_on(datagram, 1, first & 1 != 0, |_| messages += 1);
    // A message has a header of 16 bytes.
    assert!(messages <= datagram.len() / 16);
}

/// A message of a netfilter queue, and the packet in it.
pub fn netfilter(bytes: &[u8]) {
    let Some(arrival) = packet(bytes) else { return };
    assert!(arrival.bytes.len() <= bytes.len());
    if let Some(held) = hold(Instant::ZERO, arrival, &mut FlowTable::default()) {
        assert_eq!((held.content.id, held.size as usize), (arrival.id, arrival.size));
    }
}
