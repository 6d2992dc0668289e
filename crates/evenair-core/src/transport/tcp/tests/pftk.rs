//! NewReno under random loss against the full model of Padhye, Firoiu, Towsley and Kurose ("Modeling
//! TCP throughput: a simple model and its empirical validation", SIGCOMM 1998), equation (32).

use super::path::{Fate, Packet, Path};
use super::transfers::{RTT, WIDE, uniform};
use super::*;

/// Segments per second with the loss probability `p`, `b` segments for each ACK, a receiver's window
/// of `wmax` segments, the mean round-trip time and the first timeout of a sequence, in seconds.
fn model(p: f64, b: f64, wmax: f64, rtt: f64, t0: f64) -> f64 {
    // Q^(w), the probability that a loss in a window of w is a timeout, equation (24).
    let q3 = 1.0 - (1.0 - p).powi(3);
    let q = |w: f64| {
        let rest = 1.0 + (1.0 - p).powi(3) * (1.0 - libm::pow(1.0 - p, w - 3.0));
        f64::min(1.0, q3 * rest / (1.0 - libm::pow(1.0 - p, w)))
    };
    // f(p), equation (29).
    let f = 1.0
        + p
        + 2.0 * p.powi(2)
        + 4.0 * p.powi(3)
        + 8.0 * p.powi(4)
        + 16.0 * p.powi(5)
        + 32.0 * p.powi(6);
    let wu = expected_window(p, b);
    if wu < wmax {
        ((1.0 - p) / p + wu + q(wu) / (1.0 - p))
            / (rtt * (b / 2.0 * wu + 1.0) + q(wu) * f * t0 / (1.0 - p))
    } else {
        ((1.0 - p) / p + wmax + q(wmax) / (1.0 - p))
            / (rtt * (b / 8.0 * wmax + (1.0 - p) / (p * wmax) + 2.0) + q(wmax) * f * t0 / (1.0 - p))
    }
}

/// E[W_u], equation (13).
fn expected_window(p: f64, b: f64) -> f64 {
    let c = (2.0 + b) / (3.0 * b);
    c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
}

/// The measured rate over the model's, on a path without a queue: the round-trip time is what it is.
fn ratio(p: f64, delayed_ack: u32, config: TcpConfig) -> f64 {
    let mut state = 1998;
    let mut path = Path::new(config, delayed_ack, WIDE, move |packet: &Packet, _| match packet {
        Packet::Data { .. } if uniform(&mut state) < p => Fate::Lost,
        _ => Fate::Arrives,
    });
    // Some 600 losses by the square-root law, or more.
    let end = Instant::ZERO + RTT * (600.0 / p / (1.5 / p).sqrt()).max(10_000.0) as u64;
    // The first timeouts of each sequence, which are T0, and what was acknowledged when the last came.
    let (mut first, mut sum, mut acked) = (0, 0.0, None);
    while path.now < end {
        // What was sent is counted below; there is no need to remember it.
        path.sent.clear();
        path.acks.clear();
        let (timeouts, rto) = (path.sender.counters().timeouts, path.sender.rtt_estimator().rto());
        path.step();
        if path.sender.counters().timeouts > timeouts && acked < Some(path.sender.acked()) {
            first += 1;
            sum += rto.as_secs_f64();
            acked = Some(path.sender.acked());
        }
    }
    let t0 = if first > 0 {
        sum / f64::from(first)
    } else {
        path.sender.rtt_estimator().rto().as_secs_f64()
    };
    let (samples, total) = path.sender.rtt_estimator().total();
    let rtt = total.as_secs_f64() / samples as f64;
    // The model counts what is sent.
    let sent = path.sender.counters().segments_sent as f64;
    let rate = sent / path.now.since(Instant::ZERO).as_secs_f64();
    rate / model(p, f64::from(delayed_ack), f64::from(config.window), rtt, t0)
}

/// Within 15% of the model up to 0.5% of losses and within 25% above. Some 400 to 1300 losses each: the
/// rate has a standard error of 2% or so.
#[test]
#[ignore = "long"]
fn random_losses_give_the_model_s_rate() {
    for window in [1_000_000, 100] {
        let limited_transmit = LimitedTransmit::New;
        let config = TcpConfig { window, initial_ssthresh: Some(20), limited_transmit, ..plain() };
        for (p, bar) in [
            (1e-4, 0.15),
            (5e-4, 0.15),
            (1e-3, 0.15),
            (2e-3, 0.15),
            (5e-3, 0.15),
            (1e-2, 0.25),
            (2e-2, 0.25),
        ] {
            for delayed_ack in [1, 2] {
                let ratio = ratio(p, delayed_ack, config);
                assert!((ratio - 1.0).abs() <= bar, "p = {p}, {delayed_ack}, {window}: {ratio}");
            }
        }
    }
}

/// The formula against the numbers that it gives by hand: p = 0.01, b = 2, RTT 0.1 s, T0 1 s. E[W] is
/// 2/3 + sqrt(132 + 4/9) = 12.1751, Q is 0.246 or so, f is 1.0102.
#[test]
fn the_model_by_hand() {
    assert!((expected_window(0.01, 2.0) - 12.1751).abs() < 1e-3);
    let q = 0.029_701 * (1.0 + 0.970_299 * (1.0 - 0.911_93)) / (1.0 - 0.884_84);
    let expected = (99.0 + 12.1751 + q / 0.99) / (0.1 * 13.1751 + q * 1.010_204 / 0.99);
    let got = model(0.01, 2.0, 1e6, 0.1, 1.0);
    assert!((got / expected - 1.0).abs() < 1e-3, "{got}, not {expected}");
}
