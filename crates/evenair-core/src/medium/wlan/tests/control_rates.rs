//! Rates and airtimes of control frames, against tables worked out from IEEE 802.11-2007.

use super::*;
use crate::medium::wlan::ControlFrames;

/// Basic rates; pairs of a data rate and the rate of its response.
type Responses<const N: usize> = (&'static [u64], [(u64, u64); N]);

/// The rate of the response to each data rate of OFDM for some basic rates, Mb/s, by 9.6: the highest
/// basic rate that is not above, else the highest of the mandatory rates 6, 12 and 24.
const OFDM: [Responses<8>; 5] = [
    (&[6, 12, 24], [(6, 6), (9, 6), (12, 12), (18, 12), (24, 24), (36, 24), (48, 24), (54, 24)]),
    (&[6], [(6, 6), (9, 6), (12, 6), (18, 6), (24, 6), (36, 6), (48, 6), (54, 6)]),
    (&[24, 36], [(6, 6), (9, 6), (12, 12), (18, 12), (24, 24), (36, 36), (48, 36), (54, 36)]),
    // The basic rates of hostapd's hw_mode=g are of another modulation class: as without any.
    (&[1, 2, 11], [(6, 6), (9, 6), (12, 12), (18, 12), (24, 24), (36, 24), (48, 24), (54, 24)]),
    (&[9, 18, 54], [(6, 6), (9, 9), (12, 9), (18, 18), (24, 18), (36, 18), (48, 18), (54, 54)]),
];

/// The same of 802.11b in units of 100 kb/s: all its rates are mandatory.
const DSSS: [Responses<4>; 4] = [
    (&[10, 20, 55, 110], [(10, 10), (20, 20), (55, 55), (110, 110)]),
    (&[10, 20], [(10, 10), (20, 20), (55, 20), (110, 20)]),
    (&[10], [(10, 10), (20, 10), (55, 10), (110, 10)]),
    (&[55], [(10, 10), (20, 20), (55, 55), (110, 55)]),
];

#[test]
fn responses_have_the_rate_of_9_6() {
    let rates = |unit: u64, of: &[u64]| of.iter().map(|r| Rate::from_bps(r * unit)).collect();
    let check = |phy: Phy, unit: u64, basic: &[u64], expected: &[(u64, u64)]| {
        let basic: Vec<Rate> = rates(unit, basic);
        let control = ControlRate::Basic(BasicRates::new(&basic));
        for &(data, response) in expected {
            let found = control.of(&phy.mode_of(Rate::from_bps(data * unit)));
            assert_eq!(found, Rate::from_bps(response * unit), "{:?} {basic:?} {data}", phy.kind);
        }
    };
    for phy in [Phy::dot11a(), Phy::dot11g()] {
        OFDM.iter().for_each(|(basic, expected)| check(phy, 1_000_000, basic, expected));
    }
    for preamble in [LONG_PREAMBLE, SHORT_PREAMBLE] {
        let phy = Phy::dot11b(preamble);
        DSSS.iter().for_each(|(basic, expected)| check(phy, 100_000, basic, expected));
    }
}

/// An RTS has 160 bits, a CTS and an ACK 112 (7.2.1). With OFDM 22 bits of service and tail are added
/// to fill symbols of 4 us with 24, 36, 48, 72, 96, 144, 192 or 216 bits behind 20 us (17.4.3), with ERP
/// 6 us follow. 802.11b: preamble and header, then the bits, at 1 Mb/s always behind the long
/// preamble.
#[test]
fn control_frames_have_the_airtime_of_their_rate() {
    let nanos = |us: f64| Duration::from_nanos((us * 1e3).round() as u64);
    let check = |phy: Phy, kbps: u64, [rts, response]: [f64; 2]| {
        let rate = Rate::from_bps(kbps * 1000);
        let frames = ControlFrames::new(&phy, rate, rate);
        let found = [frames.rts, frames.cts, frames.ack];
        assert_eq!(found, [rts, response, response].map(nanos), "{:?} {kbps} kb/s", phy.kind);
    };
    // (Mb/s, symbols of an RTS, of a response)
    for (mbps, rts, response) in [
        (6, 8, 6),
        (9, 6, 4),
        (12, 4, 3),
        (18, 3, 2),
        (24, 2, 2),
        (36, 2, 1),
        (48, 1, 1),
        (54, 1, 1),
    ] {
        let times = [rts, response].map(|symbols| f64::from(20 + 4 * symbols));
        check(Phy::dot11a(), mbps * 1000, times);
        check(Phy::dot11g(), mbps * 1000, times.map(|time| time + 6.0));
    }
    // 160 and 112 bits at 5.5 Mb/s last 29.0909... and 20.3636... us, at 11 Mb/s half of that.
    for (kbps, rts, response) in
        [(2000, 80.0, 56.0), (5500, 29.091, 20.364), (11000, 14.545, 10.182)]
    {
        check(Phy::dot11b(LONG_PREAMBLE), kbps, [192.0 + rts, 192.0 + response]);
        check(Phy::dot11b(SHORT_PREAMBLE), kbps, [96.0 + rts, 96.0 + response]);
    }
    for preamble in [LONG_PREAMBLE, SHORT_PREAMBLE] {
        check(Phy::dot11b(preamble), 1000, [192.0 + 160.0, 192.0 + 112.0]);
    }
}

/// In one cell each station's frames are answered at its own rate, both directions alike.
#[test]
fn the_rate_is_chosen_for_each_exchange() {
    let phy = Phy::dot11a();
    let basic = BasicRates::new(phy.mandatory_rates);
    let config = DcfConfig { mac_overhead: 36, ..DcfConfig::new(phy, ControlRate::Basic(basic)) };
    let stations = phy.rates.len() as u32;
    for rts_threshold in [None, Some(0)] {
        let mut rates = vec![phy.rates[7]];
        rates.extend(phy.rates);
        let arrival = |i: u32| {
            let at = Instant::ZERO + Duration::from_millis(10 * u64::from(i) + 1);
            let station = i / 2 + 1;
            let (from, to) = if i.is_multiple_of(2) { (station, AP) } else { (AP, station) };
            Arrival { at, from, to, bytes: 1500 }
        };
        let case = Case {
            config: DcfConfig { rts_threshold, ..config },
            seed: 1,
            error_rates: vec![0.0; rates.len()],
            rates,
            scope: mac_errors(LossyFrames::Data, LossDirection::Both),
            arrivals: (0..2 * stations).map(arrival).collect(),
            until: Instant::ZERO + Duration::from_millis(200),
            watched: false,
        };
        let mut seen = Vec::new();
        let mut last = Instant::ZERO;
        observe_with::<Driver>(&case, |driver, _| {
            if let Some(exchange) = driver.last_exchange()
                && exchange.start > last
            {
                last = exchange.start;
                let before = exchange.data_start.since(exchange.start).as_nanos() / 1000;
                let control = config.control_frames(&config.phy.mode_of(exchange.rate));
                seen.push((
                    exchange.rate,
                    control.mode.rate,
                    before,
                    exchange.ack_end.since(exchange.data_end),
                ));
            }
        });
        let expected = OFDM[0].1.iter().flat_map(|&(data, response)| {
            // RTS, SIFS of 16 us, CTS, SIFS.
            let before = match (rts_threshold, response) {
                (None, _) => 0,
                (_, 6) => 52 + 16 + 44 + 16,
                (_, 12) => 36 + 16 + 32 + 16,
                _ => 28 + 16 + 28 + 16,
            };
            // SIFS, and the ACK of 44, 32 or 28 us.
            let after = Duration::from_micros(16 + [44, 32, 28][response as usize / 12]);
            [(Rate::from_mbps(data), Rate::from_mbps(response), before, after); 2]
        });
        assert_eq!(seen, expected.collect::<Vec<_>>());
    }
}

/// The rate of the frames that protect an OFDM frame, by 9.13 a rate of 802.11b: the highest basic one
/// that is not above the frame's; if none is basic, the highest of all, which are mandatory. ACKs are
/// OFDM frames.
#[test]
fn protection_has_a_rate_of_dot11b() {
    let phy = Phy::dot11g_with_dot11b();
    let mbps = |tenths: u64| Rate::from_bps(tenths * 100_000);
    let mode = |tenths| phy.mode_of(mbps(tenths));
    for (basic, data, protection, ack) in [
        (&[10, 20, 55, 110][..], 540, 110, 240),
        (&[10, 20, 55, 110], 60, 55, 60),
        (&[10, 20], 540, 20, 240),
        (&[10, 20, 60, 120], 540, 20, 120),
        (&[60, 120, 240], 540, 110, 240),
        (&[60, 120, 240], 90, 55, 60),
    ] {
        let basic: Vec<Rate> = basic.iter().map(|rate| mbps(*rate)).collect();
        let control_rate = ControlRate::Basic(BasicRates::new(&basic));
        for kind in [Protection::CtsToSelf, Protection::RtsCts] {
            let config = DcfConfig { protection: kind, ..DcfConfig::new(phy, control_rate) };
            let frames = config.control_frames(&mode(data));
            let found = (frames.rts_mode, frames.mode);
            assert_eq!(found, (mode(protection), mode(ack)), "{basic:?}");
            // Frames of 802.11b are not protected.
            let frames = config.control_frames(&mode(110));
            assert_eq!(frames.rts_mode, frames.mode, "{basic:?}");
        }
        let unprotected = DcfConfig::new(phy, control_rate).control_frames(&mode(data));
        assert_eq!([unprotected.rts_mode, unprotected.mode], [mode(ack); 2], "{basic:?}");
    }
}
