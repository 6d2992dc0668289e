//! The limit of a queue, as a configuration file has it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_untagged::UntaggedEnumVisitor;

use super::parameter::UNLIMITED;
use super::quantity::Bytes;
use super::untagged::whole_numbers;

/// The largest limit, packets.
const MAX_PACKETS: u32 = 10_000_000;

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
        let accepted =
            format!("packets from 1 to {MAX_PACKETS}, bytes such as \"150 KB\", or {UNLIMITED:?}");
        let expected: &str = &accepted;
        let visitor = UntaggedEnumVisitor::new().expecting(expected).string(|text| {
            match text.parse::<Bytes>() {
                _ if text == UNLIMITED => Ok(Self::Unlimited),
                Ok(bytes) if bytes.as_u64() > 0 => Ok(Self::Bytes(bytes.as_u64())),
                _ => Err(Error::invalid_value(Unexpected::Str(text), &expected)),
            }
        });
        whole_numbers(visitor, 1..=MAX_PACKETS, expected, Self::Packets).deserialize(deserializer)
    }
}

impl JsonSchema for QueueLimit {
    fn schema_name() -> Cow<'static, str> {
        "QueueLimit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": 1, "maximum": MAX_PACKETS },
                { "type": "string", "description": "bytes with a unit, such as \"150 KB\", or \"unlimited\"" },
            ],
        })
    }
}
