//! NewReno under random loss against the full model of Padhye, Firoiu, Towsley and Kurose ("Modeling
//! TCP throughput: a simple model and its empirical validation", SIGCOMM 1998), equation (32).

use super::path::{Fate, Packet, Path};
use super::transfers::{RTT, WIDE, uniform};
use super::*;

/// Segments per second with the loss probability `p`, `b` segments for each ACK, a receiver's window
/// of `wmax` segments, the mean round-trip time and the first timeout of a sequence, in seconds.
fn model(p: f64, b: f64, wmax: f64, rtt: f64, t0: f64) -> f64 {
    let wait = f64::min(1.0, 3.0 / expected_window(p, b).min(wmax));
    // Q^(w), the probability that a loss in a window of w is a timeout, equation (24).
    let q3 = 1.0 - (1.0 - p).powi(3);
    let q = |w: f64| {
        let rest = 1.0 + (1.0 - p).powi(3) * (1.0 - (1.0 - p).powf(w - 3.0));
        f64::min(1.0, q3 * rest / (1.0 - (1.0 - p).powf(w)))
    };
    // f(p), equation (29).
    let f = 1.0
        + p
        + 2.0 * p.powi(2)
        + 4.0 * p.powi(3)
        + 8.0 * p.powi(4)
        + 16.0 * p.powi(5)
        + 32.0 * p.powi(6);
    let _ = wait;
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

/// A path without a queue: the round-trip time is what it is. The measured rate over the model's.
fn ratio(p: f64, delayed_ack: u32, config: SenderConfig, verbose: bool) -> f64 {
    let mut state = 1998;
    // Some 600 losses.
    let seconds = (600.0 / p / (1.5 / p).sqrt() * 0.1).max(1000.0);
    let mut path = Path::new(config, delayed_ack, WIDE, move |packet: &Packet, _| match packet {
        Packet::Data { .. } if uniform(&mut state) < p => Fate::Lost,
        _ => Fate::Arrives,
    });
    let end = Time::ZERO + Span::from_secs(seconds as u64);
    let (mut t0, mut first) = (0.0, 0_u64);
    let mut acked = 0;
    while path.now < end {
        let (due, since) = (path.sender.timer_at(), path.sender.counters().timeouts);
        let rto = path.sender.rtt().rto().as_secs_f64();
        path.step();
        let _ = due;
        path.sent.clear();
        path.acks.clear();
        if path.sender.counters().timeouts > since {
            // The first of a sequence: something was acknowledged since the last.
            if first == 0 || path.sender.acked() > acked {
                t0 += rto;
                first += 1;
            }
            acked = path.sender.acked();
        }
    }
    let (samples, sum) = path.sender.rtt().total();
    let rtt = sum.as_secs_f64() / samples as f64;
    let t0 = if first > 0 { t0 / first as f64 } else { rtt };
    let elapsed = path.now.since(Time::ZERO).as_secs_f64();
    // The model's B counts what is sent.
    let rate = path.sender.counters().segments_sent as f64 / elapsed;
    let b = f64::from(delayed_ack);
    let expected = model(p, b, f64::from(config.window), rtt, t0);
    if verbose {
        let c = path.sender.counters();
        let events = (c.fast_retransmits + c.timeouts) as f64;
        println!(
            "p {p:7} b {b} rtt {rtt:.4} t0 {t0:.3} rate {rate:8.2} model {expected:8.2} ratio {:.3}; Q {:.3}, again/loss {:.3}, n {}",
            rate / expected,
            c.timeouts as f64 / events,
            c.retransmissions as f64 / (p * path.sender.counters().segments_sent as f64),
            events
        );
    }
    rate / expected
}

const LOSSES: [f64; 7] = [1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2];

#[test]
fn explore() {
    for (name, config) in [
        ("plain", plain()),
        ("min_rto 1 s", SenderConfig { min_rto: Span::from_secs(1), ..plain() }),
        ("limited", SenderConfig { limited_transmit: LimitedTransmit::New, ..plain() }),
        (
            "limited, window 100",
            SenderConfig { window: 100, limited_transmit: LimitedTransmit::New, ..plain() },
        ),
    ] {
        for d in [1, 2] {
            println!("{name}");
            for p in LOSSES {
                ratio(p, d, SenderConfig { initial_ssthresh: 20, ..config }, true);
            }
        }
    }
    let _ = RTT;
}
