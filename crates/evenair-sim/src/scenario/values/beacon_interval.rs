//! How often the access point sends a beacon: `cell.beacon_interval`.

use std::borrow::Cow;

use evenair_core::component::Seconds;
use evenair_core::time::Duration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::scenario::values::name_or::NameOr;

/// Time between two target beacon transmission times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BeaconInterval {
    /// No beacons.
    #[default]
    Off,
    /// This long.
    Every(Seconds),
}

/// What the Beacon Interval field can express: 1 to 65,535 time units of 1024 us (IEEE 802.11-2007
/// 7.3.1.3).
const SHORTEST: Duration = Duration::from_micros(1024);
const LONGEST: Duration = Duration::from_micros(65_535 * 1024);

impl BeaconInterval {
    /// Whether a beacon frame can announce it.
    pub(crate) fn is_possible(self) -> bool {
        match self {
            Self::Off => true,
            Self::Every(interval) => (SHORTEST..=LONGEST).contains(&interval.duration()),
        }
    }

    pub(crate) fn accepted() -> String {
        let [shortest, longest] = [SHORTEST, LONGEST].map(Seconds::from);
        format!("\"off\", or a time from {shortest} to {longest}")
    }
}

const OFF: &str = "off";
const ACCEPTED: &str = "\"off\", or a time such as \"100 ms\"";

impl Serialize for BeaconInterval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str(OFF),
            Self::Every(interval) => interval.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for BeaconInterval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NameOr {
            accepted: ACCEPTED,
            suggested: &[],
            of_text: |text| match text {
                OFF => Some(Self::Off),
                _ => text.parse().ok().map(Self::Every),
            },
            of_number: |number| Seconds::from_number(number).ok().map(Self::Every),
        }
        .read(deserializer)
    }
}

impl JsonSchema for BeaconInterval {
    fn schema_name() -> Cow<'static, str> {
        "BeaconInterval".into()
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
