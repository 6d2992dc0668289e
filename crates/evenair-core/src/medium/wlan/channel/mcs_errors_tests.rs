//! Errors by MCS against the rows of the table, and by its rule for other lengths.

use super::error_rate::ErrorRates;
use super::{Channel, Coding, Config, ErrorModel, SnrConfig};
use crate::loss::FrameKind;
use crate::medium::wlan::phy::Phy;
use crate::medium::{Mcs, PhyFormat, PhyMode, PhyModes, Transmission, TxVector};
use crate::packet::{Direction, NodeId};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Ratios of signal to noise at which this share of frames of 1458 bytes is lost, by MCS, dB.
type Row = (Coding, f64, &'static [f64]);
const ROWS: [Row; 6] = [
    (Coding::Bcc, 0.90, &[-0.2, 2.7, 5.2, 8.3, 11.5, 15.6, 16.9, 18.2, 22.1, 23.6]),
    (Coding::Bcc, 0.10, &[0.9, 3.9, 6.4, 9.6, 12.7, 17.0, 18.3, 19.6, 23.7, 25.1]),
    (Coding::Bcc, 0.01, &[1.5, 4.5, 7.1, 10.5, 13.5, 18.0, 19.2, 20.5, 24.7, 26.1]),
    (Coding::Ldpc, 0.90, &[-1.2, 1.8, 4.3, 7.3, 10.3, 14.5, 15.8, 17.3, 21.0, 22.8, 26.0, 28.1]),
    (Coding::Ldpc, 0.10, &[-0.7, 2.3, 4.8, 7.9, 10.9, 15.1, 16.5, 18.0, 21.6, 23.5, 26.8, 28.9]),
    (Coding::Ldpc, 0.01, &[-0.3, 2.7, 5.1, 8.2, 11.2, 15.4, 16.8, 18.4, 22.0, 23.9, 27.2, 29.3]),
];

fn he(mcs: usize, streams: u8) -> TxVector {
    let guard_interval = Duration::from_nanos(800);
    TxVector::high_throughput(PhyFormat::He, Mcs(mcs as u8), 80, streams, guard_interval).unwrap()
}

/// The share of MPDUs of these bytes that are lost.
fn lost(mode: TxVector, coding: Coding, snr_db: f64, bytes: u32) -> f64 {
    let modes = PhyModes::new([mode]);
    let errors = ErrorRates::new(&modes, ErrorModel::Tables(coding), |_| snr_db);
    1.0 - errors.mpdu_success(PhyMode(0), bytes)
}

fn is_close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

/// At the points of the table its values; between them, and half a dB beyond, less and less.
#[test]
fn mpdus_are_lost_as_in_the_table() {
    for (coding, share, row) in ROWS {
        for (mcs, &snr_db) in row.iter().enumerate() {
            let found = lost(he(mcs, 1), coding, snr_db, 1458);
            assert!(is_close(found, share), "{coding} {mcs}, {snr_db} dB: {found}, not {share}");
        }
    }
    for (coding, most) in [(Coding::Bcc, 9), (Coding::Ldpc, 11)] {
        for mcs in 0..=most {
            let of = |row: usize| ROWS[if coding == Coding::Bcc { row } else { row + 3 }].2[mcs];
            let points = [of(0) - 0.5, of(0), (of(0) + of(1)) / 2.0, of(1), of(2), of(2) + 0.5];
            let shares = points.map(|snr_db| lost(he(mcs, 1), coding, snr_db, 1458));
            assert!(shares.is_sorted_by(|a, b| a > b), "{coding} {mcs}: {shares:?}");
            assert!(shares[0] > 0.98 && shares[5] < 0.0035, "{coding} {mcs}: {shares:?}");
        }
    }
    assert!(!Coding::Bcc.has(Mcs(10)) && Coding::Ldpc.has(Mcs(11)) && !Coding::Ldpc.has(Mcs(12)));
    assert!(is_close(lost(he(10, 1), Coding::Bcc, 90.0, 1458), 1.0), "no such frame is received");
}

/// Halfway in dB between 90 % and 10 % lost, ln(-ln(1 - p)) is the mean of 0.83403 and -2.25037, so that
/// -ln(1 - p) = exp(-0.70817) = 0.49254; three points by hand for MCS 4 with LDPC.
#[test]
fn between_the_points_the_errors_grow_exponentially() {
    let mode = he(4, 1);
    let found = lost(mode, Coding::Ldpc, 10.6, 1458);
    assert!((found - (1.0 - libm::exp(-0.492_54))).abs() < 1e-5, "{found}");
    // Twice as many bytes, twice the exponent; one and a half thousandth of a frame.
    let found = lost(mode, Coding::Ldpc, 10.6, 2 * 1458);
    assert!((found - (1.0 - libm::exp(-0.985_08))).abs() < 1e-5, "{found}");
    let found = lost(mode, Coding::Ldpc, 10.9, 486);
    assert!(is_close(found, 1.0 - libm::pow(0.9, 1.0 / 3.0)), "{found}");
}

/// Of two streams each has half of the signal, 3.01 dB less; four have a quarter.
#[test]
fn streams_share_the_signal() {
    for (streams, db) in [(2, 10.0 * 2.0_f64.log10()), (4, 10.0 * 4.0_f64.log10())] {
        let found = lost(he(7, streams), Coding::Ldpc, 18.0 + db, 1458);
        assert!(is_close(found, 0.1), "{streams}: {found}");
    }
}

/// 24 Mb/s is 16-QAM with 1/2, as MCS 3, and has convolutional codes; so have 54 Mb/s, as MCS 6. 9 Mb/s is that of no MCS.
#[test]
fn frames_without_mcs_have_the_errors_of_their_modulation() {
    let of = |mbps, snr_db| lost(TxVector::ofdm(Rate::from_mbps(mbps)), Coding::Ldpc, snr_db, 1458);
    assert!(is_close(of(6, 0.9), 0.1) && is_close(of(24, 9.6), 0.1) && is_close(of(54, 18.3), 0.1));
    let modes = PhyModes::new([TxVector::ofdm(Rate::from_mbps(9))]);
    let by = |model| ErrorRates::new(&modes, model, |_| 3.5).success(PhyMode(0), 1458);
    assert_eq!(by(ErrorModel::Tables(Coding::Ldpc)), by(ErrorModel::Formulas));
}

/// The header of a PPDU is 3 bytes of MCS 0 with convolutional codes, and all streams' signal: at 0.9 dB,
/// where a tenth of 1458 bytes are lost, (1 - 0.1)^(3 / 1458) are received.
#[test]
fn a_header_is_24_bits_of_mcs_0() {
    let modes = PhyModes::new([he(11, 2)]);
    let errors = ErrorRates::new(&modes, ErrorModel::Tables(Coding::Ldpc), |_| 0.9);
    let expected = libm::pow(0.9, 3.0 / 1458.0);
    assert!(is_close(errors.header_success(PhyMode(0)), expected));
    assert_eq!(errors.mpdu_success(PhyMode(0), 100), 0.0, "nothing of its data");
}

/// Headers and MPDUs are drawn apart, as often lost as the table says: 5 standard errors of 100,000.
#[test]
fn headers_and_mpdus_are_lost_apart() {
    let phy = Phy::dot11a();
    let mode = he(0, 1);
    let modes = PhyModes::new([mode]);
    let config: Config = SnrConfig { snr_db: -1.5 }.into();
    let stream = RngStream::new(1, StreamId::Channel, 1);
    let errors = ErrorModel::Tables(Coding::Ldpc);
    let mut channel = Channel::new(&config, &phy, &modes, errors, stream);
    let n = 100_000;
    let at = Instant::ZERO;
    let mpdu = Transmission {
        kind: FrameKind::Data,
        at,
        station: NodeId(1),
        direction: Direction::Up,
        mode: PhyMode(0),
        bytes: 20,
    };
    let headers = (0..n).filter(|_| channel.corrupts_header(at, PhyMode(0))).count();
    let mpdus = (0..n).filter(|_| channel.corrupts_mpdu(&mpdu)).count();
    let bcc = lost(TxVector::ofdm(Rate::from_mbps(6)), Coding::Bcc, -1.5, 3);
    let ldpc = lost(mode, Coding::Ldpc, -1.5, 20);
    for (count, expected) in [(headers, bcc), (mpdus, ldpc)] {
        let standard_error = (expected * (1.0 - expected) / f64::from(n)).sqrt();
        let share = count as f64 / f64::from(n);
        assert!(expected > 0.05 && expected < 0.999, "{expected} shows nothing");
        assert!((share - expected).abs() < 5.0 * standard_error, "{share}, not {expected}");
    }
}
