//! The keys of a WLAN cell. Sources of the defaults: Gong et al. 2006 (section IV) and IEEE
//! 802.11-2007.

use evenair_core::component::BitRate;
use evenair_core::control;
use evenair_core::medium::scheduler;
use evenair_core::medium::wlan::phy::{Phy, PhyKind};
use evenair_core::medium::wlan::{self, BasicRates, Protection, StationConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::tables::station::Station;
use crate::scenario::values::beacon_interval::BeaconInterval;
use crate::scenario::values::bounded_integer::bounded_integer;
use crate::scenario::values::choices::{Preamble, RtsThreshold};
use crate::scenario::values::control_rate::ControlRate;
use crate::scenario::values::names::WlanKind;
use crate::scenario::values::queue::{self, Queue};

/// An IEEE 802.11 cell: one access point, one collision domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WlanCell {
    /// The medium, "wlan" (default).
    pub kind: WlanKind,
    /// The physical layer, which sets the timing and the rates to choose from (default: "802.11b").
    pub phy: PhyKind,
    /// Rate of data frames, bit/s (default: 11 Mbps with 802.11b, 54 Mbps with 802.11a and g).
    pub data_rate: BitRate,
    /// The BSSBasicRateSet: rates of control frames where `control_rate` is "basic" (default: the
    /// mandatory rates of the PHY; 802.11b: 1, 2, 5.5 and 11 Mbps, 802.11a and g: 6, 12 and 24 Mbps; of
    /// 802.11g with 802.11b stations those of 802.11b).
    #[schemars(length(min = 1))]
    pub basic_rates: Vec<BitRate>,
    /// Rate of ACK, RTS and CTS frames: "basic", the highest basic rate that is not above that of the
    /// data frame (IEEE 802.11-2007 9.6), or one rate for all, bit/s (default: "basic").
    pub control_rate: ControlRate,
    /// What goes before OFDM frames at a rate of 802.11b, 802.11g only (default: "cts-to-self" with
    /// 802.11b stations, else "off"); absent with every other PHY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection: Option<Protection>,
    /// PLCP preamble and header, 802.11b only (default: "long"); absent with every other PHY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble: Option<Preamble>,
    /// Frames longer than this are announced by RTS/CTS (default: "off").
    pub rts_threshold: RtsThreshold,
    /// Bytes that MAC header, FCS and LLC/SNAP add to an IP packet: 24 + 4 + 8 (default: 36; ns-2
    /// has 34).
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
    pub beacon_interval: BeaconInterval,
    /// What limits the rates of flows, so that stations share the medium (default: "none"); needs
    /// beacons.
    pub controller: control::Config,
    /// Which station the access point serves next (default: "fifo").
    pub scheduler: scheduler::Config,
    /// The access point's downlink queue (default: droptail, 60 packets, the one in transmission
    /// included); with the scheduler "airtime-drr" one for each station (default: fq-codel, 8192
    /// packets).
    #[serde(deserialize_with = "queue::access_point")]
    pub queue: Queue,
}

impl Default for WlanCell {
    fn default() -> Self {
        let phy = PhyKind::default();
        Self {
            kind: WlanKind::Wlan,
            phy,
            data_rate: phy.default_data_rate(),
            basic_rates: phy.default_basic_rates(),
            control_rate: ControlRate::Basic,
            protection: None,
            preamble: None,
            rts_threshold: RtsThreshold::Off,
            mac_overhead: 36,
            immediate_access: true,
            short_retry_limit: 7,
            long_retry_limit: 4,
            beacon_interval: BeaconInterval::Off,
            controller: control::Config::default(),
            scheduler: scheduler::Config::default(),
            queue: queue::access_point_default(),
        }
    }
}

impl WlanCell {
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
        self.phy.timing(self.preamble.map(Preamble::duration))
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
        let of_cell = if phy == self.phy { self.data_rate } else { phy.default_data_rate() };
        StationConfig {
            phy,
            rate: station.data_rate.unwrap_or(of_cell).rate(),
            rate_control: station.rate_control.clone().unwrap_or_default(),
            channel: station.channel.clone(),
        }
    }
}
