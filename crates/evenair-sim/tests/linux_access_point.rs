//! An access point of Linux: airtime, throughput and latency with the queues, the scheduler and the driver of mac80211.

use evenair_sim::RunResult;

use crate::overridden::result;

const LINUX: (&str, &str) = ("cell.access_point", "linux");

/// Saturated UDP downloads to two stations with 802.11n's MCS 15, and to one with MCS 0, short guard intervals (Høiland-Jørgensen
/// et al. 2017). Packets of 1,500 bytes.
const UDP: &str = r#"
    duration = "10 s"
    warmup = "1 s"
    [cell]
    phy = "802.11n"
    guard_interval = "0.4 us"
    streams = 2
    [wired]
    rate = "unlimited"
    delay = "0 s"
    [[station]]
    count = 2
    [[station.flows]]
    direction = "down"
    transport = "udp"
    rate = "100 Mbps"
    segment = 1472
    header = 28
    [[station]]
    streams = 1
    mcs = 0
    [[station.flows]]
    direction = "down"
    transport = "udp"
    rate = "100 Mbps"
    segment = 1472
    header = 28
"#;

fn shares(result: &RunResult) -> Vec<f64> {
    let airtimes = result.stations.iter().map(|station| station.airtime_share);
    let all: f64 = airtimes.clone().sum();
    airtimes.map(|airtime| airtime / all).collect()
}

fn goodputs(result: &RunResult) -> Vec<f64> {
    result.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect()
}

/// An A-MPDU and its Block Ack, us: MPDUs of 1,538 bytes with delimiters, the last without padding; preamble, then 22 bits besides
/// in symbols of 3.6 us, rounded to 4 us (802.11-2020 19.3.21); SIFS; the Block Ack of 32 bytes at 24 or 6 Mb/s.
fn exchange_us(mpdus: f64, preamble: f64, bits_per_symbol: f64, block_ack: f64) -> f64 {
    let symbols = ((22.0 + 8.0 * (1544.0 * mpdus - 2.0)) / bits_per_symbol).ceil();
    preamble + 4.0 * (3.6 * symbols / 4.0).ceil() + 16.0 + block_ack
}

/// By hand. Fast stations get A-MPDUs of 42 MPDUs, which 65,535 bytes have room for, the slow one of 3, the most in 5,484 us. Of an
/// access 43 us of AIFS and 67.5 us of mean backoff are charged to nobody. Airtime is a third each, and goodput follows: 43.6 and 2.2
/// Mb/s.
#[test]
fn stations_of_other_rates_have_a_third_of_the_airtime_each() {
    let run = result(UDP, &[LINUX], 1);
    for share in shares(&run) {
        assert!((share - 1.0 / 3.0).abs() < 0.01 / 3.0, "{:?}", shares(&run));
    }
    let mpdus = [42.0, 42.0, 3.0];
    let fast = exchange_us(42.0, 40.0, 520.0, 32.0);
    let exchanges = [fast, fast, exchange_us(3.0, 36.0, 26.0, 68.0)];
    let round: f64 = exchanges.iter().map(|time| (time + 43.0 + 67.5) / time).sum();
    for (place, goodput) in goodputs(&run).into_iter().enumerate() {
        let expected = mpdus[place] * 8.0 * 1472.0 / exchanges[place] / round;
        assert!((goodput / expected - 1.0).abs() < 0.02, "{goodput}, by hand {expected}");
    }
}

/// Without airtime fairness: one queue for all gives stations that ask for the same the same goodput. Queues of mac80211 alone
/// give each a PPDU in turn, so that goodputs are as lengths of PPDUs.
#[test]
fn without_airtime_fairness_goodputs_are_equal_or_as_ppdus() {
    let one_queue = goodputs(&result(UDP, &[("cell.queue.limit", "1000"), ("cell.ring", "64")], 1));
    let mean = one_queue.iter().sum::<f64>() / 3.0;
    assert!(one_queue.iter().all(|goodput| (goodput / mean - 1.0).abs() < 0.05), "{one_queue:?}");
    let [fast, other, slow] =
        goodputs(&result(UDP, &[LINUX, ("cell.scheduler", "round-robin")], 1))[..]
    else {
        panic!("three flows")
    };
    assert!((fast / other - 1.0).abs() < 0.02 && (fast / slow / 14.0 - 1.0).abs() < 0.02);
}

/// A tenth of the MPDUs to the fast stations is lost, and their receivers hold others back. Airtime remains a third each: what is
/// repeated is charged, and what is held back does not count in the airtime queue limits for ever.
#[test]
fn losses_do_not_change_the_shares() {
    let error = "{ kind = 'gilbert-elliott', rate = 0.1, bad_state = '1 ms', level = 'mac' }";
    let run = result(UDP, &[LINUX, ("station.0.error", error)], 1);
    for share in shares(&run) {
        assert!((share - 1.0 / 3.0).abs() < 0.01, "{:?}", shares(&run));
    }
    let goodputs = goodputs(&run);
    assert!(goodputs[0] > 30.0 && goodputs[0] < 43.0, "{goodputs:?}");
}

/// Weights are shares of the airtime: 2 to 1 to 1.
#[test]
fn airtime_is_as_weights() {
    let weight = ("station.1.airtime_weight", "512");
    let shares = shares(&result(UDP, &[LINUX, weight], 1));
    for (share, expected) in shares.iter().zip([0.25, 0.25, 0.5]) {
        assert!((share - expected).abs() < 0.01, "{shares:?}");
    }
}

/// A hundred stations, ten of them slow: all are served. The buffer of 4 MiB has room for 19 packets of each; a station that
/// has none left enters the list at its front, and gets its weight more often than one that always has some. So shares
/// are not equal here; the factor of two was chosen with the result at hand (0.56 to 1.6 %).
#[test]
fn a_hundred_stations_are_all_served() {
    let counts = [("station.0.count", "90"), ("station.1.count", "10"), ("duration", "20")];
    let run = result(UDP, &[&[LINUX][..], &counts].concat(), 1);
    for share in shares(&run) {
        assert!(0.005 < share && share < 0.02, "{share}");
    }
}

/// A TCP download and a ping for each station, 10 ms from the server.
const TCP: &str = r#"
    duration = "30 s"
    warmup = "5 s"
    [cell]
    phy = "802.11n"
    guard_interval = "0.4 us"
    streams = 2
    [wired]
    rate = "1 Gbps"
    delay = "5 ms"
    [[station]]
    count = 2
    [[station.flows]]
    direction = "down"
    transport = "cubic"
    [[station.flows]]
    direction = "down"
    transport = "udp"
    application = "ping"
    [[station]]
    streams = 1
    mcs = 0
    [[station.flows]]
    direction = "down"
    transport = "cubic"
    [[station.flows]]
    direction = "down"
    transport = "udp"
    application = "ping"
"#;

/// What a full cell adds to the round-trip time of pings to a fast station is with Linux's queues and airtime fairness below a tenth
/// of what a FIFO queue of 1,000 packets adds: an order of magnitude, as the abstract of Høiland-Jørgensen et al. 2017 says.
#[test]
fn latency_under_load_is_an_order_of_magnitude_lower() {
    let added_ms = |overrides: &[(&str, &str)]| {
        let run = result(TCP, overrides, 1);
        let rtt = run.flows[1].rtt_s.as_ref().unwrap();
        1e3 * rtt.p50 - 10.0
    };
    let fifo = added_ms(&[("cell.queue.limit", "1000")]);
    let linux = added_ms(&[LINUX]);
    assert!(linux < fifo / 10.0, "{linux} ms, and {fifo} ms with a FIFO queue");
    let short = added_ms(&[
        LINUX,
        ("cell.scheduler.kind", "airtime-drr"),
        ("cell.scheduler.aql", "{ low = '1 ms', high = '1 ms', total = '24 ms' }"),
    ]);
    assert!(short < linux, "less in the hardware is less latency: {short}, {linux} ms");
}

/// A limit of memory of 2,176 bytes for each of 100 packets: no more of 1,500 bytes wait in the access point, and the others are dropped
/// there.
#[test]
fn memory_limits_what_waits() {
    let limited = result(UDP, &[LINUX, ("cell.fq_memory_limit", "217600")], 1);
    let unlimited = result(UDP, &[LINUX], 1);
    assert!(limited.ap_queue.mean_packets <= 100.0, "{:?}", limited.ap_queue);
    assert!(unlimited.ap_queue.mean_packets > 1000.0, "{:?}", unlimited.ap_queue);
}

/// TCP downloads to stations of MCS 15, 15 and 0. With the rule of older kernels for slow stations that of MCS 0 (some 6 Mb/s expected, below 3
/// times 6) waits longer in its queue; at a threshold of 1 Mb/s, below which no station is, all remains as without the rule.
#[test]
fn codel_is_milder_with_slow_stations() {
    let tcp = UDP.replace(
        "transport = \"udp\"\n    rate = \"100 Mbps\"\n    segment = 1472\n    header = 28",
        "transport = \"cubic\"",
    );
    let run = |overrides: &[(&str, &str)]| {
        result(&tcp, &[&[LINUX, ("wired.delay", "5 ms")], overrides].concat(), 1)
    };
    let [none, slow, lower] = [
        run(&[]),
        run(&[("cell.sta_slow_threshold", "6 Mbps")]),
        run(&[("cell.sta_slow_threshold", "1 Mbps")]),
    ];
    let rtt = |run: &RunResult, flow: usize| run.flows[flow].rtt_s.as_ref().unwrap().p50;
    assert!(rtt(&slow, 2) > 1.5 * rtt(&none, 2), "{} {}", rtt(&slow, 2), rtt(&none, 2));
    assert!((rtt(&slow, 0) / rtt(&none, 0) - 1.0).abs() < 0.2);
    assert_eq!(lower.fingerprint, none.fingerprint);
}

/// The station of MCS 0 has left, before measuring begins: the others have half of the airtime each. The same if it is there and has
/// nothing to send until the end.
#[test]
fn a_station_without_traffic_takes_nothing() {
    let without = UDP.replace("streams = 1\n    mcs = 0", "").replace("count = 2", "count = 1");
    let alone = goodputs(&result(&without, &[LINUX], 1));
    for time in [("station.1.flows.0.stop", "500 ms"), ("station.1.flows.0.start", "19.99 s")] {
        // What it had queued takes some seconds.
        let run = result(UDP, &[LINUX, ("warmup", "10 s"), time], 1);
        let goodputs = goodputs(&run);
        for station in 0..2 {
            let share = shares(&run)[station];
            assert!((share - 0.5).abs() < 0.005, "{:?}", shares(&run));
            assert!(
                (goodputs[station] / alone[station] - 1.0).abs() < 0.01,
                "{goodputs:?} {alone:?}"
            );
        }
    }
}

/// Sources stop in time: each datagram has arrived, was dropped by the access point, or given up at the end of its lifetime. A seventh of the
/// MPDUs is lost.
#[test]
fn datagrams_are_neither_lost_nor_doubled_on_their_way() {
    let error = "{ kind = 'gilbert-elliott', rate = 0.15, bad_state = '3 ms', level = 'mac', direction = 'down' }";
    let aql = "{ kind = 'airtime-drr', aql = { low = '1 ms', high = '2 ms', total = '4 ms' } }";
    for scheduler in ["airtime-drr", "round-robin", aql] {
        let overrides = [
            LINUX,
            ("cell.scheduler", scheduler),
            ("cell.msdu_lifetime", "200 ms"),
            ("station.0.error", error),
            ("station.1.error", error),
            ("station.0.flows.0.stop", "1 s"),
            ("station.1.flows.0.stop", "1 s"),
            ("duration", "60 s"),
            ("warmup", "0 s"),
        ];
        let run = result(UDP, &overrides, 1);
        let mut given_up = 0;
        for flow in &run.flows {
            let arrived = (flow.goodput_bps * 60.0 / 8.0 / 1472.0).round() as u64;
            let losses = &flow.data_losses;
            assert_eq!(
                flow.segments_sent,
                arrived + losses.ap_queue + losses.retry_limit,
                "{flow:?}"
            );
            given_up += losses.retry_limit;
        }
        assert!(given_up > 0 && run.ap_queue.drops > 0, "{given_up} {:?}", run.ap_queue);
    }
}

/// An airtime queue limit of 1 ms lets one packet of 1.9 ms go. When it is lost, it still counts, and is repeated nevertheless. By
/// hand: 1,500 bytes in an access of 43 + 67.5 + 36 + 1,900 + 16 + 68 us, of which 0.7 succeed: 3.9 Mb/s.
#[test]
fn what_is_repeated_passes_the_airtime_queue_limits() {
    let overrides = [
        LINUX,
        (
            "cell.scheduler",
            "{ kind = 'airtime-drr', aql = { low = '1 ms', high = '1 ms', total = '1 ms' } }",
        ),
        ("cell.mcs", "0"),
        ("cell.streams", "1"),
        ("station.0.count", "1"),
        (
            "station.0.error",
            "{ kind = 'gilbert-elliott', rate = 0.3, bad_state = '1 ms', level = 'mac', direction = 'down' }",
        ),
        ("station.1.flows.0.start", "10.99 s"),
    ];
    let goodput = goodputs(&result(UDP, &overrides, 1))[0];
    assert!((goodput / 3.9 - 1.0).abs() < 0.1, "{goodput}");
}
