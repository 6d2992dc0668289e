//! Queues in a scenario: a kind, its own parameters, and a limit.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::names::{named, quoted_list, unknown_name};
use super::quantity::{Bytes, Seconds};

/// A queue: `{ kind = "droptail", limit = 60 }`, or "las" for that kind with its defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The discipline with its own parameters.
    pub kind: QueueKind,
    /// What fits, the packet in transmission included.
    pub limit: QueueLimit,
}

/// A queue discipline with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// "droptail": first in, first out; an arrival that does not fit is dropped.
    DropTail,
    /// "spm-af": selective packet marking with ACK filtering (Gong et al. 2006, section III-A).
    SpmAf {
        /// Where an ACK is put that replaces older ones (default: "tail").
        filtering: Filtering,
    },
    /// "las": least attained service first (Gong et al. 2006, section III-B).
    Las {
        /// What counts as attained service (default: "sequence").
        service: Service,
        /// How long the "bytes" rule remembers an idle flow (default: 60 s).
        flow_timeout: Seconds,
    },
}

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// Packets, from 1 to 10,000,000.
    Packets(u32),
    /// Bytes at IP level, from 1 B to 1 TB.
    Bytes(u64),
}

named! {
    /// Where an ACK is put that replaces older ones of its flow
    /// (Gong et al. 2006, section III-A).
    pub enum Filtering {
        /// In the last place.
        #[default]
        Tail => "tail",
        /// In the place of the oldest one that it replaces.
        Head => "head",
    }
    planned []
}

named! {
    /// What LAS counts as the service that a flow has attained.
    pub enum Service {
        /// The flow's progress in sequence space: an ACK stands for the data it acknowledges.
        #[default]
        Sequence => "sequence",
        /// The bytes that the flow has had queued here.
        Bytes => "bytes",
    }
    planned []
}

impl QueueKind {
    /// Every kind's name.
    pub const NAMES: &'static [&'static str] = KindName::NAMES;

    /// The kind's name as a scenario writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::DropTail => "droptail",
            Self::SpmAf { .. } => "spm-af",
            Self::Las { .. } => "las",
        }
    }
}

/// The access point's queue where the scenario has none.
pub(super) fn access_point_default() -> Queue {
    Queue { kind: QueueKind::DropTail, limit: QueueLimit::Packets(ACCESS_POINT_LIMIT) }
}

/// A station's queue where the scenario has none.
pub(super) fn station_default() -> Queue {
    Queue { kind: QueueKind::DropTail, limit: QueueLimit::Packets(STATION_LIMIT) }
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
const DEFAULT_FLOW_TIMEOUT: Seconds = Seconds::from_millis(60_000);

named! {
    /// The kinds by name, without their parameters.
    pub enum KindName {
        /// See [`QueueKind::DropTail`].
        #[default]
        DropTail => "droptail",
        /// See [`QueueKind::SpmAf`].
        SpmAf => "spm-af",
        /// See [`QueueKind::Las`].
        Las => "las",
    }
    planned []
}

/// A queue as a scenario writes it: the parameters of all kinds side by side, so that serde
/// refuses what belongs to none; [`QueueTable::queue`] refuses what belongs to another kind.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct QueueTable {
    /// The discipline (default: "droptail").
    kind: KindName,
    /// Packets, the one in transmission included, or bytes as "150 KB" (default: 60 at the access
    /// point, 1000 at a station).
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<QueueLimit>,
    /// spm-af: where an ACK is put that replaces older ones (default: "tail").
    #[serde(skip_serializing_if = "Option::is_none")]
    filtering: Option<Filtering>,
    /// las: what counts as attained service (default: "sequence").
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<Service>,
    /// las: how long the "bytes" rule remembers an idle flow, seconds (default: 60 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_timeout: Option<Seconds>,
}

impl QueueTable {
    /// The queue, or a message about a parameter of another kind.
    fn queue(self, default_limit: u32) -> Result<Queue, String> {
        let own: &[&str] = match self.kind {
            KindName::DropTail => &[],
            KindName::SpmAf => &["filtering"],
            KindName::Las => &["service", "flow_timeout"],
        };
        let given = [
            ("filtering", self.filtering.is_some()),
            ("service", self.service.is_some()),
            ("flow_timeout", self.flow_timeout.is_some()),
        ];
        if let Some((foreign, _)) = given.iter().find(|(key, is)| *is && !own.contains(key)) {
            let accepted = [&["kind", "limit"], own].concat().join(", ");
            return Err(format!(
                "`{foreign}` is no parameter of a {:?} queue; accepted: {accepted}",
                self.kind.name()
            ));
        }
        let kind = match self.kind {
            KindName::DropTail => QueueKind::DropTail,
            KindName::SpmAf => QueueKind::SpmAf { filtering: self.filtering.unwrap_or_default() },
            KindName::Las => QueueKind::Las {
                service: self.service.unwrap_or_default(),
                flow_timeout: self.flow_timeout.unwrap_or(DEFAULT_FLOW_TIMEOUT),
            },
        };
        Ok(Queue { kind, limit: self.limit.unwrap_or(QueueLimit::Packets(default_limit)) })
    }
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, limit: u32) -> Result<Queue, D::Error> {
    struct QueueVisitor {
        default_limit: u32,
    }

    impl<'de> Visitor<'de> for QueueVisitor {
        type Value = Queue;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let kinds = quoted_list(KindName::NAMES);
            write!(f, "a table such as {{ kind = \"droptail\", limit = 60 }}, or one of {kinds}")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Queue, E> {
            let kind = KindName::from_name(name)
                .ok_or_else(|| E::custom(unknown_name(name, KindName::NAMES, &[])))?;
            let table = QueueTable { kind, ..QueueTable::default() };
            table.queue(self.default_limit).map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Queue, A::Error> {
            QueueTable::deserialize(MapAccessDeserializer::new(map))?
                .queue(self.default_limit)
                .map_err(A::Error::custom)
        }
    }
    deserializer.deserialize_any(QueueVisitor { default_limit: limit })
}

/// Takes the access point's limit where none is given.
impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        access_point(deserializer)
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let limit = Some(self.limit);
        let table = match self.kind {
            QueueKind::DropTail => {
                QueueTable { kind: KindName::DropTail, limit, ..QueueTable::default() }
            }
            QueueKind::SpmAf { filtering } => QueueTable {
                kind: KindName::SpmAf,
                limit,
                filtering: Some(filtering),
                ..QueueTable::default()
            },
            QueueKind::Las { service, flow_timeout } => QueueTable {
                kind: KindName::Las,
                limit,
                service: Some(service),
                flow_timeout: Some(flow_timeout),
                ..QueueTable::default()
            },
        };
        table.serialize(serializer)
    }
}

impl JsonSchema for Queue {
    fn schema_name() -> Cow<'static, str> {
        "Queue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                generator.subschema_for::<KindName>(),
                generator.subschema_for::<QueueTable>(),
            ],
        })
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
