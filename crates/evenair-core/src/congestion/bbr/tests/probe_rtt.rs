//! ProbeRTT (5.3.4), the round-trip time of the empty path (5.5.7), and restarts from idle (5.4).

use super::*;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// One ACK at this time. The application limits the sender, so that the bandwidth stays.
fn ack_at(bench: &mut Bench, now: Instant) {
    bench.next.is_app_limited = true;
    bench.ack(now.since(bench.now));
}

/// A flow in ProbeRTT, with 300 segments in flight. It opened at 1 s with the shortest round-trip time: until 6 s that is recent
/// enough.
fn probing() -> Bench {
    let mut bench = Bench::cruising();
    ack_at(&mut bench, at(6000));
    assert_ne!(bench.state(), State::ProbeRtt);
    bench.in_flight(300);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::ProbeRtt);
    bench
}

/// 5.3.4.3: half of the product may be in flight, 50 segments. 200 ms after it is so, and at least one round trip, ProbeRTT ends in
/// CRUISE (5.3.4.4). Until then the bandwidth is paced at, less the margin, and samples are marked.
#[test]
fn it_lasts_200_ms_at_half_of_the_product() {
    let mut bench = probing();
    assert_eq!(bench.window.cwnd, 50.0);
    close(bench.bbr.pacing_rate, 990.0);
    assert!(bench.bbr.lowers_rate());
    bench.in_flight(51);
    ack_at(&mut bench, at(6080));
    bench.in_flight(50);
    ack_at(&mut bench, at(6100)); // 200 ms begin
    bench.round(50); // at 6.2 s
    ack_at(&mut bench, at(6300));
    assert_eq!(bench.state(), State::ProbeRtt);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::Cruise);
    // What is sent for another round trip counts as limited, too: it is only then that more is in flight.
    assert!(bench.bbr.lowers_rate());
    assert_eq!(bench.window.cwnd, 300.0, "as it was");
    bench.ack(NANO);
    assert!(!bench.bbr.lowers_rate());
    // The next is due 5 s after its end.
    let end = at(6300) + NANO;
    ack_at(&mut bench, end + Duration::from_secs(5));
    assert_ne!(bench.state(), State::ProbeRtt);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::ProbeRtt);
}

/// 5.3.4.3: a round trip that takes longer than 200 ms is waited for.
#[test]
fn it_lasts_a_round_trip_at_least() {
    let mut bench = probing();
    bench.in_flight(50);
    ack_at(&mut bench, at(6100));
    ack_at(&mut bench, at(6900));
    assert_eq!(bench.state(), State::ProbeRtt);
    bench.round(50);
    assert_eq!(bench.state(), State::Cruise);
}

/// 5.3.4.3: a shorter round-trip time at 5 s postpones it up to 10 s; one of the same length does not.
#[test]
fn a_shorter_round_trip_time_postpones_it() {
    let mut bench = Bench::cruising();
    bench.next.rtt = Some(Duration::from_millis(99));
    ack_at(&mut bench, at(5000));
    assert_eq!(bench.bbr.model.min_rtt, Some(Duration::from_millis(99)));
    ack_at(&mut bench, at(8000));
    ack_at(&mut bench, at(10_000));
    assert_ne!(bench.state(), State::ProbeRtt);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::ProbeRtt);
}

/// 5.5.7.2: the path has become longer at 2 s. The round-trip time from the handshake, at 1 s, holds for 10 s, for ProbeRTT as well, which
/// then leaves 50 segments in flight. After that it is 150 ms, and the product 150 segments.
#[test]
fn a_longer_path_is_found_after_10_s() {
    let mut bench = Bench::cruising();
    bench.next.rtt = Some(Duration::from_millis(150));
    ack_at(&mut bench, at(6000));
    bench.in_flight(50);
    bench.ack(NANO);
    assert_eq!((bench.state(), bench.window.cwnd), (State::ProbeRtt, 50.0));
    bench.round(50);
    bench.ack(Duration::from_millis(150));
    ack_at(&mut bench, at(11_000));
    assert_eq!(bench.bbr.model.min_rtt, Some(RTT));
    bench.ack(NANO);
    assert_eq!(bench.bbr.model.min_rtt, Some(Duration::from_millis(150)));
    assert_eq!(bench.bbr.model.bdp(bench.bbr.model.bw), Some(150.0));
}

/// A.20: ProbeRTT before the path was full leads back to Startup.
#[test]
fn it_leads_back_to_startup() {
    let mut bench = Bench::open();
    bench.round(10);
    bench.in_flight(4);
    ack_at(&mut bench, at(6000) + NANO);
    assert_eq!(bench.state(), State::ProbeRtt);
    bench.round(4);
    ack_at(&mut bench, at(6300));
    assert_eq!(bench.state(), State::Startup);
}

/// The first segment after a pause leaves.
fn restart(bench: &mut Bench, now: Instant) {
    bench.now = now;
    let event = SentEvent {
        now,
        bytes: SEGMENT as u32,
        retransmission: false,
        in_flight: 0,
        is_app_limited: true,
    };
    bench.bbr.on_sent(&mut bench.window, &event);
}

/// 5.4.1: after a pause the flow paces at the bandwidth, less the margin, also in DOWN, and goes on with its window. A.11: the pause
/// stands for ProbeRTT.
#[test]
fn a_flow_restarts_at_its_bandwidth() {
    let mut bench = Bench::probing();
    for _ in 0..3 {
        bench.round(100);
    }
    close(bench.bbr.pacing_rate, 891.0);
    let cwnd = bench.window.cwnd;
    restart(&mut bench, at(60_000));
    close(bench.bbr.pacing_rate, 990.0);
    assert_eq!(bench.window.cwnd, cwnd);
    bench.ack(RTT);
    assert_ne!(bench.state(), State::ProbeRtt);
    ack_at(&mut bench, at(65_100));
    assert_ne!(bench.state(), State::ProbeRtt);
    bench.ack(NANO);
    assert_eq!(bench.state(), State::ProbeRtt);
}

/// 5.4.1: a flow that pauses in ProbeRTT leaves it with the first segment, if it has lasted long enough by then.
#[test]
fn a_pause_in_probe_rtt_ends_it() {
    let mut bench = probing();
    bench.in_flight(0);
    ack_at(&mut bench, at(6100));
    restart(&mut bench, at(6300));
    assert_eq!((bench.state(), bench.window.cwnd), (State::ProbeRtt, 50.0));
    restart(&mut bench, at(6300) + NANO);
    assert_eq!((bench.state(), bench.window.cwnd), (State::Cruise, 300.0));
}
