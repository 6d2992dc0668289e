//! The policer's programs, compiled for this machine. The kernel's verifier and helpers are not there:
//! `crates/evenaird/tests/policer` has them.

use std::sync::{Mutex, PoisonError};

use crate::bytes::Bytes;
use crate::reference::{self, Bucket, Policy};

/// `struct frame` of policer.c.
#[repr(C)]
struct Frame {
    bytes: *const u8,
    length: u32,
    ether_type: u32,
    is_tagged: u32,
    pkt_type: u32,
    gso_segs: u32,
    gso_size: u32,
    route: i32,
    socket: u32,
    now: u64,
}

/// `struct traffic` of limiter.bpf.c.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traffic {
    packets: u64,
    bytes: u64,
}

/// Directions (up, down, dropped) by protocols (TCP, UDP, other).
const COUNTERS: usize = 9;
const DROPPED: usize = 6;

unsafe extern "C" {
    fn policer_start(agent: *const [u8; 20], own: *const [u8; 16]);
    fn policer_up(frame: *const Frame) -> i32;
    fn policer_policy(frame: *const Frame) -> i32;
    fn policer_counters() -> *const [Traffic; COUNTERS];
}

/// The programs' maps are of the process.
static ALONE: Mutex<()> = Mutex::new(());

/// TC_ACT_UNSPEC and TC_ACT_SHOT of linux/pkt_cls.h.
const NEXT: i32 = -1;
const DROP: i32 = 2;

fn passes(bytes: &[u8], frame: Frame) -> bool {
    let length = u32::try_from(bytes.len()).unwrap();
    let frame = Frame { bytes: bytes.as_ptr(), length, ..frame };
    // SAFETY: the frame and its bytes live until the call returns; `ALONE` is held.
    match unsafe { policer_up(&raw const frame) } {
        NEXT => true,
        DROP => false,
        other => panic!("result {other}"),
    }
}

fn set(policy: &Policy, now: u64) {
    // After an Ethernet header, in host order.
    let mut bytes = vec![0; 14];
    let Policy { rate, size, udp_rate, udp_size, lease } = *policy;
    bytes.extend([rate, size, udp_rate, udp_size, lease].into_iter().flat_map(u64::to_ne_bytes));
    let frame = Frame { bytes: bytes.as_ptr(), length: bytes.len() as u32, now, ..PLAIN };
    // SAFETY: as in `passes`.
    assert_eq!(unsafe { policer_policy(&raw const frame) }, NEXT);
}

const PLAIN: Frame = Frame {
    bytes: std::ptr::null(),
    length: 0,
    ether_type: 0x0800,
    is_tagged: 0,
    pkt_type: 0,
    gso_segs: 0,
    gso_size: 0,
    route: 0,
    socket: 0,
    now: 0,
};

fn start(agent: [u8; 20]) {
    let own = reference::OWN;
    // SAFETY: both are copied, and have the sizes of the structures; `ALONE` is held.
    unsafe { policer_start(&raw const agent, &raw const own) };
}

/// A frame behind a policer that drops what it charges: it passes if it is exempt, and what is counted
/// is what the reference says.
pub fn frame(bytes: &[u8]) {
    let mut options = Bytes(bytes);
    let [kind, flags, segments] = options.take();
    let environment = reference::Environment {
        ether_type: options.u16(),
        // PACKET_HOST, BROADCAST, MULTICAST, OTHERHOST of linux/if_packet.h.
        pkt_type: u32::from(kind & 3),
        is_tagged: kind & 4 != 0,
        has_v6_agent: flags & 8 != 0,
        // BPF_FIB_LKUP_RET_SUCCESS to _FRAG_NEEDED of linux/bpf.h.
        route: i32::from(kind >> 3 & 15),
        // TCP_ESTABLISHED and TCP_CLOSE of net/tcp_states.h, the states of UDP sockets.
        socket: [0, 1, 7][usize::from(flags & 3).min(2)],
        gso_segs: if flags & 4 != 0 { u32::from(segments) } else { 0 },
        gso_size: if flags & 4 != 0 { 1 + u32::from(options.u16()) } else { 0 },
    };
    let frame = Frame {
        ether_type: environment.ether_type.into(),
        is_tagged: environment.is_tagged.into(),
        pkt_type: environment.pkt_type,
        gso_segs: environment.gso_segs,
        gso_size: environment.gso_size,
        route: environment.route,
        socket: environment.socket,
        ..PLAIN
    };
    // The kernel has a whole Ethernet header before the program runs.
    if options.0.len() < 14 {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    start(reference::AGENTS[usize::from(environment.has_v6_agent)]);
    set(&Policy { rate: 0, size: 1, udp_rate: 0, udp_size: 0, lease: u64::MAX }, 0);
    let has_passed = passes(options.0, frame);
    // SAFETY: the counters live as long as the process; `ALONE` is held.
    let counters = unsafe { *policer_counters() };
    let expected = reference::account(options.0, &environment);
    let mut counted = [Traffic { packets: 0, bytes: 0 }; COUNTERS];
    // With the bucket empty, what has no bytes at IP level costs nothing.
    let is_free = expected.is_exempt || expected.bytes == 0;
    counted[expected.protocol as usize + if is_free { 0 } else { DROPPED }] =
        Traffic { packets: expected.packets.into(), bytes: expected.bytes.into() };
    assert_eq!((has_passed, counters), (is_free, counted), "{expected:?}");
}

/// Packets, times and policies: what passes is what passes with unlimited integers.
pub fn rate(bytes: &[u8]) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    start(reference::AGENTS[0]);
    let mut steps = Bytes(bytes);
    let mut now: u64 = 0;
    let (mut all, mut udp) = (Bucket::default(), Bucket::default());
    while !steps.0.is_empty() {
        match steps.u8() & 7 {
            0 => {
                let mut rate = || if steps.u8() & 7 == 0 { u64::MAX } else { steps.u63() };
                let rates = [rate(), rate()];
                // Sizes up to that of the largest bucket of a configuration, in 1e-9 bit.
                let largest = evenaird::data_path::MAX_BUCKET_BYTES * 8_000_000_000;
                let policy = Policy {
                    rate: rates[0],
                    size: steps.u63() % largest + 1,
                    udp_rate: rates[0],
                    udp_size: steps.u63() % largest,
                    lease: if steps.u8() & 1 == 0 { u64::MAX } else { steps.u63() },
                };
                set(&policy, now);
                let expires = u128::from(now) + u128::from(policy.lease);
                all.change(now, policy.rate, policy.size, expires);
                udp.change(now, policy.udp_rate, policy.udp_size, expires);
            }
            1 => now = now.saturating_add(steps.u63()).min(i64::MAX as u64),
            kind => {
                let (is_udp, length) = (kind & 2 != 0, usize::from(steps.u16()).max(20));
                let mut frame = vec![0; 14 + length];
                frame[14] = 0x45;
                frame[16..18].copy_from_slice(&(length as u16).to_be_bytes());
                frame[23] = if is_udp { 17 } else { 6 };
                let bucket = if is_udp && udp.is_in_use() { &mut udp } else { &mut all };
                let expected = bucket.take(now, length as u64);
                let has_passed = passes(&frame, Frame { now, ..PLAIN });
                assert_eq!(has_passed, expected, "{length} bytes at {now} ns, {bucket:?}");
            }
        }
    }
}
