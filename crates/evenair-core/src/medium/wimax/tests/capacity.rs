//! Goodput of a saturated link against the symbols of the frame.

use super::accounting::{ONE_STATION, tsiknas};
use super::{Setup, cell, packet, sender, wimax};
use crate::time::Instant;

/// Goodput in bit/s of IP packets of `bytes` at a constant rate, 1.2 times `capacity` with headers,
/// in the last 20 of 22 seconds.
fn goodput(setup: &Setup, up: bool, bytes: u32, capacity: f64) -> f64 {
    let mut cell = cell(setup, wimax(setup).unwrap());
    let interval = f64::from(8 * (bytes + 6)) / (1.2 * capacity) * 1e9;
    let (from, to) = (2_000_000_000, 22_000_000_000);
    let (mut received, mut sent) = (0, 0_u64);
    loop {
        let now = Instant::from_nanos((sent as f64 * interval) as u64);
        while let Some(arrival) = cell.poll(now) {
            received += u64::from(arrival.packet.size) * u64::from(arrival.at.as_nanos() >= from);
        }
        if now.as_nanos() >= to {
            return (8 * received) as f64 / 20.0;
        }
        cell.send(now, sender(0, up), packet(now, 0, bytes));
        sent += 1;
    }
}

/// Packets of 1064 bytes in each frame of so many bytes. The last one is cut, so that one packet
/// has two fragments of 8 bytes more instead of a header of 6. If a packet is longer than the
/// frame, all are cut, and each frame begins with a fragment.
fn packets_per_frame(bytes: f64) -> f64 {
    if bytes > 1070.0 { (bytes - 10.0) / 1070.0 } else { (bytes - 8.0) / 1072.0 }
}

/// Within 0.5% of the bytes of the frame's data symbols, less the headers of the PDUs. Packets of
/// 101 bytes fill a symbol each.
#[test]
fn goodput_at_an_overload_is_the_capacity() {
    let mut wrong = Vec::new();
    for (ratio, [.., down, up], _) in ONE_STATION {
        for (up, symbols) in [(false, down), (true, up)] {
            for bytes in [101_u32, 1064] {
                let frame = f64::from(107 * symbols);
                let capacity = frame * 8.0 / 5e-3;
                let packets = if bytes == 101 { frame / 107.0 } else { packets_per_frame(frame) };
                let expected = packets * f64::from(8 * bytes) / 5e-3;
                let got = goodput(&tsiknas(ratio, 1), up, bytes, capacity);
                let row = format!(
                    "{ratio}:1 {} {bytes:4} bytes: {:.4} Mb/s, expected {:.4}: {:+.3}%",
                    if up { "up  " } else { "down" },
                    got / 1e6,
                    expected / 1e6,
                    100.0 * (got / expected - 1.0),
                );
                eprintln!("{row}");
                if (got / expected - 1.0).abs() > 0.005 {
                    wrong.push(row);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
