//! Replies of the loss signal's agent are not charged, and open no way for others.

use std::net::UdpSocket;
use std::process::Command;
use std::time::Duration;

use evenaird::data_path::DataPath;

use crate::frames::{GATEWAY, UDP, ethernet, ipv4, ipv6, udp};
use crate::router::Router;
use crate::support::{capable, has_program};

/// A socket of the gateway that is connected to the agent, and the agent's own.
fn sockets(router: &Router, gateway: &str, agent: &str) -> (UdpSocket, UdpSocket) {
    let client = router.cell.gateway.enter(|| UdpSocket::bind((gateway, 0)).unwrap());
    client.connect((agent, 161)).unwrap();
    client.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let server = router.cell.station.enter(|| UdpSocket::bind((agent, 161)).unwrap());
    (client, server)
}

fn arrives(from: &UdpSocket, to: &UdpSocket) -> bool {
    from.send_to(b"reply", to.local_addr().unwrap()).unwrap();
    to.recv(&mut [0; 16]).is_ok()
}

#[test]
fn replies_pass_a_closed_policer() {
    let Some(_alone) = capable("replies of the agent") else { return };
    let router = Router::new();
    let mut data_path = router.attach(true);
    for (gateway, agent) in [("10.0.1.2", "10.0.1.1"), ("fd00:1::2", "fd00:1::1")] {
        let (client, server) = sockets(&router, gateway, agent);
        let address = server.local_addr().unwrap();
        assert!(!arrives(&server, &client), "no agent is named");
        data_path.set_agent(Some(address)).unwrap();
        assert!(arrives(&server, &client));
        // Of another port; to a socket that is not connected.
        let (other, open) = (
            router.cell.station.enter(|| UdpSocket::bind((agent, 162)).unwrap()),
            router.cell.gateway.enter(|| UdpSocket::bind((gateway, 0)).unwrap()),
        );
        open.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        assert!(!arrives(&other, &client) && !arrives(&server, &open));
        data_path.set_agent(Some((address.ip(), 162).into())).unwrap();
        assert!(!arrives(&server, &client));
        data_path.set_agent(None).unwrap();
        assert!(!arrives(&server, &client));
    }
}

/// Frames with the agent's source that lead elsewhere. The last rule of the gateway forwards whatever
/// comes to its address and is not a reply.
#[test]
fn forged_replies_are_not_forwarded() {
    let Some(_alone) = capable("forged replies") else { return };
    if !has_program("forged replies", "iptables") {
        return;
    }
    for is_closed in [false, true] {
        let router = Router::new();
        let mut data_path = router.attach(is_closed);
        let (client, server) = sockets(&router, "10.0.1.2", "10.0.1.1");
        data_path.set_agent(server.local_addr().ok()).unwrap();
        let rule = "-t nat -A PREROUTING -i ap0 -j DNAT --to-destination 10.0.2.2";
        let added = router
            .cell
            .gateway
            .enter(|| Command::new("iptables").args(rule.split_whitespace()).output().unwrap());
        assert!(added.status.success(), "{added:?}");
        client.send(b"request").unwrap();
        let port = client.local_addr().unwrap().port();
        let v4 = |to: &str, options: &[u8], port: u16| {
            ipv4(["10.0.1.1", to], UDP, 64, options, &udp(161, port, b"forged"))
        };
        let route = [131, 7, 4, 10, 0, 2, 2, 0];
        // To the server, by a source route, to a port without socket, tagged.
        let v6 = ipv6(["fd00:1::1", "fd00:2::2"], UDP, 64, &udp(161, port, b"forged"));
        let frames = [
            ethernet(GATEWAY, &[], 0x0800, &v4("10.0.2.2", &[], port)),
            ethernet(GATEWAY, &[], 0x0800, &v4("10.0.1.2", &[], port ^ 1)),
            ethernet(GATEWAY, &[(0x8100, 0); 2], 0x0800, &v4("10.0.1.2", &[], port ^ 2)),
            ethernet(GATEWAY, &[], 0x86dd, &v6),
        ];
        let routed = [ethernet(GATEWAY, &[], 0x0800, &v4("10.0.1.2", &route, port ^ 4))];
        let all = frames.iter().chain(&routed).map(Vec::as_slice);
        let forwarded: u64 = router.forwarded_of(all).iter().sum();
        if is_closed {
            assert_eq!(forwarded, 0);
        } else {
            assert!(forwarded >= frames.len() as u64, "{forwarded}");
        }
        assert!(arrives(&server, &client), "a reply is delivered, whatever the rule says");
    }
}
