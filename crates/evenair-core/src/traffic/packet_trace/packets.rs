//! The packets of a trace, as a configuration has them.

use std::ops::Deref;
use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::component::message::{shown, shown_value, unknown_name};
use crate::component::{Bounds, Bytes, CompositeType, Seconds, named};
use crate::time::Duration;

/// The longest trace; a resolved configuration has all of its packets.
pub(super) const MAX_PACKETS: usize = 100_000;

/// The largest packet or transfer, bytes.
const MAX_SIZE: u64 = u32::MAX as u64;

/// A packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracePacket {
    /// Its time.
    pub at: Duration,
    /// Its size with IP header, bytes.
    pub bytes: u32,
    /// Where it goes; none: wherever the flow goes that replays it.
    pub direction: Option<TraceDirection>,
}

named! {
    /// The direction of a packet.
    pub enum TraceDirection {
        /// From the station.
        #[default]
        Up => "up",
        /// To the station.
        Down => "down",
    }
    planned []
}

named! {
    /// What the rows of a trace are.
    pub enum SentAs {
        /// Datagrams over UDP.
        #[default]
        Datagrams => "datagrams",
        /// Transfers over TCP, each over a new connection.
        Transfers => "transfers",
    }
    planned []
}

/// Packets in the order of their times.
#[derive(Clone, Debug, PartialEq)]
pub struct Packets(Arc<[TracePacket]>);

crate::composite_field!(Packets);

/// The bounds of a list of packets.
pub(super) const fn packets() -> Bounds<Packets> {
    static PACKETS: CompositeType = CompositeType {
        accepted: || ACCEPTED.to_owned(),
        read: |from, _, _| {
            let got = Value::deserialize(from)?;
            let Value::Array(rows) = got else {
                let got = shown_value(&got);
                return Err(Error::custom(format!("got {got}; accepted: {ACCEPTED}")));
            };
            let read = |(row, number): (&Value, usize)| {
                packet(row).map_err(|error| Error::custom(format!("packet {number}: {error}")))
            };
            let rows: Result<Vec<_>, _> = rows.iter().zip(1..).map(read).collect();
            let packets = Packets::new(rows?, |place| format!("packet {}", place + 1));
            Ok(Box::new(packets.map_err(Error::custom)?))
        },
        shown: |value| json!(value),
        schema: |_| {
            let items = json!({ "type": "array", "minItems": 2, "maxItems": 3 });
            json!({ "type": "array", "minItems": 1, "items": items })
        },
        at_bounds: || vec![json!([[0.0, 29]]), json!([[1.0, 65_535, "up"], [1.0, 1000, "down"]])],
    };
    Bounds::composite(&PACKETS)
}

const ACCEPTED: &str = "a list of packets such as [[0, 200], [\"20 ms\", \"1500 B\", \"down\"]]";

impl Packets {
    /// Packets; `name` says which one an error is about.
    pub(super) fn new(
        packets: Vec<TracePacket>,
        name: impl Fn(usize) -> String,
    ) -> Result<Self, String> {
        let count = packets.len();
        if !(1..=MAX_PACKETS).contains(&count) {
            return Err(format!("got {count} packets; accepted: from 1 to {MAX_PACKETS} of them"));
        }
        if let Some(place) = packets.windows(2).position(|pair| pair[1].at < pair[0].at) {
            let [before, at] = [packets[place].at, packets[place + 1].at].map(Seconds::from);
            let name = name(place + 1);
            return Err(format!("{name}: got {at} after {before}; accepted: times in order"));
        }
        Ok(Self(packets.into()))
    }
}

impl Deref for Packets {
    type Target = [TracePacket];

    fn deref(&self) -> &[TracePacket] {
        &self.0
    }
}

/// As [`packets`] reads it.
impl Serialize for Packets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|packet| {
            let (at, bytes) = (Seconds::from(packet.at), packet.bytes);
            match packet.direction {
                None => json!([at, bytes]),
                Some(direction) => json!([at, bytes, direction]),
            }
        }))
    }
}

fn packet(row: &Value) -> Result<TracePacket, String> {
    let fields = row.as_array().map(Vec::as_slice);
    let (time, size, direction) = match fields {
        Some([time, size]) => (time, size, None),
        Some([time, size, direction]) => (time, size, Some(direction)),
        _ => return Err(format!("got {}; accepted: [time, size]", shown_value(row))),
    };
    let direction = match direction {
        Some(Value::String(name)) => Some(self::direction(name)?),
        Some(other) => {
            return Err(format!("got {}; accepted: \"up\", \"down\"", shown_value(other)));
        }
        None => None,
    };
    Ok(TracePacket { at: self::time(time)?, bytes: self::size(size)?, direction })
}

/// A time with its unit, or plain seconds.
pub(super) fn time(value: &Value) -> Result<Duration, String> {
    Seconds::deserialize(value).map(Seconds::duration).map_err(|error| error.to_string())
}

/// A size with its unit, or plain bytes.
pub(super) fn size(value: &Value) -> Result<u32, String> {
    let size = Bytes::deserialize(value).map_err(|error| error.to_string())?.as_u64();
    if !(1..=MAX_SIZE).contains(&size) {
        return Err(format!("got {size} B; accepted: a size from 1 to {MAX_SIZE} B"));
    }
    Ok(size as u32)
}

/// "up" or "down".
pub(super) fn direction(name: &str) -> Result<TraceDirection, String> {
    let unknown = || unknown_name(name, TraceDirection::NAMES, &[]);
    TraceDirection::from_name(name).ok_or_else(unknown)
}

/// A field of a text file as a value of a configuration: a number, or else a text.
pub(super) fn field(text: &str) -> Value {
    let plain = text.parse::<f64>().ok().filter(|value| value.is_finite());
    plain.map_or_else(|| text.into(), Value::from)
}

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    shown(text)
}
