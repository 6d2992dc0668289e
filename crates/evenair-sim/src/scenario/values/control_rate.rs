//! Rates of control frames: `cell.control_rate`.

use std::borrow::Cow;

use evenair_core::component::BitRate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scenario::values::name_or::NameOr;

/// Rate of ACK, RTS and CTS frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlRate {
    /// The highest basic rate that is not above that of the data frame (IEEE 802.11-2007 9.6).
    #[default]
    Basic,
    /// Always this rate.
    Fixed(BitRate),
}

const BASIC: &str = "basic";
const ACCEPTED: &str = "\"basic\", or a rate such as \"2 Mbps\"";

impl Serialize for ControlRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Basic => serializer.serialize_str(BASIC),
            Self::Fixed(rate) => rate.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ControlRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NameOr {
            accepted: ACCEPTED,
            suggested: &[BASIC],
            of_text: |text| match text {
                BASIC => Some(Self::Basic),
                _ => text.parse().ok().map(Self::Fixed),
            },
            of_number: |number| BitRate::from_number(number).ok().map(Self::Fixed),
        }
        .read(deserializer)
    }
}

impl JsonSchema for ControlRate {
    fn schema_name() -> Cow<'static, str> {
        "ControlRate".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "const": BASIC },
                generator.subschema_for::<BitRate>(),
            ],
        })
    }
}
