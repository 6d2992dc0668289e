//! A netfilter queue (`linux/netfilter/nfnetlink_queue.h`) over a netlink socket that can be polled:
//! packets come with an id, and each waits in the kernel until its verdict.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_NETFILTER;
use nix::sys::socket::sockopt::RcvBufForce;
use nix::sys::socket::{MsgFlags, recv, send, setsockopt};

/// The largest MSDU of 802.11 (IEEE 802.11-2007, 7.1.2): of larger packets, which will be fragmented,
/// only the beginning is read.
pub const LARGEST_COPY: usize = 2304;
/// A message has besides the packet some headers and attributes of fixed size.
const LARGEST_MESSAGE: usize = LARGEST_COPY + 1024;
/// Room for packets that are not yet read, bytes; the kernel counts some 2 to 4 kB for each. At
/// 100 Mb/s this is 100 ms.
const RECEIVE_BUFFER: usize = 4 << 20;

const NETLINK_HEADER: usize = 16;
/// Header of netlink, and that of netfilter: family, version, queue number.
const HEADERS: usize = NETLINK_HEADER + 4;

/// A queue that this process serves. Dropping it drops what waits in it, and opens the bypass.
pub struct NetfilterQueue {
    socket: Socket,
    number: u16,
    buffer: Vec<u8>,
}

/// A packet in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    /// Its number in the queue.
    pub id: u32,
    /// Its size, bytes at IP level.
    pub size: usize,
    /// Its first bytes.
    pub bytes: &'a [u8],
}

impl NetfilterQueue {
    /// Serves queue `number` of the calling thread's network namespace. Of `capacity` packets and more
    /// the kernel lets the rest pass.
    ///
    /// # Errors
    /// Another process serves it, the process may not, or the kernel has no such queues.
    pub fn open(number: u16, capacity: u32) -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_NETFILTER)?;
        socket.bind_auto()?;
        socket.set_no_enobufs(true)?;
        setsockopt(&socket, RcvBufForce, &RECEIVE_BUFFER)?;
        let mut queue = Self { socket, number, buffer: vec![0; LARGEST_MESSAGE] };
        let fail_open = (libc::NFQA_CFG_F_FAIL_OPEN as u32).to_be_bytes();
        queue.configure(libc::NFQA_CFG_CMD, &[libc::NFQNL_CFG_CMD_BIND as u8, 0, 0, 0])?;
        queue.configure(libc::NFQA_CFG_QUEUE_MAXLEN, &capacity.to_be_bytes())?;
        let mut both = Vec::new();
        put_attribute(&mut both, libc::NFQA_CFG_MASK, &fail_open);
        put_attribute(&mut both, libc::NFQA_CFG_FLAGS, &fail_open);
        queue.configure_all(&both)?;
        let mut copy = (LARGEST_COPY as u32).to_be_bytes().to_vec();
        copy.push(libc::NFQNL_COPY_PACKET as u8);
        queue.configure(libc::NFQA_CFG_PARAMS, &copy)?;
        queue.socket.set_non_blocking(true)?;
        Ok(queue)
    }

    /// The next packet that has arrived, if there is one.
    ///
    /// # Errors
    /// The socket fails.
    pub fn receive(&mut self) -> io::Result<Option<Arrival<'_>>> {
        loop {
            let length = match recv(self.socket.as_raw_fd(), &mut self.buffer, MsgFlags::empty()) {
                Ok(length) => length,
                Err(nix::errno::Errno::EAGAIN) => return Ok(None),
                Err(nix::errno::Errno::EINTR) => continue,
                Err(err) => return Err(err.into()),
            };
            // The kernel sends each packet as a message of its own. Other messages are errors of
            // verdicts, for packets that the kernel has dropped with their device.
            if packet(&self.buffer[..length]).is_some() {
                return Ok(packet(&self.buffer[..length]));
            }
        }
    }

    /// Lets a packet pass, with other bytes if there are some.
    pub fn accept(&self, id: u32, bytes: Option<&[u8]>) -> io::Result<()> {
        self.decide(libc::NF_ACCEPT, id, bytes)
    }

    /// Drops a packet.
    pub fn drop(&self, id: u32) -> io::Result<()> {
        self.decide(libc::NF_DROP, id, None)
    }

    fn decide(&self, verdict: i32, id: u32, bytes: Option<&[u8]>) -> io::Result<()> {
        let mut attributes = Vec::with_capacity(12);
        let verdict = [verdict.cast_unsigned().to_be_bytes(), id.to_be_bytes()].concat();
        put_attribute(&mut attributes, libc::NFQA_VERDICT_HDR, &verdict);
        if let Some(bytes) = bytes {
            put_attribute(&mut attributes, libc::NFQA_PAYLOAD, bytes);
        }
        self.send(libc::NFQNL_MSG_VERDICT, 0, &attributes)
    }

    fn configure(&mut self, attribute: i32, value: &[u8]) -> io::Result<()> {
        let mut attributes = Vec::new();
        put_attribute(&mut attributes, attribute, value);
        self.configure_all(&attributes)
    }

    /// Sends a configuration, and waits for the kernel's answer. Nothing else can arrive before the
    /// rule is there that sends packets.
    fn configure_all(&mut self, attributes: &[u8]) -> io::Result<()> {
        self.send(libc::NFQNL_MSG_CONFIG, libc::NLM_F_ACK as u16, attributes)?;
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut self.buffer, MsgFlags::empty())?;
            let message = &self.buffer[..length];
            let Some(header) = message.get(..NETLINK_HEADER) else { continue };
            if i32::from(u16::from_ne_bytes([header[4], header[5]])) != libc::NLMSG_ERROR {
                continue;
            }
            let code = message.get(NETLINK_HEADER..).and_then(|rest| rest.first_chunk());
            return match code.copied().map_or(-libc::EPROTO, i32::from_ne_bytes) {
                0 => Ok(()),
                code => Err(io::Error::from_raw_os_error(-code)),
            };
        }
    }

    fn send(&self, kind: i32, flags: u16, attributes: &[u8]) -> io::Result<()> {
        let length = (HEADERS + attributes.len()) as u32;
        let kind = (libc::NFNL_SUBSYS_QUEUE << 8 | kind) as u16;
        let flags = libc::NLM_F_REQUEST as u16 | flags;
        let mut message = Vec::with_capacity(length as usize);
        message.extend(length.to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(flags.to_ne_bytes());
        // Sequence number and port: the kernel fills in the port.
        message.extend([0; 8]);
        message.extend([libc::AF_UNSPEC as u8, libc::NFNETLINK_V0 as u8]);
        message.extend(self.number.to_be_bytes());
        message.extend(attributes);
        send(self.socket.as_raw_fd(), &message, MsgFlags::empty())?;
        Ok(())
    }
}

impl AsFd for NetfilterQueue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The packet in a message, if it is one of a packet.
pub fn packet(message: &[u8]) -> Option<Arrival<'_>> {
    let kind = u16::from_ne_bytes([*message.get(4)?, *message.get(5)?]);
    if i32::from(kind) != libc::NFNL_SUBSYS_QUEUE << 8 | libc::NFQNL_MSG_PACKET {
        return None;
    }
    let (mut id, mut size, mut bytes) = (None, None, &[][..]);
    let mut rest = message.get(HEADERS..)?;
    while let Some((head, _)) = rest.split_first_chunk::<4>() {
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
        let kind = i32::from(u16::from_ne_bytes([head[2], head[3]]));
        let value = rest.get(4..length)?;
        let number = value.first_chunk().copied().map(u32::from_be_bytes);
        match kind & libc::NLA_TYPE_MASK {
            libc::NFQA_PACKET_HDR => id = number,
            libc::NFQA_CAP_LEN => size = number,
            libc::NFQA_PAYLOAD => bytes = value,
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    let size = size.map_or(bytes.len(), |size| size as usize);
    Some(Arrival { id: id?, size, bytes })
}

fn put_attribute(message: &mut Vec<u8>, kind: i32, value: &[u8]) {
    message.extend((4 + value.len() as u16).to_ne_bytes());
    message.extend((kind as u16).to_ne_bytes());
    message.extend(value);
    message.resize(message.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A message as the kernel writes it: id 7, an index of a device, a length of 5, 3 bytes.
    fn message() -> Vec<u8> {
        let mut message = vec![0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1];
        message.extend([11, 0, 1, 0, 0, 0, 0, 7, 8, 0, 2, 0]);
        message.extend([8, 0, 6, 0, 0, 0, 0, 3]);
        message.extend([8, 0, 13, 0, 0, 0, 0, 5]);
        message.extend([7, 0, 10, 0, 1, 2, 3]);
        message
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn a_message_of_a_packet() {
        let expected = Arrival { id: 7, size: 5, bytes: &[1, 2, 3] };
        assert_eq!(packet(&message()), Some(expected));
        let mut error = message();
        error[4..6].copy_from_slice(&2_u16.to_ne_bytes());
        assert_eq!(packet(&error), None);
    }

    #[test]
    fn attributes_are_padded() {
        let mut bytes = Vec::new();
        put_attribute(&mut bytes, 2, &[9; 5]);
        assert_eq!(bytes.len(), 12);
        assert_eq!(bytes[..2], 9_u16.to_ne_bytes());
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(10_000))]

        #[test]
        fn damaged_messages_do_no_harm(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut message = message();
            for (place, byte) in changes {
                let place = place.index(message.len());
                message[place] = byte;
            }
            message.truncate(cut.index(message.len() + 1));
            let _ = packet(&message);
        }
    }
}
