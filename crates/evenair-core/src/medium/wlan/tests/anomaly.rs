//! Stations at different rates: the performance anomaly (Heusse, Rousseau, Berger-Sabbatel and Duda 2003).

use super::oracle::AfterCollision;
use super::saturation::{PACKET, bianchi};
use super::*;
use crate::medium::wlan::phy::ACK_BYTES;

/// Two stations that send as fast as they can.
struct Pair {
    config: DcfConfig,
    rates: [Rate; 2],
    /// Mb/s of each in ns-2.35, and the 95% half-widths over 20 seeds:
    /// `validation/ns2/f17_two_rates_saturated.json`.
    ns2: [(f64, f64); 2],
}

fn pairs() -> [Pair; 2] {
    let like_ns2 = |phy, control| DcfConfig {
        mac_overhead: 34,
        immediate_access: false,
        ..DcfConfig::new(phy, ControlRate::Fixed(Rate::from_mbps(control)))
    };
    [
        Pair {
            config: like_ns2(Phy::dot11b(LONG_PREAMBLE), 1),
            rates: [11, 1].map(Rate::from_mbps),
            ns2: [(0.7568, 0.004496), (0.76853, 0.0019)],
        },
        Pair {
            config: like_ns2(Phy::dot11a(), 6),
            rates: [54, 6].map(Rate::from_mbps),
            ns2: [(3.94782, 0.014337), (4.23035, 0.003656)],
        },
    ]
}

/// Mb/s of IP packets that each station gets through, by the DCF under test, over 300 s after 5 s.
fn throughput<D: UnderTest>(mut dcf: D) -> [f64; 2] {
    let frame = Frame { to: AP, bytes: PACKET };
    for station in [1, 2] {
        dcf.offer(Instant::ZERO, station, frame);
    }
    let [warm, end] = [5, 305].map(|s| Instant::ZERO + Duration::from_secs(s));
    let (mut now, mut packets) = (Instant::ZERO, [0u32; 2]);
    loop {
        now = now.max(dcf.poll_at());
        if now >= end {
            return packets.map(|n| f64::from(n) * 8.0 * f64::from(PACKET) / 300.0 / 1e6);
        }
        match dcf.poll(now) {
            Some(Event::Received { from, .. }) if now >= warm => packets[from as usize - 1] += 1,
            Some(Event::Done { station, .. }) => dcf.offer(now, station, frame),
            _ => {}
        }
    }
}

/// Means over ten seeds, and half-widths of their 99% confidence intervals (Student's t, 9 degrees of
/// freedom).
fn over_10_seeds(run: impl Fn(u64) -> [f64; 2]) -> [(f64, f64); 2] {
    let runs: Vec<_> = (1..=10).map(run).collect();
    [0, 1].map(|i| {
        let mean = runs.iter().map(|r| r[i]).sum::<f64>() / 10.0;
        let variance = runs.iter().map(|r| (r[i] - mean).powi(2)).sum::<f64>() / 9.0;
        (mean, 3.250 * (variance / 10.0).sqrt())
    })
}

/// Mb/s of either station. Both transmit in a slot with the probability tau of Bianchi's fixed point
/// for two stations (2000, equations 7 and 9), whatever their rates. A slot is idle, or has the success
/// of one of them (data, SIFS, ACK, DIFS), or a collision (the longer frame, then EIFS for all):
///
/// 8 * 1500 bytes * tau (1 - tau) / ((1 - tau)^2 slot + tau (1 - tau) (T_1 + T_2) + tau^2 T_c).
fn closed_formula(Pair { config, rates, .. }: &Pair) -> f64 {
    let phy = &config.phy;
    let data = rates.map(|rate| phy.airtime(PACKET + config.mac_overhead, &phy.mode_of(rate)));
    let ack = phy.airtime(ACK_BYTES, &config.control_frames(&phy.mode_of(rates[0])).mode);
    let success = data.map(|data| (data + phy.sifs + ack + phy.difs()).as_secs_f64());
    let collision = (data[0].max(data[1]) + phy.eifs()).as_secs_f64();
    let [tau, _] = bianchi(2, phy);
    let one = tau * (1.0 - tau);
    let mean = (1.0 - tau).powi(2) * phy.slot.as_secs_f64()
        + one * (success[0] + success[1])
        + tau * tau * collision;
    8.0 * f64::from(PACKET) * one / mean / 1e6
}

/// The aggregate is within 2% of the closed formula, each station within 5%.
///
/// The formula gives both stations the same number of transmissions. In the DCF they are not equal after
/// a collision: who sent the shorter frame is back after DIFS, who sent the longer one after its response
/// timeout, 9 slots later in 802.11b and 2 in 802.11a (9.2.8; rounded up to a slot). A slot-by-slot DCF
/// in which both wait EIFS instead has equal stations: this rule alone makes the difference. In ns-2 it
/// is the other way round, the sender of the shorter frame waits EIFS and DIFS, some 3 slots longer than
/// the other one; the same DCF with these waits is as fast as ns-2, in all and per station.
#[test]
fn two_rates_are_as_fast_as_the_formula() {
    let mut wrong = Vec::new();
    for pair in pairs() {
        let Pair { config, rates, ns2 } = &pair;
        let all = [rates[1], rates[0], rates[1]];
        let found = over_10_seeds(|seed| throughput(Driver::build(*config, &all, seed)));
        let [equal, like_ns2] = [AfterCollision::Eifs, AfterCollision::Ns2].map(|waits| {
            over_10_seeds(|seed| {
                let mut oracle = Oracle::new(*config, &all, seed);
                oracle.after_collision = waits;
                throughput(oracle)
            })
        });
        let formula = closed_formula(&pair);
        eprintln!("{:?}: Mb/s and 99% intervals", config.phy.kind);
        eprintln!("  formula {formula:.4}, ns-2 {ns2:?}, evenair {found:.4?}");
        eprintln!("  both wait EIFS {equal:.4?}, as in ns-2 {like_ns2:.4?}");
        let mut check = |what: &str, got: f64, want: f64, bar: f64| {
            let difference = got / want - 1.0;
            eprintln!("  {what}: {:+.2}%", 100.0 * difference);
            if difference.abs() > bar {
                wrong.push(format!("{:?} {what}: {got} {want}", config.phy.kind));
            }
        };
        let sum = |each: [(f64, f64); 2]| each[0].0 + each[1].0;
        check("aggregate, formula", sum(found), 2.0 * formula, 0.02);
        check("aggregate, waits as in ns-2, ns-2", sum(like_ns2), sum(*ns2), 0.02);
        for i in [0, 1] {
            check("station, formula", found[i].0, formula, 0.05);
            check("station, both wait EIFS, formula", equal[i].0, formula, 0.02);
            check("station, waits as in ns-2, ns-2", like_ns2[i].0, ns2[i].0, 0.05);
        }
        check("both wait EIFS, fast and slow", equal[0].0, equal[1].0, 0.01);
        eprintln!("  aggregate, ns-2: {:+.2}%", 100.0 * (sum(found) / sum(*ns2) - 1.0));
        assert!(found.iter().all(|(mean, half)| half < &(0.006 * mean)), "too short: {found:?}");
        assert!(found[0].0 > 1.01 * found[1].0, "the shorter frame's sender is ahead: {found:?}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The access point sends to two stations in turn and nobody else sends: equal throughput, 12000 bits in
/// a cycle of each, which has DIFS, the mean backoff of 67.5 us, data, SIFS and ACK. The table is that of
/// the cycles by hand: 2233.5, 1549.5, 1197.5, 853.5, 681.5, 509.5 and 393.5 us.
#[test]
fn downloads_at_two_rates_have_the_sum_of_their_cycles() {
    let phy = Phy::dot11a();
    let basic = [6, 12, 24].map(Rate::from_mbps);
    let config = DcfConfig::new(phy, ControlRate::Basic(BasicRates::new(&basic)));
    for (slow, expected) in
        [(6, 4.57), (9, 6.18), (12, 7.54), (18, 9.62), (24, 11.16), (36, 13.29), (54, 15.25)]
    {
        let rates = [6, 54, slow].map(Rate::from_mbps);
        let mut dcf = Driver::build(config, &rates, 1);
        let (mut now, mut packets, mut to) = (Instant::ZERO, [0u32; 2], 1);
        let end = Instant::ZERO + Duration::from_secs(60);
        dcf.offer(now, AP, Frame { to, bytes: 1500 });
        while now < end {
            match dcf.poll(now) {
                Some(Event::Received { to, .. }) => packets[to as usize - 1] += 1,
                Some(Event::Done { .. }) => {
                    to = 3 - to;
                    dcf.offer(now, AP, Frame { to, bytes: 1500 });
                }
                None => {}
            }
            now = now.max(dcf.poll_at());
        }
        // The mean of 46,000 backoffs is within 0.8% of 67.5 us with 99% confidence, which is at most
        // 0.1% of a cycle; the table is rounded to 0.1%.
        for packets in packets {
            let found = f64::from(packets) * 12_000.0 / 60.0 / 1e6;
            assert!((found / expected - 1.0).abs() < 0.002, "{slow}: {found} {expected}");
        }
    }
}
