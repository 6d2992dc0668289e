//! Airtime is counted as it is used: at any time, not only between attempts.

use super::*;
use crate::medium::Airtime;

/// Airtime of the attempts and of the traffic of each node.
type Probe = Vec<(Airtime, Duration)>;

/// The airtimes every `interval`.
fn probes<D: UnderTest>(case: &Case, interval: Duration) -> Vec<Probe> {
    let (mut probes, mut at) = (Vec::new(), Instant::ZERO);
    observe_with::<D>(case, |dcf, next| {
        while at <= next {
            let node = |i| (dcf.usage(at, i).airtime, dcf.traffic_airtime(at, i));
            probes.push((0..case.rates.len() as u32).map(node).collect());
            at += interval;
        }
    });
    probes
}

/// In windows that are shorter than most attempts no airtime exceeds the window. The windows agree
/// with those of the slot-by-slot DCF, which has intervals in place of counters.
#[test]
fn airtime_in_a_window_is_at_most_the_window() {
    let window = Duration::from_nanos(137_911);
    let mut busiest = Duration::ZERO;
    for seed in 0..200 {
        let case = if seed % 2 == 0 { random_case(seed) } else { random_case_with_beacons(seed) };
        let medium = probes::<Driver>(&case, window);
        assert!(medium == probes::<Oracle>(&case, window), "seed {seed}");
        for (before, after) in medium.iter().zip(&medium[1..]) {
            let spent = |i: usize| {
                let (own, traffic) = (after[i].0.total(), after[i].1);
                (own - before[i].0.total(), traffic - before[i].1)
            };
            let (_, cell) = spent(AP as usize);
            assert!(cell <= window, "seed {seed}: {cell:?}");
            for i in 0..after.len() {
                let (own, traffic) = spent(i);
                assert!(own <= traffic && traffic <= cell, "seed {seed}: node {i}");
            }
            busiest = busiest.max(cell);
        }
    }
    assert_eq!(busiest, window, "some window is within an attempt");
}

/// Station 1 and the access point, which has a longer frame for it, collide at 50 us. At 1 Mb/s the
/// frames last 192 us + 128 or 228 times 8 us: 1216 and 2016 us.
#[test]
fn colliding_frames_of_one_station_overlap() {
    let config = DcfConfig { immediate_access: true, mac_overhead: 28, ..dot11b_cell(false, 1) };
    let arrivals = vec![
        Arrival { at: us(0), from: 1, to: AP, bytes: 100 },
        Arrival { at: us(0), from: AP, to: 1, bytes: 200 },
    ];
    let scope = mac_errors(LossyFrames::Data, LossDirection::Both);
    let rates = vec![Rate::from_mbps(1); 3];
    let (error_rates, until) = (vec![0.0; 3], us(3_000));
    let (seed, watched) = (1, false);
    let case = Case { config, seed, rates, error_rates, scope, arrivals, until, watched };
    let probes = probes::<Driver>(&case, Duration::from_micros(50));
    // At 50, 650, 1650 and 2950 us: of the access point, the two stations.
    for (at, own, traffic) in [
        (50, [0, 0, 0], [0, 0, 0]),
        (650, [600, 600, 0], [600, 600, 0]),
        (1650, [1600, 1216, 0], [1600, 1600, 0]),
        (2950, [2016, 1216, 0], [2016, 2016, 0]),
    ] {
        let micros = |span: Duration| span.as_nanos() / 1000;
        let probe = &probes[at / 50];
        let found: Vec<_> = probe.iter().map(|(own, _)| micros(own.collisions)).collect();
        assert_eq!(found, own, "{at} us");
        assert_eq!(probe.iter().map(|(_, t)| micros(*t)).collect::<Vec<_>>(), traffic, "{at} us");
    }
}
