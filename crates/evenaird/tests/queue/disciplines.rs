//! What the disciplines do to real TCP.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::Ipv4Tos;

use crate::router::{Router, can_queue, queue_when, set};
use crate::support::namespace::Namespace;
use crate::support::report;
use crate::support::tcp::tcp_info;
use crate::support::udp::{arrivals, receiver, send_at, sender};

/// Bytes of the short download.
const SHORT: usize = 400_000;
/// Three times what it takes alone.
const LONGEST: Duration = Duration::from_secs(2);
const RATE: f64 = 5e6;
/// Of the queue under an upload and a download.
const RATE_BOTH: f64 = 2e6;

/// A download of `SHORT` bytes beside one that has lasted for 2 s: its duration, s, at most
/// [`LONGEST`].
fn short_download(kind: &str, is_v6: bool) -> f64 {
    let router = Router::new();
    let _daemon = router.start(&format!("{{ kind = {kind:?}, rate = \"5 Mbps\", limit = 300 }}"));
    let address = if is_v6 { &router.cell.v6[0] } else { &router.cell.v4[0] };
    let listener = router.station.enter(|| TcpListener::bind((address.as_str(), 5001))).unwrap();
    let open = || {
        let stream = router.server.enter(|| TcpStream::connect((address.as_str(), 5001))).unwrap();
        (stream, listener.accept().unwrap().0)
    };
    thread::scope(|scope| {
        let (mut long, mut long_sink) = open();
        let enders = [&long, &long_sink].map(|end| end.try_clone().unwrap());
        scope.spawn(move || while long.write_all(&[0; 1 << 14]).is_ok() {});
        scope.spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while long_sink.read(&mut buffer).is_ok_and(|length| length > 0) {}
        });
        sleep(Duration::from_secs(2));
        let start = Instant::now();
        let (mut short, mut sink) = open();
        let sent = scope.spawn(move || short.write_all(&[0; SHORT]));
        sink.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let (mut received, mut buffer) = (0, vec![0; 1 << 16]);
        while received < SHORT && start.elapsed() < LONGEST {
            received += sink.read(&mut buffer).unwrap_or(0);
        }
        let duration = start.elapsed().as_secs_f64();
        // A download that is cut short resets its sender.
        drop(sink);
        assert!(sent.join().unwrap().is_ok() || received < SHORT);
        for end in enders {
            // What is queued need not arrive.
            let _ = end.shutdown(std::net::Shutdown::Both);
        }
        duration
    })
}

/// Alone at 5 Mb/s, 400 kB with 52 bytes of headers per 1,448 take 0.663 s. The old download has by
/// then progressed by 1.2 MB, so under LAS the new one goes first until it ends. The queue holds all of
/// its 277 packets: slow start loses none. In one queue it waits behind the old one's packets, and
/// shares the rate.
#[test]
#[ignore = "long, in real time"]
fn las_lets_a_short_download_go_first() {
    let Some(_alone) = can_queue("LAS") else { return };
    let alone = SHORT as f64 * 1500.0 / 1448.0 * 8.0 / RATE;
    let [droptail, las, las_v6] = [("droptail", false), ("las", false), ("las", true)]
        .map(|(kind, is_v6)| short_download(kind, is_v6));
    report(&format!(
        "{} kB at 5 Mb/s beside an old download: {alone:.2} s alone (computed), {las:.2} s and \
         (IPv6) {las_v6:.2} s under LAS, {droptail:.2} s or more under droptail",
        SHORT / 1000
    ));
    for las in [las, las_v6] {
        // The bucket's 15 kB come at once.
        assert!(las > alone - 15_000.0 * 8.0 / RATE, "{las}");
        // A quarter for the handshake, slow start and the last packets of the old download.
        assert!(las < 1.25 * alone, "{las}");
    }
    assert!(droptail > 1.5 * alone, "{droptail}");
}

/// An upload and a download through a queue of 2 Mb/s under LAS with this measure of service. The
/// queue holds the upload's acknowledgements. Returns by how many bytes each has progressed.
fn up_and_down(service: &str) -> (u64, u64) {
    let router = Router::new();
    // An acknowledgement per two segments, not per super-packet.
    router.station.ip("link set sta0 gso_max_segs 1");
    set(&router.station, "ipv4/tcp_congestion_control", "reno");
    let queue =
        format!("{{ kind = \"las\", service = {service:?}, rate = \"2 Mbps\", limit = 1000 }}");
    let _daemon = router.start(&queue);
    let listener = router.station.enter(|| TcpListener::bind(("0.0.0.0", 5001))).unwrap();
    let address = (router.cell.v4[0].as_str(), 5001);
    let down = router.server.enter(|| TcpStream::connect(address)).unwrap();
    let mut down_sink = listener.accept().unwrap().0;
    let listener = router.server.enter(|| TcpListener::bind(("0.0.0.0", 5001))).unwrap();
    let up =
        router.station.enter(|| TcpStream::connect((router.wan.v4[0].as_str(), 5001))).unwrap();
    let mut up_sink = listener.accept().unwrap().0;
    let sinks = [&up_sink, &down_sink].map(|sink| sink.try_clone().unwrap());
    thread::scope(|scope| {
        for mut source in [&up, &down] {
            scope.spawn(move || while source.write_all(&[0; 1 << 14]).is_ok() {});
        }
        for sink in [&mut up_sink, &mut down_sink] {
            scope.spawn(move || {
                let mut buffer = vec![0; 1 << 16];
                while sink.read(&mut buffer).is_ok_and(|length| length > 0) {}
            });
        }
        sleep(Duration::from_secs(3));
        let acknowledged = [&up, &down].map(|source| tcp_info(source).tcpi_bytes_acked);
        // What is queued need not arrive.
        for end in sinks.iter().chain([&up, &down]) {
            let _ = end.shutdown(std::net::Shutdown::Both);
        }
        acknowledged.into()
    })
}

/// By hand: at equal progress 1,448 bytes of each take a segment of 1,500 bytes and half an
/// acknowledgement of 52 from the queue, which at 2 Mb/s for 3 s carries up to 712 kB of each. Under LAS
/// by bytes the acknowledgements go first, as they are small.
#[test]
#[ignore = "long, in real time"]
fn an_upload_progresses_as_its_acknowledgements_do() {
    let Some(_alone) = can_queue("ACKs of uploads") else { return };
    let [(up, down), (up_by_bytes, down_by_bytes)] = ["sequence", "bytes"].map(up_and_down);
    report(&format!(
        "upload and download at 2 Mb/s: {} and {} kB under LAS, {} and {} kB under LAS by bytes",
        up / 1000,
        down / 1000,
        up_by_bytes / 1000,
        down_by_bytes / 1000
    ));
    assert!((up as f64 / down as f64 - 1.0).abs() < 0.1, "{up} and {down}");
    let most = RATE_BOTH * 3.0 / 8.0 / (1500.0 + 52.0 / 2.0) * 1448.0;
    assert!((up as f64) < 1.1 * most, "{up} of {most}");
    assert!(up_by_bytes > 3 * down_by_bytes, "{up_by_bytes} and {down_by_bytes}");
}

/// How many packets with CE a namespace has received, and with a wrong checksum of the IP header.
fn received_marks(namespace: &Namespace) -> (u64, u64) {
    let counter = |file: &str, group: &str, name: &str| -> u64 {
        let text =
            namespace.enter(|| std::fs::read_to_string(format!("/proc/thread-self/net/{file}")));
        let text = text.unwrap();
        let mut lines = text.lines().filter(|line| line.starts_with(group));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let at = names.split(' ').position(|other| other == name).unwrap();
        values.split(' ').nth(at).unwrap().parse().unwrap()
    };
    (counter("netstat", "IpExt: ", "InCEPkts"), counter("snmp", "Ip: ", "InHdrErrors"))
}

/// CoDel marks packets of a transport with ECN, under twice the rate. The station's kernel counts
/// those it gets, and would drop those whose checksum is wrong.
#[test]
#[ignore = "long, in real time"]
fn marks_arrive() {
    let Some(_alone) = can_queue("ECN") else { return };
    let router = Router::new();
    let mut daemon =
        router.start("{ kind = \"codel\", ecn = true, rate = \"5 Mbps\", limit = 1000 }");
    let address = &router.cell.v4[0];
    let receiver = router.station.enter(|| receiver(address));
    let sender = router.server.enter(|| sender(address));
    const ECT_0: i32 = 2;
    setsockopt(&sender, Ipv4Tos, &ECT_0).unwrap();
    let stop = AtomicBool::new(false);
    let (sent, received) = thread::scope(|scope| {
        let sent = scope.spawn(|| send_at(&sender, 6_000_000, 1472, 1, &stop));
        let received = scope.spawn(|| arrivals(&receiver, &stop).len() as u64);
        sleep(Duration::from_secs(3));
        stop.store(true, Ordering::Relaxed);
        (sent.join().unwrap(), received.join().unwrap())
    });
    let queue = queue_when(&mut daemon, "an empty queue", |queue| queue.backlog_packets == 0);
    let (marks, errors) = received_marks(&router.station);
    report(&format!(
        "CoDel: {} of {sent} packets marked, {marks} marks arrived",
        queue.marked_packets
    ));
    assert!(queue.marked_packets > 0);
    assert_eq!((marks, errors), (queue.marked_packets, 0));
    assert_eq!(received, sent - queue.dropped_packets);
}
