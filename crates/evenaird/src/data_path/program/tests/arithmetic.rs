//! The policer's tokens, packet by packet.

use std::{cell::Cell, thread};

use evenair_core::{time::Instant, token_bucket::TokenBucket, units::Rate};
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};
use proptest::prelude::*;

use super::*;

fn policy(rate_bps: u64, bucket_bytes: u64) -> Policy {
    Policy { rate_bps, udp_rate_bps: None, bucket_bytes, lease: None }
}

/// A TCP packet that is charged `bytes`: `segments` with 40 bytes of headers each, and payload.
fn packet(segments: u32, bytes: u32) -> Frame {
    let payload = usize::try_from(bytes - 40 * segments).unwrap();
    let frame = ethernet(0x0800, &ipv4(6, &[], &tcp(20, payload)));
    let (gso_segs, gso_size) = if segments > 1 { (segments, 1460) } else { (0, 0) };
    Frame { gso_segs, gso_size, ..frame }
}

fn datagram(bytes: usize) -> Frame {
    ethernet(0x0800, &ipv4(17, &[], &vec![0; bytes - 20]))
}

#[derive(Clone, Debug)]
enum Step {
    /// Segments, and bytes of payload in all.
    Packet(u32, u32),
    Rate(u64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        // Super-packets of up to 120 kB: the programs see the number of segments and the payload.
        4 => (prop_oneof![3 => Just(1_u32), 1 => 2..3000_u32], 0..2000_u32)
            .prop_map(|(segments, payload)| Step::Packet(segments, payload)),
        2 => prop_oneof![
            Just(0),
            Just(1),
            1..10_000_u64,
            100_000..100_000_000_u64,
            1_000_000_000_000..Policy::UNLIMITED,
        ]
        .prop_map(Step::Rate),
        4 => prop_oneof![
            0..10_u64,
            0..10_000_000_u64,
            0..10_000_000_000_u64,
            // Hours, up to a day; and 100 years.
            3_600_000_000_000..86_400_000_000_000_u64,
            Just(3_155_760_000_000_000_000),
        ]
        .prop_map(Step::Wait),
    ]
}

#[test]
fn every_packet_meets_the_fate_that_the_core_gives_it() {
    if Kernel::new(14).is_none() {
        return;
    }
    // Few cases with many steps: the programs are loaded for each case.
    let config = evenair_testing::config!(30);
    let steps = prop::collection::vec(step(), 1..600);
    let bucket = prop_oneof![40..2_000_u64, 50_000..500_000_u64, Just(MAX_BUCKET_BYTES)];
    let (passed, dropped) = (Cell::new(0), Cell::new(0));
    proptest!(config, |(bytes in bucket, rate in 1..50_000_000_u64, steps in steps)| {
        let mut kernel = Kernel::new(14).unwrap();
        let mut reference = TokenBucket::new(Rate::from_bps(rate), bytes);
        kernel.set_policy(&policy(rate, bytes));
        for step in steps {
            match step {
                Step::Packet(segments, payload) => {
                    let bytes = segments * 40 + payload;
                    let expected = reference.take(Instant::from_nanos(kernel.now), u64::from(bytes));
                    prop_assert_eq!(kernel.passes(&packet(segments, bytes)), expected);
                    let fates = if expected { &passed } else { &dropped };
                    fates.set(fates.get() + 1);
                }
                Step::Rate(rate) => {
                    reference.set_rate(Instant::from_nanos(kernel.now), Rate::from_bps(rate));
                    kernel.set_policy(&policy(rate, bytes));
                }
                Step::Wait(time) => kernel.now = kernel.now.saturating_add(time),
            }
        }
    });
    assert!(passed.get() > 1000 && dropped.get() > 1000, "{passed:?} and {dropped:?} packets");
}

/// By hand: 1,500 bytes at 1.2 Mb/s are 10 ms. Packets come every 5 ms, the bucket holds two: the
/// third finds 10 ms of tokens, and from then on every other one passes.
#[test]
fn a_policed_stream_passes_at_the_rate() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    kernel.set_policy(&policy(1_200_000, 3000));
    let fates: Vec<bool> = (0..9)
        .map(|i| {
            kernel.now = i * 5_000_000;
            kernel.passes(&packet(1, 1500))
        })
        .collect();
    assert_eq!(fates, [true, true, true, false, true, false, true, false, true]);
}

/// By hand: 1,000 bytes are 8e12 tokens, which at 3 bit/s take 2,666,666,666,667 ns, rounded up.
#[test]
fn an_empty_bucket_is_full_at_the_first_nanosecond_that_suffices() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    kernel.set_policy(&policy(3, 1000));
    assert!(kernel.passes(&packet(1, 1000)));
    kernel.now = 2_666_666_666_666;
    assert!(!kernel.passes(&packet(1, 1000)));
    kernel.now += 1;
    assert!(kernel.passes(&packet(1, 1000)));
}

/// A bucket that does not fill passes its size, whichever processor takes from it.
#[test]
fn two_processors_take_no_token_twice() {
    const EACH: u32 = 3_000_000;
    const PASS: u64 = 4_500_000;
    let Some(kernel) = Kernel::new(14) else { return };
    let all = sched_getaffinity(Pid::this()).unwrap();
    let mut processors = (0..CpuSet::count()).filter(|&cpu| all.is_set(cpu).unwrap()).cycle();
    kernel.set_policy(&policy(0, PASS * 100 + 99));
    thread::scope(|scope| {
        for _ in 0..2 {
            let (kernel, processor) = (&kernel, processors.next().unwrap());
            scope.spawn(move || {
                let mut own = CpuSet::new();
                own.set(processor).unwrap();
                sched_setaffinity(Pid::from_raw(0), &own).unwrap();
                kernel.repeat(UP, &packet(1, 100), EACH);
            });
        }
    });
    let counters = kernel.programs.counters().unwrap();
    let expected = |packets| Traffic { packets, bytes: packets * 100 };
    assert_eq!(counters.up[Protocol::Tcp as usize], expected(PASS));
    assert_eq!(counters.dropped[Protocol::Tcp as usize], expected(2 * u64::from(EACH) - PASS));
}

#[test]
fn a_rate_change_neither_fills_nor_empties_the_bucket() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    kernel.set_policy(&policy(8_000_000, 10_000));
    assert!(kernel.passes(&packet(1, 1000)));
    // 1,000 changes at one time, then 500 us at 8 Mb/s, of which 1 us is a byte.
    for change in 0..1000 {
        kernel.set_policy(&policy(1_000_000 + change, 10_000));
    }
    kernel.set_policy(&policy(8_000_000, 10_000));
    kernel.now = 500_000;
    kernel.set_policy(&policy(0, 10_000));
    kernel.now = 2_000_000_000;
    assert!(!kernel.passes(&packet(200, 9501)));
    assert!(kernel.passes(&packet(200, 9500)));
    assert!(!kernel.passes(&packet(1, 40)));
}

#[test]
fn a_bucket_changes_its_size_and_keeps_its_tokens() {
    let Some(kernel) = Kernel::new(14) else { return };
    kernel.set_policy(&policy(0, 10_000));
    assert!(kernel.passes(&packet(80, 4000)));
    kernel.set_policy(&policy(0, 100_000)); // 6,000 are left
    assert!(!kernel.passes(&packet(150, 6001)));
    kernel.set_policy(&policy(0, 1000)); // 1,000 are left
    kernel.set_policy(&policy(0, 100_000));
    assert!(!kernel.passes(&packet(1, 1001)));
    assert!(kernel.passes(&packet(1, 1000)));
    assert!(!kernel.passes(&packet(1, 40)));
}

#[test]
fn no_limit_passes_everything_and_leaves_a_full_bucket() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    kernel.set_policy(&policy(Policy::UNLIMITED, 3000));
    for _ in 0..100 {
        assert!(kernel.passes(&packet(1000, 40_000)));
    }
    kernel.now = 1;
    kernel.set_policy(&policy(0, 3000));
    assert!(!kernel.passes(&packet(70, 3001)));
    assert!(kernel.passes(&packet(70, 3000)));
    assert!(!kernel.passes(&packet(1, 40)));
}

#[test]
fn udp_has_a_bucket_of_its_own_when_it_has_a_rate() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    let shared = policy(0, 3000);
    let own = Policy { udp_rate_bps: Some(8_000_000), ..shared };
    kernel.set_policy(&own);
    assert!(kernel.passes(&datagram(3000)) && !kernel.passes(&datagram(28)));
    assert!(kernel.passes(&packet(1, 2000)));
    // 1 us at 8 Mb/s is a byte.
    kernel.now = 28_000;
    assert!(kernel.passes(&datagram(28)) && !kernel.passes(&datagram(28)));
    // Shared: what is left in the bucket of all.
    kernel.set_policy(&shared);
    assert!(kernel.passes(&datagram(600)));
    assert!(kernel.passes(&packet(1, 400)) && !kernel.passes(&datagram(28)));
    // A bucket that comes back is full.
    kernel.set_policy(&own);
    assert!(kernel.passes(&datagram(3000)) && !kernel.passes(&datagram(28)));
}

#[test]
fn everything_passes_after_the_lease() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    let lease = std::time::Duration::from_secs(5);
    let leased = Policy { lease: Some(lease), ..policy(0, 1000) };
    kernel.now = 1_000_000_000;
    kernel.set_policy(&leased);
    assert!(kernel.passes(&packet(1, 1000)));
    kernel.now = 5_999_999_999;
    assert!(!kernel.passes(&packet(1, 40)));
    kernel.set_policy(&leased);
    kernel.now = 10_999_999_999;
    assert!(!kernel.passes(&packet(1, 40)));
    kernel.now += 1;
    assert!(kernel.passes(&packet(1, 1500)));
    // Another policy holds again; the tokens are those of before.
    kernel.set_policy(&leased);
    assert!(!kernel.passes(&packet(1, 40)));
}

#[test]
fn a_clock_that_goes_back_earns_nothing() {
    let Some(mut kernel) = Kernel::new(14) else { return };
    kernel.now = 1_000_000_000;
    kernel.set_policy(&policy(8_000_000, 1000));
    assert!(kernel.passes(&packet(1, 1000)));
    kernel.now = 0;
    assert!(!kernel.passes(&packet(1, 40)));
    kernel.set_policy(&policy(8_000_000, 1000));
    // 1 us at 8 Mb/s is a byte, from the latest time on.
    kernel.now = 1_000_039_999;
    assert!(!kernel.passes(&packet(1, 40)));
    kernel.now += 1;
    assert!(kernel.passes(&packet(1, 40)));
}

#[test]
fn buckets_that_cannot_be_represented_are_refused() {
    let refusal = |bytes| message(&policy(1, bytes)).map(|_| ()).map_err(|e| e.to_string());
    assert_eq!(refusal(0), Err("bucket: got 0 bytes; accepted: 1 to 1152921504".to_owned()));
    assert!(refusal(MAX_BUCKET_BYTES + 1).is_err());
    assert_eq!(refusal(MAX_BUCKET_BYTES), Ok(()));
}
