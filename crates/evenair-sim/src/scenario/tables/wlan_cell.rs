//! The keys of a WLAN cell. Sources of the defaults: Gong et al. 2006 (section IV) and IEEE
//! 802.11-2007.

use evenair_core::component::{BitRate, Hertz, Seconds};
use evenair_core::control;
use evenair_core::medium::wlan::channel::Coding;
use evenair_core::medium::wlan::high_throughput::{
    ModeError, allowed, has_guard_interval, most_streams, widest,
};
use evenair_core::medium::wlan::phy::{Phy, PhyKind};
use evenair_core::medium::wlan::{
    self, Aggregation, AggregationConfig, BasicRates, BlockAckRecovery, EdcaNode, Protection,
    StationConfig,
};
use evenair_core::medium::{Mcs, TxVector, scheduler};
use evenair_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::tables::station::Station;
use crate::scenario::values::bounded_integer::{bounded_integer, optional_bounded_integer};
use crate::scenario::values::choices::{Preamble, RtsThreshold};
use crate::scenario::values::control_rate::ControlRate;
use crate::scenario::values::edca::{Edca, EdcaSchema};
use crate::scenario::values::names::{AccessPoint, Band, WlanKind};
use crate::scenario::values::off_or_time::OffOrTime;
use crate::scenario::values::queue::{self, Queue};

/// An IEEE 802.11 cell: one access point, one collision domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WlanCell {
    /// The medium, "wlan" (default).
    pub kind: WlanKind,
    /// The physical layer, which sets the timing and the rates to choose from (default: "802.11b").
    pub phy: PhyKind,
    /// Rate of data frames, bit/s (default: 11 Mbps with 802.11b, 54 Mbps with 802.11a and g); absent with
    /// 802.11n, ac and ax, which have `mcs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<BitRate>,
    /// "5 GHz" (default) or "2.4 GHz" (SIFS of 10 us, signal extension), 802.11n and ax only; 802.11ac is
    /// at 5 GHz; absent with every other PHY, as the following keys up to `edca_ap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// Width of data PPDUs, Hz: 20, 40, with 802.11ac and ax 80 or 160 MHz (default: 20 MHz with 802.11n and
    /// at 2.4 GHz, else 80 MHz).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_width: Option<Hertz>,
    /// Modulation and coding of each stream: 0 to 7 with 802.11n, 9 with ac, 11 with ax (default: the highest
    /// that the width and the number of streams allow).
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<0, 11, _>"
    )]
    #[schemars(range(min = 0, max = 11))]
    pub mcs: Option<u32>,
    /// Spatial streams: up to 4 with 802.11n, up to 8 with ac and ax (default: 1).
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<1, 8, _>"
    )]
    #[schemars(range(min = 1, max = 8))]
    pub streams: Option<u32>,
    /// Guard interval, seconds: 0.4 or 0.8 us with 802.11n and ac, 0.8, 1.6 or 3.2 us with ax (default: 0.8
    /// us).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard_interval: Option<Seconds>,
    /// The code of data PPDUs, which decides with a station's `channel` on errors: "ldpc", or "bcc", that of
    /// all devices, which MCS 10 and 11 and 802.11ax with more than 20 MHz do not have (default: "ldpc").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coding: Option<Coding>,
    /// What a PPDU carries: "a-mpdu" with its limits, or "off", one MPDU (default: "a-mpdu").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<AggregationConfig>,
    /// What follows an A-MPDU that got no Block Ack: "resend", it is sent again, or "bar", a BlockAckReq
    /// asks for it in an access of its own, as in ns-3 (default: "resend").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_ack_recovery: Option<BlockAckRecovery>,
    /// How long a packet may wait and be repeated from its arrival at its sender on before it is dropped
    /// (dot11EDCATableMSDULifetime), seconds, or "off" (default: "off", as in Linux; the standard has
    /// 512 ms, ns-3 500 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msdu_lifetime: Option<OffOrTime>,
    /// How stations contend: "wmm", "802.11-2020", or "ns3", which includes ns-3's rules of access; or a
    /// table with what differs (default: "wmm").
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EdcaSchema")]
    pub edca: Option<Edca>,
    /// How the access point contends (default: as `edca` says; with "wmm" as the access points of
    /// hostapd).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EdcaSchema")]
    pub edca_ap: Option<Edca>,
    /// The BSSBasicRateSet: rates of control frames where `control_rate` is "basic" (default: the
    /// mandatory rates of the PHY; 802.11b: 1, 2, 5.5 and 11 Mbps, all others: 6, 12 and 24 Mbps; of
    /// 802.11g with 802.11b stations those of 802.11b).
    #[schemars(length(min = 1))]
    pub basic_rates: Vec<BitRate>,
    /// Rate of ACK, Block Ack, RTS and CTS frames: "basic", the highest basic rate that is not above that of
    /// the data frame (IEEE 802.11-2007 9.6; of an MCS the rate of OFDM with its modulation and coding,
    /// 802.11-2020 10.6.6.5.2), or one rate for all, bit/s (default: "basic").
    pub control_rate: ControlRate,
    /// What goes before frames that older stations cannot decode: with 802.11g before OFDM frames, at a rate
    /// of 802.11b (default: "cts-to-self" with 802.11b stations, else "off"); with 802.11n, ac and ax before
    /// the first PPDU with MCS of an access (default: "off"); absent with 802.11a and b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection: Option<Protection>,
    /// PLCP preamble and header of 802.11b, "long", "short" or a duration (default: "long"); with 802.11n, ac and
    /// ax the duration of preamble and header of data PPDUs, absent: the standard's (ns-3: "36 us" with VHT,
    /// "44 us" with HE); absent with 802.11a and g.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble: Option<Preamble>,
    /// Frames longer than this are announced by RTS/CTS (default: "off").
    pub rts_threshold: RtsThreshold,
    /// Bytes that MAC header, FCS and LLC/SNAP add to an IP packet: 24 + 4 + 8 (default: 36, with 802.11n,
    /// ac and ax, which have 2 bytes of QoS Control, 38; ns-2 has 34).
    #[serde(deserialize_with = "bounded_integer::<0, 65535, _>")]
    #[schemars(range(min = 0, max = 65535))]
    pub mac_overhead: u32,
    /// Whether a frame that finds the medium idle for DIFS and the post-backoff over is sent at
    /// once, as IEEE 802.11-2007 9.2.5.1 has it (default: true); false: every frame waits a backoff
    /// (ns-2).
    pub immediate_access: bool,
    /// Transmissions of a frame sent without RTS, or of an RTS, before it is dropped
    /// (dot11ShortRetryLimit; default: 7).
    #[serde(deserialize_with = "bounded_integer::<1, 255, _>")]
    #[schemars(range(min = 1, max = 255))]
    pub short_retry_limit: u32,
    /// Transmissions of a frame sent after RTS/CTS before it is dropped (dot11LongRetryLimit)
    /// (default: 4).
    #[serde(deserialize_with = "bounded_integer::<1, 255, _>")]
    #[schemars(range(min = 1, max = 255))]
    pub long_retry_limit: u32,
    /// Time between two beacons of the access point, seconds, or "off" (default: "off", with a
    /// controller 100 ms).
    pub beacon_interval: OffOrTime,
    /// What limits the rates of flows, so that stations share the medium (default: "none"); needs
    /// beacons.
    pub controller: control::Config,
    /// "linux": the queues of mac80211 and a driver below them, with the scheduler, the queue and the depth that Linux
    /// has where they are not given (default: absent, an access point whose MAC takes packets from one queue).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_point: Option<AccessPoint>,
    /// PPDUs of an access category that the driver of the access point has given to the hardware, the one on the air
    /// included: they are taken from the queues of the stations ahead (default: 0, a PPDU takes its packets when it
    /// begins; with access_point "linux" 2); not with the scheduler "fifo".
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<0, 100, _>"
    )]
    #[schemars(range(min = 0, max = 100))]
    pub hardware_depth: Option<u32>,
    /// With access_point "linux": the most bytes that the buffers of its queued packets take (`fq_memory_limit`; default: 16
    /// MiB, with 802.11n and older 4 MiB).
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<1, 0xFFFF_FFFF, _>"
    )]
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    pub fq_memory_limit: Option<u32>,
    /// With access_point "linux": stations whose expected throughput is below this times the number of stations have
    /// CoDel with a target of 50 ms and an interval of 300 ms, without ECN, bit/s; Linux until 6.15 has 6 Mb/s (default:
    /// absent, no station has).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sta_slow_threshold: Option<BitRate>,
    /// Which station the access point serves next (default: "fifo").
    pub scheduler: scheduler::Config,
    /// The access point's downlink queue (default: droptail, 60 packets, the one in transmission
    /// included); with the scheduler "airtime-drr" one for each station (default: fq-codel, 8192
    /// packets).
    #[serde(deserialize_with = "queue::access_point")]
    pub queue: Queue,
    /// Packets of the driver's ring below the access point's queue, first in, first out, those being
    /// transmitted included: the queue fills it whenever it has room, and its limit does not count them
    /// (default: 0, there is none); only with the scheduler "fifo".
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<0, 65535, _>"
    )]
    #[schemars(range(min = 0, max = 65535))]
    pub ring: Option<u32>,
}

const MHZ: u64 = 1_000_000;
/// That of HT, VHT and HE that every station has (802.11-2020 19.3.9.4.1; 802.11ax-2021 27.3.4).
pub(crate) const DEFAULT_GUARD_INTERVAL: Duration = Duration::from_nanos(800);

impl Default for WlanCell {
    fn default() -> Self {
        let phy = PhyKind::default();
        Self {
            kind: WlanKind::Wlan,
            phy,
            data_rate: Some(phy.default_data_rate()),
            band: None,
            channel_width: None,
            mcs: None,
            streams: None,
            guard_interval: None,
            coding: None,
            aggregation: None,
            block_ack_recovery: None,
            msdu_lifetime: None,
            edca: None,
            edca_ap: None,
            basic_rates: phy.default_basic_rates(),
            control_rate: ControlRate::Basic,
            protection: None,
            preamble: None,
            rts_threshold: RtsThreshold::Off,
            mac_overhead: 36,
            immediate_access: true,
            short_retry_limit: 7,
            long_retry_limit: 4,
            beacon_interval: OffOrTime::Off,
            controller: control::Config::default(),
            access_point: None,
            hardware_depth: None,
            fq_memory_limit: None,
            sta_slow_threshold: None,
            scheduler: scheduler::Config::default(),
            queue: queue::access_point_default(),
            ring: None,
        }
    }
}

impl WlanCell {
    /// Whether the access point has the queues of mac80211, which all stations share.
    pub(crate) fn has_tins(&self) -> bool {
        self.access_point == Some(AccessPoint::Linux)
            && matches!(self.queue.discipline, evenair_core::queue::Config::FqCodel(_))
    }

    /// The PHY of `station`.
    pub fn phy_of(&self, station: &Station) -> PhyKind {
        station.phy.unwrap_or(self.phy)
    }

    /// Whether an 802.11g cell has 802.11b stations.
    pub fn has_dot11b(&self, stations: &[Station]) -> bool {
        self.phy == PhyKind::Dot11g
            && stations.iter().any(|station| self.phy_of(station) == PhyKind::Dot11b)
    }

    /// Slots, interframe spaces and airtimes in a cell of these stations.
    pub fn timing(&self, stations: &[Station]) -> Phy {
        if self.has_dot11b(stations) {
            return Phy::dot11g_with_dot11b();
        }
        match self.band {
            Some(Band::TwoPointFour) => Phy::dot11g(),
            Some(Band::Five) => Phy::dot11a(),
            None => self.phy.timing(self.preamble.map(Preamble::duration)),
        }
    }

    /// Whether a PHY that `station` may have is an older one without MCS, in a cell with MCS.
    pub(crate) fn is_legacy(&self, station: &Station) -> bool {
        self.phy.high_throughput().is_some() && self.phy_of(station).high_throughput().is_none()
    }

    /// The PHYs that stations may have.
    pub(crate) fn station_phys(&self) -> &'static [PhyKind] {
        use PhyKind::{Dot11a, Dot11ac, Dot11ax, Dot11b, Dot11g, Dot11n};
        match (self.phy, self.band) {
            (Dot11b, _) => &[Dot11b],
            (Dot11a, _) => &[Dot11a],
            (Dot11g, _) => &[Dot11g, Dot11b],
            (Dot11n, Some(Band::TwoPointFour)) => &[Dot11n, Dot11g],
            (Dot11n, _) => &[Dot11n, Dot11a],
            (Dot11ac, _) => &[Dot11ac, Dot11n, Dot11a],
            (Dot11ax, Some(Band::TwoPointFour)) => &[Dot11ax, Dot11n, Dot11g],
            (Dot11ax, _) => &[Dot11ax, Dot11ac, Dot11n, Dot11a],
        }
    }

    /// The PHY of control frames: of a PHY with MCS that of OFDM in its band.
    pub(crate) fn control_phy(&self) -> PhyKind {
        match self.band {
            Some(Band::TwoPointFour) => PhyKind::Dot11g,
            Some(Band::Five) => PhyKind::Dot11a,
            None => self.phy,
        }
    }

    /// The mode of data PPDUs of `station`, or of the cell where there is none.
    ///
    /// # Errors
    /// The key and why the PHY has no such mode: format, width, streams, guard interval or MCS.
    pub(crate) fn mode(&self, station: Option<&Station>) -> Result<TxVector, ModeError> {
        let phy = station.map_or(self.phy, |station| self.phy_of(station));
        let Some(format) = phy.high_throughput() else {
            let rate = station.and_then(|station| station.data_rate);
            let rate = rate.unwrap_or_else(|| phy.default_data_rate());
            return match station.filter(|station| self.is_legacy(station)) {
                Some(_) => Ok(TxVector::ofdm(rate.rate())),
                None => Err(ModeError::Format),
            };
        };
        // An older PHY may have less than the cell.
        let is_older = phy != self.phy;
        let most = |most: u64| if is_older { most } else { u64::MAX };
        let of_cell = self.channel_width.unwrap_or(self.default_channel_width()).as_u64() / MHZ;
        let of_cell = of_cell.min(most(widest(format).into()));
        let width = station.and_then(|station| station.channel_width);
        let width = width.map_or(of_cell, |width| width.as_u64() / MHZ);
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        let of_cell = u64::from(self.streams.unwrap_or(1)).min(most(most_streams(format).into()));
        let streams = station.and_then(|station| station.streams);
        let streams = streams.unwrap_or(of_cell as u32);
        let highest = allowed(format, width, streams as u8).last().map_or(0, |mcs| mcs.0.into());
        // A station that has another PHY, other streams or another width has its own highest MCS.
        let is_cells = station.is_none_or(|station| {
            !is_older && station.streams.is_none() && station.channel_width.is_none()
        });
        let mcs = station.and_then(|station| station.mcs).or(self.mcs.filter(|_| is_cells));
        let guard_interval = self.guard_interval.map_or(DEFAULT_GUARD_INTERVAL, |gi| gi.duration());
        let guard_interval = match is_older && !has_guard_interval(format, guard_interval) {
            true => DEFAULT_GUARD_INTERVAL,
            false => guard_interval,
        };
        let mcs = Mcs(mcs.unwrap_or(highest) as u8);
        TxVector::high_throughput(format, mcs, width, streams as u8, guard_interval)
    }

    /// 20 MHz with 802.11n and at 2.4 GHz, else 80 MHz.
    pub(crate) fn default_channel_width(&self) -> Hertz {
        let is_narrow = self.phy == PhyKind::Dot11n || self.band == Some(Band::TwoPointFour);
        Hertz::new(if is_narrow { 20 } else { 80 } * MHZ)
    }

    /// What the medium of a PHY with MCS has to know of `station`, or of the access point.
    pub(crate) fn edca_node(&self, station: Option<&Station>) -> Result<EdcaNode, ModeError> {
        let mode = self.mode(station)?;
        let of_station = station.and_then(|station| station.aggregation.as_ref());
        let aggregation = of_station.or(self.aggregation.as_ref());
        let limits = |config: &AggregationConfig| config.limits(mode.format);
        let aggregation = aggregation.map_or(Some(Aggregation::of(mode.format)), limits);
        let node = match station.filter(|station| self.is_legacy(station)) {
            Some(_) => EdcaNode::legacy(mode),
            None => EdcaNode::new(mode, aggregation),
        };
        let rate_control = station.and_then(|station| station.rate_control.clone());
        let channel = station.and_then(|station| station.channel.clone());
        Ok(EdcaNode { rate_control: rate_control.unwrap_or_default(), channel, ..node })
    }

    /// How the medium chooses the rate of control frames.
    pub fn control_rate(&self) -> wlan::ControlRate {
        match self.control_rate {
            ControlRate::Basic => {
                let rates: Vec<_> = self.basic_rates.iter().map(|rate| rate.rate()).collect();
                wlan::ControlRate::Basic(BasicRates::new(&rates))
            }
            ControlRate::Fixed(rate) => wlan::ControlRate::Fixed(rate.rate()),
        }
    }

    /// What the medium has to know of `station`.
    pub fn station_config(&self, station: &Station) -> StationConfig {
        let phy = self.phy_of(station);
        let of_cell = self.data_rate.filter(|_| phy == self.phy);
        let of_cell = of_cell.unwrap_or_else(|| phy.default_data_rate());
        StationConfig {
            phy,
            rate: station.data_rate.unwrap_or(of_cell).rate(),
            rate_control: station.rate_control.clone().unwrap_or_default(),
            channel: station.channel.clone(),
        }
    }
}
