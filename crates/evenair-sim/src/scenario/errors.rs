//! Errors of the air, as a scenario chooses them.

use std::borrow::Cow;

use evenair_core::component::Choice;
use evenair_core::loss::REGISTRY;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::part::{self, Parts};

/// A loss process: `{ kind = "independent", rate = 0.01 }`.
#[derive(Clone, Debug, PartialEq)]
pub struct AirErrors(pub Choice);

const PROCESSES: Parts = Parts {
    registry: REGISTRY,
    planned: &[],
    default: "independent",
    noun: "error",
    has_limit: false,
};

impl<'de> Deserialize<'de> for AirErrors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(PROCESSES.read(deserializer)?.choice))
    }
}

impl Serialize for AirErrors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        part::write(serializer, &self.0, None)
    }
}

impl JsonSchema for AirErrors {
    fn schema_name() -> Cow<'static, str> {
        "AirErrors".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        PROCESSES.schema(generator)
    }
}
