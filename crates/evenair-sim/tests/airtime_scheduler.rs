//! The airtime scheduler of the access point: equal airtime at mixed rates, and what it brings over
//! one queue.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::RunResult;

use crate::overridden::result;

const AIRTIME: (&str, &str) = ("cell.scheduler", "airtime-drr");

/// Three saturated UDP downloads over 802.11a, packets of 1500 bytes.
const UDP: &str = r#"
    duration = "20 s"
    warmup = "1 s"
    [cell]
    phy = "802.11a"
    [wired]
    rate = "unlimited"
    delay = "0 s"
    [[station]]
    data_rate = "54 Mbps"
    [[station.flows]]
    direction = "down"
    transport = "udp"
    rate = "40 Mbps"
    segment = 1472
    header = 28
    [[station]]
    data_rate = "24 Mbps"
    [[station.flows]]
    direction = "down"
    transport = "udp"
    rate = "40 Mbps"
    segment = 1472
    header = 28
    [[station]]
    data_rate = "6 Mbps"
    [[station.flows]]
    direction = "down"
    transport = "udp"
    rate = "40 Mbps"
    segment = 1472
    header = 28
"#;

/// The airtime of a packet of 1500 bytes and its ACK over 802.11a, us (IEEE 802.11-2007, 17.4.3):
/// 20 us and symbols of 4 us for 22 bits, 36 bytes of MAC and LLC and the packet; SIFS of 16 us;
/// the ACK of 14 bytes at 6, 12 or 24 Mb/s.
fn airtime_us(mbps: f64) -> f64 {
    let frame = |bytes: f64, mbps: f64| 20.0 + 4.0 * ((22.0 + 8.0 * bytes) / (4.0 * mbps)).ceil();
    let ack = if mbps >= 24.0 {
        24.0
    } else if mbps >= 12.0 {
        12.0
    } else {
        6.0
    };
    frame(1536.0, mbps) + 16.0 + frame(14.0, ack)
}

/// DIFS and the mean backoff of 15 / 2 slots, us: only the access point sends.
const ACCESS_US: f64 = 34.0 + 7.5 * 9.0;

/// Stations that get packets in these proportions: the goodput of each, bit/s.
fn goodputs(rates: &[f64], packets: impl Fn(f64) -> f64) -> Vec<f64> {
    let round: f64 = rates.iter().map(|&r| packets(r) * (airtime_us(r) + ACCESS_US)).sum();
    rates.iter().map(|&r| packets(r) * 1472.0 * 8.0 / round * 1e6).collect()
}

/// Each goodput within 1% of the one that follows from the times of frames. Backoffs are random: of
/// 10,000 or more the mean has a standard deviation of 0.6%, the goodput of less than 0.2%.
#[track_caller]
fn assert_goodputs(result: &RunResult, expected: &[f64]) {
    for (flow, expected) in result.flows.iter().zip(expected) {
        let error = flow.goodput_bps / expected - 1.0;
        assert!(error.abs() < 0.01, "{}: {} instead of {expected}", flow.id, flow.goodput_bps);
    }
}

#[test]
fn saturated_udp_downloads_get_equal_airtime() {
    let rates = [54.0, 24.0, 6.0];
    let fair = result(UDP, &[AIRTIME], 1);
    assert!(fair.jain_airtime >= 0.98, "{}", fair.jain_airtime);
    let equal_airtime = goodputs(&rates, |rate| 1.0 / airtime_us(rate));
    assert_goodputs(&fair, &equal_airtime);
    // Beacons take 0.2% of the time, and are charged to nobody.
    let beacons = ("cell.beacon_interval", "100 ms");
    assert_goodputs(&result(UDP, &[AIRTIME, beacons], 1), &equal_airtime);
    // A lone station has the whole cell.
    let idle = [1, 2].map(|i| format!("station.{i}.flows.0.rate"));
    let alone = [AIRTIME, (&idle[0], "1"), (&idle[1], "1")];
    assert_goodputs(&result(UDP, &alone, 1), &goodputs(&rates[..1], |_| 1.0));
}

/// Two fast stations and a slow one. Of one queue for all they get equal numbers of packets with
/// FQ-CoDel, whose turns are bytes. By the times of frames equal airtime is worth 1.9 times as
/// much.
#[test]
fn the_anomaly_ends() {
    let rates = [54.0, 54.0, 6.0];
    let [anomaly, fair] =
        [goodputs(&rates, |_| 1.0), goodputs(&rates, |rate| 1.0 / airtime_us(rate))];
    let total = |goodputs: &[f64]| goodputs.iter().sum::<f64>();
    assert!((total(&fair) / total(&anomaly) - 1.9).abs() < 0.1);
    let fast = ("station.1.data_rate", "54 Mbps");
    assert_goodputs(&result(UDP, &[fast, ("cell.queue.kind", "fq-codel")], 1), &anomaly);
    assert_goodputs(&result(UDP, &[fast, AIRTIME], 1), &fair);
}

/// A datagram of 128 bytes each 10 ms, beside two saturated stations: it waits for the frame in the
/// MAC at most. The longest delay is two accesses with the largest backoff, a frame of 1500 bytes
/// at 6 Mb/s with its ACK, and its own frame at 24 Mb/s: 20 us and 14 symbols of 96 bits for 22 + 8
/// (128 + 36) bits.
#[test]
fn a_sparse_station_waits_for_one_frame() {
    let own = 20.0 + 14.0 * 4.0;
    let bound_us = 2.0 * (34.0 + 15.0 * 9.0) + airtime_us(6.0) + own;
    let sparse = [("station.1.flows.0.rate", "80 kbps"), ("station.1.flows.0.segment", "100")];
    let fair = result(UDP, &[sparse[0], sparse[1], AIRTIME], 1);
    let longest_us = fair.flows[1].one_way_delay_s.unwrap().max * 1e6;
    assert!(longest_us <= bound_us + 1e-3, "{longest_us} above {bound_us} us");
    assert!(longest_us > airtime_us(6.0), "{longest_us} us: it met no frame");
    // A packet that one queue of 60 packets accepts has 58 others before it, most of the time.
    let fifo = result(UDP, &sparse, 1);
    let median_us = fifo.flows[1].one_way_delay_s.unwrap().p50 * 1e6;
    assert!(median_us > 58.0 * (airtime_us(54.0) + 34.0), "{median_us}");
}

/// A shaper at each station's queue, of 2 Mb/s at IP level: the queues of other stations go on
/// while it holds packets back.
#[test]
fn shaped_stations_do_not_block_each_other() {
    let shaper = ("cell.queue", r#"{ kind = "tbf", rate = 2000000, burst = 3000 }"#);
    let shaped = result(UDP, &[AIRTIME, shaper], 1);
    assert_goodputs(&shaped, &[2e6 * 1472.0 / 1500.0; 3]);
}

const TCP: &str = r#"
    duration = "30 s"
    warmup = "5 s"
    [cell]
    phy = "802.11a"
    [wired]
    delay = "10 ms"
    [[station]]
    data_rate = "54 Mbps"
    flows = [{ direction = "down" }]
    [[station]]
    data_rate = "24 Mbps"
    flows = [{ direction = "down" }]
    [[station]]
    data_rate = "6 Mbps"
    flows = [{ direction = "down" }]
"#;

/// Acknowledgements on the uplink are charged, too.
#[test]
fn tcp_downloads_get_equal_airtime() {
    for transport in ["newreno", "cubic"] {
        let overrides: Vec<(String, &str)> =
            (0..3).map(|i| (format!("station.{i}.flows.0.transport"), transport)).collect();
        let mut overrides: Vec<(&str, &str)> =
            overrides.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        overrides.push(AIRTIME);
        let fair = result(TCP, &overrides, 1);
        assert!(fair.jain_airtime >= 0.98, "{transport}: {}", fair.jain_airtime);
        overrides.pop();
        let unfair = result(TCP, &overrides, 1);
        assert!(unfair.jain_airtime < 0.75, "{transport}: {}", unfair.jain_airtime);
    }
}
