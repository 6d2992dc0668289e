//! Queues in a scenario: a discipline, its own parameters, and a limit.

use std::borrow::Cow;
use std::fmt;

use evenair_core::parts::Choice;
use evenair_core::queue::REGISTRY;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::part::{self, Parts};
use super::quantity::Bytes;

/// A queue: `{ kind = "droptail", limit = 60 }`, or "las" for that kind with its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// The discipline with its own parameters.
    pub discipline: Choice,
    /// What fits, the packet in transmission included.
    pub limit: QueueLimit,
}

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// Packets, from 1 to 10,000,000.
    Packets(u32),
    /// Bytes at IP level, from 1 B to 1 TB.
    Bytes(u64),
}

/// The disciplines to choose from.
pub(super) const DISCIPLINES: Parts =
    Parts { registry: REGISTRY, planned: &[], default: "droptail", noun: "queue", has_limit: true };

/// The access point's queue where the scenario has none.
pub(super) fn access_point_default() -> Queue {
    default_queue(ACCESS_POINT_LIMIT)
}

/// A station's queue where the scenario has none.
pub(super) fn station_default() -> Queue {
    default_queue(STATION_LIMIT)
}

/// Reads a queue whose limit is the access point's where it is not given.
pub(super) fn access_point<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Queue, D::Error> {
    read(deserializer, ACCESS_POINT_LIMIT)
}

/// Reads a queue whose limit is a station's where it is not given.
pub(super) fn station<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Queue, D::Error> {
    read(deserializer, STATION_LIMIT)
}

const ACCESS_POINT_LIMIT: u32 = 60;
const STATION_LIMIT: u32 = 1000;

fn default_queue(limit: u32) -> Queue {
    Queue { discipline: DISCIPLINES.default_choice(), limit: QueueLimit::Packets(limit) }
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, limit: u32) -> Result<Queue, D::Error> {
    let chosen = DISCIPLINES.read(deserializer)?;
    let limit = chosen.limit.unwrap_or(QueueLimit::Packets(limit));
    Ok(Queue { discipline: chosen.choice, limit })
}

/// Takes the access point's limit where none is given.
impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        access_point(deserializer)
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        part::write(serializer, &self.discipline, Some(self.limit))
    }
}

impl JsonSchema for Queue {
    fn schema_name() -> Cow<'static, str> {
        "Queue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DISCIPLINES.schema(generator)
    }
}

/// Packets as a number; bytes as a string with a unit, because a plain number means packets.
impl Serialize for QueueLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Packets(packets) => serializer.serialize_u32(packets),
            Self::Bytes(bytes) => serializer.collect_str(&Bytes::new(bytes)),
        }
    }
}

impl<'de> Deserialize<'de> for QueueLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const MAX_PACKETS: u64 = 10_000_000;
        struct LimitVisitor;
        impl Visitor<'_> for LimitVisitor {
            type Value = QueueLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "packets from 1 to {MAX_PACKETS}, or bytes such as \"150 KB\"")
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<QueueLimit, E> {
                match u32::try_from(value) {
                    Ok(packets) if (1..=MAX_PACKETS).contains(&value) => {
                        Ok(QueueLimit::Packets(packets))
                    }
                    _ => Err(E::invalid_value(Unexpected::Unsigned(value), &self)),
                }
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<QueueLimit, E> {
                match u64::try_from(value) {
                    Ok(value) => self.visit_u64(value),
                    Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
                }
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<QueueLimit, E> {
                match text.parse::<Bytes>() {
                    Ok(bytes) if bytes.as_u64() > 0 => Ok(QueueLimit::Bytes(bytes.as_u64())),
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(LimitVisitor)
    }
}

impl JsonSchema for QueueLimit {
    fn schema_name() -> Cow<'static, str> {
        "QueueLimit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": 1, "maximum": 10_000_000 },
                { "type": "string", "description": "bytes with a unit, such as \"150 KB\"" },
            ],
        })
    }
}
