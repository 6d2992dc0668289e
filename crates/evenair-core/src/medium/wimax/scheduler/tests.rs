//! Base-station schedulers: the bursts of single frames.

use super::allocation::{Need, allocate};
use super::*;
use crate::medium::scheduler::FrameScheduler;

/// Bytes of a symbol.
const SYMBOL: u32 = 107;

/// The bursts in a subframe that has 64 symbols for at most 10 bursts: station and data symbols.
fn frame(scheduler: &mut impl FrameScheduler, needs: &[u64]) -> Vec<(usize, u32)> {
    let mut room = Room::new(64, 10, None);
    let sizes = vec![SymbolSize::new(SYMBOL); needs.len()];
    let mut needs: Vec<_> = needs.iter().map(|&bytes| Need::new(bytes)).collect();
    let mut bursts = Vec::new();
    allocate(scheduler, &mut room, &mut needs, &sizes, &mut bursts);
    bursts.iter().map(|burst| (burst.station, burst.symbols)).collect()
}

fn symbols(bursts: &[(usize, u32)]) -> u32 {
    bursts.iter().map(|(_, symbols)| symbols).sum()
}

/// By hand: 63 data symbols for one burst, 62 for two. The second station's queue fills a
/// frame, so the third waits for the next, which begins with it.
#[test]
fn a_long_queue_takes_the_frame() {
    let mut scheduler = RoundRobin::new(3);
    let needs = [107, 100_000, 1];
    assert_eq!(frame(&mut scheduler, &needs), [(0, 1), (1, 61)]);
    assert_eq!(frame(&mut scheduler, &needs), [(2, 1), (0, 1), (1, 59)]);
    assert_eq!(frame(&mut scheduler, &[0, 0, 108]), [(2, 2)]);
    assert_eq!(frame(&mut scheduler, &[0, 0, 0]), []);
    assert_eq!(frame(&mut scheduler, &[1, 0, 1]), [(0, 1), (2, 1)]);
}

/// At most 10 bursts in a frame.
#[test]
fn the_map_limits_bursts_of_round_robin() {
    let mut scheduler = RoundRobin::new(12);
    let bursts = frame(&mut scheduler, &[1; 12]);
    assert_eq!((bursts.len(), symbols(&bursts)), (10, 10));
    assert_eq!(frame(&mut scheduler, &[1; 12])[0], (10, 1));
}

fn drr(quantum: u64, stations: usize) -> Drr {
    Drr::new(&DrrConfig { quantum }, vec![SYMBOL.into(); stations].into_iter())
}

/// By hand: a quantum of 428 bytes is 4 symbols. 64 symbols less 3 before bursts are 61: five
/// rounds of 12, and one symbol for the first station, whose visit the end of the frame cuts
/// short. It goes on with 3 symbols of deficit: 3 + 4 + 4, then 4 rounds of 12, and 2 symbols
/// for the first.
#[test]
fn stations_share_a_frame() {
    let mut scheduler = drr(428, 3);
    let needs = [1 << 40; 3];
    assert_eq!(frame(&mut scheduler, &needs), [(0, 21), (1, 20), (2, 20)]);
    assert_eq!(frame(&mut scheduler, &needs), [(0, 21), (1, 20), (2, 20)]);
}

/// What a station leaves is shared by the others, and its deficit is forgotten.
#[test]
fn a_short_queue_leaves_its_share() {
    let mut scheduler = drr(1500, 2);
    assert_eq!(frame(&mut scheduler, &[100, 1 << 40]), [(0, 1), (1, 61)]);
    assert_eq!(scheduler.deficit(0), 0);
    assert_eq!(frame(&mut scheduler, &[0, 0]), []);
    assert_eq!(scheduler.deficit(1), 0);
}

/// A quantum below a symbol: a visit may be in vain, but no station is forgotten, and over many
/// frames all get the same number of symbols within one visit each.
#[test]
fn shares_are_equal_in_the_long_run() {
    for (quantum, stations) in [(1, 3), (100, 3), (107, 4), (1500, 4), (4000, 3), (1500, 12)] {
        let mut scheduler = drr(quantum, stations);
        let mut total = vec![0; stations];
        for _ in 0..240 {
            for (station, symbols) in frame(&mut scheduler, &vec![1 << 40; stations]) {
                total[station] += symbols;
            }
        }
        let spread = total.iter().max().unwrap() - total.iter().min().unwrap();
        let visit = quantum.div_ceil(107) as u32 + 1;
        assert!(spread <= visit, "{quantum}: {total:?}");
    }
}

/// At most 10 bursts in a frame; the stations without one come first in the next.
#[test]
fn the_map_limits_bursts() {
    let mut scheduler = drr(107, 12);
    let bursts = frame(&mut scheduler, &[1 << 40; 12]);
    assert_eq!((bursts.len(), symbols(&bursts)), (10, 54));
    assert_eq!(frame(&mut scheduler, &[1 << 40; 12])[0].0, 10);
}
