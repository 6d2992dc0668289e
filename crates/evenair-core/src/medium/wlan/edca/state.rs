//! The state of a cell.

use super::a_msdu::Amsdus;
use super::access_usage::AccessUsage;
use super::agreement::{Agreement, Link, Psdu};
use super::beacons::Broadcasts;
use super::config::{AccessRules, BlockAckRecovery, EdcaConfig, EdcaNode};
use super::heard::Heard;
use super::mac::{Mac, PER_NODE, category_of, contender_of, node_of};
use crate::medium::wlan::channel::{Channel, ErrorModel};
use crate::medium::wlan::contention::{Access, AllBoundaries, Backoff, ContenderId, Contention};
use crate::medium::wlan::rate_control::{Adaptation, LinkInfo};
use crate::medium::{
    AirUsage, Associations, LinkId, Listening, PacketId, PhyMode, PhyModes, QueueLayout, Setup,
    TxQueueId,
};
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// The most different AIFS that a cell can have: those of four categories, of stations and access points, and that of
/// beacons, and of stations with the DCF, which count otherwise.
const CLASSES: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Idle; slot boundaries lie at `grid` + k slots.
    Idle { grid: Instant },
    /// A single PPDU that is answered, with RTS/CTS before it if it has one; it ends when the phase is `due`.
    Sending,
    /// The response to it, which ends when the phase is `due`.
    Responding,
    /// What is transmitted last in an access that fails without a response; it ends when the phase is `due`.
    Failing,
    /// A beacon that meets no other frame; it ends when the phase is `due`.
    Broadcasting,
    /// A CF-End, which ends the TXOP of this contender when the phase is `due`.
    Ending(ContenderId),
}

/// What becomes of the present, or last, access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its PPDU is answered, and the response is received; or it is a beacon.
    Answered,
    /// Several nodes transmit.
    Collision,
    /// The RTS is corrupted.
    NoCts,
    CorruptedCts,
    /// No MPDU is decoded.
    NoResponse,
    CorruptedResponse,
}

impl Fate {
    /// Whether the receiver answered, but its answer is corrupted.
    pub(super) const fn is_answered_in_vain(self) -> bool {
        matches!(self, Self::CorruptedCts | Self::CorruptedResponse)
    }
}

/// A PPDU on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) contender: ContenderId,
    /// The queue from which it was taken.
    pub(super) queue: TxQueueId,
    pub(super) psdu: Psdu,
    /// Whether it begins its access, and does not continue a TXOP.
    pub(super) is_first: bool,
    /// Whether RTS/CTS goes before it.
    pub(super) has_rts: bool,
    /// Start and end of the first frame, RTS or PPDU, and of the PPDU.
    pub(super) start: Instant,
    pub(super) ppdu_start: Instant,
    pub(super) first_end: Instant,
    pub(super) end: Instant,
}

impl Sent {
    /// Whether the PPDU itself was transmitted, and not its RTS alone.
    pub(super) const fn has_ppdu(&self, fate: Fate) -> bool {
        let after_rts = matches!(fate, Fate::Collision | Fate::NoCts | Fate::CorruptedCts);
        !(self.has_rts && after_rts)
    }

    /// The end of the frame that gets no response.
    pub(super) const fn last_end(&self, fate: Fate) -> Instant {
        if self.has_ppdu(fate) { self.end } else { self.first_end }
    }
}

/// A cell of 802.11 with EDCA and aggregation.
#[derive(Debug)]
pub struct Edca {
    pub(super) config: EdcaConfig,
    pub(super) setup: Setup,
    /// Slots that EIFS takes beyond AIFS.
    pub(super) eifs_slots: u64,
    /// AIFSN of the first boundaries.
    pub(super) smallest_aifsn: u32,
    /// By contender.
    pub(super) macs: Vec<Mac>,
    /// The channel of each node's link.
    pub(super) channels: Vec<Option<Box<Channel>>>,
    /// How often the mode of a link has changed.
    pub(super) rate_changes: u64,
    /// By link.
    pub(super) links: Vec<Link>,
    /// By transmit queue: there is one for each link and category.
    pub(super) agreements: Vec<Agreement>,
    pub(super) amsdus: Amsdus,
    /// By node, without airtime.
    pub(super) usage: Vec<AirUsage>,
    /// By contender.
    pub(super) access_usage: Vec<AccessUsage>,
    /// See [`Edca::preambles`] and [`Edca::block_acks`].
    pub(super) preambles: Duration,
    pub(super) block_acks: Duration,
    /// By node: how long its traffic in both directions has been on the air, in accesses that are over.
    pub(super) traffic: Vec<Duration>,
    pub(super) broadcasts: Broadcasts,
    pub(super) contention: Contention<AllBoundaries, CLASSES>,
    pub(super) phase: Phase,
    /// When the phase ends. Of an idle medium: the time of the next access, or an earlier time while that is not known.
    pub(super) due: Instant,
    /// The slot boundary of the next access of an idle medium; `None` when there is none, or when it has to be looked
    /// up again.
    pub(super) next_access: Option<u64>,
    /// The contenders that have reached 0, and those of them that have collided internally.
    pub(super) reached: Vec<ContenderId>,
    pub(super) collided: Vec<ContenderId>,
    /// The present, or last, PPDUs.
    pub(super) sent: Vec<Sent>,
    /// What becomes of them.
    pub(super) fate: Fate,
    /// The end of the present TXOP; [`Instant::NEVER`] if it has one PPDU.
    pub(super) txop_end: Instant,
    /// How long a CF-End lasts; `None` if none is transmitted.
    pub(super) cf_end: Option<Duration>,
    /// Whether a sender asks for a Block Ack that it did not get, instead of sending the A-MPDU again.
    pub(super) asks_after_failure: bool,
    /// MPDUs of the present PPDU that its receiver has decoded, or had before.
    pub(super) decoded: Vec<bool>,
    /// Packets that the receiver of the present PPDU passes on, when, and that have not been reported: the last first.
    pub(super) passed_on: Vec<(Instant, PacketId)>,
    /// From where to where, and in which mode, these go.
    pub(super) path: (NodeId, NodeId, PhyMode),
    pub(super) listening: Listening,
    /// Of the present, or last, PPDU, if the cell listens to everything.
    pub(super) heard: Heard,
}

/// The rate control of a link of `node`; `None` where its mode is fixed.
fn adaptation(
    config: &EdcaConfig,
    modes: &PhyModes,
    node: &EdcaNode,
    channel: Option<&Channel>,
    stream: RngStream,
) -> Option<Adaptation> {
    if node.rate_control.is_fixed() {
        return None;
    }
    let choices = node.choices(&config.phy, config.coding).into_iter();
    let modes: Vec<_> = choices.filter_map(|mode| Some((modes.find(&mode)?, mode))).collect();
    let first = modes.iter().position(|(_, mode)| *mode == node.mode).unwrap_or(0);
    let protection = config.protection_of(node.mode.format);
    let link = LinkInfo { modes, first, phy: &config.phy, channel, stream };
    Some(Adaptation::new(&node.rate_control, link, protection))
}

impl Edca {
    /// A cell of an access point (first) and stations. Backoffs, losses of the channels and samples of rate control are
    /// drawn from the streams of `seed`.
    pub fn new(config: EdcaConfig, nodes: &[EdcaNode], seed: u64) -> Self {
        let associations = Associations::one_cell(nodes.len() as u32);
        Self::with_associations(config, associations, nodes, seed)
    }

    /// Cells that share a channel. All nodes hear each other, and contend with each other.
    ///
    /// # Panics
    /// If the number of nodes is not that of `associations`, or CWmax is above 1023.
    pub fn with_associations(
        config: EdcaConfig,
        associations: Associations,
        nodes: &[EdcaNode],
        seed: u64,
    ) -> Self {
        assert_eq!(nodes.len(), associations.nodes() as usize, "nodes with a place");
        let phy = &config.phy;
        let modes = config.modes(nodes);
        let layout = QueueLayout::PerReceiver { categories: AccessCategory::COUNT };
        let contenders = (0..PER_NODE * associations.nodes()).map(ContenderId);
        let access = |contender| {
            let node = node_of(contender);
            let is_access_point = associations.is_access_point(node);
            config.access_of(is_access_point, &nodes[node.index()], category_of(contender))
        };
        let mac = |contender: ContenderId| {
            let parameters = access(contender);
            let stream = RngStream::new(seed, StreamId::Backoff, contender.0.into());
            Mac {
                queue: None,
                backoff: Backoff::new(parameters.cw_min, parameters.cw_max, stream),
                retries: 0,
                aifsn: parameters.aifsn,
                txop: parameters.txop,
            }
        };
        let beacon_mode = modes.find(&config.beacon_mode()).unwrap_or(PhyMode(0));
        let access_points = associations.access_points().len();
        let broadcasts = Broadcasts::new(associations.nodes(), access_points, beacon_mode);
        let macs: Vec<_> = contenders.map(mac).chain(broadcasts.contenders(seed)).collect();
        // Contenders with EDCA and with the DCF are apart.
        let has_dcf = |contender: usize| {
            let node = node_of(ContenderId(contender as u32)).index();
            nodes.get(node).is_some_and(|node: &EdcaNode| !node.has_qos)
                && !associations.is_access_point(NodeId(node as u32))
        };
        let rules: Vec<_> =
            (0..).zip(&macs).map(|(place, mac)| (has_dcf(place), mac.aifsn)).collect();
        let mut classes = rules.clone();
        classes.sort_unstable();
        classes.dedup();
        let smallest_aifsn = classes.iter().map(|(_, aifsn)| *aifsn).min().unwrap_or(0);
        let class = |rule| classes.binary_search(rule).unwrap_or(0) as u8;
        let mut aifsn = [smallest_aifsn; CLASSES];
        aifsn.iter_mut().zip(&classes).for_each(|(aifsn, (_, of_class))| *aifsn = *of_class);
        let cw_max = macs.iter().map(|mac| mac.backoff.cw_max()).max().unwrap_or(0);
        let mut contention = Contention::new(aifsn, rules.iter().map(class), cw_max);
        for (class, _) in (0..).zip(&classes).filter(|(_, (has_dcf, _))| *has_dcf) {
            contention = contention.with_idle_slots(class);
        }
        let channel = |(entity, node): (u64, &EdcaNode)| {
            let stream = RngStream::new(seed, StreamId::Channel, entity);
            let errors = ErrorModel::Tables(config.coding);
            let channel = |of| Box::new(Channel::new(of, phy, &modes, errors, stream));
            node.channel.as_ref().map(channel)
        };
        let channels: Vec<_> = (0..).zip(nodes).map(channel).collect();
        let link = |link: u32| {
            let station = associations.station(LinkId(link)).index();
            let (node, channel) = (&nodes[station], channels[station].as_deref());
            let mode = modes.find(&node.mode).unwrap_or(PhyMode(0));
            let entity = 2 * station as u64 + LinkId(link).direction() as u64;
            let stream = RngStream::new(seed, StreamId::RateControl, entity);
            let adaptation = adaptation(&config, &modes, node, channel, stream);
            Link::new(&config, &modes, mode, node.aggregation, adaptation)
        };
        let links: Vec<_> = (0..2 * associations.stations().len() as u32).map(link).collect();
        let agreement = |queue: u32| {
            let link = layout.link(TxQueueId(queue)).map_or(LinkId(0), |(link, _)| link);
            let station = &nodes[associations.station(link).index()];
            Agreement::new(links[link.index()].window(), config.overhead(station.has_qos))
        };
        let grid = Instant::ZERO + phy.sifs + phy.slot * u64::from(smallest_aifsn);
        Self {
            eifs_slots: match config.rules {
                AccessRules::Standard => phy.eifs().saturating_sub(phy.difs()).div_ceil(phy.slot),
                AccessRules::Ns3 => 0,
            },
            smallest_aifsn,
            contention,
            channels,
            rate_changes: 0,
            broadcasts,
            access_usage: vec![AccessUsage::default(); macs.len()],
            preambles: Duration::ZERO,
            block_acks: Duration::ZERO,
            macs,
            agreements: (0..layout.count(&associations)).map(agreement).collect(),
            links,
            amsdus: Amsdus::default(),
            usage: vec![AirUsage::default(); nodes.len()],
            traffic: vec![Duration::ZERO; nodes.len()],
            phase: Phase::Idle { grid },
            due: Instant::NEVER,
            next_access: None,
            reached: Vec::new(),
            collided: Vec::new(),
            sent: Vec::new(),
            fate: Fate::Answered,
            txop_end: Instant::NEVER,
            cf_end: match config.rules {
                AccessRules::Standard => None,
                AccessRules::Ns3 => Some(config.cf_end().1.time),
            },
            asks_after_failure: config.recovery == BlockAckRecovery::BlockAckReq,
            decoded: Vec::new(),
            passed_on: Vec::new(),
            path: (NodeId::ACCESS_POINT, NodeId::BROADCAST, PhyMode(0)),
            listening: Listening::Nothing,
            heard: Heard::default(),
            setup: Setup { associations, layout, modes },
            config,
        }
    }

    /// The configuration.
    pub fn config(&self) -> &EdcaConfig {
        &self.config
    }

    /// The present rate of the link of `station`. PPDUs with which rate control tries other modes do not count.
    pub fn rate(&self, station: NodeId, direction: Direction) -> Rate {
        self.setup.modes.rate(self.link_with(station, direction).present_mode())
    }

    /// The MPDUs of the link of `station` in each mode that it can have, by ascending rate; `None` where the mode is fixed.
    pub fn frames_by_mode(
        &self,
        station: NodeId,
        direction: Direction,
    ) -> Option<impl Iterator<Item = (PhyMode, u64)>> {
        let link = self.link_with(station, direction);
        link.adaptation.as_ref().map(|adaptation| adaptation.frames_by_mode())
    }

    /// The link of `station` in this direction.
    fn link_with(&self, station: NodeId, direction: Direction) -> &Link {
        let number = self.setup.associations.number(station);
        &self.links[LinkId::new(number, direction).index()]
    }

    /// The link on which packets of `queue` are transmitted.
    #[inline(always)]
    pub(super) fn link_of(&self, queue: TxQueueId) -> LinkId {
        self.setup.layout.link(queue).map_or(LinkId::BROADCAST, |(link, _)| link)
    }

    /// The contender that transmits from `queue`.
    pub(super) fn contender_with(&self, queue: TxQueueId) -> ContenderId {
        let Setup { associations, layout, .. } = &self.setup;
        let category = layout.link(queue).map_or(0, |(_, category)| category);
        contender_of(layout.sender(associations, queue), AccessCategory::ALL[category as usize])
    }

    /// `contender` has something to send since `now`, and contends.
    pub(super) fn contend(&mut self, now: Instant, contender: ContenderId) {
        let boundary = match self.phase {
            Phase::Idle { grid } if now <= grid => Some(0),
            Phase::Idle { grid } => Some(now.since(grid).div_ceil(self.config.phy.slot)),
            _ => None,
        };
        if self.contention.arrive(contender, boundary) == Access::BackoffOver {
            let backoff = &mut self.macs[contender.index()].backoff;
            match boundary {
                Some(boundary) => {
                    backoff.skip();
                    self.contention.immediate(contender, boundary);
                }
                None => self.contention.defer(contender, backoff.draw()),
            }
        }
        if boundary.is_some() {
            self.next_access = None;
            self.due = now;
        }
    }

    /// Looks up the next access.
    pub(super) fn schedule_access(&mut self, grid: Instant) {
        self.next_access = self.contention.next_access();
        self.due = match self.next_access {
            Some(boundary) => grid + self.config.phy.slot * boundary,
            None => Instant::NEVER,
        };
    }

    /// The busy period ends when it is `due`; those that could not decode a frame wait for `deferral` slots more.
    pub(super) fn become_idle(&mut self, deferral: u64) {
        let phy = &self.config.phy;
        let aifs = phy.sifs + phy.slot * u64::from(self.smallest_aifsn);
        self.phase = Phase::Idle { grid: self.due + aifs };
        self.next_access = None;
        self.contention.idle(deferral);
    }

    /// AIFS of `contender`; of one for beacons PIFS.
    pub(super) fn aifs(&self, contender: ContenderId) -> Duration {
        let phy = &self.config.phy;
        phy.sifs + phy.slot * u64::from(self.macs[contender.index()].aifsn)
    }

    /// How many slots beyond its AIFS `contender` waits for, if a frame of its node ended at `end` and had no
    /// response: until the first boundary that is not before the timeout.
    pub(super) fn after_timeout(&self, contender: ContenderId, end: Instant) -> u64 {
        let aifs = self.aifs(contender);
        let silent_until = end + self.config.response_timeout();
        let silent_until = match self.config.rules {
            AccessRules::Standard => silent_until,
            AccessRules::Ns3 => silent_until + aifs,
        };
        silent_until.since(self.due + aifs).div_ceil(self.config.phy.slot)
    }

    /// A frame of `contender` ended at `end` and had no response. The other contenders of its node wait for the
    /// timeout as well, and not for EIFS: the node has received nothing.
    pub(super) fn exempt_others(&mut self, contender: ContenderId, end: Instant) {
        for other in self.contenders_of(node_of(contender)).filter(|other| *other != contender) {
            let deferral = self.after_timeout(other, end);
            self.contention.exempt(other, deferral);
        }
    }
}
