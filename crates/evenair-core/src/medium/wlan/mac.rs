//! The MAC of one node: the packet that it sends, its contention window and retries, and the rates of
//! its links.

use super::dcf::DcfConfig;
use super::phy::Phy;
use crate::medium::{AirUsage, PacketId, Taken};
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

/// One direction of the link between a station and the access point.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkRate {
    control: RateControl,
    /// Size, rate and airtime of the last frame. Most frames repeat it, which saves a division.
    last: (u32, Rate, Duration),
}

impl LinkRate {
    pub(super) fn new(phy: &Phy, mut control: RateControl) -> Self {
        let rate = control.rate();
        Self { control, last: (0, rate, phy.airtime(0, rate)) }
    }

    /// Rate and airtime of an attempt that begins now, with a frame of `bytes`.
    #[inline(always)]
    pub(super) fn attempt(&mut self, phy: &Phy, bytes: u32) -> (Rate, Duration) {
        let rate = self.control.rate();
        if (self.last.0, self.last.1) != (bytes, rate) {
            self.last = (bytes, rate, phy.airtime(bytes, rate));
        }
        (rate, self.last.2)
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
    /// Time on the air of the data frame of the present attempt; not set for an RTS that collided.
    pub(super) airtime: Duration,
    pub(super) needs_rts: bool,
    pub(super) cw: u32,
    pub(super) short_retries: u32,
    pub(super) long_retries: u32,
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
            airtime: Duration::ZERO,
            needs_rts: false,
            cw: phy.cw_min,
            short_retries: 0,
            long_retries: 0,
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

    /// A backoff, uniform on 0..=CW slots (9.2.4).
    pub(super) fn draw_backoff(&mut self) -> u32 {
        self.backoff.up_to(self.cw)
    }

    /// How long the first frame of an attempt lasts: the RTS, or the data frame itself.
    pub(super) fn first_frame(&self, rts_time: Duration) -> Duration {
        if self.needs_rts { rts_time } else { self.airtime }
    }
}
