//! ARF and AARF worked by hand from the papers; rates of the rate control that knows the channel.

use super::*;
use crate::medium::PhyMode;
use crate::medium::wlan::Protection;
use crate::medium::wlan::channel::{self, Channel, ErrorModel, SnrConfig};
use crate::medium::wlan::phy::Phy;
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// A link of 802.11a that begins at the rate of this index.
fn link(phy: &Phy, first: usize) -> LinkInfo<'_> {
    let stream = RngStream::new(1, StreamId::RateControl, 0);
    let modes = phy.modes_of(phy.kind, &phy.modes([]));
    LinkInfo { modes, first, phy, channel: None, stream }
}

fn frame(bytes: u32) -> NextFrame {
    NextFrame { now: Instant::ZERO, bytes, prelude: Protection::Off }
}

/// The rate after each attempt, of which `outcomes` has a character: + succeeds, - fails, r is an RTS
/// without CTS. Spaces mean nothing.
fn rates(control: &mut impl RateControl, outcomes: &str) -> Vec<usize> {
    let step = |outcome| {
        let (sent_data, outcome) = match outcome {
            '+' => (true, Outcome::Delivered),
            '-' => (true, Outcome::Failed),
            _ => (false, Outcome::Failed),
        };
        control.choose(&frame(1536));
        control.report(&Report::of_frame(Instant::ZERO, sent_data, outcome));
        control.present()
    };
    outcomes.chars().filter(|c| *c != ' ').map(step).collect()
}

/// The last rate.
fn last(control: &mut impl RateControl, outcomes: &str) -> usize {
    *rates(control, outcomes).last().unwrap()
}

fn arf(first: usize) -> Arf {
    Arf::new(ArfConfig::default(), link(&Phy::dot11a(), first))
}

fn aarf(first: usize) -> Aarf {
    Aarf::new(AarfConfig::default(), link(&Phy::dot11a(), first))
}

const TEN: &str = "+++++ +++++";

#[test]
fn arf_steps_up_after_ten_successes_in_a_row() {
    let mut control = arf(3);
    assert_eq!(rates(&mut control, "+++++ ++++"), [3; 9]);
    assert_eq!(rates(&mut control, "+"), [4]);
    // The probe succeeds, and nine more.
    assert_eq!(rates(&mut control, "+++++ ++++"), [4; 9]);
    assert_eq!(rates(&mut control, "+"), [5]);
}

#[test]
fn arf_falls_back_after_two_failures_in_a_row() {
    let mut control = arf(3);
    assert_eq!(rates(&mut control, "-+-+ -- -- - + - --"), [3, 3, 3, 3, 3, 2, 2, 1, 1, 1, 1, 0, 0]);
    // Nothing is below the lowest rate.
    assert_eq!(last(&mut control, "-----"), 0);
}

#[test]
fn arf_gives_a_failed_probe_up_at_once() {
    let mut control = arf(3);
    assert_eq!(last(&mut control, TEN), 4);
    // The failed probe is no failure at the rate below.
    assert_eq!(rates(&mut control, "- - + - -"), [3, 3, 3, 3, 2]);
    assert_eq!(last(&mut arf(3), &format!("{TEN} + -")), 4, "after a good probe one failure");
    assert_eq!(last(&mut arf(3), &format!("{TEN} + --")), 3);
}

/// The timer starts with a fallback: the first success from the fifteenth attempt on is enough.
#[test]
fn arf_steps_up_when_the_timer_expires() {
    let mut control = arf(3);
    assert_eq!(last(&mut control, "--"), 2);
    assert_eq!(last(&mut control, "+++++ +++- +++++"), 2, "14 attempts since");
    assert_eq!(rates(&mut control, "+"), [3], "the fifteenth");
    let mut control = arf(3);
    assert_eq!(last(&mut control, "-- +++++ ++++- ++++-"), 2, "the fifteenth fails");
    assert_eq!(rates(&mut control, "+"), [3]);
    // A failed probe starts it again.
    assert_eq!(rates(&mut control, "-"), [2]);
    assert_eq!(last(&mut control, "+++++ ++++- ++++"), 2);
    assert_eq!(rates(&mut control, "+"), [3]);
}

#[test]
fn arf_stays_at_the_highest_rate_and_does_not_count_rts() {
    let mut control = arf(7);
    assert_eq!(last(&mut control, "+++++ +++++ +++++ +++++ +++++ -"), 7);
    assert_eq!(rates(&mut control, "rrrr + - r -"), [7, 7, 7, 7, 7, 7, 7, 6]);
}

/// 10, 20, 40, 50 and again 50 successes; the timers of 15, 30, ... attempts are longer.
#[test]
fn aarf_doubles_the_successes_that_a_probe_needs() {
    let mut control = aarf(3);
    for successes in [10, 20, 40, 50, 50] {
        let row = "+".repeat(successes - 1);
        assert_eq!(last(&mut control, &row), 3, "{successes}");
        assert_eq!(rates(&mut control, "+ -"), [4, 3], "{successes}");
    }
    // Two failures in a row: 10 again, and the timer 15.
    assert_eq!(rates(&mut control, "--"), [3, 2]);
    assert_eq!(last(&mut control, "+++++ ++++"), 2);
    assert_eq!(rates(&mut control, "+"), [3]);
}

#[test]
fn aarf_keeps_its_threshold_after_a_good_probe() {
    let mut control = aarf(3);
    assert_eq!(last(&mut control, &format!("{TEN} -")), 3);
    assert_eq!(last(&mut control, &format!("{TEN} +++++ ++++")), 3);
    assert_eq!(rates(&mut control, "+ +"), [4, 4], "a good probe after 20");
    assert_eq!(last(&mut control, "+++++ +++++ +++++ +++"), 4);
    assert_eq!(rates(&mut control, "+"), [5], "19 and the probe");
}

/// Failures now and then: a timer of 15 attempts at first, of 30 after a failed probe.
#[test]
fn aarf_doubles_the_timer() {
    let mut control = aarf(3);
    assert_eq!(last(&mut control, "++++- ++++- ++++"), 3);
    assert_eq!(rates(&mut control, "+ -"), [4, 3]);
    assert_eq!(last(&mut control, "++++- ++++- ++++- ++++- ++++- ++++"), 3);
    assert_eq!(rates(&mut control, "+"), [4]);
}

/// The rate is the highest whose frames are received with probability 0.9: a long frame may need a
/// lower one.
#[test]
fn the_ideal_rate_follows_channel_and_size() {
    let phy = Phy::dot11a();
    let stream = RngStream::new(1, StreamId::Channel, 0);
    for snr_db in [0.0, 5.0, 8.0, 10.0, 15.0, 19.0, 22.4, 25.0] {
        let config: channel::Config = SnrConfig { snr_db }.into();
        let channel =
            Channel::new(&config, &phy, &phy.modes([]), ErrorModel::Formulas, stream.clone());
        let known = LinkInfo { channel: Some(&channel), ..link(&phy, 7) };
        let mut control = Ideal::new(IdealConfig::default(), known);
        for bytes in [76, 1536] {
            let chosen = control.choose(&frame(bytes));
            let success =
                |rate: usize| channel.model().success(Instant::ZERO, PhyMode(rate as u16), bytes);
            assert!(chosen == 0 || success(chosen) >= 0.9, "{snr_db} dB, {bytes} bytes: {chosen}");
            assert!((chosen + 1..8).all(|rate| success(rate) < 0.9), "{snr_db} dB, {bytes} bytes");
        }
    }
    let mut unknown = Ideal::new(IdealConfig::default(), link(&phy, 0));
    assert_eq!(unknown.choose(&frame(1536)), 7, "nothing corrupts frames");
}

/// The rate of a link with a schedule is that of the schedule.
#[test]
fn the_ideal_rate_follows_a_schedule() {
    let table =
        serde_json::json!({ "kind": "schedule", "rates": [[0, 54e6], [1, 6e6], [2, 20e6]] });
    let config: channel::Config = serde_json::from_value(table).unwrap();
    let phy = Phy::dot11a();
    let channel = Channel::new(
        &config,
        &phy,
        &phy.modes([]),
        ErrorModel::Formulas,
        RngStream::new(1, StreamId::Channel, 0),
    );
    let known = LinkInfo { channel: Some(&channel), ..link(&phy, 0) };
    let mut control = Ideal::new(IdealConfig::default(), known);
    let mut at = |ms| {
        let now = Instant::ZERO + Duration::from_millis(ms);
        phy.rates[control.choose(&NextFrame { now, ..frame(1536) })].as_bps() / 1_000_000
    };
    assert_eq!([at(0), at(999), at(1000), at(1999), at(2000)], [54, 54, 6, 6, 18]);
}
