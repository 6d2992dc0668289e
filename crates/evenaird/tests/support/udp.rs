//! UDP traffic at a rate, and when the kernel received each datagram.

use std::io::IoSliceMut;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::cmsg_space;
use nix::sys::socket::sockopt::{RcvBufForce, ReceiveTimestampns, UdpGsoSegment};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;

/// Bytes that IPv4 and UDP add to a payload.
pub const HEADERS: u64 = 28;

/// Sends datagrams of `payload` bytes at `rate` bit/s at IP level until `stop`, in super-packets of
/// `segments` datagrams. Returns how many it sent.
pub fn send_at(
    socket: &UdpSocket,
    rate: u64,
    payload: usize,
    segments: usize,
    stop: &AtomicBool,
) -> u64 {
    if segments > 1 {
        setsockopt(socket, UdpGsoSegment, &i32::try_from(payload).unwrap()).unwrap();
    }
    let buffer = vec![0; payload * segments];
    let bits = (payload as u64 + HEADERS) * 8 * segments as u64;
    let start = Instant::now();
    let mut sent = 0;
    loop {
        let due = start + Duration::from_nanos(sent * bits * 1_000_000_000 / rate);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if stop.load(Ordering::Relaxed) {
            return sent * segments as u64;
        }
        socket.send(&buffer).unwrap();
        sent += 1;
    }
}

/// The kernel's times of arrival of datagrams, s, until the sender has stopped and none comes any more.
pub fn arrivals(socket: &UdpSocket, stop: &AtomicBool) -> Vec<f64> {
    /// Longer than the pauses between datagrams that wait in a queue.
    const SILENCE: Duration = Duration::from_millis(300);
    socket.set_read_timeout(Some(SILENCE)).unwrap();
    let mut arrivals = Vec::new();
    let mut buffer = [0; 2048];
    let mut control = cmsg_space!(TimeSpec);
    loop {
        let mut parts = [IoSliceMut::new(&mut buffer)];
        let received =
            recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut control), MsgFlags::empty());
        let message = match received {
            Ok(message) => message,
            Err(_) if stop.load(Ordering::Relaxed) => return arrivals,
            Err(_) => continue,
        };
        let stamps = message.cmsgs().unwrap().filter_map(|message| match message {
            ControlMessageOwned::ScmTimestampns(time) => Some(Duration::from(time).as_secs_f64()),
            _ => None,
        });
        arrivals.extend(stamps);
    }
}

/// A receiver whose buffer holds some 10 MB, and whose datagrams have times of arrival.
pub fn receiver(address: &str) -> UdpSocket {
    let socket = UdpSocket::bind((address, 9)).unwrap();
    setsockopt(&socket, RcvBufForce, &10_000_000).unwrap();
    setsockopt(&socket, ReceiveTimestampns, &true).unwrap();
    socket
}

/// A socket that sends to the receiver.
pub fn sender(address: &str) -> UdpSocket {
    let any = if address.contains(':') { "::" } else { "0.0.0.0" };
    let socket = UdpSocket::bind((any, 0)).unwrap();
    socket.connect((address, 9)).unwrap();
    socket
}
