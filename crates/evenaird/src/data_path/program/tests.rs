//! The programs run by the kernel on packets and at times of the test (BPF_PROG_TEST_RUN).

mod arithmetic;
mod parsing;

use super::*;
use crate::data_path::Protocol;

/// `struct __sk_buff` of linux/bpf.h: its size, and the offsets of fields that a test run takes.
const CONTEXT: usize = 192;
const CB: usize = 48;
const GSO_SEGS: usize = 164;
const GSO_SIZE: usize = 176;

/// TC_ACT_SHOT of linux/pkt_cls.h.
const DROP: u32 = 2;

/// A packet as the device has it, and how it is segmented.
#[derive(Clone, Default)]
struct Frame {
    bytes: Vec<u8>,
    gso_segs: u32,
    gso_size: u32,
}

/// The programs with a clock that the test sets.
struct Kernel {
    programs: Programs,
    now: u64,
}

impl Kernel {
    /// `None`, with a line that says so, where the kernel cannot be asked.
    fn new(mac_header: u32) -> Option<Self> {
        let missing = match (BUILT, nix::unistd::geteuid().is_root()) {
            (true, true) => {
                let programs = Programs::load_with(mac_header, true).unwrap();
                return Some(Self { programs, now: 0 });
            }
            (false, _) => "clang",
            (true, false) => "root",
        };
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "missing: {missing}");
        let line = format!("skipped, for want of {missing}: a test of the BPF programs\n");
        // Past the capture of test output.
        std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).unwrap();
        None
    }

    fn run(&self, name: &str, frame: &Frame) -> u32 {
        self.repeat(name, frame, 1)
    }

    /// Runs a program many times on the same packet; returns its last result.
    fn repeat(&self, name: &str, frame: &Frame, repeat: u32) -> u32 {
        let mut context = [0; CONTEXT];
        context[CB..CB + 8].copy_from_slice(&self.now.to_le_bytes());
        context[GSO_SEGS..GSO_SEGS + 4].copy_from_slice(&frame.gso_segs.to_ne_bytes());
        context[GSO_SIZE..GSO_SIZE + 4].copy_from_slice(&frame.gso_size.to_ne_bytes());
        let options = TestRunOptions {
            data_in: Some(&frame.bytes),
            ctx_in: Some(&context),
            repeat,
            ..Default::default()
        };
        self.programs.run(name, options).unwrap()
    }

    fn set_policy(&self, policy: &Policy) {
        let bytes = message(policy).unwrap();
        assert_eq!(self.run(POLICY, &Frame { bytes, ..Default::default() }), NEXT);
    }

    /// Whether the policer passes the packet.
    fn passes(&self, frame: &Frame) -> bool {
        match self.run(UP, frame) {
            NEXT => true,
            DROP => false,
            other => panic!("result {other}"),
        }
    }

    /// What the counters say of one packet: in both directions the same.
    fn count(&self, frame: &Frame) -> (Protocol, Traffic) {
        let [up, down] = [UP, DOWN].map(|program| {
            let before = self.programs.counters().unwrap();
            assert_eq!(self.run(program, frame), NEXT);
            let after = self.programs.counters().unwrap();
            let differences = |after: [Traffic; 3], before: [Traffic; 3]| {
                [Protocol::Tcp, Protocol::Udp, Protocol::Other]
                    .into_iter()
                    .zip(after.into_iter().zip(before))
                    .filter(|(_, (after, before))| after != before)
                    .map(|(protocol, (after, before))| {
                        let packets = after.packets - before.packets;
                        (protocol, Traffic { packets, bytes: after.bytes - before.bytes })
                    })
                    .collect::<Vec<_>>()
            };
            let (counted, other) = ((after.up, before.up), (after.down, before.down));
            let (counted, other) = if program == UP { (counted, other) } else { (other, counted) };
            assert_eq!(differences(other.0, other.1), []);
            let counted = differences(counted.0, counted.1);
            assert_eq!(counted.len(), 1, "{counted:?}");
            counted[0]
        });
        assert_eq!(up, down);
        up
    }
}

/// An Ethernet frame (IEEE 802.3) of a type.
fn ethernet(ether_type: u16, payload: &[u8]) -> Frame {
    let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    bytes.extend(ether_type.to_be_bytes());
    bytes.extend(payload);
    Frame { bytes, ..Default::default() }
}

/// An IPv4 packet (RFC 791) with options.
fn ipv4(protocol: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let header = 20 + options.len();
    let mut bytes = vec![0; 20];
    bytes[0] = 0x40 | u8::try_from(header / 4).unwrap();
    bytes[2..4].copy_from_slice(&u16::try_from(header + payload.len()).unwrap().to_be_bytes());
    bytes[8..10].copy_from_slice(&[64, protocol]);
    bytes.extend(options);
    bytes.extend(payload);
    bytes
}

/// An IPv6 packet (RFC 8200); the payload begins with its extension headers.
fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    bytes[0] = 0x60;
    bytes[4..6].copy_from_slice(&u16::try_from(payload.len()).unwrap().to_be_bytes());
    bytes[6..8].copy_from_slice(&[next, 64]);
    bytes.extend(payload);
    bytes
}

/// A TCP segment (RFC 9293) with a header of `header` bytes.
fn tcp(header: usize, payload: usize) -> Vec<u8> {
    let mut bytes = vec![0; header + payload];
    bytes[12] = u8::try_from(header / 4).unwrap() << 4;
    bytes
}
