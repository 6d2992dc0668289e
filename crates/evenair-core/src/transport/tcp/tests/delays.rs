//! What a connection measures, by hand: round-trip times, one-way delays, and what limits the sender.

use super::*;
use crate::packet::{Packet, PacketKind};
use crate::transport::Limit;
use crate::transport::{Output, PacketOption};

/// The packets that were sent.
#[derive(Debug, Default)]
struct Sent(Vec<Packet>);

impl Output for Sent {
    fn send(&mut self, packet: &Packet, _option: Option<&PacketOption>) {
        self.0.push(*packet);
    }
}

impl Sent {
    fn take(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.0)
    }
}

struct Driver {
    connection: Ends<SendingEnd, ReceivingEnd>,
    out: Sent,
}

impl Driver {
    /// Open at 20 ms, when the first window has been sent.
    fn open(config: impl Into<Sending>) -> (Self, Vec<Packet>) {
        let Sending { tcp, total } = config.into();
        let connection = ends(&connection_config(tcp, 1));
        let mut driver = Self { connection, out: Sent::default() };
        driver.connection.open(at(0), 0, total, &mut driver.out);
        let syn = driver.out.take()[0];
        let syn_ack = driver.deliver(10, &syn)[0];
        let data = driver.deliver(20, &syn_ack);
        (driver, data)
    }

    fn deliver(&mut self, ms: u64, packet: &Packet) -> Vec<Packet> {
        self.connection.on_packet(at(ms), packet, None, &mut self.out);
        self.out.take()
    }

    fn times(&self, ms: u64) -> [u64; 5] {
        use Limit::*;
        let times = self.connection.limits(at(ms)).expect("TCP has a window");
        [ReceiveWindow, Cwnd, Recovery, Timeout, Application]
            .map(|limit| times.of(limit).as_nanos() / 1_000_000)
    }
}

/// Checks that the delays are these, in ascending order, as far as their buckets tell.
fn assert_delays(delays: &crate::delays::Delays, expected_ms: &[u64]) {
    let buckets = delays.buckets();
    assert_eq!(
        buckets.iter().map(|bucket| bucket.count).collect::<Vec<_>>(),
        vec![1; expected_ms.len()]
    );
    for (bucket, &ms) in buckets.iter().zip(expected_ms) {
        let range = bucket.first..=bucket.last;
        assert!(range.contains(&Duration::from_millis(ms)), "{bucket:?} for {ms} ms");
    }
    let sum = expected_ms.iter().sum();
    assert_eq!(delays.sum(), Duration::from_millis(sum));
}

/// Three segments are sent at 20. The second is lost and sent again at 220, when the timer expires, after
/// the third has arrived. The second arrives twice.
#[test]
fn a_segment_counts_once_and_from_its_first_transmission() {
    let config = Sending { total: 3 * SEGMENT, tcp: TcpConfig { initial_window: 3, ..plain() } };
    let (mut driver, data) = Driver::open(config);
    assert_eq!(data.len(), 3);
    let first_ack = driver.deliver(50, &data[0])[0];
    let duplicate = driver.deliver(55, &data[2])[0];
    driver.deliver(60, &first_ack);
    driver.deliver(65, &duplicate);
    let timeout = driver.connection.poll_at(End::Sender);
    driver.connection.on_timer(timeout, End::Sender, &mut driver.out);
    let again = driver.out.take()[0];
    assert_eq!((again.seq, again.retransmission), (SEGMENT, true));
    let last_ack = driver.deliver(300, &again)[0];
    driver.deliver(305, &again);
    driver.deliver(320, &last_ack);
    let connection = &driver.connection;
    // 50 - 20, 55 - 20, 300 - 20.
    assert_delays(connection.one_way_delay(), &[30, 35, 280]);
    // The handshake, and 60 - 20. The other two were sent while the first was timed.
    assert_delays(connection.rtt_samples().expect("TCP measures it"), &[20, 40]);
    // The timer ran from 60 on, and a duplicate came at 65.
    let expired = timeout.as_nanos() / 1_000_000;
    let times = driver.times(400);
    assert_eq!(times, [0, 65, 320 - expired, expired - 65, 80]);
}

/// Go-back-N sends the second segment again too: after that of the handshake, no round-trip time is
/// measured (Karn).
#[test]
fn no_round_trip_time_is_measured_on_what_was_sent_again() {
    let config = Sending { total: 2 * SEGMENT, tcp: TcpConfig { initial_window: 2, ..plain() } };
    let (mut driver, data) = Driver::open(config);
    assert_eq!(data.len(), 2);
    let timeout = driver.connection.poll_at(End::Sender);
    driver.connection.on_timer(timeout, End::Sender, &mut driver.out);
    let again = driver.out.take();
    assert_eq!(again.len(), 1);
    let ack = driver.deliver(400, &again[0])[0];
    let last = driver.deliver(410, &ack)[0];
    let ack = driver.deliver(420, &last)[0];
    driver.deliver(430, &ack);
    assert!(driver.connection.is_done());
    let connection = &driver.connection;
    assert_delays(connection.rtt_samples().expect("TCP measures it"), &[20]);
    assert_delays(connection.one_way_delay(), &[380, 400]);
}

/// Two segments are sent at 20, and nothing arrives: the timer expires, and runs again at the end.
#[test]
fn the_wait_for_a_further_timeout_counts_until_the_end() {
    let (mut driver, data) = Driver::open(TcpConfig { initial_window: 2, ..plain() });
    assert_eq!(data.len(), 2);
    let timeout = driver.connection.poll_at(End::Sender);
    driver.connection.on_timer(timeout, End::Sender, &mut driver.out);
    let expired = timeout.as_nanos() / 1_000_000;
    assert!(driver.connection.poll_at(End::Sender) > at(expired + 300));
    assert_eq!(driver.times(expired + 300), [0, 20, 0, expired - 20 + 300, 0]);
}

/// A window of two segments: cwnd is 2 at 20, and 3 after the first ACK.
#[test]
fn the_window_limits_once_cwnd_exceeds_it() {
    let config = TcpConfig { initial_window: 2, window: 2, ..plain() };
    let (mut driver, data) = Driver::open(config);
    assert_eq!(data.len(), 2);
    let ack = driver.deliver(40, &data[0])[0];
    assert_eq!(driver.deliver(60, &ack).len(), 1);
    assert_eq!(driver.times(100), [40, 60, 0, 0, 0]);
    // Measured from 80 on.
    driver.connection.measure_from(at(80));
    assert_eq!(driver.times(100), [20, 0, 0, 0, 0]);
    assert_delays(driver.connection.one_way_delay(), &[]);
}

/// Before the start, and from the last ACK on, the application has nothing to send; a SYN that is lost
/// waits for its timer (3 s).
#[test]
fn lost_syns_and_idle_times() {
    let connection = ends(&connection_config(plain(), 1));
    let mut driver = Driver { connection, out: Sent::default() };
    driver.connection.open(at(500), 0, SEGMENT, &mut driver.out);
    assert_eq!(driver.out.take()[0].kind, PacketKind::Syn);
    assert_eq!(driver.times(1000), [0, 500, 0, 0, 500]);
    driver.connection.on_timer(at(3500), End::Sender, &mut driver.out);
    let syn = driver.out.take()[0];
    assert_eq!(driver.times(3500), [0, 0, 0, 3000, 500]);
    let syn_ack = driver.deliver(3510, &syn)[0];
    let data = driver.deliver(3520, &syn_ack)[0];
    let ack = driver.deliver(3530, &data)[0];
    driver.deliver(3540, &ack);
    assert_eq!(driver.times(4000), [0, 40, 0, 3000, 960]);
}

/// The sender listens. It measures from its SYN-ACK to the request, whether or not an earlier SYN was lost
/// on the way. After a second SYN it cannot know which SYN-ACK the request answers (Karn), and cwnd is one
/// segment (RFC 5681 section 3.1).
#[test]
fn a_listening_sender_measures_what_it_can_know() {
    for (syns, rtt, cwnd) in [(&[1010][..], Some(20), 3.0), (&[10, 1010], None, 1.0)] {
        let sender = TcpConfig { initial_window: 3, ..plain() };
        let config = ConnectionConfig { opened_by: End::Receiver, ..connection_config(sender, 1) };
        let mut end = SendingEnd::new(&config, newreno(), HEADERS[0]);
        let mut out = Sent::default();
        end.open(at(0), 0, u64::MAX, &mut out);
        for &ms in syns {
            end.on_packet(at(ms), &Packet::new(FlowId(0), PacketKind::Syn), None, &mut out);
            assert_eq!(out.take()[0].kind, PacketKind::SynAck);
        }
        end.on_packet(at(1030), &Packet::new(FlowId(0), PacketKind::Request), None, &mut out);
        assert_eq!(out.take().len(), cwnd as usize);
        assert_eq!(end.rtt_estimator().srtt(), rtt.map(Duration::from_millis), "{syns:?}");
        assert_eq!(end.window().cwnd, cwnd);
    }
}
