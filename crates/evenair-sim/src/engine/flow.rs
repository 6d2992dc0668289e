//! A flow: its transport, and where its ends are. A flow of the scenario is one, or as many as its application has
//! connections at the same time, one after the other in the run.

use evenair_core::packet::{AccessCategory, End, FlowId, NodeId};
use evenair_core::time::Instant;
use evenair_core::transport::{Answers, AnyEnds, Counters, Output};

use crate::agenda::Timer;
use crate::capture::connections::FlowMeta;

/// One flow.
#[derive(Debug)]
pub(crate) struct Flow {
    /// "up-1", "down-3", ...
    pub(crate) id: String,
    /// The user's names, for reports.
    pub(crate) name: Option<String>,
    pub(crate) group: Option<String>,
    /// The application's name, for reports.
    pub(crate) application: &'static str,
    pub(crate) index: FlowId,
    /// The index of the flow of the scenario.
    pub(crate) row: u32,
    pub(crate) place: Attachment,
    /// The transport's name, for reports.
    pub(crate) transport_name: &'static str,
    /// Payload of a data packet, bytes.
    pub(crate) segment: u32,
    /// A data packet at IP level, bytes.
    pub(crate) data_bytes: u32,
    /// The access category of its packets.
    pub(crate) category: AccessCategory,
    /// What answers the data.
    pub(crate) answers: Answers,
    /// Whether IP sees TCP in the packets.
    pub(crate) is_tcp: bool,
    /// What captures need to know.
    pub(crate) captured: FlowMeta,
    pub(crate) start: Instant,
    pub(crate) stop: Instant,
    /// Whether its sender counts what is in the queues of its host.
    pub(crate) has_small_queue: bool,
    /// Whether congestion marks are counted.
    pub(crate) ecn: bool,
    pub(crate) started: bool,
    /// Of how many packets the options are kept, for packets of data and for what answers them.
    pub(crate) options: u32,
    /// When its ends are woken.
    pub(crate) timers: [Timer; 2],
    pub(crate) ends: AnyEnds,
    /// Of an application with a session.
    pub(crate) member: Option<Box<Member>>,
}

/// Where a flow's ends are.
#[derive(Clone, Debug)]
pub(crate) enum Attachment {
    /// At a station of the cell and at a wired host.
    Station {
        /// The station's index in the cell (the AP's is 0).
        station: u32,
        /// Whether the data go from the station to the host.
        up: bool,
        host: String,
    },
    /// At two wired hosts.
    Wired { from: String, to: String },
}

impl Attachment {
    /// The station; the access point where there is none.
    pub(crate) fn station(&self) -> NodeId {
        match self {
            Self::Station { station, .. } => NodeId(*station),
            Self::Wired { .. } => NodeId::ACCESS_POINT,
        }
    }
}

/// The place of a flow in the session that it is a slot of, and what its connections have done.
#[derive(Debug)]
pub(crate) struct Member {
    /// The index of the session in the run.
    pub(crate) session: usize,
    /// Its slot.
    pub(crate) slot: usize,
    /// The size of a segment that the last one of a transfer is filled up to, bytes; 1 where it is not.
    pub(crate) pad: u64,
    /// The number of the present connection, modulo 256.
    pub(crate) connection: u8,
    /// What the present connection transfers, without padding.
    pub(crate) bytes: u64,
    /// What the connections before it have done.
    pub(crate) past: Counters,
    /// What the session has been told of the present connection.
    pub(crate) told: Told,
}

/// What a session has been told of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    /// The first data have arrived.
    first: bool,
    /// All that it transfers has arrived.
    last: bool,
    /// The sender knows.
    done: bool,
}

impl Member {
    /// The counters of all connections. `present` are those of the present one.
    fn total(&self, present: Counters) -> Counters {
        // Without padding.
        let delivered = present.delivered.min(self.bytes);
        self.past + Counters { delivered, ..present }
    }
}

impl Flow {
    /// Whether it is over UDP, and nothing answers its datagrams.
    pub(crate) fn is_unanswered(&self) -> bool {
        matches!(self.ends, AnyEnds::Udp(_)) && self.answers == Answers::None
    }

    /// Whether its sender is a station and counts what that has not sent yet.
    pub(crate) fn counts_station(&self) -> bool {
        self.has_small_queue && matches!(self.place, Attachment::Station { up: true, .. })
    }

    /// The same of a sender at a wired host.
    pub(crate) fn counts_wired_host(&self) -> bool {
        self.has_small_queue && !self.counts_station()
    }

    /// Whether its datagrams are sent back.
    pub(crate) fn is_echoed(&self) -> bool {
        self.captured.is_echoed
    }

    /// When an end is to be woken.
    #[inline]
    pub(crate) fn poll_at(&self, end: End) -> Instant {
        self.ends.poll_at(end)
    }

    /// A session opens the next connection, over which `bytes` are transferred. Returns them with padding.
    pub(crate) fn open(&mut self, now: Instant, bytes: u64, out: &mut impl Output) -> u64 {
        let Some(member) = &mut self.member else { return 0 };
        let counters = self.ends.counters();
        // What has arrived counts, although the last acknowledgement may be under way.
        let delivered = counters.delivered.max(self.ends.received().0);
        member.past = member.total(Counters { delivered, ..counters });
        member.connection = member.connection.wrapping_add(1);
        (member.bytes, member.told) = (bytes, Told::default());
        let padded = bytes.next_multiple_of(member.pad);
        self.ends.open(now, member.connection, padded, out);
        padded
    }

    /// A session asks for `bytes` more over the present connection. Returns them with padding.
    pub(crate) fn request(&mut self, now: Instant, bytes: u64, out: &mut impl Output) -> u64 {
        let Some(member) = &mut self.member else { return 0 };
        member.bytes += bytes;
        (member.told.last, member.told.done) = (false, false);
        let padded = bytes.next_multiple_of(member.pad);
        self.ends.request(now, padded, out);
        padded
    }

    /// Whether a packet that has arrived at an end of a slot has brought what its session is to be told.
    #[inline(never)] // so that the path of all other flows stays short
    pub(crate) fn has_progressed(&mut self, end: End) -> bool {
        let Some(member) = &mut self.member else { return false };
        let told = &mut member.told;
        match end {
            End::Receiver => {
                let (received, has_data) = self.ends.received();
                let is_first = has_data && !std::mem::replace(&mut told.first, has_data);
                let is_last = received >= member.bytes && !std::mem::replace(&mut told.last, true);
                is_first || is_last
            }
            End::Sender => self.ends.is_done() && !std::mem::replace(&mut told.done, true),
        }
    }

    /// What has happened so far.
    pub(crate) fn counters(&self) -> Counters {
        let counters = self.ends.counters();
        match &self.member {
            Some(member) => member.total(counters),
            None => counters,
        }
    }
}
