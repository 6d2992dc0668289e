//! Applications: what a flow has to send.

use std::borrow::Cow;
use std::sync::LazyLock;

use evenair_core::component::{Choice, Part};
use evenair_core::traffic::{DATAGRAMS, STREAMS};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::names::quoted_list;
use super::part::{self, Parts};

/// The application of a flow: "bulk", or `{ kind = "on-off", on = "1 s" }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Application(pub Choice);

/// What runs over UDP where the scenario says nothing.
pub(super) const OVER_UDP: &str = "cbr";

impl Application {
    /// The name that scenarios use.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Whether it sends a stream over TCP, and not datagrams over UDP.
    pub fn is_over_tcp(&self) -> bool {
        STREAMS.iter().any(|part| part.name == self.name())
    }

    /// Whether it sends files of a size, one or more of them.
    pub fn is_finite(&self) -> bool {
        ["file", "web"].contains(&self.name())
    }

    /// What runs over what, for errors.
    pub(super) fn transports() -> String {
        let names = |parts: &[&Part]| {
            quoted_list(&parts.iter().map(|part| part.name).collect::<Vec<&str>>())
        };
        format!("{} over TCP, {} over udp", names(STREAMS), names(DATAGRAMS))
    }
}

/// What always has data to send over TCP.
impl Default for Application {
    fn default() -> Self {
        Self(applications().default_choice())
    }
}

impl<'de> Deserialize<'de> for Application {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(applications().read(deserializer)?.choice))
    }
}

impl Serialize for Application {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        part::write_short(serializer, &self.0)
    }
}

impl JsonSchema for Application {
    fn schema_name() -> Cow<'static, str> {
        "Application".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        applications().schema(generator)
    }
}

fn applications() -> Parts {
    static ALL: LazyLock<Vec<&'static Part>> =
        LazyLock::new(|| STREAMS.iter().chain(DATAGRAMS).copied().collect());
    Parts { registry: &ALL, planned: &[], default: "bulk", noun: "application", has_limit: false }
}
