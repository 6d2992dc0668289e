//! Transports: a congestion control of TCP with its parameters, or UDP.

use std::borrow::Cow;
use std::fmt;

use evenair_core::component::{Choice, Part};
use evenair_core::tcp::congestion::REGISTRY;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::part::{self, Parts};

/// The transport of a flow: "newreno", `{ kind = "newreno" }`, or "udp".
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// TCP with this congestion control.
    Tcp(Choice),
    /// Datagrams without any control (RFC 768).
    Udp,
}

/// The transport that is no congestion control.
pub(crate) static UDP: Part = Part {
    name: "udp",
    summary: "datagrams without acknowledgement or control",
    source: "RFC 768",
    ordered: &[],
    parameters: &[],
};

impl Transport {
    /// The name that scenarios use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tcp(control) => control.name(),
            Self::Udp => UDP.name,
        }
    }

    /// Whether the flow runs over TCP.
    pub fn is_tcp(&self) -> bool {
        *self != Self::Udp
    }
}

impl Default for Transport {
    fn default() -> Self {
        Self::Tcp(transports().default_choice())
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Transport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let choice = transports().read(deserializer)?.choice;
        Ok(if choice.name() == UDP.name { Self::Udp } else { Self::Tcp(choice) })
    }
}

impl Serialize for Transport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Tcp(control) => part::write_short(serializer, control),
            Self::Udp => serializer.serialize_str(UDP.name),
        }
    }
}

impl JsonSchema for Transport {
    fn schema_name() -> Cow<'static, str> {
        "Transport".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        transports().schema(generator)
    }
}

fn transports() -> Parts {
    static ALL: std::sync::LazyLock<Vec<&'static Part>> =
        std::sync::LazyLock::new(|| REGISTRY.iter().copied().chain([&UDP]).collect());
    Parts {
        registry: &ALL,
        planned: &["tfrc"],
        default: "newreno",
        noun: "transport",
        has_limit: false,
    }
}
