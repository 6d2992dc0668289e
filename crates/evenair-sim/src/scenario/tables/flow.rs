//! The flows of a scenario.

use evenair_core::component::{Beside, BitRate, Seconds};
use evenair_core::packet::AccessCategory;
use evenair_core::tcp::{TcpConfig, TcpPreset};
use evenair_core::traffic::{Application, Offer, TraceDirection};
use evenair_core::transport::Config as Transport;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scenario::values::bounded_integer::bounded_integer;
use crate::scenario::values::names::Direction;
use crate::scenario::values::trace_file;

/// Payload of a segment where the scenario has none: an Ethernet MTU of 1500 less 40.
pub(crate) const DEFAULT_SEGMENT: u32 = 1460;

/// Bytes of the IPv4 and TCP headers without options (RFC 791 section 3.1, RFC 9293 section 3.1).
pub(crate) const TCP_HEADER: u32 = 20 + 20;

/// One flow: between a station and a wired host, or between two wired hosts (in `wired.flow`).
///
/// The keys from `tcp` to `syn_timer` are TCP's; other flows ignore them. Where they are not given
/// they are those of the preset `tcp`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, remote = "Self")]
#[schemars(!remote)]
pub struct Flow {
    /// The flow's name in results; absent: none. With direction "both" they are NAME-up and NAME-down; those of an
    /// entry of several stations are NAME-1, NAME-2 and so on. No two flows have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// What the flow has in common with others, for tables and plots; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub group: Option<String>,
    /// Where a station's data go: "down" from the host to the station, "up", or "both": a flow of each direction, up
    /// first (default: none, with "voip" and "video-call" "both").
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
    /// Payload of a full segment or of a datagram, bytes (default: 1460, over TFRC and with timestamps 1448; with
    /// "voip" that of the codec, with "trace" 1472, with "ping" 56); of datagrams of varying size the largest.
    #[serde(deserialize_with = "bounded_integer::<1, 65_495, _>")]
    #[schemars(range(min = 1, max = 65_495))]
    pub segment: u32,
    /// IP and transport header, bytes, at least 40 for TCP, 52 with timestamps, and 28 for UDP (default: 40, with
    /// timestamps and over TFRC with RTP 52, with "trace" and "ping" 28).
    #[serde(deserialize_with = "bounded_integer::<28, 120, _>")]
    #[schemars(range(min = 28, max = 120))]
    pub header: u32,
    /// Which TCP the defaults of the following keys are those of (default: "linux").
    #[serde(rename = "tcp")]
    pub preset: TcpPreset,
    /// TCP's options.
    #[serde(flatten, skip_deserializing)]
    #[schemars(!skip_deserializing)]
    pub tcp: TcpConfig,
    /// The access category of its packets, data and acknowledgements, in a cell with EDCA: "be" (default), "bk", "vi",
    /// "vo"; absent in other cells, and between hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_category: Option<AccessCategory>,
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
    /// Offered load of "cbr", "poisson" and "video-call", bit/s of payload, in on periods that of "on-off"; required
    /// there, refused elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
}

impl Flow {
    /// The directions of a station's flows that it stands for.
    pub(crate) fn directions(&self) -> &'static [Direction] {
        match self.direction {
            Some(Direction::Both) => &[Direction::Up, Direction::Down],
            Some(Direction::Up) => &[Direction::Up],
            Some(Direction::Down) | None => &[Direction::Down],
        }
    }

    /// The name of the flow in this direction, if it has one.
    pub(crate) fn name_of(&self, direction: Direction) -> Option<String> {
        let name = self.name.as_ref()?;
        Some(match self.direction {
            Some(Direction::Both) => format!("{name}-{direction}"),
            _ => name.clone(),
        })
    }

    /// What it says of its datagrams, which go in this direction.
    pub(crate) fn offer(&self, direction: TraceDirection) -> Offer {
        let (segment, header) = (self.segment, self.header);
        Offer { rate: self.rate.map(BitRate::rate), segment, header, direction }
    }
}

/// With [`Beside`], which reads TCP's options, around the derived function (`remote`).
impl<'de> Deserialize<'de> for Flow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut tcp = TcpConfig::default();
        let flow = Self::deserialize(Beside::new(deserializer, &mut tcp))?;
        Ok(Self { tcp, ..flow })
    }
}

impl Serialize for Flow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl Default for Flow {
    fn default() -> Self {
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
            preset: TcpPreset::default(),
            tcp: TcpConfig::default(),
            access_category: None,
            start: None,
            stop: None,
            rate: None,
        }
    }
}
