//! Files of packets, and whose packets those of a capture are.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::de::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::capture::{self, Captured};
use super::csv;
use super::packets::{Packets, SentAs, TraceDirection, TracePacket};
use crate::component::message::{shown, shown_path, shown_value};
use crate::component::{Bounds, CompositeType};
use crate::ip::headers::FlowKey;

/// What was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Its path, in quotes.
    name: String,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Packets(Packets),
    /// At least one.
    Capture(Vec<Captured>),
}

crate::composite_field!(TraceFile);

/// Its name: it is replaced by its packets ([`PacketTraceConfig::load`](super::PacketTraceConfig::load)) before a
/// configuration is written.
impl Serialize for TraceFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

const ACCEPTED: &str = "a CSV, pcap or pcapng file";

/// The bounds of a file.
pub(super) const fn trace_file() -> Bounds<TraceFile> {
    static FILE: CompositeType = CompositeType {
        accepted: || ACCEPTED.to_owned(),
        read: |from, _, read_file| {
            let path = text(&Value::deserialize(from)?, ACCEPTED).map_err(Error::custom)?;
            let name = shown_path(&path);
            let Some(read_file) = read_file else {
                return Err(Error::custom(format!("got the file {name}; accepted: packets")));
            };
            let bytes = read_file(&path).map_err(|error| {
                Error::custom(format!("got {name}: {error}; accepted: {ACCEPTED}"))
            })?;
            let file = TraceFile::new(&name, &bytes);
            Ok(Box::new(file.map_err(|error| Error::custom(format!("{name}, {error}")))?))
        },
        shown: |value| json!(value),
        schema: |_| json!({ "type": "string" }),
        at_bounds: Vec::new,
    };
    Bounds::composite(&FILE)
}

crate::composite_field!(IpAddr);

/// The bounds of an address.
pub(super) const fn address() -> Bounds<IpAddr> {
    const ACCEPTED: &str = "an IP address such as \"192.168.0.2\"";
    static ADDRESS: CompositeType = CompositeType {
        accepted: || ACCEPTED.to_owned(),
        read: |from, _, _| {
            let text = text(&Value::deserialize(from)?, ACCEPTED).map_err(Error::custom)?;
            let wrong = |_| Error::custom(format!("got {}; accepted: {ACCEPTED}", shown(&text)));
            Ok(Box::new(text.parse::<IpAddr>().map_err(wrong)?))
        },
        shown: |value| json!(value),
        schema: |_| json!({ "type": "string" }),
        at_bounds: || vec![json!("0.0.0.0"), json!("ffff::1")],
    };
    Bounds::composite(&ADDRESS)
}

fn text(got: &Value, accepted: &str) -> Result<String, String> {
    let text = got.as_str().map(str::to_owned);
    text.ok_or_else(|| format!("got {}; accepted: {accepted}", shown_value(got)))
}

impl TraceFile {
    /// Reads a file: a capture, or else text.
    ///
    /// # Errors
    /// Where in the file something is wrong, and what.
    pub fn new(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let content = match capture::read(bytes)? {
            Some(packets) if packets.is_empty() => {
                return Err(
                    "which is a capture: got no IP packet; accepted: at least one".to_owned()
                );
            }
            Some(packets) => Content::Capture(packets),
            None => {
                let text = std::str::from_utf8(bytes)
                    .map_err(|_| format!("line 1: got no text; accepted: {ACCEPTED}"))?;
                Content::Packets(csv::read(text)?)
            }
        };
        Ok(Self { name: name.to_owned(), content })
    }

    /// The packets. Of a capture those from the station, `address` or else the source of the first, go up, those to it
    /// down, and others are left out. Of transfers each direction of a connection over TCP is one.
    pub(super) fn packets(
        self,
        address: Option<IpAddr>,
        sent_as: SentAs,
    ) -> Result<Packets, String> {
        let Self { name, content } = self;
        let captured = match content {
            Content::Packets(_) if address.is_some() => {
                return Err(format!("got address with {name}; accepted: address with a capture"));
            }
            Content::Packets(packets) => return Ok(packets),
            Content::Capture(captured) => captured,
        };
        let first = captured[0];
        let station = address.unwrap_or(first.from());
        let packet = |captured: &Captured| {
            let direction = match (captured.from() == station, captured.to() == station) {
                (true, _) => TraceDirection::Up,
                (false, true) => TraceDirection::Down,
                (false, false) => return None,
            };
            Some((
                captured.number,
                TracePacket { at: captured.at, bytes: captured.bytes, direction: Some(direction) },
            ))
        };
        let captured = match sent_as {
            SentAs::Datagrams => captured,
            SentAs::Transfers => transfers(captured),
        };
        let (numbers, packets): (Vec<_>, Vec<_>) = captured.iter().filter_map(packet).unzip();
        if packets.is_empty() && sent_as == SentAs::Transfers {
            return Err(format!(
                "got {name} without payload over TCP from or to {station}; accepted: a capture of \
                 connections"
            ));
        }
        if packets.is_empty() {
            return Err(format!(
                "got address {station} of {name}, which has no packet from or to it; accepted: \
                 an address such as \"{}\"",
                first.from()
            ));
        }
        Packets::new(packets, |place| format!("packet {}", numbers[place]))
            .map_err(|error| format!("{name}, {error}"))
    }
}

/// The directions of connections in which there is payload: each as a packet with all of it, at the time of the first.
fn transfers(captured: Vec<Captured>) -> Vec<Captured> {
    let mut all: Vec<Captured> = Vec::new();
    let mut latest: BTreeMap<FlowKey, usize> = BTreeMap::new();
    for packet in captured {
        let Some((is_syn, payload)) = packet.tcp else { continue };
        // The ports are used again.
        let is_new = |&place: &usize| is_syn && all[place].bytes > 0;
        match latest.get(&packet.key).copied().filter(|place| !is_new(place)) {
            Some(place) => all[place].bytes = all[place].bytes.saturating_add(payload),
            None => {
                latest.insert(packet.key, all.len());
                all.push(Captured { bytes: payload, ..packet });
            }
        }
    }
    all.retain(|transfer| transfer.bytes > 0);
    all
}
