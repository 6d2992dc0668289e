//! The limit of a queue, as a configuration file has it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parameter::UNLIMITED;
use super::quantity::Bytes;

/// How much a queue holds, with the packet in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// Packets, from 1 to 10,000,000.
    Packets(u32),
    /// Bytes at IP level, from 1 B to 1 TB.
    Bytes(u64),
    /// No limit.
    Unlimited,
}

/// Packets as a number; bytes as a string with a unit, because a plain number means packets.
impl Serialize for QueueLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Packets(packets) => serializer.serialize_u32(packets),
            Self::Bytes(bytes) => serializer.collect_str(&Bytes::new(bytes)),
            Self::Unlimited => serializer.serialize_str(UNLIMITED),
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
                write!(
                    f,
                    "packets from 1 to {MAX_PACKETS}, bytes such as \"150 KB\", or \"unlimited\""
                )
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
                if text == UNLIMITED {
                    return Ok(QueueLimit::Unlimited);
                }
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
                { "type": "string", "description": "bytes with a unit, such as \"150 KB\", or \"unlimited\"" },
            ],
        })
    }
}
