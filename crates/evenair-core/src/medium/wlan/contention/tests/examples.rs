//! Cases by hand. Boundary k lies k slots after that of the smallest AIFSN.

use super::*;

/// A contention whose contenders have these AIFSN and counters, at the beginning of an idle period.
fn counting<R: CounterRule, const N: usize>(counters: [(u32, u32); N]) -> Contention<R, N> {
    let mut contention =
        Contention::new(counters.map(|(aifsn, _)| aifsn), (0..).take(N), LONGEST_BACKOFF);
    for (id, (_, counter)) in (0..).map(ContenderId).zip(counters) {
        contention.defer(id, counter);
    }
    contention.idle(0);
    contention
}

/// The next access: its boundary and those that reach 0. Nobody has immediate access.
fn access<R: CounterRule, const N: usize>(contention: &mut Contention<R, N>) -> (u64, Vec<u32>) {
    let boundary = contention.next_access().unwrap();
    let mut reached = Vec::new();
    contention.seize(boundary, |id| reached.push(id.0), |_| unreachable!());
    reached.sort_unstable();
    (boundary, reached)
}

fn slots<R: CounterRule, const N: usize>(contention: &Contention<R, N>) -> Vec<(u32, u64)> {
    contention.counters().iter().map(|counter| (counter.id.0, counter.slots)).collect()
}

/// AIFSN 2 and 7: the first boundary of the second contender is 7 - 2 = 5.
#[test]
fn a_contender_misses_the_boundaries_before_its_aifs() {
    let mut contention = counting::<AllBoundaries, 2>([(2, 3), (7, 1)]);
    // Boundary 0 + 3; the other one's first boundary is 5, so that it keeps 1.
    assert_eq!(access(&mut contention), (3, vec![0]));
    assert_eq!(slots(&contention), [(1, 1)]);
    contention.idle(0);
    contention.back_off(ContenderId(0), 0, 8, true);
    // 5 + 1 is before 0 + 8. Contender 0 has decremented at boundaries 0 to 6: 8 - 7 = 1.
    assert_eq!(access(&mut contention), (6, vec![1]));
    assert_eq!(slots(&contention), [(0, 1)]);
    contention.idle(0);
    contention.back_off(ContenderId(1), 0, 0, true);
    // 0 + 1, before 5 + 0.
    assert_eq!(access(&mut contention), (1, vec![0]));
    assert_eq!(slots(&contention), [(1, 0)]);
    contention.idle(0);
    contention.back_off(ContenderId(0), 0, 5, true);
    // 5 + 0 and 0 + 5: a collision.
    assert_eq!(access(&mut contention), (5, vec![0, 1]));
}

/// As before, where the slot of boundary 6 does not count: contender 0 has counted slots 0 to 5, 8 - 6 = 2.
#[test]
fn a_busy_slot_does_not_count_in_the_dcf() {
    let mut contention = counting::<IdleSlots, 2>([(2, 8), (7, 1)]);
    assert_eq!(access(&mut contention), (6, vec![1]));
    assert_eq!(slots(&contention), [(0, 2)]);
    contention.idle(0);
    contention.back_off(ContenderId(1), 0, 3, true);
    assert_eq!(access(&mut contention), (2, vec![0]));
    assert_eq!(slots(&contention), [(1, 3)]);
}

/// A counter of 1 that sees another transmit at its first boundary is 0 afterwards in EDCA, so that the
/// contender transmits right after its next AIFS; in the DCF it is still 1.
#[test]
fn slot_0_after_a_busy_period_is_for_all_in_edca() {
    let mut contention = counting::<AllBoundaries, 2>([(2, 0), (2, 1)]);
    assert_eq!(access(&mut contention), (0, vec![0]));
    contention.idle(0);
    assert_eq!(access(&mut contention), (0, vec![1]));
    let mut contention = counting::<IdleSlots, 2>([(2, 0), (2, 1)]);
    assert_eq!(access(&mut contention), (0, vec![0]));
    contention.idle(0);
    assert_eq!(access(&mut contention), (1, vec![1]));
}

/// One node with the four categories and default AIFSN of EDCA: 7, 3, 2, 2, first boundaries 5, 1, 0, 0.
#[test]
fn categories_of_one_node_collide_internally() {
    let mut contention = counting::<AllBoundaries, 4>([(7, 9), (3, 2), (2, 3), (2, 5)]);
    let mut reached = Vec::new();
    // AC_BE at 1 + 2, AC_VI at 0 + 3. AC_VO has decremented at boundaries 0 to 3, AC_BK at none.
    assert_eq!(contention.next_access(), Some(3));
    contention.seize(3, |id| reached.push(id), |_| unreachable!());
    let mut collided = Vec::new();
    internal::split(&mut reached, 4, &mut collided);
    assert_eq!((&reached[..], &collided[..]), (&[ContenderId(2)][..], &[ContenderId(1)][..]));
    assert_eq!(slots(&contention), [(0, 9), (3, 1)]);
    // The backoff of AC_BE does not count at the boundary at which it begins.
    contention.defer(ContenderId(1), 4);
    contention.idle(0);
    contention.back_off(ContenderId(2), 0, 6, true);
    assert_eq!(slots(&contention), [(0, 9), (1, 4), (2, 6), (3, 1)]);
    // AC_VO at 0 + 1. Boundary 1 is the first of AC_BE: 4 - 1. AC_VI: 6 - 2.
    assert_eq!(access(&mut contention), (1, vec![3]));
    assert_eq!(slots(&contention), [(0, 9), (1, 3), (2, 4)]);
}

/// EIFS is 6 slots longer than DIFS here. Two categories of the node that sent the last frame do not wait it.
#[test]
fn a_node_is_exempt_from_eifs_with_all_its_contenders() {
    let mut contention = counting::<AllBoundaries, 4>([(2, 0), (2, 2), (3, 2), (7, 9)]);
    assert_eq!(access(&mut contention), (0, vec![0]));
    // One boundary has passed for contender 1.
    assert_eq!(slots(&contention), [(1, 1), (2, 2), (3, 9)]);
    contention.idle(6);
    contention.exempt(ContenderId(2), 0);
    contention.exempt(ContenderId(3), 0);
    // A response timeout, 2 slots longer than DIFS.
    contention.back_off(ContenderId(0), 2, 4, true);
    // Contender 2 at 1 + 2. Contender 0 counts from 2 on: 4 - 2. Contender 1 from 6, contender 3 from 5.
    assert_eq!(access(&mut contention), (3, vec![2]));
    assert_eq!(slots(&contention), [(0, 2), (1, 1), (3, 9)]);
}

/// Without a backoff, AIFSN 7 and preempted at boundary 3: EDCA draws none, the DCF draws 4.
#[test]
fn a_preempted_immediate_access_has_a_backoff_in_the_dcf_alone() {
    fn preempted<R: CounterRule>() -> (u64, Vec<ContenderId>) {
        let mut contention = Contention::<R, 2>::new([2, 7], [0, 1], LONGEST_BACKOFF);
        contention.defer(ContenderId(0), 3);
        contention.idle(0);
        assert_eq!(contention.arrive(ContenderId(1), Some(1)), Access::BackoffOver);
        contention.immediate(ContenderId(1), 1);
        assert_eq!(contention.next_access(), Some(3));
        contention.seize(3, |_| (), |_| 4);
        contention.idle(0);
        let (boundary, mut reached) = (contention.next_access().unwrap(), Vec::new());
        contention.seize(boundary, |id| reached.push(id), |_| unreachable!());
        (boundary, reached)
    }
    assert_eq!(preempted::<AllBoundaries>(), (5, vec![ContenderId(1)]));
    assert_eq!(preempted::<IdleSlots>(), (5 + 4, vec![ContenderId(1)]));
}
