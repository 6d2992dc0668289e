//! What the data path counts, against what arrives on the other side.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests with real time")]

mod support;

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::thread;
use std::time::Duration;

use evenaird::data_path::{Counters, DataPath, Policy, Protocol, Tcx, Traffic};
use nix::libc;
use support::cell::{Cell, of, policy};
use support::namespace::{Namespace, connect};
use support::{capable, report};

/// Sends `bytes` from one namespace to an address of another.
fn transfer(from: &Namespace, to: &Namespace, address: &str, bytes: usize) {
    let listener = to.enter(|| TcpListener::bind((address, 80)).unwrap());
    let mut source = from.enter(|| TcpStream::connect((address, 80)).unwrap());
    let (mut sink, _) = listener.accept().unwrap();
    for stream in [&source, &sink] {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    }
    thread::scope(|scope| {
        scope.spawn(move || {
            source.write_all(&vec![0x55; bytes]).unwrap();
            source.shutdown(std::net::Shutdown::Write).unwrap();
            assert_eq!(source.read(&mut [0]).unwrap(), 0);
        });
        let mut received = Vec::new();
        sink.read_to_end(&mut received).unwrap();
        assert_eq!(received.len(), bytes);
        drop(sink);
    });
    // The last acknowledgements.
    thread::sleep(Duration::from_millis(100));
}

/// A station and a server of which the gateway is the router. Towards both, the gateway sends
/// packets, not super-packets: their devices count what would be on the air.
fn routed() -> (Cell, Namespace, [String; 2]) {
    let cell = Cell::new();
    let server = Namespace::new();
    let wired = connect((&cell.gateway, "wan0"), (&server, "srv0"), 2);
    cell.gateway.enter(|| {
        for path in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] {
            std::fs::write(format!("/proc/sys/net/{path}"), "1").unwrap();
        }
    });
    for (namespace, addresses) in [(&cell.station, &cell.addresses), (&server, &wired)] {
        let gateway = if std::ptr::eq(namespace, &server) { 0 } else { 1 };
        namespace.ip(&format!("route add default via {}", addresses.v4[gateway]));
        namespace.ip(&format!("-6 route add default via {}", addresses.v6[gateway]));
    }
    for device in ["ap0", "wan0"] {
        cell.gateway.ip(&format!("link set {device} gso_max_segs 1"));
    }
    let [v4, v6] = [wired.v4[1].clone(), wired.v6[1].clone()];
    (cell, server, [v4, v6])
}

/// Uploads and downloads by TCP: packets and bytes, counted by the programs and by the devices of
/// station and server.
fn counts_what_is_on_the_air(gso: bool, limit: &Policy, bytes: usize) -> Counters {
    const TRIES: usize = 5;
    let counters = (0..TRIES).find_map(|_| counts_if_all_arrive(gso, limit, bytes));
    counters.expect("a measurement in which the kernel has no full backlog")
}

/// None if a processor was so busy that its backlog was full behind the gateway: what is dropped there
/// was charged and does not arrive.
fn counts_if_all_arrive(gso: bool, limit: &Policy, bytes: usize) -> Option<Counters> {
    let (cell, server, servers) = routed();
    if !gso {
        cell.station.ip("link set sta0 gso_max_segs 1");
        server.ip("link set srv0 gso_max_segs 1");
    }
    let mut data_path = cell.attach(limit);
    let before = [server.received("srv0"), cell.station.received("sta0")];
    // A device that is set up before its other end may have dropped a report of its groups.
    let not_sent = || ["ap0", "wan0"].map(|device| cell.gateway.not_sent(device));
    let not_sent_before = not_sent();
    for (address, station) in servers.iter().zip([&cell.addresses.v4[0], &cell.addresses.v6[0]]) {
        transfer(&cell.station, &server, address, bytes);
        transfer(&server, &cell.station, station, bytes);
    }
    let counters = cell.counters(&mut data_path);
    let lost = not_sent().iter().sum::<u64>() - not_sent_before.iter().sum::<u64>();
    if lost > 0 {
        report(&format!("TCP: the kernel dropped {lost} packets behind the gateway"));
        return None;
    }
    let after = [server.received("srv0"), cell.station.received("sta0")];
    for (end, counted) in [&counters.up, &counters.down].into_iter().enumerate() {
        let packets = after[end].0 - before[end].0;
        let bytes = after[end].1 - before[end].1;
        let counted = of(counted, Protocol::Tcp);
        report(&format!(
            "TCP, GSO {}, {}: charged {} bytes in {} packets, arrived {bytes} in {packets}",
            if gso { "on" } else { "off" },
            ["up", "down"][end],
            counted.bytes,
            counted.packets
        ));
        assert_eq!(counted, Traffic { packets, bytes });
    }
    Some(counters)
}

#[test]
fn tcp_is_charged_as_it_arrives() {
    let Some(_alone) = capable("bytes of TCP") else { return };
    for gso in [true, false] {
        let unlimited = policy(Policy::UNLIMITED, 100_000);
        let counters = counts_what_is_on_the_air(gso, &unlimited, 5_000_000);
        assert_eq!(of(&counters.dropped, Protocol::Tcp), Traffic::default());
    }
}

#[test]
#[ignore = "long, in real time"]
fn policed_tcp_is_charged_as_it_arrives() {
    let Some(_alone) = capable("bytes of policed TCP") else { return };
    for gso in [true, false] {
        let counters = counts_what_is_on_the_air(gso, &policy(50_000_000, 500_000), 4_000_000);
        assert!(of(&counters.dropped, Protocol::Tcp).packets > 0);
    }
}

/// Sends a frame on a device of the thread's namespace.
fn send_frame(device: &str, frame: &[u8]) {
    let protocol = i32::from(u16::try_from(libc::ETH_P_ALL).unwrap().to_be());
    let index = nix::net::if_::if_nametoindex(device).unwrap();
    // SAFETY: a socket without further conditions; the descriptor is nobody else's.
    let socket =
        unsafe { OwnedFd::from_raw_fd(libc::socket(libc::AF_PACKET, libc::SOCK_RAW, protocol)) };
    // SAFETY: a sockaddr_ll of zeros is valid.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = u16::try_from(libc::AF_PACKET).unwrap();
    address.sll_ifindex = i32::try_from(index).unwrap();
    let length = u32::try_from(size_of_val(&address)).unwrap();
    // SAFETY: frame and address are valid for their lengths.
    let sent = unsafe {
        let (data, to) = (frame.as_ptr().cast(), (&raw const address).cast());
        libc::sendto(socket.as_raw_fd(), data, frame.len(), 0, to, length)
    };
    assert_eq!(usize::try_from(sent), Ok(frame.len()), "{}", std::io::Error::last_os_error());
}

/// The kernel takes a VLAN tag (IEEE 802.1Q) off the packet before the program sees it.
#[test]
fn vlan_tags_do_not_hide_the_protocol() {
    let Some(_alone) = capable("VLAN") else { return };
    let cell = Cell::new();
    let mut data_path = cell.attach(&Policy { udp_rate_bps: Some(0), ..policy(0, 250) });
    let mut frame = vec![2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 1, 0x81, 0, 0, 5, 8, 0];
    frame.extend([0x45, 0, 0, 100, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 1, 1, 10, 0, 1, 2]);
    frame.resize(14 + 4 + 100, 0);
    cell.station.enter(|| (0..3).for_each(|_| send_frame("sta0", &frame)));
    let counters = cell.counters(&mut data_path);
    let expected = |packets| Traffic { packets, bytes: packets * 100 };
    assert_eq!(of(&counters.up, Protocol::Udp), expected(2));
    assert_eq!(of(&counters.dropped, Protocol::Udp), expected(1));
}

/// A TUN device `ap0` in the thread's namespace.
fn tun() -> File {
    let file = OpenOptions::new().read(true).write(true).open("/dev/net/tun").unwrap();
    // SAFETY: an ifreq of zeros is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"ap0") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = i16::try_from(libc::IFF_TUN | libc::IFF_NO_PI).unwrap();
    // SAFETY: TUNSETIFF reads and writes one ifreq.
    let status = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &raw mut request) };
    assert_eq!(status, 0, "{}", std::io::Error::last_os_error());
    file
}

/// A device without link layer: packets begin with their IP header.
#[test]
fn devices_without_link_layer_are_policed() {
    let Some(_alone) = capable("TUN device") else { return };
    let gateway = Namespace::new();
    let directory = tempfile::tempdir().unwrap();
    let options = evenaird::data_path::Options {
        runtime_directory: directory.path().to_owned(),
        ..Default::default()
    };
    gateway.enter(|| {
        let mut tun = tun();
        gateway.ip("link set ap0 addrgenmode none up");
        gateway.ip("address add 10.0.1.2/24 dev ap0");
        gateway.ip("-6 address add fd00:1::2/64 dev ap0 nodad");
        let mut data_path = Tcx::attach("ap0", &policy(0, 300), &options).unwrap();
        let mut v4 = vec![0x45, 0, 0, 128, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 1, 1, 10, 0, 1, 2];
        v4.resize(128, 0);
        let mut v6 = vec![0x60, 0, 0, 0, 0, 60, 6, 64];
        v6.resize(100, 0);
        // 128 and 100 bytes leave 72 of 300.
        for packet in [&v4, &v6, &v4, &v6] {
            assert_eq!(tun.write(packet).unwrap(), packet.len());
        }
        // Packets cut off in the IP header, which no test run accepts: they pass.
        for packet in [&v4[..19], &v4[..1], &v6[..39], &v6[..1]] {
            assert_eq!(tun.write(packet).unwrap(), packet.len());
        }
        let socket = UdpSocket::bind("10.0.1.2:0").unwrap();
        socket.send_to(&[0; 500], "10.0.1.1:9").unwrap();
        let one = |bytes| Traffic { packets: 1, bytes };
        let other = Traffic { packets: 4, bytes: 19 + 1 + 39 + 1 };
        let counters = data_path.counters().unwrap();
        assert_eq!(counters.up, [one(100), one(128), other]);
        assert_eq!(counters.dropped, [one(100), one(128), Traffic::default()]);
        assert_eq!(counters.down[1], one(528));
    });
}
