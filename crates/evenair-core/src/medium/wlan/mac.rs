//! The MAC of one node: the packet that it sends, its contention window and retries, and the rates of
//! its links.

use super::control::ControlFrames;
use super::dcf::DcfConfig;
use super::phy::Phy;
use crate::medium::{AirUsage, Airtime, PacketId, Taken};
use crate::packet::NodeId;
use crate::rng::RngStream;
use crate::time::Duration;
use crate::units::Rate;

/// Chooses the data rate of each attempt on one direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateControl {
    /// Always the same rate.
    Fixed(Rate),
}

impl RateControl {
    /// The rate of the attempt that begins now.
    pub fn rate(&mut self) -> Rate {
        match self {
            Self::Fixed(rate) => *rate,
        }
    }
}

/// What an attempt would consist of that begins now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    /// Rate of the data frame.
    pub(super) rate: Rate,
    /// Its airtime.
    pub(super) airtime: Duration,
    pub(super) control: ControlFrames,
}

/// One direction of the link between a station and the access point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    rate_control: RateControl,
    /// Size of the last data frame.
    bytes: u32,
    /// The frames of the last attempt. Most attempts repeat them, which saves divisions.
    frames: Frames,
    /// Airtime of all attempts, the present one as a whole.
    pub(super) airtime: Airtime,
}

impl Link {
    pub(super) fn new(config: &DcfConfig, mut rate_control: RateControl) -> Self {
        let rate = rate_control.rate();
        let airtime = config.phy.airtime(0, rate);
        let frames = Frames { rate, airtime, control: config.control_frames(rate) };
        Self { rate_control, bytes: 0, frames, airtime: Airtime::default() }
    }

    /// The frames of an attempt that begins now, with a data frame of `bytes`.
    #[inline(always)]
    pub(super) fn attempt(&mut self, config: &DcfConfig, bytes: u32) -> &Frames {
        let rate = self.rate_control.rate();
        if (self.bytes, self.frames.rate) != (bytes, rate) {
            self.prepare(config, bytes, rate);
        }
        &self.frames
    }

    /// The frames of the present, or last, attempt.
    pub(super) fn frames(&self) -> &Frames {
        &self.frames
    }

    #[inline(never)] // seldom in comparison
    fn prepare(&mut self, config: &DcfConfig, bytes: u32, rate: Rate) {
        if self.frames.rate != rate {
            self.frames.control = config.control_frames(rate);
        }
        self.bytes = bytes;
        self.frames.rate = rate;
        self.frames.airtime = config.phy.airtime(bytes, rate);
    }
}

/// The MAC of one node.
#[derive(Debug)]
pub(super) struct Mac {
    /// The packet that it sends; `None` when it can take the next.
    pub(super) packet: Option<PacketId>,
    /// The receiver of that packet.
    pub(super) to: NodeId,
    /// Its size on the air, MAC overhead included.
    pub(super) bytes: u32,
    /// Whether it has been received: the receiver acknowledges a retransmission, and discards it.
    pub(super) received: bool,
    /// How long the first frame of the present attempt lasts: the RTS, or the data frame itself.
    pub(super) first_frame: Duration,
    pub(super) needs_rts: bool,
    pub(super) cw: u32,
    pub(super) short_retries: u32,
    pub(super) long_retries: u32,
    /// The last backoff drawn, slots; 0 where none precedes the attempt.
    pub(super) drawn: u32,
    /// Without the airtime, which its links have.
    pub(super) usage: AirUsage,
    backoff: RngStream,
}

impl Mac {
    pub(super) fn new(phy: &Phy, backoff: RngStream) -> Self {
        Self {
            packet: None,
            to: NodeId::ACCESS_POINT,
            bytes: 0,
            received: false,
            first_frame: Duration::ZERO,
            needs_rts: false,
            cw: phy.cw_min,
            short_retries: 0,
            long_retries: 0,
            drawn: 0,
            usage: AirUsage::default(),
            backoff,
        }
    }

    /// The MAC, which has no packet, has taken one.
    #[inline(always)]
    pub(super) fn load(&mut self, config: &DcfConfig, taken: Taken) {
        self.bytes = taken.bytes + config.mac_overhead;
        self.packet = Some(taken.packet);
        self.received = false;
        self.to = taken.to;
        self.needs_rts = config.rts_threshold.is_some_and(|threshold| self.bytes > threshold);
    }

    /// An attempt begins that would consist of `frames`.
    #[inline(always)]
    pub(super) fn begin_attempt(&mut self, frames: &Frames) {
        self.first_frame = if self.needs_rts { frames.control.rts } else { frames.airtime };
        self.usage.attempts += 1;
    }

    /// A backoff, uniform on 0..=CW slots (9.2.4).
    pub(super) fn draw_backoff(&mut self) -> u32 {
        self.drawn = self.backoff.up_to(self.cw);
        self.drawn
    }

    /// The MAC of the access point, which has no packet, takes a broadcast frame.
    pub(super) fn load_broadcast(&mut self, frame: Taken) {
        self.packet = Some(frame.packet);
        self.to = NodeId::BROADCAST;
        self.bytes = frame.bytes;
        self.received = false;
        self.needs_rts = false;
    }

    /// Whether it has a broadcast frame to send.
    pub(super) fn has_broadcast(&self) -> bool {
        self.packet.is_some() && self.to == NodeId::BROADCAST
    }

    /// Takes the packet out, for a frame that goes before it. Its retries stay counted here.
    pub(super) fn suspend(&mut self) -> Option<Suspended> {
        let &mut Self { to, bytes, received, needs_rts, .. } = self;
        self.packet.take().map(|packet| Suspended { packet, to, bytes, received, needs_rts })
    }

    /// Goes on with a suspended packet.
    pub(super) fn resume(&mut self, suspended: Suspended) {
        let Suspended { packet, to, bytes, received, needs_rts } = suspended;
        self.packet = Some(packet);
        (self.to, self.bytes, self.received, self.needs_rts) = (to, bytes, received, needs_rts);
    }
}

/// A packet of a MAC that sends another frame first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    packet: PacketId,
    to: NodeId,
    bytes: u32,
    received: bool,
    needs_rts: bool,
}
