//! Presets of TCP's options: the defaults of a flow's keys that `flow.tcp` selects.
//!
//! A preset is a table of values ([`TcpOptions`]), which is written into a flow before it is read, where
//! the flow has none of its own.

use evenair_core::component::{Component, Seconds, describe, named};
use evenair_core::tcp::{LimitedTransmit, RtoFormula, SynTimer};
use evenair_core::time::Duration;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::scenario::values::choices::DelayedAck;

named! {
    /// Which TCP a flow's defaults are those of.
    pub enum TcpPreset {
        /// Linux.
        #[default]
        Linux => "linux",
        /// The RFCs of the standards track.
        Rfc => "rfc",
        /// ns-2.35, and the papers that used it.
        Ns2 => "ns2",
    }
    planned []
}

/// The keys of a flow that a preset has values for.
#[derive(Serialize)]
pub(crate) struct TcpOptions {
    pub(crate) window: u32,
    pub(crate) initial_window: u32,
    /// None: the window.
    pub(crate) initial_ssthresh: Option<u32>,
    pub(crate) delayed_ack: DelayedAck,
    pub(crate) delayed_ack_timeout: Seconds,
    pub(crate) quick_acks: u32,
    /// None: as `spm_marking`.
    pub(crate) byte_counting: Option<bool>,
    pub(crate) cwnd_validation: bool,
    pub(crate) limited_transmit: LimitedTransmit,
    pub(crate) sack: bool,
    pub(crate) rack: bool,
    pub(crate) prr: bool,
    pub(crate) rto: RtoFormula,
    pub(crate) min_rto: Seconds,
    pub(crate) initial_rto: Seconds,
    pub(crate) syn_timer: SynTimer,
}

/// Payload of a segment where the scenario has none: an Ethernet MTU of 1500 less 40.
pub(crate) const DEFAULT_SEGMENT: u32 = 1460;

/// Linux's largest receive window, bytes: half of `tcp_rmem[2]`, 6 MiB (`tcp_init` before 6.16), because
/// payload counts as half of the memory of packets (`tcp_adv_win_scale` 1, since 6.6
/// `TCP_DEFAULT_SCALING_RATIO`).
const LINUX_WINDOW: u32 = 3 << 20;
/// The largest window of a flow, segments.
const MAX_WINDOW: u32 = 65_535;
/// `TCP_INFINITE_SSTHRESH` (`include/net/tcp.h`).
const LINUX_SSTHRESH: u32 = 0x7FFF_FFFF;
/// `TCP_INIT_CWND` (RFC 6928).
const LINUX_INITIAL_WINDOW: u32 = 10;
/// `TCP_MAX_QUICKACKS`.
const LINUX_QUICK_ACKS: u32 = 16;
/// `TCP_ATO_MIN`, `TCP_RTO_MIN` and `TCP_TIMEOUT_INIT`, ms.
const LINUX_DELAYED_ACK_TIMEOUT: u64 = 40;
const LINUX_MIN_RTO: u64 = 200;
const LINUX_INITIAL_RTO: u64 = 1_000;

impl TcpPreset {
    /// The values of the preset for segments of so many bytes.
    pub(crate) fn options(self, segment: u32) -> TcpOptions {
        let ms = |ms| Seconds::from(Duration::from_millis(ms));
        // RFCs state no size of buffers; Linux's does not limit what they are used for here.
        let window = (LINUX_WINDOW / segment.max(1)).clamp(1, MAX_WINDOW);
        let linux = TcpOptions {
            window,
            initial_window: LINUX_INITIAL_WINDOW,
            initial_ssthresh: Some(LINUX_SSTHRESH),
            delayed_ack: DelayedAck::Every(2),
            delayed_ack_timeout: ms(LINUX_DELAYED_ACK_TIMEOUT),
            quick_acks: LINUX_QUICK_ACKS,
            byte_counting: Some(true),
            cwnd_validation: true,
            limited_transmit: LimitedTransmit::New,
            sack: true,
            rack: true,
            prr: true,
            rto: RtoFormula::Linux,
            min_rto: ms(LINUX_MIN_RTO),
            initial_rto: ms(LINUX_INITIAL_RTO),
            syn_timer: SynTimer::Linux,
        };
        match self {
            Self::Linux => linux,
            Self::Rfc => TcpOptions {
                // RFC 5681 section 3.1.
                initial_window: match segment {
                    0..=1095 => 4,
                    1096..=2190 => 3,
                    _ => 2,
                },
                // Section 3.1: the largest advertised window.
                initial_ssthresh: None,
                // Section 4.2: within 500 ms.
                delayed_ack_timeout: ms(500),
                quick_acks: 0,
                // Section 3.1: a segment for an ACK, whatever it covers.
                byte_counting: None,
                // RFC 6675, and no more.
                rack: false,
                prr: false,
                // RFC 6298, sections 2.1 and 2.4.
                rto: RtoFormula::Rfc6298,
                min_rto: ms(1_000),
                initial_rto: ms(1_000),
                syn_timer: SynTimer::Exact,
                ..linux
            },
            Self::Ns2 => TcpOptions {
                // window_ of Agent/TCP, windowInit_ as RFC 2414 had it, and interval_ of the DelAck
                // sink.
                window: 20,
                initial_window: 2,
                initial_ssthresh: None,
                delayed_ack: DelayedAck::Every(2),
                delayed_ack_timeout: ms(100),
                quick_acks: 0,
                byte_counting: None,
                cwnd_validation: false,
                limited_transmit: LimitedTransmit::New,
                sack: false,
                rack: false,
                prr: false,
                rto: RtoFormula::Rfc6298,
                // minrto_ and rtxcur_init_.
                min_rto: ms(200),
                initial_rto: ms(3_000),
                syn_timer: SynTimer::Exact,
            },
        }
    }

    fn component(self) -> Component {
        let (summary, source) = match self {
            Self::Linux => ("TCP of Linux, with any congestion control", "Linux 6.1 to 6.15"),
            Self::Rfc => (
                "TCP of the standards track, with any congestion control",
                "RFC 5681, RFC 6675, RFC 6298",
            ),
            Self::Ns2 => ("TCP of ns-2 and of papers that used it", "ns-2.35, Gong et al. 2006"),
        };
        Component { name: self.name(), aliases: &[], summary, source, ordered: &[] }
    }
}

/// Writes the defaults of its preset into a flow. Values of a wrong type are left as they are: reading
/// them into types gives the better error.
pub(crate) fn fill(flow: &mut Map<String, Value>) {
    let preset = match flow.get("tcp") {
        Some(name) => name.as_str().and_then(TcpPreset::from_name),
        None => Some(TcpPreset::default()),
    };
    let segment = match flow.get("segment") {
        Some(segment) => segment.as_u64().and_then(|segment| u32::try_from(segment).ok()),
        None => Some(DEFAULT_SEGMENT),
    };
    let (Some(preset), Some(segment)) = (preset, segment) else { return };
    let mut options = preset.options(segment);
    let given = |key: &str| flow.get(key);
    if let Some(window) = given("window").and_then(Value::as_u64) {
        options.window = u32::try_from(window).unwrap_or(MAX_WINDOW);
    }
    // What an option needs that the flow does not have, the preset does not have either.
    options.initial_window = options.initial_window.min(options.window.max(1));
    if given("sack") == Some(&Value::Bool(false)) {
        (options.rack, options.prr) = (false, false);
    }
    for (key, value) in table(&options) {
        flow.entry(key).or_insert(value);
    }
}

fn table(options: &TcpOptions) -> Map<String, Value> {
    match serde_json::to_value(options) {
        Ok(Value::Object(table)) => table,
        _ => unreachable!("options are a table"),
    }
}

/// What each key means, and what it accepts.
const KEYS: [(&str, &str, &str); 16] = [
    ("window", "the receiver's window, segments", SEGMENTS),
    ("initial_window", "cwnd after the handshake, segments, at most window", SEGMENTS),
    ("initial_ssthresh", "the first slow-start threshold, segments", "a whole number from 1 on"),
    ("delayed_ack", "in-order segments per ACK", "a whole number from 1 to 65535, or \"dynamic\""),
    ("delayed_ack_timeout", "how long an ACK is held back at most, s", "a time above 0"),
    ("quick_acks", "ACKs at the start that are not held back", "a whole number from 0 to 65535"),
    ("byte_counting", "cwnd grows by the segments that an ACK covers", SWITCH),
    ("cwnd_validation", "cwnd grows only while it limits the sender", SWITCH),
    ("limited_transmit", "what the first duplicate ACKs may send", "\"off\", \"new\" or \"any\""),
    ("sack", "selective acknowledgements", SWITCH),
    ("rack", "RACK-TLP; needs sack", SWITCH),
    ("prr", "proportional rate reduction; needs sack", SWITCH),
    ("rto", "formula of the retransmission timeout", "\"rfc6298\" or \"linux\""),
    ("min_rto", "lower bound of the timeout, s", TIMEOUT),
    ("initial_rto", "timeout before the first round-trip time, s", TIMEOUT),
    ("syn_timer", "timer of the handshake", "\"exact\" or \"linux\""),
];
const SEGMENTS: &str = "a whole number from 1 to 65535";
const SWITCH: &str = "true or false";
const TIMEOUT: &str = "a time above 0 and up to 60 s";

/// The presets with their values, for lists of parts.
pub(crate) fn parts() -> impl Iterator<Item = Value> {
    TcpPreset::NAMES.iter().filter_map(|name| TcpPreset::from_name(name)).map(|preset| {
        let mut options = table(&preset.options(DEFAULT_SEGMENT));
        let rows = KEYS.map(|(key, meaning, accepts)| {
            let follows = if key == "byte_counting" { "spm_marking" } else { "window" };
            let default = match options.remove(key) {
                None | Some(Value::Null) => follows.into(),
                Some(value) => value,
            };
            json!({ "name": key, "default": default, "accepts": accepts, "meaning": meaning })
        });
        debug_assert!(options.is_empty(), "a key without a meaning: {options:?}");
        let mut part = describe("TCP preset", &preset.component(), Vec::new());
        part["parameters"] = rows.to_vec().into();
        part
    })
}
