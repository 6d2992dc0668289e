//! A device whose queue loses packets as told: a TUN device that nobody reads in time.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use super::namespace::ip;

pub struct Radio {
    device: File,
    socket: UdpSocket,
}

pub const NAME: &str = "radio0";

/// Packets that the device's queue holds.
const ROOM: u64 = 10;

/// `tun(4)`: a TUN device, packets without a header of flags and protocol.
const IFF_TUN_IFF_NO_PI: i16 = 0x0001 | 0x1000;
/// `_IOW('T', 202, int)` of linux/if_tun.h.
const TUNSETIFF: libc::Ioctl = 0x4004_54ca;

impl Radio {
    /// Creates the device in the namespace of the calling thread.
    pub fn new() -> Self {
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/net/tun")
            .unwrap();
        // struct ifreq of netdevice(7): 16 bytes of name, then a union of which the flags are used.
        let mut request = [0_u8; 40];
        request[..NAME.len()].copy_from_slice(NAME.as_bytes());
        request[16..18].copy_from_slice(&IFF_TUN_IFF_NO_PI.to_ne_bytes());
        // SAFETY: the descriptor is open, and the buffer is as long as a struct ifreq.
        let result = unsafe { libc::ioctl(device.as_raw_fd(), TUNSETIFF, request.as_mut_ptr()) };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        // No IPv6 address, so that the kernel sends nothing of its own.
        ip(&format!("link set {NAME} addrgenmode none txqueuelen {ROOM}"));
        ip(&format!("address add 192.0.2.1/24 dev {NAME}"));
        ip(&format!("link set {NAME} up"));
        let socket = UdpSocket::bind("192.0.2.1:0").unwrap();
        socket.connect("192.0.2.2:9").unwrap();
        Radio { device, socket }
    }

    /// Sends packets of which `lost` are lost and some are not.
    pub fn lose(&mut self, lost: u64) {
        self.send(ROOM + lost);
        let mut passed = 0;
        loop {
            match self.device.read(&mut [0; 2000]) {
                Ok(_) => passed += 1,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(passed, ROOM, "the queue holds another number of packets than told");
    }

    /// Sends packets of 128 bytes into the device.
    pub fn send(&self, packets: u64) {
        for _ in 0..packets {
            self.socket.send(&[0; 100]).unwrap();
        }
    }
}
