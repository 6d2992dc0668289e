use std::time::Duration;

use proptest::prelude::*;

use super::{Count, Counter, Reading};
use crate::signal::{Health, Sample};

/// Longer than the gap between two readings of these tests, shorter than that between samples.
const PATIENCE: Duration = Duration::from_millis(600);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A live answer: activity and uptime (since -1,000 s) follow from the time.
fn live(now: Duration, lost: Count) -> Reading {
    let ticks = 100_000 + now.as_millis() as u32 / 10;
    Reading { lost, activity: Some(ticks.into()), uptime: Some(ticks), epoch: 0 }
}

/// Reads at each time, and takes a sample at the last.
fn sample_of(counter: &mut Counter, readings: &[(u64, Count)]) -> Sample {
    for &(at, lost) in readings {
        counter.read(ms(at), live(ms(at), lost));
    }
    counter.sample(ms(readings.last().unwrap().0), true)
}

fn expect(sample: Sample, health: Health, lost: Option<u64>, age_ms: u64) {
    assert_eq!(sample, Sample { health, lost, age: ms(age_ms) });
}

#[test]
fn losses_are_differences() {
    use Count::Bits64;
    let mut counter = Counter::new(ms(0), PATIENCE);
    expect(counter.sample(ms(0), true), Health::Unreachable, None, 0);
    expect(sample_of(&mut counter, &[(200, Bits64(7))]), Health::Ok, None, 0);
    expect(sample_of(&mut counter, &[(400, Bits64(7))]), Health::Ok, Some(0), 0);
    let readings = [(600, Bits64(9)), (800, Bits64(9)), (1000, Bits64(10))];
    expect(sample_of(&mut counter, &readings), Health::Ok, Some(3), 0);
}

#[test]
fn no_answer_is_unreachable_and_the_losses_meanwhile_come_later() {
    use Count::Bits64;
    let mut counter = Counter::new(ms(0), PATIENCE);
    sample_of(&mut counter, &[(200, Bits64(7))]);
    expect(counter.sample(ms(700), true), Health::Ok, None, 500);
    expect(counter.sample(ms(900), true), Health::Unreachable, None, 700);
    expect(counter.sample(ms(30_000), false), Health::Unreachable, None, 29_800);
    expect(sample_of(&mut counter, &[(31_000, Bits64(27))]), Health::Ok, Some(20), 0);
}

#[test]
fn a_counter_of_32_bits_wraps() {
    use Count::Bits32;
    let mut counter = Counter::new(ms(0), PATIENCE);
    sample_of(&mut counter, &[(200, Bits32(u32::MAX - 1))]);
    // 2^32 - 2 to 2^32 - 1, then to 0 and 3: five steps.
    let readings = [(400, Bits32(u32::MAX)), (600, Bits32(3))];
    expect(sample_of(&mut counter, &readings), Health::Wrapped, Some(5), 0);
    expect(sample_of(&mut counter, &[(800, Bits32(4))]), Health::Ok, Some(1), 0);
}

#[test]
fn sysuptime_may_wrap() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    let reading = |lost, uptime| Reading {
        lost: Count::Bits64(lost),
        activity: None,
        uptime: Some(uptime),
        epoch: 0,
    };
    counter.read(ms(0), reading(1, u32::MAX - 9));
    counter.sample(ms(0), true);
    // 10 s later: 9 ticks to 2^32 - 1, 1 to 0, 990 more.
    counter.read(ms(10_000), reading(2, 990));
    expect(counter.sample(ms(10_000), true), Health::Ok, Some(1), 0);
}

/// One reading after 1,000 s of uptime with 50 losses, then another 10 s later.
fn second_sample(first: Reading, second: Reading) -> Sample {
    let mut counter = Counter::new(ms(0), PATIENCE);
    counter.read(ms(0), first);
    counter.sample(ms(0), true);
    counter.read(ms(10_000), second);
    counter.sample(ms(10_000), true)
}

#[test]
fn discontinuities_are_resets_and_lose_nothing_twice() {
    use Count::{Bits32, Bits64};
    let first = live(ms(0), Bits64(50));
    let second = live(ms(10_000), Bits64(60));
    expect(second_sample(first, second), Health::Ok, Some(10), 0);

    // A restart 8 s ago; one of an agent that had been up for 1 s.
    let restarted = Reading { uptime: Some(800), ..second };
    expect(second_sample(first, restarted), Health::Reset, None, 0);
    expect(
        second_sample(Reading { uptime: Some(100), ..first }, restarted),
        Health::Ok,
        Some(10),
        0,
    );
    let restarted = Reading { uptime: Some(300), ..second };
    expect(
        second_sample(Reading { uptime: Some(100), ..first }, restarted),
        Health::Reset,
        None,
        0,
    );

    // Counters cleared without a restart, with and without word from the source.
    expect(second_sample(first, live(ms(10_000), Bits64(49))), Health::Reset, None, 0);
    let cleared = Reading { epoch: 1, ..second };
    expect(second_sample(first, cleared), Health::Reset, None, 0);
    let first = live(ms(0), Bits32(50));
    expect(second_sample(first, live(ms(10_000), Bits32(49))), Health::Reset, None, 0);

    // More than 11 s of 14,880,952 packets, and a count of another width.
    let lost = 50 + 11 * 14_880_952;
    expect(second_sample(first, live(ms(10_000), Bits32(lost))), Health::Ok, Some(163_690_472), 0);
    expect(second_sample(first, live(ms(10_000), Bits32(lost + 1))), Health::Reset, None, 0);
    expect(second_sample(first, second), Health::Reset, None, 0);
}

#[test]
fn losses_beside_a_reset_are_reported() {
    use Count::{Bits32, Bits64};
    let mut counter = Counter::new(ms(0), PATIENCE);
    sample_of(&mut counter, &[(200, Bits64(7))]);
    let readings = [(400, Bits64(9)), (600, Bits64(0)), (800, Bits64(1))];
    expect(sample_of(&mut counter, &readings), Health::Reset, Some(3), 0);
    expect(sample_of(&mut counter, &[(1000, Bits64(1))]), Health::Ok, Some(0), 0);
    // None since the restart is not none at all, and a wrap does not hide a restart.
    let readings = [(1200, Bits64(0)), (1400, Bits64(0))];
    expect(sample_of(&mut counter, &readings), Health::Reset, None, 0);
    let readings = [(1600, Bits32(u32::MAX)), (1800, Bits32(1))];
    expect(sample_of(&mut counter, &readings), Health::Reset, Some(2), 0);
}

#[test]
fn a_reset_forgets_the_refresh_interval() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    let mut read = |at, activity, epoch| {
        let reading = live(ms(at), Count::Bits64(0));
        counter.read(ms(at), Reading { activity: Some(activity), epoch, ..reading });
        counter.refresh()
    };
    assert_eq!(read(0, 1, 0), None);
    assert_eq!(read(200, 2, 0), None);
    assert_eq!(read(400, 3, 0), Some(ms(400)));
    // Traffic pauses, which does not make the source slower.
    assert_eq!(read(600, 3, 0), Some(ms(400)));
    assert_eq!(read(1600, 4, 0), Some(ms(400)));
    assert_eq!(read(1800, 5, 1), None);
    assert_eq!(read(2000, 6, 1), None);
    // From 1.8 s, before the first change.
    assert_eq!(read(2200, 7, 1), Some(ms(400)));
}

#[test]
fn a_loss_is_fresh_without_activity() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    let reading = live(ms(0), Count::Bits64(4));
    counter.read(ms(0), reading);
    counter.sample(ms(0), true);
    counter.read(ms(200), Reading { lost: Count::Bits64(5), uptime: None, ..reading });
    expect(counter.sample(ms(300), true), Health::Ok, Some(1), 100);
}

#[test]
fn a_short_silence_is_not_stale() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    counter.read(ms(0), live(ms(0), Count::Bits64(4)));
    for at in [0, 100, 200, 300, 400, 500] {
        expect(counter.sample(ms(at), true), Health::Ok, None, at);
    }
}

/// An agent that refreshes all counters at multiples of 3 s, read five times a second.
fn cached(now: Duration) -> Reading {
    let refreshed = Duration::from_secs(now.as_secs() / 3 * 3);
    Reading { uptime: live(now, Count::Bits64(0)).uptime, ..live(refreshed, Count::Bits64(0)) }
}

#[test]
fn cached_counters_are_stale_and_the_refresh_interval_is_measured() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    let mut health = Vec::new();
    for at in (100..14_100).step_by(200) {
        assert_eq!(counter.refresh().is_some(), at > 6100, "two changes, at 3.1 s and 6.1 s");
        counter.read(ms(at), cached(ms(at)));
        if at % 1000 == 900 {
            health.push(counter.sample(ms(at), true).health);
        }
    }
    // Samples in seconds 0, 3, 6, ... are fresh.
    use Health::{Ok, Stale};
    assert_eq!(health, [Ok, Ok, Stale, Ok, Ok, Stale, Ok, Ok, Stale, Ok, Ok, Stale, Ok, Ok]);
    // From 2.9 s, before the first change, to 6.1 s.
    assert_eq!(counter.refresh(), Some(ms(3200)));
}

#[test]
fn an_idle_network_is_not_stale() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    let reading = live(ms(0), Count::Bits64(4));
    let mut at = ms(0);
    let mut next = |active| {
        at += ms(200);
        counter.read(at, Reading { uptime: None, ..reading });
        let sample = counter.sample(at, active);
        (sample.health, sample.lost)
    };
    assert_eq!(next(false), (Health::Ok, None));
    assert_eq!(next(false), (Health::Ok, Some(0)));
    // One packet on its way, none, then two rounds of packets that the source does not count.
    assert_eq!(next(true), (Health::Ok, None));
    assert_eq!(next(false), (Health::Ok, Some(0)));
    assert_eq!(next(true), (Health::Ok, None));
    assert_eq!(next(true), (Health::Stale, None));
    assert_eq!(next(true), (Health::Stale, None));
}

#[test]
fn a_live_source_refreshes_within_two_readings() {
    let mut counter = Counter::new(ms(0), PATIENCE);
    for at in (0..1000).step_by(200) {
        counter.read(ms(at), live(ms(at), Count::Bits32(0)));
    }
    assert_eq!(counter.refresh(), Some(ms(400)));
}

/// One step of an agent and of its reader.
#[derive(Debug, Clone)]
struct Step {
    wait_ms: u64,
    losses: u64,
    event: Event,
}

#[derive(Debug, Clone, PartialEq)]
enum Event {
    Read,
    ReadAndSample,
    Sample,
    /// The agent is down for 10 s and counts from 0.
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let event = prop_oneof![
        8 => Just(Event::Read),
        4 => Just(Event::ReadAndSample),
        2 => Just(Event::Sample),
        1 => Just(Event::Restart),
    ];
    let losses = prop_oneof![Just(0), 0..3u64, 0..100_000u64];
    let step = (1..1500u64, losses, event).prop_map(|(wait_ms, losses, event)| Step {
        wait_ms,
        losses,
        event,
    });
    prop::collection::vec(step, 1..300)
}

proptest! {
    #![proptest_config(evenair_testing::config!())]

    /// What samples report is what the answers of the source show, and never more than the truth:
    /// any offset of the counter, any refresh interval, reads lost, restarts.
    #[test]
    fn losses_add_up(
        steps in steps(),
        offset in prop_oneof![0..1000u64, (1 << 32) - 2000..1u64 << 32],
        refresh_ms in prop_oneof![Just(1), 1..5000u64],
        wide: bool,
    ) {
        let mut counter = Counter::new(ms(0), PATIENCE);
        let (mut now, mut started) = (20_000, 0);
        // Losses since the restart, and what the agent's cache holds of them.
        let (mut lost, mut offset) = (0, offset);
        let (mut cached, mut refreshed) = (0, now);
        let mut packets = 0;
        let mut cached_packets = 0;
        let (mut truth, mut shown, mut reported) = (0, 0, 0);
        let mut first_shown = None;
        for step in steps {
            now += step.wait_ms;
            lost += step.losses;
            truth += step.losses;
            packets += 1 + step.losses;
            if step.event == Event::Restart {
                now += 10_000;
                started = now;
                (lost, offset, packets, first_shown) = (0, 0, 0, None);
                refreshed = 0;
            }
            if now - refreshed >= refresh_ms {
                (cached, cached_packets, refreshed) = (lost, packets, now);
            }
            if matches!(step.event, Event::Read | Event::ReadAndSample) {
                let value = offset + cached;
                let reading = Reading {
                    lost: if wide { Count::Bits64(value) } else { Count::Bits32(value as u32) },
                    activity: Some(cached_packets.into()),
                    uptime: Some((now - started) as u32 / 10),
                    epoch: 0,
                };
                counter.read(ms(now), reading);
                shown += cached - *first_shown.get_or_insert(cached);
                first_shown = Some(cached);
            }
            if matches!(step.event, Event::ReadAndSample | Event::Sample) {
                let sample = counter.sample(ms(now), true);
                reported += sample.lost.unwrap_or(0);
                prop_assert!(sample.health != Health::Wrapped || sample.lost > Some(0));
                prop_assert!(reported <= truth);
            }
        }
        reported += counter.sample(ms(now), true).lost.unwrap_or(0);
        prop_assert_eq!(reported, shown);
        // A refresh is never faster than reported, for readings at all times.
        if let Some(refresh) = counter.refresh() {
            prop_assert!(refresh >= ms(refresh_ms));
        }
    }

    /// Any readings whatever: no panic, no loss without two readings.
    #[test]
    fn any_reading_is_survived(
        readings in prop::collection::vec(
            (any::<u32>(), any::<u64>(), any::<bool>(), any::<Option<u128>>(), any::<Option<u32>>(),
             0..2u64, any::<bool>()),
            0..50,
        ),
    ) {
        let mut counter = Counter::new(ms(0), PATIENCE);
        let mut now = ms(0);
        for (i, (wait, value, wide, activity, uptime, epoch, active)) in
            readings.into_iter().enumerate()
        {
            now += ms(wait.into());
            let lost = if wide { Count::Bits64(value) } else { Count::Bits32(value as u32) };
            counter.read(now, Reading { lost, activity, uptime, epoch });
            let sample = counter.sample(now, active);
            prop_assert!(i > 0 || sample.lost.is_none());
            prop_assert!(sample.age <= now);
        }
    }
}
