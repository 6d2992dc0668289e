//! What a scenario consists of. Sources of the defaults: Gong et al. 2006 (section IV), IEEE
//! 802.11-2007 and the RFCs named at each field.

use std::borrow::Cow;

use evenair_core::component::{BitRate, Seconds};
use evenair_core::control::limiter;
use evenair_core::loss;
use evenair_core::medium::wimax::phy::Modulation;
use evenair_core::medium::wlan::phy::PhyKind;
use evenair_core::medium::wlan::{channel, rate_control};
use evenair_core::time::Duration;
use evenair_core::traffic::Application;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::topology::{ACCESS_POINT, SERVER};
use crate::scenario::values::bounded_integer::{bounded_integer, optional_bounded_integer};
use crate::scenario::values::node_names;
use crate::scenario::values::queue::{self, Queue};
use crate::scenario::values::tcp_preset::TcpPreset;
use crate::scenario::values::trace_file;

pub use crate::scenario::tables::cell::Cell;
pub use crate::scenario::values::choices::DelayedAck;
pub use crate::scenario::values::names::{Direction, LimitedTransmit, RtoFormula, SynTimer};
pub use crate::scenario::values::transport::Transport;

/// Payload of a segment where the scenario has none: an Ethernet MTU of 1500 less 40.
pub(crate) const DEFAULT_SEGMENT: u32 = 1460;

/// Everything that a run depends on, but for its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// A title for tables and plots; it changes no result.
    #[serde(default = "unnamed")]
    pub name: String,
    /// Measured time after the warm-up, seconds, above 0 (default: 300 s).
    #[serde(default = "default_duration")]
    pub duration: Seconds,
    /// Time that is simulated before measuring starts, seconds (default: 0 s).
    #[serde(default)]
    pub warmup: Seconds,
    /// The wireless cell; its keys are those of its kind.
    #[serde(default)]
    pub cell: Cell,
    /// What is behind the access point: one link to the server, or a topology.
    #[serde(default)]
    pub wired: Wired,
    /// The router between the access point and the wired part.
    #[serde(default)]
    pub gateway: Gateway,
    /// The stations, grouped: each entry stands for `count` equal ones. At least one entry.
    #[schemars(length(min = 1))]
    pub station: Vec<Station>,
    /// Time series to record; none where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

impl Scenario {
    /// Time between the starts of two flows that give none, so that equal flows do not run in
    /// step: 0.1 s if any entry stands for several stations, else 0.
    pub(crate) fn stagger(&self) -> Duration {
        let several = self.station.iter().any(|group| group.count > 1);
        if several { Duration::from_millis(100) } else { Duration::ZERO }
    }
}

/// The router between the access point and the wired part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gateway {
    /// What limits the rate of all packets from the access point (default: "none").
    pub limiter: limiter::Config,
}

/// The wired part: a full-duplex link between the server and the access point (`rate`, `delay`,
/// `queue`), or any number of links (`link`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wired {
    /// The one link's rate in each direction, bit/s, or "unlimited" (default: 100 Mbps).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// The one link's propagation delay in each direction, seconds (default: 2 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Seconds>,
    /// The queue in front of each direction of the one link (default: droptail, 1000 packets).
    #[serde(deserialize_with = "queue::optional_station", skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// Links between named nodes. "ap" is the access point; "server" is where stations' flows that
    /// name no `host` begin or end. There is one way between any two nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<WiredLink>,
    /// Flows between hosts, `from` one `to` another: cross traffic.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<Flow>,
}

/// A full-duplex link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WiredLink {
    /// The nodes that it connects.
    #[serde(deserialize_with = "node_names::pair")]
    pub between: [String; 2],
    /// Rate in each direction, bit/s, or "unlimited" (default: 100 Mbps).
    #[serde(default = "default_wired_rate")]
    pub rate: BitRate,
    /// Propagation delay in each direction, seconds (default: 2 ms).
    #[serde(default = "default_wired_delay")]
    pub delay: Seconds,
    /// The queue in front of each direction (default: droptail, 1000 packets).
    #[serde(default = "queue::station_default", deserialize_with = "queue::station")]
    pub queue: Queue,
    /// Errors of the link: packets are lost at its end. "down" is towards the access point, the
    /// level is "ip"; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<loss::Config>,
}

impl Wired {
    /// All links; the one link is between "server" and "ap".
    pub(crate) fn links(&self) -> Cow<'_, [WiredLink]> {
        if !self.link.is_empty() {
            return Cow::Borrowed(&self.link);
        }
        Cow::Owned(vec![WiredLink {
            between: [SERVER.to_owned(), ACCESS_POINT.to_owned()],
            rate: self.rate.unwrap_or_else(default_wired_rate),
            delay: self.delay.unwrap_or_else(default_wired_delay),
            queue: self.queue.clone().unwrap_or_else(queue::station_default),
            error: None,
        }])
    }
}

/// A group of equal stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// The station's name in results; absent: none. The `count` stations of an entry are NAME-1, NAME-2
    /// and so on. No two stations have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// How many stations this entry stands for; each has all of `flows` (default: 1).
    #[serde(default = "one", deserialize_with = "bounded_integer::<1, 100_000, _>")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
    /// In an 802.11g cell: "802.11b", or "802.11g" as the cell; absent: the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phy: Option<PhyKind>,
    /// In a WLAN cell: rate of data frames to and from this station, bit/s, or the first one with a
    /// `rate_control`; absent: the cell's, of an 802.11b station in an 802.11g cell 11 Mbps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<BitRate>,
    /// In a WLAN cell: chooses the rate of each data frame, in each direction by itself; absent: "fixed".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<rate_control::Config>,
    /// In a WLAN cell: corrupts frames between this station and the access point by their rate; absent:
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<channel::Config>,
    /// In a WiMAX cell: modulation and coding of bursts to and from this station; absent: the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulation: Option<Modulation>,
    /// The station's own uplink queue (default: droptail, in a WLAN cell 1000 packets, in a WiMAX
    /// cell 50).
    #[serde(default = "queue::station_default", deserialize_with = "queue::station")]
    pub queue: Queue,
    /// Errors of the air between this station and the access point; absent: collisions alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<loss::Config>,
    /// Bytes added to every IP packet that the station sends (default: 0; ns-2 with DSDV has 20).
    #[serde(default, deserialize_with = "bounded_integer::<0, 65535, _>")]
    #[schemars(range(min = 0, max = 65535))]
    pub extra_header: u32,
    /// The flows of each of the `count` stations. At least one.
    #[schemars(length(min = 1))]
    pub flows: Vec<Flow>,
}

/// One flow: between a station and a wired host, or between two wired hosts (in `wired.flow`).
///
/// The keys from `tcp` to `syn_timer` are TCP's; other flows ignore them. Where they are not given
/// they are those of the preset `tcp`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Flow {
    /// The flow's name in results; absent: none. Those of an entry of several stations are NAME-1, NAME-2
    /// and so on. No two flows have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// What the flow has in common with others, for tables and plots; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub group: Option<String>,
    /// Where a station's data go: "down" from the host to the station, or "up".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The wired end of a station's flow (default: "server").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Where the data of a flow between wired hosts come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where they go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The congestion control, "tfrc", or "udp" (default: "newreno").
    pub transport: Transport,
    /// What produces the data (default: "bulk" over TCP and TFRC, "cbr" over UDP).
    #[serde(deserialize_with = "trace_file::application")]
    pub application: Application,
    /// Payload of a full segment or of a datagram, bytes (default: 1460, over TFRC 1448).
    #[serde(deserialize_with = "bounded_integer::<1, 65_495, _>")]
    #[schemars(range(min = 1, max = 65_495))]
    pub segment: u32,
    /// IP and transport header, bytes, at least 40 for TCP and 28 for UDP (default: 40, over TFRC with
    /// RTP 52).
    #[serde(deserialize_with = "bounded_integer::<28, 120, _>")]
    #[schemars(range(min = 28, max = 120))]
    pub header: u32,
    /// Which TCP the defaults of the following keys are those of (default: "linux").
    pub tcp: TcpPreset,
    /// The receiver's advertised window, segments ("linux" and "rfc": 3 MiB).
    #[serde(deserialize_with = "bounded_integer::<1, 65_535, _>")]
    #[schemars(range(min = 1, max = 65_535))]
    pub window: u32,
    /// The first congestion window, segments, at most `window`.
    #[serde(deserialize_with = "bounded_integer::<1, 65_535, _>")]
    #[schemars(range(min = 1, max = 65_535))]
    pub initial_window: u32,
    /// The first slow-start threshold, segments ("rfc" and "ns2": `window`, because RFC 5681
    /// section 3.1 suggests the size of the largest advertised window).
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_bounded_integer::<1, 4_294_967_295, _>"
    )]
    #[schemars(range(min = 1, max = 4_294_967_295u32))]
    pub initial_ssthresh: Option<u32>,
    /// In-order segments per acknowledgement; 1 acknowledges each (RFC 5681 section 4.2). Or
    /// "dynamic": 1 to 4, more the further the connection is (Altman and Jimenez 2003).
    pub delayed_ack: DelayedAck,
    /// How long an acknowledgement may be withheld, seconds, above 0.
    pub delayed_ack_timeout: Seconds,
    /// Acknowledgements at the start of a connection that are not withheld (Linux's quickack mode).
    #[serde(deserialize_with = "bounded_integer::<0, 65_535, _>")]
    #[schemars(range(min = 0, max = 65_535))]
    pub quick_acks: u32,
    /// Whether cwnd grows by the segments that an ACK covers instead of by one per ACK ("rfc" and
    /// "ns2": as `spm_marking`, because the sender of Gong et al. 2006 counts them).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_counting: Option<bool>,
    /// Whether cwnd grows only while it limits the sender (RFC 7661); false: always (ns-2).
    pub cwnd_validation: bool,
    /// Whether segments sent while cwnd < 4 are marked as high priority (Gong et al. 2006,
    /// section III-A); TCP only (default: true where the access point's queue is spm-af).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spm_marking: Option<bool>,
    /// What each of the first two duplicate ACKs permits to be sent beyond cwnd.
    pub limited_transmit: LimitedTransmit,
    /// Whether ACKs report what has arrived out of order (RFC 2018), and recovery goes by it (RFC
    /// 6675).
    pub sack: bool,
    /// Whether losses are found by when segments were sent, those of repairs, too, and a probe asks for
    /// ACKs that do not come (RFC 8985, RACK-TLP); needs `sack`.
    pub rack: bool,
    /// Whether recovery brings down what is in flight little by little (RFC 9937, proportional rate
    /// reduction); needs `sack`.
    pub prr: bool,
    /// Whether queues may mark segments instead of dropping them (RFC 3168, classic ECN); TCP only
    /// (default: false).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ecn: bool,
    /// How the retransmission timeout follows from round-trip times.
    pub rto: RtoFormula,
    /// Lower bound of the retransmission timeout, or with `rto` "linux" of what it adds to the
    /// smoothed round-trip time, seconds, above 0.
    pub min_rto: Seconds,
    /// Retransmission timeout before the first RTT sample, seconds, above 0.
    pub initial_rto: Seconds,
    /// When an unanswered SYN, or the request after it, is repeated.
    pub syn_timer: SynTimer,
    /// When the application starts, seconds since the start of the run (warm-up included).
    ///
    /// It stays absent in a resolved scenario: flows without a start begin at 0.1 s times their
    /// index among all flows of the run (in station order, then flow order) when any station
    /// entry has a count above 1, and at 0 otherwise. Only the world knows that index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Seconds>,
    /// When the application stops, seconds since the start of the run; absent: at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Seconds>,
    /// Offered load of an application over UDP, bit/s of payload, in on periods that of "on-off";
    /// required there, refused elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
}

impl Flow {
    /// Time between two datagrams at the flow's rate; none without a rate.
    pub(crate) fn datagram_interval(&self) -> Duration {
        let interval = self.rate.map(|rate| rate.rate().time_for(u64::from(self.segment)));
        interval.unwrap_or(Duration::ZERO).max(Duration::from_nanos(1))
    }
}

/// Time series to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Time between two samples, seconds, above 0 (default: 1 s).
    #[serde(default = "default_interval")]
    pub interval: Seconds,
}

impl Default for Flow {
    fn default() -> Self {
        let tcp = TcpPreset::default();
        let options = tcp.options(DEFAULT_SEGMENT);
        Self {
            name: None,
            group: None,
            direction: None,
            host: None,
            from: None,
            to: None,
            transport: Transport::default(),
            application: Application::default(),
            segment: DEFAULT_SEGMENT,
            header: 40,
            tcp,
            window: options.window,
            initial_window: options.initial_window,
            initial_ssthresh: options.initial_ssthresh,
            delayed_ack: options.delayed_ack,
            delayed_ack_timeout: options.delayed_ack_timeout,
            quick_acks: options.quick_acks,
            byte_counting: options.byte_counting,
            cwnd_validation: options.cwnd_validation,
            spm_marking: None,
            limited_transmit: options.limited_transmit,
            sack: options.sack,
            rack: options.rack,
            prr: options.prr,
            ecn: false,
            rto: options.rto,
            min_rto: options.min_rto,
            initial_rto: options.initial_rto,
            syn_timer: options.syn_timer,
            start: None,
            stop: None,
            rate: None,
        }
    }
}

fn default_wired_rate() -> BitRate {
    BitRate::from_bps(100_000_000)
}

fn default_wired_delay() -> Seconds {
    Seconds::from_millis(2)
}

fn unnamed() -> String {
    "unnamed".to_owned()
}

fn default_duration() -> Seconds {
    Seconds::from_millis(300_000)
}

fn default_interval() -> Seconds {
    Seconds::from_millis(1_000)
}

fn one() -> u32 {
    1
}
