//! Rates of control frames: `cell.control_rate`.

use std::borrow::Cow;
use std::fmt;

use evenair_core::component::BitRate;
use evenair_core::component::message::{nearest, shown};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
        struct ControlRateVisitor;
        impl Visitor<'_> for ControlRateVisitor {
            type Value = ControlRate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(ACCEPTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ControlRate, E> {
                if text == BASIC {
                    return Ok(ControlRate::Basic);
                }
                text.parse().map(ControlRate::Fixed).map_err(|_| {
                    let hint = nearest(text, &[BASIC])
                        .map_or(String::new(), |near| format!("did you mean {near:?}? "));
                    E::custom(format!("got {}; {hint}accepted: {ACCEPTED}", shown(text)))
                })
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<ControlRate, E> {
                BitRate::from_number(value)
                    .map(ControlRate::Fixed)
                    .map_err(|_| E::invalid_value(Unexpected::Float(value), &self))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<ControlRate, E> {
                self.visit_f64(value as f64)
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<ControlRate, E> {
                self.visit_f64(value as f64)
            }
        }
        deserializer.deserialize_any(ControlRateVisitor)
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
