//! RTS, CTS and ACK of every data rate against tables worked out from IEEE 802.11-2007: in captures,
//! and in the airtime of results.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{CaptureSinks, RunOptions, RunResult, run_with_captures};

/// By data rate: rate of the control frames, airtime of an RTS and of a CTS or ACK. Rates in Mb/s, times
/// in us.
type Table = &'static [(f64, f64, f64, f64)];

/// 9.6 with the mandatory rates 6, 12 and 24 (17.3.2.2) as basic rates. 17.4.3: 20 us and symbols of
/// 4 us for 182 bits (160, service and tail) and 134 (112, service and tail): at 6 Mb/s, with 24 bits a
/// symbol, 8 and 6 symbols; at 12 Mb/s 4 and 3; at 24 Mb/s 2 and 2.
const DOT11A: Table = &[
    (6.0, 6.0, 52.0, 44.0),
    (9.0, 6.0, 52.0, 44.0),
    (12.0, 12.0, 36.0, 32.0),
    (18.0, 12.0, 36.0, 32.0),
    (24.0, 24.0, 28.0, 28.0),
    (36.0, 24.0, 28.0, 28.0),
    (48.0, 24.0, 28.0, 28.0),
    (54.0, 24.0, 28.0, 28.0),
];
/// As 802.11a, with a signal extension of 6 us (19.3.2.3).
const DOT11G: Table = &[
    (6.0, 6.0, 58.0, 50.0),
    (9.0, 6.0, 58.0, 50.0),
    (12.0, 12.0, 42.0, 38.0),
    (18.0, 12.0, 42.0, 38.0),
    (24.0, 24.0, 34.0, 34.0),
    (36.0, 24.0, 34.0, 34.0),
    (48.0, 24.0, 34.0, 34.0),
    (54.0, 24.0, 34.0, 34.0),
];
/// All rates are mandatory (18.2.3.3): 192 us and 160 or 112 bits at the data rate.
const LONG: Table = &[
    (1.0, 1.0, 352.0, 304.0),
    (2.0, 2.0, 272.0, 248.0),
    (5.5, 5.5, 221.091, 212.364),
    (11.0, 11.0, 206.545, 202.182),
];
/// 96 us in place of 192.
const SHORT: Table =
    &[(2.0, 2.0, 176.0, 152.0), (5.5, 5.5, 125.091, 116.364), (11.0, 11.0, 110.545, 106.182)];
/// Basic rates of 1 and 2 Mb/s, and the short preamble.
const SHORT_1_2: Table =
    &[(2.0, 2.0, 176.0, 152.0), (5.5, 2.0, 176.0, 152.0), (11.0, 2.0, 176.0, 152.0)];
/// The basic rate of 1 Mb/s has no short preamble (18.2.2.2). A frame at 2 Mb/s could be answered at
/// 2 Mb/s, but that is no basic rate.
const SHORT_1: Table =
    &[(2.0, 1.0, 352.0, 304.0), (5.5, 1.0, 352.0, 304.0), (11.0, 1.0, 352.0, 304.0)];

/// A frame of the air.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Start, ns.
    at: u64,
    /// Mb/s.
    rate: f64,
    /// First byte of the frame control field.
    kind: u8,
    /// Duration field, us.
    nav: u16,
}

const RTS: u8 = 0xB4;
const CTS: u8 = 0xC4;
const ACK: u8 = 0xD4;
const DATA: u8 = 0x08;

/// The frames of a pcapng file with radiotap headers of 14 bytes.
fn frames(file: &[u8]) -> Vec<Frame> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut frames) = (0, Vec::new());
    while at < file.len() {
        if word(at) == 6 {
            let packet = &file[at + 28..];
            frames.push(Frame {
                at: u64::from(word(at + 12)) << 32 | u64::from(word(at + 16)),
                rate: f64::from(packet[9]) / 2.0,
                kind: packet[14],
                nav: u16::from_le_bytes([packet[16], packet[17]]),
            });
        }
        at += word(at + 4) as usize;
    }
    frames
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Datagrams of one station, at most one at a time; the last exchange is over before the end.
fn simulate(overrides: &[(&str, &str)]) -> (RunResult, Vec<Frame>) {
    let text = r#"
        duration = "1 s"
        [[station]]
        flows = [{ direction = "up", transport = "udp", rate = "160 kbps", segment = 1000, stop = "0.9 s" }]
    "#;
    let mut document = document_from_toml(text.as_bytes(), "test").unwrap();
    for (key, value) in overrides {
        set(&mut document, key, value, "test").unwrap();
    }
    let (air, wire) = (Shared::default(), Box::new(io::sink()));
    let sinks = CaptureSinks { air: Some(Box::new(air.clone())), wire };
    let scenario = resolve(document, "test").unwrap();
    let result = run_with_captures(&scenario, 1, &RunOptions::default(), Some(sinks)).unwrap();
    let captured = frames(&air.0.lock().unwrap());
    (result, captured)
}

/// Checks captures and results of cells with these `keys` against `table`. `sifs` in us.
fn check(keys: &[(&str, &str)], sifs: u64, table: Table) {
    let nanos = |us: f64| (us * 1e3).round() as u64;
    let sifs = 1000 * sifs;
    for &(data_rate, rate, rts, response) in table {
        for threshold in ["0", "off"] {
            let data_key = format!("{} kbps", data_rate * 1000.0);
            let mut overrides = keys.to_vec();
            overrides.extend([("cell.data_rate", &*data_key), ("cell.rts_threshold", threshold)]);
            let (result, frames) = simulate(&overrides);
            let with_rts = threshold == "0";
            let kinds: &[u8] = if with_rts { &[RTS, CTS, DATA, ACK] } else { &[DATA, ACK] };
            let exchanges: Vec<&[Frame]> = frames.chunks(kinds.len()).collect();
            assert_eq!(exchanges.len(), 18, "{overrides:?}");
            let mut airtime = 0;
            for exchange in exchanges {
                assert_eq!(exchange.iter().map(|f| f.kind).collect::<Vec<_>>(), kinds);
                for frame in exchange {
                    let expected = if frame.kind == DATA { data_rate } else { rate };
                    assert_eq!(frame.rate, expected, "{overrides:?}: {frame:?}");
                }
                if with_rts {
                    let [rts_at, cts_at, data_at] = [0, 1, 2].map(|i| exchange[i].at);
                    assert_eq!(cts_at - rts_at, nanos(rts) + sifs, "{overrides:?}");
                    assert_eq!(data_at - cts_at, nanos(response) + sifs, "{overrides:?}");
                }
                // The NAV of data ends with the ACK, in whole microseconds (7.2.2).
                let [data, ack] = exchange.last_chunk::<2>().unwrap();
                let nav = (sifs + nanos(response)).div_ceil(1000);
                assert_eq!(u64::from(data.nav), nav, "{overrides:?}");
                airtime += ack.at + nanos(response) - exchange[0].at;
            }
            let share = airtime as f64 / 1e9;
            let station = &result.stations[0];
            for found in [station.airtime_share, station.tx_airtime_share, result.ap.airtime_share]
            {
                assert!((found - share).abs() < 1e-9, "{overrides:?}: {found}, not {share}");
            }
            assert_eq!(result.ap.tx_airtime_share, 0.0);
        }
    }
}

#[test]
fn every_data_rate_is_answered_as_in_the_standard() {
    check(&[("cell.phy", "802.11a")], 16, DOT11A);
    check(&[("cell.phy", "802.11g")], 10, DOT11G);
    check(&[("cell.phy", "802.11b")], 10, LONG);
    check(&[("cell.preamble", "short")], 10, SHORT);
}

/// hostapd's default basic rates: 1 and 2 Mb/s (hw_mode=b), 6, 12 and 24 (a), and (g) those of 802.11b,
/// which are of another modulation class than OFDM frames, so that the mandatory rates answer these.
#[test]
fn basic_rates_can_be_chosen() {
    let short = ("cell.preamble", "short");
    check(&[short, ("cell.basic_rates", r#"["1 Mbps", 2e6]"#)], 10, SHORT_1_2);
    check(&[short, ("cell.basic_rates", "[1e6]")], 10, SHORT_1);
    let dsss = r#"["1 Mbps", "2 Mbps", "5.5 Mbps", "11 Mbps"]"#;
    check(&[("cell.phy", "802.11g"), ("cell.basic_rates", dsss)], 10, DOT11G);
}

#[test]
fn one_rate_can_be_fixed() {
    let table = &[(6.0, 9.0, 44.0, 36.0), (54.0, 9.0, 44.0, 36.0)];
    // At 9 Mb/s, with 36 bits a symbol, 182 and 134 bits fill 6 and 4 symbols.
    check(&[("cell.phy", "802.11a"), ("cell.control_rate", "9 Mbps")], 16, table);
}

/// A CTS at 11 Mb/s lasts 192 + 112/11 us, an RTS 192 + 160/11 us. The data frame of 1000 + 40 + 36 bytes
/// at 54 Mb/s has 8630 bits with service and tail, 40 symbols of 216, and lasts 186 us, its ACK 34 us. The
/// Duration of a CTS-to-self goes to the end of the ACK: 10 + 186 + 10 + 34 us (7.2.1.3).
#[test]
fn protection_is_captured() {
    let g = [("cell.phy", "802.11g")];
    for (protection, kinds, starts) in [
        ("off", &[DATA, ACK][..], &[0, 196_000][..]),
        ("cts-to-self", &[CTS, DATA, ACK], &[0, 212_182, 408_182]),
        ("rts-cts", &[RTS, CTS, DATA, ACK], &[0, 216_545, 428_727, 624_727]),
    ] {
        let (result, frames) = simulate(&[g[0], ("cell.protection", protection)]);
        let exchanges: Vec<&[Frame]> = frames.chunks(kinds.len()).collect();
        assert_eq!(exchanges.len(), 18, "{protection}");
        for exchange in exchanges {
            assert_eq!(exchange.iter().map(|f| f.kind).collect::<Vec<_>>(), kinds);
            let since: Vec<u64> = exchange.iter().map(|f| f.at - exchange[0].at).collect();
            assert_eq!(since, starts, "{protection}");
            for frame in exchange {
                let (rate, nav) = match frame.kind {
                    DATA => (54.0, 44),
                    ACK => (24.0, 0),
                    // SIFS, CTS, SIFS, and the rest.
                    RTS => (11.0, 453),
                    _ => (11.0, 240),
                };
                assert_eq!((frame.rate, frame.nav), (rate, nav), "{protection} {:x}", frame.kind);
            }
        }
        let airtime = 18.0 * (*starts.last().unwrap() as f64 + 34e3) / 1e9;
        assert!((result.stations[0].airtime_share - airtime).abs() < 1e-9, "{protection}");
    }
}
