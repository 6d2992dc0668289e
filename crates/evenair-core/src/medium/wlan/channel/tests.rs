//! The curves against independent calculations: the weights of the codes by an enumeration of error
//! paths, the modulations by other formulas, the sensitivities of the standard.

use std::f64::consts::PI;

use super::error_rate::{
    BANDWIDTH_DSSS, Code, ErrorRates, RATE_1_2, RATE_2_3, RATE_3_4, biorthogonal_error, dsss_error,
    ofdm_error,
};
use super::*;
use crate::loss::FrameKind;
use crate::medium::TxVector;
use crate::medium::wlan::phy::{DSSS_RATES, LONG_PREAMBLE, OFDM_RATES};
use crate::packet::{Direction, NodeId};
use crate::rng::StreamId;
use crate::time::Duration;
use crate::units::Rate;

/// The information weight of all error paths of each distance up to `longest`: paths through the trellis
/// of the code 133, 171 (octal) that leave state 0 and come back to it. `kept` says which of the two bits
/// of each step are sent; a period of it is one step of the punctured code, at the end of which a path
/// is back.
fn weights(kept: &[[u32; 2]], longest: usize) -> Vec<f64> {
    let nothing = vec![vec![(0.0, 0.0); longest + 1]; 64];
    let mut total = vec![0.0; longest + 1];
    // Of each state: paths and their information weight by distance.
    let mut paths = nothing.clone();
    paths[0][0] = (1.0, 0.0);
    let mut first = true;
    loop {
        for sent in kept {
            let mut next = nothing.clone();
            for (state, by_distance) in paths.iter().enumerate() {
                for (distance, &(count, weight)) in by_distance.iter().enumerate() {
                    for input in 0..2 {
                        let register = (input << 6 | state) as u32;
                        let bits =
                            [0o133_u32, 0o171].map(|taps| (register & taps).count_ones() % 2);
                        let distance = distance + (bits[0] * sent[0] + bits[1] * sent[1]) as usize;
                        if distance <= longest {
                            let to = &mut next[register as usize >> 1][distance];
                            *to = (to.0 + count, to.1 + weight + input as f64 * count);
                        }
                    }
                }
            }
            paths = next;
        }
        let back = std::mem::replace(&mut paths[0], vec![(0.0, 0.0); longest + 1]);
        if !std::mem::take(&mut first) {
            total.iter_mut().zip(back).for_each(|(total, (_, weight))| *total += weight);
        }
        if paths == nothing {
            return total;
        }
    }
}

/// The puncturing patterns of 17.3.5.6: of 2/3 the second bit of every second step is stolen, of 3/4
/// the second bit of the second and the first bit of the third step.
#[test]
fn the_weights_are_those_of_the_codes() {
    let patterns: [(&Code, &[[u32; 2]]); 3] = [
        (&RATE_1_2, &[[1, 1]]),
        (&RATE_2_3, &[[1, 1], [1, 0]]),
        (&RATE_3_4, &[[1, 1], [1, 0], [0, 1]]),
    ];
    for (code, kept) in patterns {
        assert_eq!(code.bits as usize, kept.len());
        let distances =
            (0..code.weights.len() as u32).map(|i| (code.first + i * code.step) as usize);
        let longest = distances.clone().max().unwrap();
        let mut expected = vec![0.0; longest + 1];
        for (distance, weight) in distances.zip(code.weights) {
            expected[distance] = *weight;
        }
        assert_eq!(weights(kept, longest), expected);
    }
}

/// Q(x) by Craig's formula: the integral from 0 to pi/2 of exp(-x^2 / (2 sin^2 t)) / pi.
fn q(x: f64) -> f64 {
    let steps = 20_000;
    let width = PI / 2.0 / f64::from(steps);
    let middle = |step: u32| (f64::from(step) + 0.5) * width;
    let sum: f64 = (0..steps).map(|s| libm::exp(-x * x / (2.0 * middle(s).sin().powi(2)))).sum();
    sum * width / PI
}

/// BPSK and QPSK: Q(sqrt(2 Eb/N0)); 16-QAM and 64-QAM with levels 1, 3, ... times a: of the bits of one
/// axis, neighbours differ in one. The bound is summed here term by term.
#[test]
fn ofdm_errors_are_those_of_the_modulations() {
    let raw = |rate: usize, snr: f64| match rate {
        0 | 1 => q((2.0 * snr).sqrt()),
        2 | 3 => q(snr.sqrt()),
        // 2 (1 - 1/4) Q / 2 bits, and 2 (1 - 1/8) Q / 3 bits, a axis; level distances 2 a with
        // a^2 = snr / 10 and snr / 42 of a noise of variance 1/2.
        4 | 5 => 1.5 * q((snr / 5.0).sqrt()) / 2.0,
        _ => 1.75 * q((snr / 21.0).sqrt()) / 3.0,
    };
    let (half, two_thirds, three_quarters) = (&RATE_1_2, &RATE_2_3, &RATE_3_4);
    let six = [half, three_quarters].into_iter().cycle().take(6);
    for (rate, code) in six.chain([two_thirds, three_quarters]).enumerate() {
        for snr_db in [0, 3, 6, 9, 12, 15, 18, 21, 24] {
            let snr = libm::pow(10.0, f64::from(snr_db) / 10.0);
            let p = raw(rate, snr);
            let terms = code.weights.iter().zip(0..).map(|(weight, i)| {
                let distance = code.first + i * code.step;
                weight * libm::pow(4.0 * p * (1.0 - p), f64::from(distance) / 2.0) / 2.0
            });
            let expected = (terms.sum::<f64>() / f64::from(code.bits)).min(1.0);
            let found = ofdm_error(rate, snr);
            let close = (found - expected).abs() <= 1e-6 * expected + 1e-200;
            assert!(close, "rate {rate}, {snr_db} dB: {found}, not {expected}");
        }
    }
}

/// Modified Bessel function of order 0 times exp(-x): the mean of exp(x (cos t - 1)).
fn scaled_bessel(x: f64) -> f64 {
    let steps = 2000;
    let angle = |step: u32| (f64::from(step) + 0.5) * PI / f64::from(steps);
    (0..steps).map(|s| libm::exp(x * (angle(s).cos() - 1.0))).sum::<f64>() / f64::from(steps)
}

/// The exact bit error rate of DQPSK (Proakis 5.2.69): Q1(a, b) - I0(ab) exp(-(a^2 + b^2) / 2) / 2 with
/// a, b = sqrt(2 y (1 -+ sqrt(1/2))). Q1 is the integral from b of x I0(ax) exp(-(x^2 + a^2) / 2).
fn exact_dqpsk(y: f64) -> f64 {
    let [a, b] = [-1.0, 1.0].map(|sign| (2.0 * y * (1.0 + sign * 0.5_f64.sqrt())).sqrt());
    let (steps, width) = (4000, 10.0 / 4000.0);
    let density = |x: f64| x * scaled_bessel(a * x) * libm::exp(-(x - a).powi(2) / 2.0);
    let sum: f64 = (0..steps).map(|s| density(b + (f64::from(s) + 0.5) * width)).sum();
    sum * width - 0.5 * scaled_bessel(a * b) * libm::exp(-(b - a).powi(2) / 2.0)
}

/// DBPSK: exp(-Eb/N0) / 2. The asymptotic DQPSK is above the exact one, by at most 15% where that is below
/// 2%, which is less than 0.3 dB.
#[test]
fn dsss_errors_are_those_of_differential_psk() {
    for per_bit in [4.0_f64, 6.0, 9.0, 12.0] {
        let found = dsss_error(0, per_bit * 1e6 / BANDWIDTH_DSSS);
        assert!((found / (0.5 * libm::exp(-per_bit)) - 1.0).abs() < 1e-12);
        let found = dsss_error(1, per_bit * 2e6 / BANDWIDTH_DSSS);
        let exact = exact_dqpsk(per_bit);
        assert!((1.0..1.15).contains(&(found / exact)), "{per_bit}: {found}, not {exact}");
        let nearby = exact_dqpsk(per_bit * libm::pow(10.0, -0.03));
        assert!(found < nearby, "{per_bit}: {found}, 0.3 dB away {nearby}");
    }
}

/// Biorthogonal symbols by simulation: the largest of 8 magnitudes is that of the symbol sent, with its
/// sign. 400,000 symbols; five standard errors.
#[test]
fn cck_errors_are_those_of_biorthogonal_symbols() {
    let mut stream = RngStream::new(1, StreamId::Channel, 7);
    let mut normal = || {
        let radius = (-2.0 * libm::log(1.0 - stream.uniform())).sqrt();
        radius * (2.0 * PI * stream.uniform()).cos()
    };
    for energy in [4.0_f64, 9.0, 12.0] {
        let n = 400_000;
        let wrong = (0..n).filter(|_| {
            let sent = energy.sqrt() + normal();
            (0..7).any(|_| normal().abs() > sent)
        });
        let share = wrong.count() as f64 / f64::from(n);
        let expected = biorthogonal_error(energy);
        let standard_error = (expected * (1.0 - expected) / f64::from(n)).sqrt();
        assert!((share - expected).abs() < 5.0 * standard_error, "{energy}: {share}, {expected}");
    }
    // The union of 14 wrong symbols, each with Q(sqrt(energy / 2)), and the opposite one is a bound.
    for energy in [16.0_f64, 25.0, 40.0] {
        let one = q((energy / 2.0).sqrt());
        let found = biorthogonal_error(energy);
        assert!(one < found && found < 14.0 * one + q(energy.sqrt()), "{energy}: {found}");
    }
}

/// The ratio of signal to noise at which one of ten frames is lost, dB.
fn required(vector: TxVector, bytes: u32) -> f64 {
    let (modes, mode) = (PhyModes::new([vector]), PhyMode(0));
    let (mut low, mut high) = (-20.0, 50.0);
    while high - low > 1e-6 {
        let middle = (low + high) / 2.0;
        let success =
            ErrorRates::new(&modes, ErrorModel::Formulas, |_| middle).success(mode, bytes);
        if success < 0.9 { low = middle } else { high = middle }
    }
    low
}

/// Table 17-13: the sensitivities -82 to -65 dBm for 10% of frames of 1000 bytes assume a noise figure of
/// 10 dB and 5 dB for the implementation, above noise of -101 dBm. They are whole numbers, made with
/// soft decisions in mind: the curves are within 2 dB.
#[test]
fn ofdm_needs_what_the_standard_assumes() {
    let sensitivities = [-82.0, -81.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0];
    for (rate, sensitivity) in OFDM_RATES.iter().zip(sensitivities) {
        let expected = sensitivity + 101.0 - 15.0;
        let found = required(TxVector::ofdm(*rate), 1000);
        assert!((found - expected).abs() < 2.0, "{rate:?}: {found} dB, not {expected}");
    }
}

/// A rate needs more than the next lower one, and a longer frame more than a shorter one. At 5.5 Mb/s a
/// bit has as many errors as at 11 Mb/s with twice the signal: 3 dB less are needed.
#[test]
fn curves_are_in_order() {
    let dsss = DSSS_RATES.iter().map(|rate| TxVector::dsss(*rate));
    let ofdm = OFDM_RATES.iter().map(|rate| TxVector::ofdm(*rate));
    for modes in [dsss.collect::<Vec<_>>(), ofdm.collect()] {
        let needed: Vec<f64> = modes.iter().map(|mode| required(*mode, 1536)).collect();
        assert!(needed.windows(2).all(|pair| pair[0] < pair[1]), "{needed:?}");
        assert!(modes.iter().all(|mode| required(*mode, 76) < required(*mode, 1536)));
    }
    let [slow, fast] = [2, 3].map(|i| required(TxVector::dsss(DSSS_RATES[i]), 1024));
    assert!((fast - slow - 10.0 * 2.0_f64.log10()).abs() < 0.3, "{slow} and {fast} dB");
    let unknown = PhyModes::new([TxVector::ofdm(Rate::from_mbps(7))]);
    let errors = ErrorRates::new(&unknown, ErrorModel::Formulas, |_| 30.0);
    assert_eq!(errors.success(PhyMode(0), 100), 0.0, "no such rate");
}

/// The share of corrupted frames is that of the curve: five standard errors of 100,000.
#[test]
fn frames_are_corrupted_as_often_as_the_curve_says() {
    let phy = Phy::dot11a();
    let config: Config = SnrConfig { snr_db: 21.0 }.into();
    let mut channel = Channel::new(
        &config,
        &phy,
        &phy.modes([]),
        ErrorModel::Formulas,
        RngStream::new(1, StreamId::Channel, 1),
    );
    for (mbps, bytes) in [(48, 1536), (54, 76), (54, 300)] {
        let frame = transmission(Duration::from_millis(1), mbps, bytes);
        let success = channel.model().success(frame.at, frame.mode, bytes);
        let n = 100_000;
        let share = (0..n).filter(|_| !channel.corrupts(&frame)).count() as f64 / f64::from(n);
        let standard_error = (success * (1.0 - success) / f64::from(n)).sqrt();
        assert!(success > 0.01 && success < 0.999, "{mbps} Mb/s: {success} shows nothing");
        assert!((share - success).abs() < 5.0 * standard_error, "{mbps}: {share}, not {success}");
    }
}

#[test]
fn a_schedule_corrupts_what_is_faster() {
    let table =
        serde_json::json!({ "kind": "schedule", "rates": [[0, "54 Mbps"], [1, "12 Mbps"]] });
    let config: Config = serde_json::from_value(table).unwrap();
    let (phy, stream) = (Phy::dot11a(), RngStream::new(1, StreamId::Channel, 1));
    let mut channel = Channel::new(&config, &phy, &phy.modes([]), ErrorModel::Formulas, stream);
    for (ms, mbps, lost) in
        [(0, 54, false), (999, 54, false), (1000, 54, true), (1000, 18, true), (2000, 12, false)]
    {
        let frame = transmission(Duration::from_millis(ms), mbps, 1536);
        assert_eq!(channel.corrupts(&frame), lost, "{ms} ms, {mbps} Mb/s");
    }
}

/// By hand for 10 m at 5.18 GHz: 46.73 dB at 1 m and 30 dB beyond, noise of -173.98 + 73.01 + 7 dBm;
/// 2.437 GHz: 40.18 dB at 1 m. 22 MHz have 73.42 dB.
#[test]
fn the_ratio_of_signal_to_noise_follows_from_the_distance() {
    let rate = Rate::from_mbps(6);
    let config = DistanceConfig { metres: 10.0, tx_power_dbm: 16.0, ..DistanceConfig::default() };
    for (phy, mode, expected) in [
        (Phy::dot11a(), TxVector::ofdm(rate), 16.0 - 46.73 - 30.0 + 93.96),
        (Phy::dot11g(), TxVector::ofdm(rate), 16.0 - 40.18 - 30.0 + 93.96),
        (Phy::dot11g(), TxVector::dsss(rate), 16.0 - 40.18 - 30.0 + 93.55),
        (Phy::dot11b(LONG_PREAMBLE), TxVector::dsss(rate), 16.0 - 40.18 - 30.0 + 93.55),
    ] {
        let found = distance::snr_db(&config, &phy, &mode);
        assert!((found - expected).abs() < 0.02, "{mode:?}: {found}, not {expected}");
    }
    let at = |metres| {
        distance::snr_db(
            &DistanceConfig { metres, ..config.clone() },
            &Phy::dot11a(),
            &TxVector::ofdm(rate),
        )
    };
    assert!((at(20.0) - at(40.0) - 30.0 * 2.0_f64.log10()).abs() < 1e-9, "exponent 3");
    assert!((at(0.25) - at(0.5) - 20.0 * 2.0_f64.log10()).abs() < 1e-9, "free space");
}

fn transmission(at: Duration, mbps: u64, bytes: u32) -> Transmission {
    let mode = TxVector::ofdm(Rate::from_mbps(mbps));
    Transmission {
        kind: FrameKind::Data,
        at: Instant::ZERO + at,
        station: NodeId(1),
        direction: Direction::Up,
        mode: Phy::dot11a().modes([]).find(&mode).unwrap(),
        bytes,
    }
}
