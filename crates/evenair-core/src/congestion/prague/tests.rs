use super::super::tests::{at_ms, observed, signal};
use super::*;

fn prague(rtt_transition: u32) -> Prague {
    let mut prague = Prague::new(PragueConfig { rtt_transition, ..PragueConfig::default() });
    assert_eq!(prague.use_ecn(EcnFeedback::AccEcn), EcnResponse::L4s);
    prague
}

fn ack(ms: u64, snd_una: u64, marked: f64, rtt: u64) -> AckEvent {
    let rtt = Some(Duration::from_millis(rtt));
    AckEvent { snd_una, snd_nxt: snd_una + 10, marked, rtt, ..signal(ms, 1.0, 10.0) }
}

/// The share is 1 until the first mark, which halves the window at once; it is smoothed from then on: a round of one
/// mark in ten gives 15/16 + 1/160.
#[test]
fn the_first_mark_halves() {
    let mut prague = prague(500);
    let mut window = Window { cwnd: 10.0, ssthresh: 1e9 };
    for n in 0..20 {
        prague.on_ack(&mut window, &ack(n, n, 0.0, 40));
    }
    assert_eq!((window.cwnd, prague.share.alpha()), (30.0, 1.0));
    prague.share.begin_round(&AckEvent { snd_nxt: 30, ..ack(20, 20, 0.0, 40) });
    let first = ack(20, 20, 1.0, 40);
    prague.on_ack(&mut window, &first);
    prague.on_congestion_mark(&mut window, &first);
    assert_eq!(prague.window.segments(), 15.0);
    for n in 21..30 {
        prague.on_ack(&mut window, &ack(n, n, 0.0, 40));
    }
    let alpha = observed(&prague).1[0].unwrap();
    assert!((alpha - (15.0 / 16.0 + 0.1 / 16.0)).abs() < 1e-12);
    // Slow start is over: nine ACKs have taken nine segments from 30, and added 9/15 or 9/16.
    assert_eq!((window.cwnd, window.ssthresh), (21.0, 21.0));
    assert!((15.56..=15.6).contains(&prague.window.segments()), "{:?}", prague.window);
}

/// Once independent of the round-trip time, a mark takes something once in 25 ms, and an ACK adds (10/25)^2 of 1/cwnd;
/// before that each mark and a whole one count.
#[test]
fn marks_and_growth_at_a_short_round_trip() {
    for (transition, counted, growth) in [(500, 2, 1.0), (0, 1, 0.16)] {
        let mut prague = prague(transition);
        let mut window = Window { cwnd: 20.0, ssthresh: 20.0 };
        // The first ACK, with a mark, tells the round-trip time.
        prague.on_ack(&mut window, &ack(0, 0, 1.0, 10));
        prague.on_ack(&mut window, &ack(0, 1, 0.0, 10));
        assert!((prague.window.segments() - (20.0 + growth / 20.0)).abs() < 1e-12);
        prague.window.jump(20.0);
        window.cwnd = 20.0;
        prague.share = MarkedShare::new(1.0, GAIN);
        prague.on_congestion_mark(&mut window, &ack(10, 1, 1.0, 10));
        prague.on_congestion_mark(&mut window, &ack(34, 20, 1.0, 10));
        assert_eq!(prague.window.segments(), 20.0 * 0.5_f64.powi(counted));
        prague.on_congestion_mark(&mut window, &ack(35, 40, 1.0, 10));
        assert_eq!(prague.window.segments(), 20.0 * 0.5_f64.powi(counted + 1));
    }
}

/// The rate by hand: packets of 1,040 bytes, 20 of them in 10 ms, are 16.64 Mb/s, and twice that in slow start.
#[test]
fn it_is_paced_at_its_window() {
    let mut prague = prague(500);
    let of = |prague: &Prague| prague.pacing_rate().map(Rate::as_bps);
    assert_eq!(of(&prague), None);
    let acked = |ssthresh| (Window { cwnd: 20.0, ssthresh }, ack(0, 0, 1.0, 10));
    let (mut window, event) = acked(20.0);
    prague.on_ack(&mut window, &AckEvent { segment: 1000, ..event });
    assert_eq!(of(&prague), Some(16_640_000));
    let (mut window, event) = acked(100.0);
    prague.on_ack(&mut window, &AckEvent { segment: 1000, ..event });
    assert_eq!(of(&prague), Some(33_280_000));
}

/// By hand: 300 packets in 10 ms are 30,000 in a second, of which a 4,096th is 7.3; twice that in slow start.
#[test]
fn a_burst_takes_a_quarter_of_a_millisecond() {
    let mut prague = prague(500);
    assert_eq!(prague.burst(), None);
    for (ssthresh, burst) in [(300.0, 7), (1e9, 14)] {
        let mut window = Window { cwnd: 300.0, ssthresh };
        prague.on_ack(&mut window, &AckEvent { segment: 1000, ..ack(0, 0, 1.0, 10) });
        assert_eq!(prague.burst(), Some(burst));
    }
}

/// A loss halves the window, and a timeout leaves one segment; without AccECN it is NewReno, which halves what is
/// outstanding.
#[test]
fn losses_halve() {
    let mut prague = prague(500);
    let mut window = Window { cwnd: 21.0, ssthresh: 21.0 };
    prague.on_loss(&mut window, &signal(0, 0.0, 16.0));
    assert_eq!((prague.window.segments(), window.cwnd, window.ssthresh), (10.5, 11.0, 11.0));
    prague.on_timeout(&mut window, &signal(1, 0.0, 16.0), true);
    assert_eq!(window, Window { cwnd: 1.0, ssthresh: 6.0 });
    assert_eq!(prague.use_ecn(EcnFeedback::Rfc3168), EcnResponse::Classic);
    let mut window = Window { cwnd: 20.0, ssthresh: 20.0 };
    prague.on_congestion_mark(&mut window, &AckEvent { now: at_ms(5), ..signal(0, 0.0, 16.0) });
    assert_eq!(window.cwnd, 8.0);
}
