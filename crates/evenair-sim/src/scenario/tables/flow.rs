//! The flows of a scenario.

use evenair_core::component::{BitRate, Seconds};
use evenair_core::tcp::{LimitedTransmit, RtoFormula, SynTimer};
use evenair_core::time::Duration;
use evenair_core::traffic::Application;
use evenair_core::transport::Config as Transport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::values::bounded_integer::{bounded_integer, optional_bounded_integer};
use crate::scenario::values::choices::DelayedAck;
use crate::scenario::values::names::Direction;
use crate::scenario::values::tcp_preset::{DEFAULT_SEGMENT, TcpPreset};
use crate::scenario::values::trace_file;

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
