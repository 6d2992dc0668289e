//! The state of a cell.

use std::iter::once;

use super::burst::Burst;
use super::connection::Overhead;
use super::counts::{Counts, SduCounts};
use super::layout::{FrameAccount, FrameError, Layout};
use super::station::Station;
use crate::delays::Delays;
use crate::medium::wimax::config::WimaxConfig;
use crate::medium::wimax::frame::maps::DESCRIPTOR_INTERVAL;
use crate::medium::wimax::phy::symbol::SymbolSize;
use crate::medium::wimax::request::Contention;
use crate::medium::wimax::scheduler::{Allocation, AnyScheduler, Need};
use crate::medium::{
    Associations, Listening, Mpdu, PacketId, PhyMode, PhyModes, Ppdu, QueueLayout, Setup,
};
use crate::packet::{Direction, NodeId};
use crate::time::Instant;

/// An 802.16 cell.
#[derive(Debug)]
pub struct Wimax {
    pub(super) config: WimaxConfig,
    pub(super) account: FrameAccount,
    pub(super) layout: Layout,
    pub(super) overhead: Overhead,
    pub(super) grant_scheduler: AnyScheduler,
    pub(super) burst_scheduler: AnyScheduler,
    pub(super) stations: Vec<Station>,
    pub(super) setup: Setup,
    /// By station.
    pub(super) sizes: Vec<SymbolSize>,
    pub(super) contention: Contention,
    /// The frame under way, and the next one.
    pub(super) frame_start: Instant,
    pub(super) next_frame: Instant,
    /// Frames before the next one with DCD and UCD, of which one in `descriptor_period` has them.
    pub(super) descriptors_in: u64,
    pub(super) descriptor_period: u64,
    /// Bursts of the frame under way: grants, then downlink bursts.
    pub(super) bursts: Vec<Burst>,
    /// Ends of SDUs in the frame under way, in order of time, and how many of them are over.
    pub(super) downlink: Vec<SduEnd>,
    pub(super) uplink: Vec<SduEnd>,
    pub(super) over: usize,
    /// The packet that was reported as received last, if its queue still counts it.
    pub(super) received: Option<(Instant, PacketId)>,
    pub(super) counts: Counts,
    /// What the cell listens to.
    pub(super) listening: Listening,
    /// PDUs of the burst that is being filled, if the cell listens to them.
    pub(super) mpdus: Vec<Mpdu>,
    /// Bursts that have been filled and not announced, if the cell listens to them.
    pub(super) filled: Vec<Ppdu>,
    /// For the schedulers, to keep the memory.
    pub(super) needs: Vec<Need>,
    pub(super) allocations: Vec<Allocation>,
}

/// The end of the last PDU of an SDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct SduEnd {
    pub(super) at: Instant,
    pub(super) packet: PacketId,
    pub(super) station: u32,
    pub(super) lost: bool,
}

impl Wimax {
    /// A queue for each station and direction.
    pub const LAYOUT: QueueLayout = QueueLayout::PerReceiver { categories: 1 };

    /// The mode of bandwidth requests.
    pub(super) const REQUESTS: PhyMode = PhyMode(0);

    /// A cell of a base station and stations with these usable bytes in a symbol of their bursts,
    /// from 1 to [`MAX_BYTES_PER_SYMBOL`](crate::medium::wimax::phy::MAX_BYTES_PER_SYMBOL), in the
    /// order of their nodes. Backoffs are drawn from the streams of `seed`.
    pub fn new(
        config: WimaxConfig,
        bytes_per_symbol: &[u32],
        seed: u64,
    ) -> Result<Self, FrameError> {
        let layout = Layout::new(&config)?;
        let stations = bytes_per_symbol.len();
        let requests = config.phy.mode(config.bytes_per_symbol);
        let bursts = bytes_per_symbol.iter().map(|&bytes| config.phy.mode(bytes));
        let modes = PhyModes::new(once(requests).chain(bursts));
        let station = |(index, &bytes): (usize, &u32)| {
            let mode = modes.find(&config.phy.mode(bytes)).unwrap_or(Self::REQUESTS);
            Station::new(index, mode, seed)
        };
        let sizes: Vec<_> = bytes_per_symbol.iter().map(|&bytes| SymbolSize::new(bytes)).collect();
        let frame = config.phy.frame();
        Ok(Self {
            account: FrameAccount::new(&config, stations as u32)?,
            overhead: Overhead::new(config.crc),
            grant_scheduler: AnyScheduler::new(&config.scheduler, &sizes),
            burst_scheduler: AnyScheduler::new(&config.scheduler, &sizes),
            stations: bytes_per_symbol.iter().enumerate().map(station).collect(),
            setup: Setup {
                associations: Associations::one_cell(stations as u32 + 1),
                layout: Self::LAYOUT,
                modes,
            },
            sizes,
            contention: Contention::new(config.contention_slots),
            frame_start: Instant::ZERO,
            next_frame: Instant::ZERO,
            descriptors_in: 0,
            descriptor_period: DESCRIPTOR_INTERVAL.div_ceil(frame),
            bursts: Vec::new(),
            downlink: Vec::new(),
            uplink: Vec::new(),
            over: 0,
            received: None,
            counts: Counts::default(),
            listening: Listening::Nothing,
            mpdus: Vec::new(),
            filled: Vec::new(),
            needs: vec![Need::default(); stations],
            allocations: Vec::new(),
            layout,
            config,
        })
    }

    /// The configuration.
    pub fn config(&self) -> &WimaxConfig {
        &self.config
    }

    /// Number of stations.
    pub fn stations(&self) -> u32 {
        self.stations.len() as u32
    }

    /// The symbols of a frame in which every station has traffic.
    pub fn account(&self) -> &FrameAccount {
        &self.account
    }

    /// Frames, symbols and requests since the start.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How long the requests of `station` took, from the frame in which one is made to the frame of
    /// the next grant; since the last [`Medium::reset_stats`](crate::medium::Medium::reset_stats).
    pub fn grant_delays(&self, station: NodeId) -> &Delays {
        &self.stations[station.index() - 1].grant_delays
    }

    /// What became of the SDUs that `node` has sent since the start.
    pub fn sdus(&self, node: NodeId) -> SduCounts {
        self.sum_of(node, |sum: &mut SduCounts, station, direction| match direction {
            Direction::Down => *sum += station.down.sdus,
            Direction::Up => *sum += station.up.sdus,
        })
    }

    /// Packets that have left the queues of the base station and are not complete, in order of station.
    pub fn incomplete(&self) -> impl Iterator<Item = PacketId> {
        let heads = self.stations.iter().filter_map(|station| station.down.connection.head());
        heads.map(|head| head.packet)
    }

    /// The bursts of the frame under way: grants, then downlink bursts, in the order of the
    /// subframes.
    pub fn bursts(&self) -> &[Burst] {
        &self.bursts
    }

    /// The SDUs of a station in one direction: what became of them, and how many have left their queue
    /// without that their end is over.
    #[cfg(test)]
    pub(in crate::medium::wimax) fn sdus_of(
        &self,
        direction: Direction,
        node: NodeId,
    ) -> (SduCounts, u64) {
        let station = &self.stations[node.index() - 1];
        let (side, ends, over) = match direction {
            Direction::Down => (&station.down, &self.downlink, self.over),
            Direction::Up => {
                (&station.up, &self.uplink, self.over.saturating_sub(self.downlink.len()))
            }
        };
        let ends = ends.iter().skip(over).filter(|end| NodeId(end.station + 1) == node);
        let begun = ends.count() as u64 + u64::from(side.connection.head().is_some());
        (side.sdus, begun)
    }

    /// Adds up what `node` has sent: by direction and station.
    pub(super) fn sum_of<T: Default>(
        &self,
        node: NodeId,
        add: impl Fn(&mut T, &Station, Direction),
    ) -> T {
        let mut sum = T::default();
        if node.is_access_point() {
            self.stations.iter().for_each(|station| add(&mut sum, station, Direction::Down));
        } else {
            add(&mut sum, &self.stations[node.index() - 1], Direction::Up);
        }
        sum
    }

    /// The next end of an SDU in the frame under way. The downlink subframe comes first.
    #[inline(always)]
    pub(super) fn next_end(&self) -> Option<(Direction, SduEnd)> {
        match self.downlink.get(self.over) {
            Some(&end) => Some((Direction::Down, end)),
            None => {
                let end = self.uplink.get(self.over - self.downlink.len());
                end.map(|&end| (Direction::Up, end))
            }
        }
    }
}
