//! The symbols of a frame: from [`FrameAccount`], and as a run uses them.

use super::super::FrameAccount;
use super::{BYTES_PER_SYMBOL, Setup, cell, packet, sender, wimax};
use crate::medium::Cell;
use crate::medium::wimax::Wimax;
use crate::time::Instant;

/// The cell of Tsiknas and Stamatelos (2012), table 1: 7 MHz, frames of 5 ms, cyclic prefix 1/16,
/// 64QAM 3/4, contention size 5; the rest as the NIST add-on of ns-2 has it.
pub(super) fn tsiknas(ratio: u64, stations: usize) -> Setup {
    Setup {
        bandwidth: 7_000_000,
        prefix: 16,
        frame: 5_000_000,
        ratio: (ratio, 1),
        bytes_per_symbol: 107,
        stations: vec![107; stations],
        contention_slots: 5,
        backoff: (2, 6),
        t16: 50_000_000,
        retries: 2,
        revalued: false,
        actual_maps: false,
        piggyback: false,
        crc: false,
        quantum: None,
        limits: [400; 2],
        loss: 0,
        seed: 1,
    }
}

/// By hand for one station: of 146 symbols floor(146 r / (r + 1)) are downlink. There preamble and
/// FCH take 3, the maps 6 (240 bytes at 47), and the gap before the burst 1. In the uplink ranging
/// takes 11 (5 x 2.18), the gap 1, requests 6 (5 x 1.056), and the preamble of the burst 1. A
/// symbol in each frame is 107 bytes in 5 ms, 171.2 kb/s.
pub(super) const ONE_STATION: [(u64, [u32; 4], f64); 6] = [
    (1, [73, 73, 63, 54], 10.79),
    (2, [97, 49, 87, 30], 14.89),
    (3, [109, 37, 99, 18], 16.95),
    (4, [116, 30, 106, 11], 18.15),
    (5, [121, 25, 111, 6], 19.00),
    (6, [125, 21, 115, 2], 19.69),
];

#[test]
fn the_account_of_one_station() {
    for (ratio, symbols, megabits) in ONE_STATION {
        let wimax = wimax(&tsiknas(ratio, 1)).unwrap();
        let account = wimax.account();
        let got = [
            account.dl_symbols,
            account.ul_symbols,
            account.dl_data_symbols,
            account.ul_data_symbols,
        ];
        assert_eq!(got, symbols, "{ratio}:1");
        assert_eq!(account.symbols, 146);
        assert_eq!(format!("{:.2}", account.dl_capacity / 1e6), format!("{megabits:.2}"));
        let per_symbol = 107.0 * 8.0 / 5e-3;
        for (symbols, capacity) in
            [(symbols[2], account.dl_capacity), (symbols[3], account.ul_capacity)]
        {
            assert!((capacity / (f64::from(symbols) * per_symbol) - 1.0).abs() < 1e-12);
        }
    }
}

/// At 7:1 the uplink has 19 symbols, one more than ranging, gap and requests take.
#[test]
fn seven_to_one_leaves_no_room() {
    let error = wimax(&tsiknas(7, 1)).unwrap_err().to_string();
    assert!(!error.contains('\n') && error.contains("19"), "{error}");
    // 1:9 leaves the downlink 14 symbols, enough; 1:13 leaves 10, which preamble, FCH, maps and gap
    // take.
    for (ratio, fits) in [((1, 9), true), ((1, 13), false)] {
        assert_eq!(wimax(&Setup { ratio, ..tsiknas(1, 1) }).is_ok(), fits, "{ratio:?}");
    }
}

/// Against the sums of the plain model: data symbols are what the symbols before bursts leave.
#[test]
fn the_account_of_several_stations() {
    for (ratio, n, actual_maps, bytes_per_symbol) in (1..=6).flat_map(|ratio| {
        (1..=40).flat_map(move |n| {
            [false, true].into_iter().flat_map(move |actual| {
                BYTES_PER_SYMBOL.into_iter().map(move |bytes| (ratio, n, actual, bytes))
            })
        })
    }) {
        let setup = Setup { actual_maps, bytes_per_symbol, ..tsiknas(ratio, n) };
        let config = match wimax(&setup) {
            Ok(wimax) => wimax.config().clone(),
            Err(_) => continue,
        };
        let account = FrameAccount::new(&config, n as u32).unwrap();
        let most = |limit: u64| if actual_maps { n as u64 } else { limit.min(n as u64) };
        let grants = most(8).min(setup.up_room() / 2);
        // With real maps each burst may need a further symbol of the map.
        let fits = |&bursts: &u64| setup.down_room(bursts, grants) >= 2 * bursts;
        let bursts = (0..=most(10)).rev().find(fits).unwrap();
        let name = format!("{ratio}:1, {n} stations, {bytes_per_symbol} bytes, {actual_maps}");
        assert_eq!(u64::from(account.ul_bursts), grants, "{name}");
        assert_eq!(u64::from(account.dl_bursts), bursts, "{name}");
        assert_eq!(u64::from(account.ul_data_symbols), setup.up_room() - grants, "{name}");
        let down = setup.down_room(bursts, grants) - bursts;
        assert_eq!(u64::from(account.dl_data_symbols), down, "{name}");
    }
}

/// A run of so many frames in which packets of `bytes` fill the queues of one station at each
/// start.
fn saturated(setup: &Setup, frames: u64, bytes: u32) -> Cell<Wimax> {
    let mut cell = cell(setup, wimax(setup).unwrap());
    for frame in 0..frames {
        let start = Instant::from_nanos(frame * setup.frame);
        while cell.poll(start).is_some() {}
        for up in [false, true] {
            for _ in 0..150 {
                cell.send(start, sender(0, up), packet(start, 0, bytes));
            }
        }
    }
    let end = Instant::from_nanos(frames * setup.frame);
    while cell.poll(end).is_some() {}
    cell
}

/// In a run with full queues, each frame has the data symbols of the table and uses them all; but
/// frames with DCD and UCD have 5 downlink symbols less, and the first uplink grant follows the
/// first request.
#[test]
fn a_run_uses_the_symbols_of_the_account() {
    for (ratio, [.., down, up], _) in ONE_STATION {
        let setup = tsiknas(ratio, 1);
        let [one, two] = [5, 1005].map(|frames| saturated(&setup, frames, 101).medium().counts());
        assert_eq!(two.frames - one.frames, 1000);
        let [down, up] = [down, up].map(u64::from);
        let per_run = |now: u64, before: u64| now - before;
        // DCD and UCD are due once, after 5 s.
        let expected = 1000 * down - 5;
        let available = per_run(two.dl_symbols_available, one.dl_symbols_available);
        assert_eq!(available, expected, "{ratio}:1");
        assert_eq!(per_run(two.dl_symbols_used, one.dl_symbols_used), expected, "{ratio}:1");
        let available = per_run(two.ul_symbols_available, one.ul_symbols_available);
        assert_eq!(available, 1000 * up, "{ratio}:1");
        assert_eq!(per_run(two.ul_symbols_used, one.ul_symbols_used), 1000 * up, "{ratio}:1");
    }
}
