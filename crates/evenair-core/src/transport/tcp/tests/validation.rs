//! Whether cwnd grows where it does not limit the sender. Expected values follow from Linux's rule: in
//! slow start while cwnd is less than twice what was outstanding, else while cwnd is filled.

use super::path::{Fate, Path};
use super::*;
use crate::component::Registry;
use crate::congestion::CongestionControl;

/// 50 ms each way, and a bottleneck of 1 ms a segment: 101 segments fill the path.
const PACE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(1));

/// cwnd after 20 s without losses.
fn cwnd(control: &Config, config: impl Into<Sending>) -> f64 {
    let mut path = Path::with(Controller::new(control), config, 1, PACE, |_, _| Fate::Arrives);
    path.run_until(at(20_000));
    path.sender.window().cwnd
}

fn window_of_64(cwnd_validation: bool, initial_ssthresh: u32) -> TcpConfig {
    let initial_ssthresh = Some(initial_ssthresh);
    TcpConfig { window: 64, initial_window: 10, initial_ssthresh, cwnd_validation, ..plain() }
}

/// Slow start goes on until cwnd is twice the receiver's window.
#[test]
fn the_receivers_window_bounds_slow_start() {
    let newreno = Config::default();
    assert_eq!(cwnd(&newreno, window_of_64(true, u32::MAX)), 128.0);
    assert!(cwnd(&newreno, window_of_64(false, u32::MAX)) > 10_000.0);
}

/// At 65 segments cwnd is not filled any more. That is noticed a window of data later, in which cwnd
/// grows by less than one segment.
#[test]
fn the_receivers_window_bounds_congestion_avoidance() {
    let newreno = Config::default();
    let grown = cwnd(&newreno, window_of_64(true, 32));
    assert!((65.0..66.0).contains(&grown), "{grown}");
    assert!(cwnd(&newreno, window_of_64(false, 32)) > 100.0);
}

/// But for BBR, whose cwnd follows from the path, and not from what is sent.
#[test]
fn no_congestion_control_grows_beyond_twice_the_receivers_window() {
    for control in Config::all() {
        if Controller::new(&control).limits_itself() {
            continue;
        }
        for (sack, rack) in [(false, false), (true, false), (true, true)] {
            let config = TcpConfig { sack, rack, ..window_of_64(true, u32::MAX) };
            let grown = cwnd(&control, config);
            assert!(grown <= 128.0, "{} {sack} {rack}: {grown}", control.name());
        }
    }
}

/// The example of Linux's `tcp_is_cwnd_limited`: an application that sends 9 segments with a cwnd of 10
/// brings it to 18. With less than half of cwnd, it stays.
#[test]
fn an_application_grows_cwnd_to_twice_what_it_sends() {
    for (segments, grown, unchecked) in [(4, 10.0, 14.0), (5, 10.0, 15.0), (9, 18.0, 19.0)] {
        for (cwnd_validation, expected) in [(true, grown), (false, unchecked)] {
            let total = segments * SEGMENT;
            let config = Sending {
                total,
                tcp: TcpConfig { initial_window: 10, cwnd_validation, ..plain() },
            };
            assert_eq!(cwnd(&Config::default(), config), expected, "{segments} segments");
        }
    }
}

/// A sender that cwnd alone limits is not held back.
#[test]
fn a_sender_that_fills_cwnd_doubles_it_each_round_trip() {
    let grow = |cwnd_validation| {
        let config = TcpConfig { initial_window: 4, cwnd_validation, ..plain() };
        let pace = (PACE.0, Duration::ZERO);
        let mut path = Path::new(config, 1, pace, |_, _| Fate::Arrives);
        // The handshake, and four round trips.
        path.run_until(at(501));
        path.sender.window().cwnd
    };
    assert_eq!((grow(true), grow(false)), (64.0, 64.0));
}
