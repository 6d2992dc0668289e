//! A time, or none: `cell.beacon_interval`, `cell.msdu_lifetime`.

use std::borrow::Cow;

use evenair_core::component::Seconds;
use evenair_core::time::Duration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scenario::values::name_or::NameOr;

/// A time, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffOrTime {
    /// None.
    #[default]
    Off,
    /// This long.
    Time(Seconds),
}

impl OffOrTime {
    /// The time.
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Off => None,
            Self::Time(seconds) => Some(seconds.duration()),
        }
    }
}

const OFF: &str = "off";
const ACCEPTED: &str = "\"off\", or a time such as \"100 ms\"";

impl Serialize for OffOrTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str(OFF),
            Self::Time(interval) => interval.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OffOrTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NameOr {
            accepted: ACCEPTED,
            suggested: &[],
            of_text: |text| match text {
                OFF => Some(Self::Off),
                _ => text.parse().ok().map(Self::Time),
            },
            of_number: |number| Seconds::from_number(number).ok().map(Self::Time),
        }
        .read(deserializer)
    }
}

impl JsonSchema for OffOrTime {
    fn schema_name() -> Cow<'static, str> {
        "OffOrTime".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "const": OFF },
                generator.subschema_for::<Seconds>(),
            ],
        })
    }
}
