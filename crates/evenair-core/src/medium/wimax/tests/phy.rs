//! The numbers of WirelessMAN-OFDM (IEEE 802.16-2004, 8.3) against a computation with fractions.

use super::super::phy::{CyclicPrefix, Modulation, OfdmPhy};
use super::BYTES_PER_SYMBOL;
use crate::time::Duration;

/// 8.3.2.4: the bandwidth is a multiple of so many Hz, and the sampling factor.
const SAMPLING_FACTORS: [(u128, u128, u128); 5] = [
    (1_750_000, 8, 7),
    (1_500_000, 86, 75),
    (1_250_000, 144, 125),
    (2_750_000, 316, 275),
    (2_000_000, 57, 50),
];

/// Microseconds: 8.3.5.4, the frame durations of the frame duration codes.
const FRAMES: [u128; 7] = [2_500, 4_000, 5_000, 8_000, 10_000, 12_500, 20_000];

const PREFIXES: [(CyclicPrefix, u128); 4] = [
    (CyclicPrefix::Quarter, 4),
    (CyclicPrefix::Eighth, 8),
    (CyclicPrefix::Sixteenth, 16),
    (CyclicPrefix::ThirtySecond, 32),
];

/// Hz: the bandwidth times the sampling factor, rounded down to 8 kHz.
fn sampling_frequency(bandwidth: u128) -> u128 {
    let factor = SAMPLING_FACTORS.iter().find(|(multiple, ..)| bandwidth.is_multiple_of(*multiple));
    let (n, d) = factor.map_or((8, 7), |&(_, n, d)| (n, d));
    n * bandwidth / (d * 8000) * 8000
}

#[test]
fn frame_and_symbol_are_the_standards() {
    let mut sampling_factors = [0; 6];
    for bandwidth in (1_750_000_u128..=20_000_000).step_by(250_000) {
        let place =
            SAMPLING_FACTORS.iter().position(|(multiple, ..)| bandwidth.is_multiple_of(*multiple));
        sampling_factors[place.unwrap_or(5)] += 1;
        let fs = sampling_frequency(bandwidth);
        for (prefix, g) in PREFIXES {
            for micros in FRAMES {
                let frame = Duration::from_micros(micros as u64);
                let phy = OfdmPhy::new(bandwidth as u64, prefix, frame).unwrap();
                let name = format!("{bandwidth} Hz, 1/{g}, {micros} us");
                assert_eq!(u128::from(phy.sampling_frequency()), fs, "{name}");
                // Ts = Tb + Tg = (1 + 1/g) 256 / Fs.
                let symbol = (256 * (g + 1)) as f64 / (fs * g) as f64;
                assert!((phy.symbol_seconds() / symbol - 1.0).abs() < 1e-14, "{name}");
                // A physical slot is 4 / Fs; a symbol has a whole number of them.
                assert_eq!(u128::from(phy.symbol_slots()) * 4 * g, 256 * (g + 1), "{name}");
                assert_eq!(u128::from(phy.frame_slots()), micros * fs / 4_000_000, "{name}");
                // Whole symbols in the frame without TTG and RTG of 10 slots each, 80 / Fs.
                let symbols = (micros * fs - 80_000_000) * g / (1_000_000 * 256 * (g + 1));
                assert_eq!(u128::from(phy.symbols()), symbols, "{name}");
                // Slots begin at whole nanoseconds, rounded down, without an error that adds up.
                for slot in [0, 1, 10, 68, phy.frame_slots()] {
                    let nanos = u128::from(slot) * 4_000_000_000 / fs;
                    assert_eq!(u128::from(phy.time(slot).as_nanos()), nanos, "{name} {slot}");
                }
            }
        }
    }
    // Of the 74 bandwidths each rule applies to some.
    assert!(sampling_factors.iter().all(|&count| count > 0), "{sampling_factors:?}");
    assert_eq!(sampling_factors.iter().sum::<u32>(), 74);
}

/// Bandwidth, cyclic prefix, frame, sampling frequency and symbols that others have published:
///
/// - 7 MHz: Fs 8 MHz, symbols of 34 us, 146 in 5 ms with gaps.
/// - 3.5 MHz: Fs 4 MHz, symbols of 72 us, 69 in 5 ms (Andrews, Ghosh and Muhamed, Fundamentals of
///   WiMAX, 2007, table 2.3).
/// - 20 MHz: Fs 23.04 MHz, symbols of 80 physical slots, 57,600 slots in 10 ms (ns-3.45, WiMAX
///   module, after table B.28 of the standard); 720 symbols there, which leave no room for gaps:
///   719.
#[test]
fn published_systems_are_met() {
    for (bandwidth, prefix, millis, fs, nanos, slots, symbols) in [
        (7_000_000, CyclicPrefix::Sixteenth, 5, 8_000_000, 34_000.0, 10_000, 146),
        (3_500_000, CyclicPrefix::Eighth, 5, 4_000_000, 72_000.0, 5_000, 69),
        (20_000_000, CyclicPrefix::Quarter, 10, 23_040_000, 320e9 / 23_040_000.0, 57_600, 719),
    ] {
        let phy = OfdmPhy::new(bandwidth, prefix, Duration::from_millis(millis)).unwrap();
        assert_eq!(phy.sampling_frequency(), fs);
        assert!((phy.symbol_seconds() * 1e9 - nanos).abs() < 1e-6);
        assert_eq!((phy.frame_slots(), phy.symbols()), (slots, symbols));
    }
}

/// 8.3.3: of 192 data subcarriers with 1, 2, 4 or 6 bits each the code leaves its rate, and of
/// these bytes the last is the tail of the code.
#[test]
fn a_symbol_carries_the_bits_of_its_subcarriers() {
    let expected = [
        ("bpsk-1/2", 1, (1, 2)),
        ("qpsk-1/2", 2, (1, 2)),
        ("qpsk-3/4", 2, (3, 4)),
        ("16qam-1/2", 4, (1, 2)),
        ("16qam-3/4", 4, (3, 4)),
        ("64qam-2/3", 6, (2, 3)),
        ("64qam-3/4", 6, (3, 4)),
    ];
    assert_eq!(Modulation::ALL.len(), expected.len());
    for (place, (name, bits, (n, d))) in expected.into_iter().enumerate() {
        let modulation: Modulation = serde_json::from_str(&format!("{name:?}")).unwrap();
        let bytes = 192 * bits * n / d / 8 - 1;
        assert_eq!(modulation.bytes_per_symbol(), bytes, "{name}");
        assert_eq!(u64::from(bytes), BYTES_PER_SYMBOL[place], "{name}");
    }
}

#[test]
fn other_bandwidths_and_frames_are_refused() {
    let frame = Duration::from_millis(5);
    for bandwidth in [0, 1_500_000, 1_750_001, 7_100_000, 20_250_000] {
        assert!(OfdmPhy::new(bandwidth, CyclicPrefix::Quarter, frame).is_err(), "{bandwidth}");
    }
    for micros in [0, 2_000, 3_000, 5_001, 25_000] {
        let frame = Duration::from_micros(micros);
        assert!(OfdmPhy::new(7_000_000, CyclicPrefix::Quarter, frame).is_err(), "{micros}");
    }
}
