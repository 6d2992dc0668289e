//! The losses of a device of this host, where it is the access point: read by rtnetlink, which has
//! both counters that exist. `/sys/class/net` has only the device's own, and shows the devices of
//! the network namespace that it was mounted in.
//!
//! Neither counter contains what mac80211 drops in its own per-station queues.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcStats2};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};

use super::counter::{Count, Counter, Reading};
use super::{LossSignal, Sample};

/// A counter of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceCounter {
    /// `tx_dropped`: packets that the device or its driver had no room for.
    Device,
    /// Drops of the device's root queueing discipline, those of its children included.
    Qdisc,
}

/// The loss signal of a device of this host.
pub struct LocalSignal {
    device: String,
    source: DeviceCounter,
    socket: Socket,
    sequence: u32,
    started: Instant,
    counter: Counter,
    error: Option<String>,
}

impl LocalSignal {
    /// Reads devices of the calling thread's network namespace. A device need not exist yet.
    pub fn open(device: &str, source: DeviceCounter) -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(LocalSignal {
            device: device.into(),
            source,
            socket,
            sequence: 0,
            started: Instant::now(),
            counter: Counter::new(Duration::ZERO, Duration::ZERO),
            error: None,
        })
    }

    fn read(&mut self) -> Result<Reading> {
        let link = self.link()?;
        let (lost, epoch) = match self.source {
            DeviceCounter::Device => (Count::Bits64(link.tx_dropped), link.index.into()),
            DeviceCounter::Qdisc => self.root_qdisc(link.index)?,
        };
        Ok(Reading { lost, activity: None, uptime: None, epoch })
    }

    fn link(&mut self) -> Result<Link> {
        let mut request = LinkMessage::default();
        request.attributes.push(LinkAttribute::IfName(self.device.clone()));
        let mut link = None;
        self.request(RouteNetlinkMessage::GetLink(request), 0, |message| {
            let RouteNetlinkMessage::NewLink(message) = message else { return };
            let stats = message.attributes.iter().find_map(|attribute| match attribute {
                LinkAttribute::Stats64(stats) => Some(stats),
                _ => None,
            });
            let index = message.header.index;
            link = stats.map(|stats| Link { index, tx_dropped: stats.tx_dropped });
        })?;
        link.context("it has no counters")
    }

    /// The drops of the root queueing discipline, and which one it is.
    fn root_qdisc(&mut self, index: u32) -> Result<(Count, u64)> {
        let request = TcMessage::default();
        // A device that is down has none, and drops nothing there.
        let mut root = (Count::Bits32(0), u64::from(index));
        self.request(RouteNetlinkMessage::GetQueueDiscipline(request), NLM_F_DUMP, |message| {
            let RouteNetlinkMessage::NewQueueDiscipline(message) = message else { return };
            let header = &message.header;
            if u32::try_from(header.index) != Ok(index) || header.parent != TcHandle::ROOT {
                return;
            }
            let drops = message.attributes.iter().find_map(|attribute| match attribute {
                TcAttribute::Stats2(stats) => stats.iter().find_map(|stats| match stats {
                    TcStats2::Queue(queue) => Some(queue.drops),
                    _ => None,
                }),
                _ => None,
            });
            let handle = u64::from(u32::from(header.handle));
            root = (Count::Bits32(drops.unwrap_or(0)), handle << 32 | u64::from(index));
        })?;
        Ok(root)
    }

    /// Sends a request, and passes on each message of the answer.
    fn request(
        &mut self,
        request: RouteNetlinkMessage,
        flags: u16,
        mut on_message: impl FnMut(RouteNetlinkMessage),
    ) -> Result<()> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        self.sequence = self.sequence.wrapping_add(1);
        header.sequence_number = self.sequence;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::from(request));
        message.finalize();
        let mut buffer = vec![0; message.buffer_len()];
        message.serialize(&mut buffer);
        self.socket.send(&buffer, 0)?;
        loop {
            let (datagram, _) = self.socket.recv_from_full()?;
            if pass_on(&datagram, self.sequence, flags & NLM_F_DUMP != 0, &mut on_message)? {
                return Ok(());
            }
        }
    }
}

/// Passes on each message of a datagram that answers the request of this number. Returns whether that was
/// the end of the answer.
///
/// # Errors
/// The datagram is damaged, or tells of an error.
pub fn pass_on(
    datagram: &[u8],
    sequence: u32,
    is_dump: bool,
    mut on_message: impl FnMut(RouteNetlinkMessage),
) -> Result<bool> {
    let mut rest = datagram;
    while !rest.is_empty() {
        let message = NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest)?;
        let length = usize::try_from(message.header.length)?.next_multiple_of(4);
        rest = rest.get(length..).unwrap_or_default();
        if message.header.sequence_number != sequence {
            continue;
        }
        match message.payload {
            NetlinkPayload::Done(_) => return Ok(true),
            NetlinkPayload::Error(error) => bail!(error.to_io()),
            NetlinkPayload::InnerMessage(inner) => on_message(inner),
            _ => {}
        }
        if !is_dump {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Link {
    index: u32,
    tx_dropped: u64,
}

impl LossSignal for LocalSignal {
    fn poll(&mut self, active: bool) -> Sample {
        match self.read() {
            Ok(reading) => {
                self.error = None;
                self.counter.read(self.started.elapsed(), reading);
            }
            Err(error) => self.error = Some(format!("device {}: {error:#}", self.device)),
        }
        self.counter.sample(self.started.elapsed(), active)
    }

    /// The kernel counts each packet at once.
    fn refresh(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn error(&self) -> Option<String> {
        self.error.clone()
    }
}
