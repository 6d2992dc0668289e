//! 100,000 frames that are generated from a fixed seed: behind a policer that drops everything that it
//! charges, the kernel forwards nothing. The kernel's own counters are the judge.

use std::net::UdpSocket;

use evenaird::data_path::DataPath;

use crate::frames::{
    DESTINATION_OPTIONS, GATEWAY, ICMPV6, Random, UDP, any, ethernet, ipv4, ipv6, udp,
};
use crate::router::Router;
use crate::support::{capable, report};

const FRAMES: usize = 100_000;

#[test]
fn whatever_the_kernel_forwards_has_been_charged() {
    let Some(_alone) = capable("generated frames") else { return };
    let mut random = Random(29);
    let frames: Vec<Vec<u8>> = (0..FRAMES).map(|_| any(&mut random)).collect();
    let send = |is_closed: bool| {
        let router = Router::new();
        let mut data_path = router.attach(is_closed);
        // The agent is the station, from which frames come that look like its replies.
        let sockets = router.cell.gateway.enter(|| {
            data_path.set_agent(Some("10.0.1.1:161".parse().unwrap())).unwrap();
            let socket = UdpSocket::bind("10.0.1.2:40000").unwrap();
            socket.connect("10.0.1.1:161").unwrap();
            socket
        });
        let forwarded = router.forwarded_of(frames.iter().map(Vec::as_slice));
        let seen = router.policed(&mut data_path);
        sockets.set_nonblocking(true).unwrap();
        (forwarded, seen, sockets.recv(&mut [0; 9000]).is_ok())
    };
    let (open, seen, _) = send(false);
    report(&format!(
        "generated frames, open policer: forwarded {open:?}, passed and dropped {seen:?}"
    ));
    // The frames are worth it: many would be forwarded, and all but those with half a tag are seen.
    assert!(open.iter().all(|count| *count > FRAMES as u64 / 20), "{open:?}");
    assert!(seen[0] > FRAMES as u64 * 9 / 10 && seen[1] == 0, "{seen:?}");
    let (closed, seen, has_reply) = send(true);
    report(&format!("closed policer: forwarded {closed:?}, passed and dropped {seen:?}"));
    assert_eq!(closed, [0, 0]);
    assert!(seen[0] + seen[1] > FRAMES as u64 * 9 / 10 && has_reply, "{seen:?}");
}

/// Three ways past earlier policers, each of which the kernel forwards.
#[test]
fn known_ways_past_are_closed() {
    let Some(_alone) = capable("known ways past") else { return };
    let addresses = ["fd00:1::1", "fd00:2::2"];
    let beyond = [&[UDP, 200, 1, 4, 0, 0, 0, 0][..], &udp(9, 9, &[0; 100])].concat();
    let solicitation = [&[135, 0][..], &[0; 22]].concat();
    let datagram = ipv4(["10.0.1.1", "10.0.2.2"], UDP, 64, &[], &udp(9, 9, &[0; 100]));
    let frames = [
        ethernet(GATEWAY, &[], 0x86dd, &ipv6(addresses, DESTINATION_OPTIONS, 64, &beyond)),
        ethernet(GATEWAY, &[], 0x86dd, &ipv6(addresses, ICMPV6, 255, &solicitation)),
        // To another station: back to the cell.
        ethernet(GATEWAY, &[], 0x86dd, &ipv6(["fd00:1::1", "fe80::9"], ICMPV6, 255, &solicitation)),
        ethernet(GATEWAY, &[(0x8100, 0); 2], 0x0800, &datagram),
        ethernet(GATEWAY, &[(0x8100, 0); 12], 0x0800, &datagram),
        ethernet(GATEWAY, &[(0x88a8, 0), (0x8100, 0)], 0x0800, &datagram),
    ];
    let open = Router::new();
    let _data_path = open.attach(false);
    for frame in &frames {
        let forwarded: u64 = open.forwarded_of([frame.as_slice()]).iter().sum();
        assert_eq!(forwarded, 1, "{frame:02x?}");
    }
    let closed = Router::new();
    let mut data_path = closed.attach(true);
    assert_eq!(closed.forwarded_of(frames.iter().map(Vec::as_slice)), [0, 0]);
    let dropped = closed.policed(&mut data_path)[1];
    assert!(dropped >= frames.len() as u64, "{dropped} of {}", frames.len());
}
