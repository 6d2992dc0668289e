//! Tests of the files with tshark, if it is installed.

use std::path::PathBuf;
use std::process::Command;

use evenair_core::medium::TxVector;
use evenair_core::packet::{Ecn, EcnFlags, FlowId, PacketKind};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::{AccEcnCounters, PacketOption, SackBlocks, TcpOptions, Timestamps};
use evenair_core::units::Rate;

use super::tests::segment;
use super::{AirPhy, AirWriter, MacFrame, Node, Segment, WireWriter};

const MSS: u32 = 1460;

/// A connection of 20 segments with a window of 10, captured at the data sender. Segment 8 is lost
/// and retransmitted after three duplicate ACKs; segment 19 is lost and retransmitted by timeout.
fn connection(flow: u32, up: bool) -> Vec<(Instant, Segment)> {
    let mut now = Instant::from_nanos(1_000_000 * u64::from(flow));
    let mut out = Vec::new();
    let mut put = |ms: u64, kind, number: u64, again: bool| {
        now += Duration::from_millis(ms);
        let payload = if kind == PacketKind::Data { MSS } else { 0 };
        let forward = matches!(kind, PacketKind::Data | PacketKind::Syn);
        let mut s = segment(kind, up == forward, number * u64::from(MSS), payload);
        s.packet.flow = FlowId(flow);
        s.packet.retransmission = again;
        s.station = flow;
        s.connection.window = 10 * MSS;
        if s.up {
            s.packet.size += 20; // a routing header
        }
        out.push((now, s));
    };
    put(0, PacketKind::Syn, 0, false);
    put(20, PacketKind::SynAck, 0, false);
    for i in 0..10 {
        put(0, PacketKind::Data, i, false);
    }
    for i in [2, 4, 6, 8] {
        put(5, PacketKind::Ack, i, false);
        put(0, PacketKind::Data, 9 + i / 2, false);
    }
    for _ in 0..4 {
        put(1, PacketKind::Ack, 8, false); // segments 9 to 12 have arrived
    }
    put(0, PacketKind::Data, 8, true);
    put(20, PacketKind::Ack, 14, false);
    for i in 14..20 {
        put(0, PacketKind::Data, i, false);
    }
    put(20, PacketKind::Ack, 19, false);
    put(300, PacketKind::Data, 19, true);
    put(20, PacketKind::Ack, 20, false);
    out
}

const OTHER_FLOWS: u32 = 400;

/// A datagram and a TCP segment of each of many flows: tshark has dissectors for some ports.
fn many_ports() -> impl Iterator<Item = (Instant, Segment)> {
    (0..OTHER_FLOWS).flat_map(|i| {
        [PacketKind::Datagram, PacketKind::Data].map(|kind| {
            let mut s = segment(kind, i % 2 == 0, 0, 1000);
            s.packet.flow = FlowId(10 + i);
            s.connection.station_port = (49_200 + 40 * i) as u16;
            (Instant::from_nanos(1_000_000_000 + u64::from(i)), s)
        })
    })
}

fn wire_file() -> Vec<u8> {
    let mut writer = WireWriter::new(Vec::new()).unwrap();
    let connections = [connection(0, false), connection(1, true)];
    for (at, s) in connections.concat().into_iter().chain(many_ports()) {
        writer.packet(at, &s).unwrap();
    }
    writer.finish().unwrap()
}

/// The same connections over the air, with RTS/CTS, and with one collision and its retry.
fn air_file() -> Vec<u8> {
    let mut writer = AirWriter::new(Vec::new(), AirPhy::B { short_preamble: true }).unwrap();
    let [fast, slow] = [11, 2].map(|mbps| TxVector::dsss(Rate::from_mbps(mbps)));
    let connections = [connection(0, false), connection(1, true)];
    for (i, (at, segment)) in connections.concat().into_iter().chain(many_ports()).enumerate() {
        let sequence = i as u16;
        let station = Node::Station(segment.station);
        let (from, to) =
            if segment.up { (station, Node::AccessPoint) } else { (Node::AccessPoint, station) };
        let rts = MacFrame::Rts { from, to };
        let first = MacFrame::Data { segment, retry: false, sequence };
        writer.frame(at, &slow, 2000, &rts).unwrap();
        writer.frame(at, &slow, 1700, &MacFrame::Cts { to: from }).unwrap();
        writer.frame(at, &fast, 213, &first).unwrap();
        if i == 5 || i == 50 {
            // The acknowledgement was lost.
            let second = MacFrame::Data { segment, retry: true, sequence };
            writer.frame(at, &fast, 213, &second).unwrap();
        }
        writer.frame(at, &slow, 0, &MacFrame::Ack { to: from }).unwrap();
    }
    writer.finish().unwrap()
}

/// A capture file that is removed when dropped.
pub(super) struct File(PathBuf);

impl File {
    pub(super) fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("evenair-{}-{name}.pcapng", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    /// The fields of the packets that match a display filter, with all checksums verified.
    pub(super) fn read(&self, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
        self.read_with(&[], filter, fields)
    }

    /// The same, with more arguments of tshark.
    pub(super) fn read_with(
        &self,
        arguments: &[&str],
        filter: &str,
        fields: &[&str],
    ) -> Vec<Vec<String>> {
        let output = Command::new("tshark")
            .arg("-r")
            .arg(&self.0)
            .args(["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"])
            .args(["-o", "udp.check_checksum:TRUE", "-o", "wlan.retransmitted:FALSE"])
            .args(arguments)
            .args(["-Y", filter, "-T", "fields"])
            .args(fields.iter().flat_map(|f| ["-e", f]))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{filter}: {error}");
        let row = |line: &str| line.split('\t').map(String::from).collect();
        String::from_utf8_lossy(&output.stdout).lines().map(row).collect()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The oldest version that is known to read all fields, that of Debian 12.
const OLDEST: [u32; 3] = [4, 0, 17];

pub(super) fn tshark_is_here() -> bool {
    let Ok(output) = Command::new("tshark").arg("--version").output() else {
        eprintln!("tshark is not installed: only the structure of capture files was tested");
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or("");
    eprintln!("{first}");
    let digits = first.split(|c: char| !c.is_ascii_digit() && c != '.');
    let version = digits.map(|word| word.trim_matches('.')).find(|word| word.contains('.'));
    let version: Vec<u32> = version.unwrap_or("").split('.').flat_map(str::parse).collect();
    assert!(version[..] >= OLDEST[..], "{first}: these tests need tshark {OLDEST:?} or newer");
    true
}

/// A display filter for defects, which no packet may match.
pub(super) const WRONG: &str = "_ws.malformed or _ws.expert.severity == error or ip.checksum.status == 0 \
    or tcp.checksum.status == 0 or udp.checksum.status == 0 or (ip and ip.checksum.status != 1) \
    or (tcp.flags.syn == 1 and tcp.checksum.status != 1)";

/// Fields, and the number of packets in which each must be present.
const MARKS: [(&str, usize); 9] = [
    ("tcp.analysis.retransmission", 4),
    ("tcp.analysis.fast_retransmission", 2),
    ("tcp.analysis.duplicate_ack", 8),
    ("tcp.analysis.lost_segment", 0),
    ("tcp.analysis.ack_lost_segment", 0),
    ("tcp.analysis.out_of_order", 0),
    ("tcp.analysis.spurious_retransmission", 0),
    ("tcp.analysis.zero_window", 0),
    ("tcp.analysis.rto", 2),
];

/// Checks common to both captures; `packets` is the number of IPv4 packets in the file.
fn check(file: &File, packets: usize) {
    assert_eq!(file.read(WRONG, &["frame.number", "ip.src"]), Vec::<Vec<String>>::new());
    assert_eq!(file.read("ip", &["frame.number"]).len(), packets);
    let rows = file.read("ip.addr in {10.1.0.1, 10.1.0.2}", &MARKS.map(|(name, _)| name));
    for (i, (name, expected)) in MARKS.iter().enumerate() {
        let marked = rows.iter().filter(|row| !row[i].is_empty()).count();
        assert_eq!(marked, *expected, "{name}");
    }
}

fn packets() -> usize {
    2 * connection(0, false).len() + 2 * OTHER_FLOWS as usize
}

#[test]
fn tshark_reads_the_wire() {
    if tshark_is_here() {
        let file = File::new("wire", &wire_file());
        check(&file, packets());
        assert_eq!(file.read("eth", &["frame.number"]).len(), packets());
        let commented = file.read("frame.comment == \"TCP retransmission\"", &["tcp.len"]);
        assert_eq!(commented, vec![vec![MSS.to_string()]; 4]);
    }
}

#[test]
#[ignore = "long"]
fn tshark_reads_the_air() {
    if !tshark_is_here() {
        return;
    }
    let file = File::new("air", &air_file());
    // With wlan.retransmitted:FALSE the two retries end at the 802.11 header.
    check(&file, packets());
    assert_eq!(file.read("wlan", &["frame.number"]).len(), 4 * packets() + 2);
    for (subtype, expected) in
        [("0x1b", packets()), ("0x1c", packets()), ("0x1d", packets()), ("0x20", packets() + 2)]
    {
        let filter = format!("wlan.fc.type_subtype == {subtype}");
        assert_eq!(file.read(&filter, &["frame.number"]).len(), expected, "{subtype}");
    }
    let data = "wlan.fc.type == 2 and radiotap.datarate == 11 and radiotap.channel.freq == 2437 \
        and radiotap.flags.preamble == 1 and ((wlan.fc.tods == 1 and wlan.da == 02:00:00:00:00:02) \
        or (wlan.fc.fromds == 1 and wlan.sa == 02:00:00:00:00:02))";
    assert_eq!(file.read(data, &["frame.number"]).len(), packets() + 2);
    assert_eq!(file.read("wlan.fc.retry == 1", &["frame.number"]).len(), 2);
}

/// RFC 2018: SACK-permitted in both handshake segments, and blocks at the expected relative
/// sequence numbers of tshark (the first payload byte is number 1), although the headers have
/// further options.
#[test]
fn tshark_reads_sack() {
    if !tshark_is_here() {
        return;
    }
    let mut writer = WireWriter::new(Vec::new()).unwrap();
    let mut put = |ms: u64, kind, seq, payload: u32, blocks: &[(u64, u64)], more: u32| {
        let forward = matches!(kind, PacketKind::Data | PacketKind::Syn);
        let mut s = segment(kind, !forward, seq, payload);
        let blocks: SackBlocks = blocks.iter().copied().collect();
        let offer = if matches!(kind, PacketKind::Syn | PacketKind::SynAck) { 4 } else { 0 };
        s.packet.size += blocks.header_bytes() + offer + more;
        s.sack = Some(blocks);
        writer.packet(Instant::from_nanos(1_000_000 * ms), &s).unwrap();
    };
    put(0, PacketKind::Syn, 0, 0, &[], 0);
    put(20, PacketKind::SynAck, 0, 0, &[], 12);
    for i in 0..6 {
        put(21 + i, PacketKind::Data, 1000 * i, 1000, &[], 0);
    }
    put(40, PacketKind::Ack, 1000, 0, &[], 0);
    put(41, PacketKind::Ack, 1000, 0, &[(2000, 3000)], 0);
    put(42, PacketKind::Ack, 1000, 0, &[(4000, 5000), (2000, 3000)], 80);
    let four = [(50_000, 60_000), (40_000, 41_000), (4000, 6000), (2000, 3000)];
    put(43, PacketKind::Ack, 1000, 0, &four, 0);
    let file = File::new("sack", &writer.finish().unwrap());
    assert_eq!(file.read(WRONG, &["frame.number"]), Vec::<Vec<String>>::new());
    assert_eq!(file.read("tcp.options.sack_perm", &["tcp.flags.syn"]), [["1"], ["1"]]);
    let fields =
        ["tcp.options.sack.count", "tcp.options.sack_le", "tcp.options.sack_re", "tcp.len"];
    let expected = [
        ["1", "2001", "3001", "0"],
        ["2", "4001,2001", "5001,3001", "0"],
        ["4", "50001,40001,4001,2001", "60001,41001,6001,3001", "0"],
    ];
    assert_eq!(file.read("tcp.options.sack_le", &fields), expected);
}

/// RFC 9768: the flags of the handshake (table 2), the codepoint of data, ACE and the bytes with each codepoint in the
/// ACKs: 5 and 1 at first, 2 marks later 7; beside SACK blocks and timestamps.
#[test]
fn tshark_reads_acc_ecn() {
    if !tshark_is_here() {
        return;
    }
    let mut writer = WireWriter::new(Vec::new()).unwrap();
    let mut put = |ms: u64, kind, (seq, payload), (ecn, ace), options: TcpOptions, more: u32| {
        let forward = matches!(kind, PacketKind::Data | PacketKind::Syn);
        let mut s = segment(kind, !forward, seq, payload);
        (s.packet.ecn, s.packet.ecn_flags) = (ecn, EcnFlags::of_ace(ace));
        let of_counters = options.acc_ecn.map_or(0, |counters| counters.header_bytes());
        s.packet.size += options.sack.header_bytes() + of_counters + more;
        s.sack = Some(options.sack);
        s.option = Some(PacketOption::Tcp(options));
        writer.packet(Instant::from_nanos(1_000_000 * ms), &s).unwrap();
    };
    let none = TcpOptions::default();
    put(0, PacketKind::Syn, (0, 0), (Ecn::NotEct, 0b111), none, 4);
    put(20, PacketKind::SynAck, (0, 0), (Ecn::NotEct, 0b010), none, 4);
    put(40, PacketKind::Data, (0, 1000), (Ecn::Ect1, 5), none, 0);
    put(41, PacketKind::Data, (1000, 1000), (Ecn::Ce, 5), none, 0);
    put(42, PacketKind::Data, (3000, 1000), (Ecn::Ce, 5), none, 0);
    let counted = |ce, ect1| Some(AccEcnCounters { ect0: 1, ce, ect1 });
    let first = TcpOptions { acc_ecn: counted(0, 1001), ..none };
    put(60, PacketKind::Ack, (1000, 0), (Ecn::NotEct, 5), first, 0);
    let sack = [(3000, 4000)].into_iter().collect();
    let at = Instant::from_nanos(62_000_000);
    let timestamps = Some(Timestamps { value: at, echo: None });
    let second = TcpOptions { acc_ecn: counted(2000, 1001), sack, timestamps, ..none };
    put(62, PacketKind::Ack, (2000, 0), (Ecn::NotEct, 7), second, 12);
    let file = File::new("acc-ecn", &writer.finish().unwrap());
    assert_eq!(file.read(WRONG, &["frame.number"]), Vec::<Vec<String>>::new());
    let flags = ["tcp.flags.ae", "tcp.flags.cwr", "tcp.flags.ece", "ip.dsfield.ecn"];
    let expected = [["1", "1", "1", "0"], ["0", "1", "0", "0"]];
    assert_eq!(file.read("tcp.flags.syn == 1", &flags), expected);
    let ace = ["tcp.flags.ace", "ip.dsfield.ecn"];
    assert_eq!(file.read("tcp.len > 0", &ace), [["5", "1"], ["5", "3"], ["5", "3"]]);
    let fields = [
        "tcp.flags.ace",
        "tcp.options.acc_ecn.ee1b",
        "tcp.options.acc_ecn.eceb",
        "tcp.options.acc_ecn.ee0b",
        "tcp.options.sack_le",
        "tcp.options.timestamp.tsval",
    ];
    let expected = [["5", "1001", "", "", "", ""], ["7", "1001", "2000", "", "3001", "62"]];
    assert_eq!(file.read("tcp.len == 0 and tcp.flags.syn == 0", &fields), expected);
}
