//! Whatever hosts send, the engine carries on and accounts for each packet.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use evenair_core::rng::RngStream;
use evenair_core::time::Instant;
use evenair_emu::{Arriving, Clock, Engine, Pool, Ports, Signals, Site, Spec};
use serde_json::json;

const PACKETS: u64 = 4000;
const SITES: [Site; 4] = [Site::Station(1), Site::ApRadio, Site::ApWire, Site::Host(1)];

/// Hosts that send damaged packets, and a gateway that forwards what comes.
struct Hosts {
    random: RngStream,
    left: u64,
    arrivals: VecDeque<Arriving>,
    written: Arc<AtomicU64>,
    pool: Pool,
}

impl Hosts {
    fn below(&mut self, limit: usize) -> usize {
        (self.random.next_u64() % limit as u64) as usize
    }

    /// A packet of which some bytes are others, or missing.
    fn damaged(&mut self) -> Vec<u8> {
        let packets = packets();
        let mut packet = packets[self.below(packets.len())].clone();
        for _ in 0..self.below(4) {
            let place = self.below(packet.len());
            packet[place] = self.random.next_u64() as u8;
        }
        if self.below(4) == 0 {
            packet.truncate(self.below(packet.len()));
        }
        packet
    }
}

impl Ports for Hosts {
    fn wait(&mut self, clock: &Clock, pool: &Pool, _: Instant) -> Result<(), String> {
        self.pool = pool.clone();
        std::thread::sleep(std::time::Duration::from_millis(1));
        for _ in 0..self.left.min(20) {
            self.left -= 1;
            let packet = self.damaged();
            let site = SITES[self.below(SITES.len())];
            let buffer = pool.buffer(&packet);
            self.arrivals.push_back(Arriving { at: clock.now(), site, buffer });
        }
        Ok(())
    }

    fn next_arrival(&self) -> Instant {
        self.arrivals.front().map_or(Instant::NEVER, |arriving| arriving.at)
    }

    fn receive(&mut self) -> Option<Arriving> {
        self.arrivals.pop_front()
    }

    fn deliver(&mut self, at: Instant, site: Site, packet: &[u8]) -> bool {
        self.written.fetch_add(1, Ordering::Relaxed);
        let other = match site {
            Site::ApRadio => Site::ApWire,
            Site::ApWire => Site::ApRadio,
            Site::Station(_) | Site::Host(_) => return true,
        };
        let at = self.arrivals.back().map_or(at, |last| last.at.max(at));
        self.arrivals.push_back(Arriving { at, site: other, buffer: self.pool.buffer(packet) });
        true
    }
}

/// Whole packets: IPv4 with and without options and in fragments, IPv6 with and without extension
/// headers, TCP with options, UDP (RFC 791, RFC 8200, RFC 9293, RFC 768).
fn packets() -> Vec<Vec<u8>> {
    let tcp = |options: &[u8], payload: usize| {
        let offset = (5 + options.len() / 4) as u8;
        let mut header = vec![0x14, 0x51, 0x9c, 0x41, 0, 0, 0, 1, 0, 0, 0, 2, offset << 4, 0x10];
        header.extend([1, 0, 0, 0, 0, 0]);
        [&header[..], options, &vec![0; payload]].concat()
    };
    let udp = [&[0x14, 0x51, 0x9c, 0x41, 0, 108, 0, 0][..], &[0; 100]].concat();
    // SACK (RFC 2018), timestamps (RFC 7323), and an option of length 0.
    let sack = [1, 1, 5, 10, 0, 0, 0, 9, 0, 0, 0, 19];
    let timestamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
    let broken = [253, 0, 0, 0];
    let v4 = |options: &[u8], fragment: u16, protocol: u8, payload: &[u8]| {
        let header = 20 + options.len();
        let mut packet = vec![0x40 | (header / 4) as u8, 0x02];
        packet.extend(((header + payload.len()) as u16).to_be_bytes());
        packet.extend([0, 7]);
        packet.extend(fragment.to_be_bytes());
        packet.extend([64, protocol, 0, 0, 10, 77, 0, 1, 10, 78, 0, 1]);
        [&packet[..], options, payload].concat()
    };
    let v6 = |next: u8, payload: &[u8]| {
        let mut packet = vec![0x60, 0, 0, 0];
        packet.extend((payload.len() as u16).to_be_bytes());
        packet.extend([next, 64]);
        packet.extend("fd78::1".parse::<std::net::Ipv6Addr>().unwrap().octets());
        packet.extend("fd77::1".parse::<std::net::Ipv6Addr>().unwrap().octets());
        [&packet[..], payload].concat()
    };
    // Hop-by-hop options, a first and a later fragment, routing, authentication.
    let chain = [&[44, 0, 1, 4, 0, 0, 0, 0, 6, 0, 0, 1, 0, 0, 0, 9][..], &tcp(&[], 200)].concat();
    let later = [&[6, 0, 0, 0x10, 0, 0, 0, 9][..], &[0; 300]].concat();
    let routing =
        [&[51, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &tcp(&[], 9)];
    vec![
        v4(&[], 0x4000, 6, &tcp(&sack, 0)),
        v4(&[], 0x4000, 6, &tcp(&timestamps, 1000)),
        v4(&[7, 4, 4, 0], 0, 6, &tcp(&broken, 40)),
        v4(&[], 0x2000, 17, &udp),
        v4(&[], 0x0003, 17, &udp),
        v6(6, &tcp(&[], 1000)),
        v6(0, &chain),
        v6(44, &later),
        v6(43, &routing.concat()),
        v6(17, &udp),
    ]
}

fn run(queue: &str) {
    let flow = json!({ "direction": "up" });
    let queue = json!({ "kind": queue, "limit": 30 });
    let scenario = json!({
        "cell": { "queue": queue }, "station": [{ "flows": [flow], "queue": queue }],
    });
    let addresses =
        json!({ "sta-1": ["10.77.0.1", "fd77::1"], "server": ["10.78.0.1", "fd78::1"] });
    let spec = json!({
        "scenario": scenario.to_string(), "seed": 1, "namespaces": {}, "addresses": addresses,
        "duration_s": 1.0, "max_lateness_s": 1.0, "realtime": false,
    });
    let signals = Arc::new(Signals::default());
    signals.start();
    let written = Arc::new(AtomicU64::new(0));
    let hosts = Hosts {
        random: RngStream::new(1, evenair_core::rng::StreamId::Traffic, 0),
        left: PACKETS,
        arrivals: VecDeque::new(),
        written: Arc::clone(&written),
        pool: Pool::default(),
    };
    let engine = Engine::new(Spec::parse(&spec.to_string()).unwrap(), hosts, signals).unwrap();
    let account = engine.run().unwrap().account;
    assert_eq!(account.unaccounted(), 0, "{queue}: {account:?}");
    assert_eq!(account.written, written.load(Ordering::Relaxed));
    assert!(account.read > PACKETS / 2 && account.written > 300, "{queue}: {account:?}");
    assert!(account.dropped.not_ip > 10 && account.dropped.no_route > 10, "{queue}: {account:?}");
}

#[test]
fn damaged_packets_do_no_harm() {
    // They wait, and hold their own time.
    std::thread::scope(|scope| {
        for queue in ["droptail", "las", "fq-codel", "spm-af"] {
            scope.spawn(move || run(queue));
        }
    });
}
