//! Measurements of real time on a machine that may stand still: a hypervisor takes its processors
//! away for a tenth of a second, in which no program can send a packet when it is due.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use super::report;

/// The bucket of the queue yields 15 kB at once, at 20 Mb/s those of 6 ms. After a longer pause
/// the queue does not make up for it.
const LONGEST: Duration = Duration::from_millis(6);

/// How often a measurement is made at most.
const TRIES: usize = 5;

/// Measures, and asserts that what was measured is as `is_right` says. A wrong result is measured
/// again only if a processor stood still meanwhile.
pub fn assert_measured<T: std::fmt::Debug>(
    mut measure: impl FnMut() -> T,
    is_right: impl Fn(&T) -> bool,
) {
    for _ in 0..TRIES {
        let (result, stall) = watched(&mut measure);
        if is_right(&result) {
            return;
        }
        assert!(stall > LONGEST, "{result:?}, and no processor stood still longer than {stall:?}");
        report(&format!("{result:?}, while a processor stood still for {stall:?}"));
    }
    panic!("{TRIES} measurements, in each of which a processor stood still");
}

/// The result of `measure`, and the longest time in which a thread on one of the processors did not
/// run though it was to wake up.
fn watched<T>(measure: impl FnOnce() -> T) -> (T, Duration) {
    const NAP: Duration = Duration::from_millis(1);
    let usable = sched_getaffinity(Pid::this()).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let watchers: Vec<_> = (0..CpuSet::count())
            .filter(|cpu| usable.is_set(*cpu).unwrap())
            .map(|cpu| {
                let stop = &stop;
                scope.spawn(move || {
                    let mut one = CpuSet::new();
                    one.set(cpu).unwrap();
                    sched_setaffinity(Pid::from_raw(0), &one).unwrap();
                    let mut longest = Duration::ZERO;
                    while !stop.load(Ordering::Relaxed) {
                        let start = Instant::now();
                        thread::sleep(NAP);
                        longest = longest.max(start.elapsed().saturating_sub(NAP));
                    }
                    longest
                })
            })
            .collect();
        let result = measure();
        stop.store(true, Ordering::Relaxed);
        let stalls = watchers.into_iter().map(|watcher| watcher.join().unwrap());
        (result, stalls.max().unwrap_or_default())
    })
}
