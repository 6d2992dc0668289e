//! A flow: its transport, where its ends are, and the application on top.

use evenair_core::packet::{AccessCategory, End, FlowId, NodeId, Packet};
use evenair_core::time::Instant;
use evenair_core::transport::{Answers, AnyEnds, Counters, Output, PacketOption};

use crate::agenda::Timer;
use crate::capture::connections::FlowMeta;
use crate::engine::transfers::Transfers;

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
    /// Whether congestion marks are counted.
    pub(crate) ecn: bool,
    pub(crate) started: bool,
    /// The end of the application has been noted.
    pub(crate) ended: bool,
    /// Of how many packets the options are kept, for packets of data and for what answers them.
    pub(crate) options: u32,
    /// When its ends are woken.
    pub(crate) timers: [Timer; 2],
    pub(crate) ends: AnyEnds,
    /// The application, if it is one of finite transfers over TCP.
    pub(crate) transfers: Option<Box<Transfers>>,
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

impl Flow {
    /// Whether it is over UDP, and nothing answers its datagrams.
    pub(crate) fn is_unanswered(&self) -> bool {
        matches!(self.ends, AnyEnds::Udp(_)) && self.answers == Answers::None
    }

    /// Whether its datagrams are sent back.
    pub(crate) fn is_echoed(&self) -> bool {
        matches!(self.ends, AnyEnds::Udp(_)) && !self.is_unanswered()
    }

    /// A packet has come to the end that it is for, with this option. Returns when that end is to be
    /// woken.
    #[inline(always)]
    pub(crate) fn on_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        option: Option<&PacketOption>,
        out: &mut impl Output,
    ) -> Instant {
        let at = self.ends.on_packet(now, packet, option, out);
        if let Some(transfers) = &mut self.transfers {
            transfers.observe(now, &self.ends);
            return self.poll_at(packet.to);
        }
        at
    }

    /// When an end is to be woken.
    #[inline]
    pub(crate) fn poll_at(&self, end: End) -> Instant {
        let at = self.ends.poll_at(end);
        match &self.transfers {
            Some(transfers) if end == End::Sender => at.min(transfers.next_start()),
            _ => at,
        }
    }

    /// An end is woken, the sender the first time for its start. Returns the bytes of a transfer that
    /// begins.
    #[inline]
    pub(crate) fn on_timer(
        &mut self,
        now: Instant,
        end: End,
        out: &mut impl Output,
    ) -> Option<u64> {
        if end == End::Receiver {
            self.ends.on_timer(now, end, out);
            return None;
        }
        let first = !std::mem::replace(&mut self.started, true);
        match &mut self.transfers {
            Some(transfers) => {
                if first {
                    transfers.start(now);
                }
                let begun = transfers.begin(now, &mut self.ends, out);
                if begun.is_none() && !first {
                    self.ends.on_timer(now, end, out);
                }
                return begun;
            }
            None if first => self.ends.open(now, 0, u64::MAX, out),
            None => self.ends.on_timer(now, end, out),
        }
        None
    }

    /// Nothing new is sent any more.
    pub(crate) fn on_stop(&mut self, now: Instant) {
        match &mut self.transfers {
            Some(transfers) => transfers.stop(now, &mut self.ends),
            None => self.ends.stop(now),
        }
    }

    /// Whether the flow has an end of its own before that of the run.
    pub(crate) fn is_finite(&self) -> bool {
        self.transfers.as_ref().is_some_and(|transfers| transfers.is_finite())
    }

    /// Whether it has come to that end.
    pub(crate) fn is_done(&self) -> bool {
        self.transfers.as_ref().is_some_and(|transfers| transfers.is_done())
    }

    /// What has happened so far.
    pub(crate) fn counters(&self) -> Counters {
        let counters = self.ends.counters();
        match &self.transfers {
            Some(transfers) => transfers.total(counters),
            None => counters,
        }
    }
}
