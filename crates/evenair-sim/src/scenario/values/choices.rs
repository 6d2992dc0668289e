//! Values that are a name *or* something else.

use std::borrow::Cow;

use evenair_core::component::untagged::whole_numbers;
use evenair_core::component::{Bytes, Seconds};
use evenair_core::medium::wlan::phy::{LONG_PREAMBLE, SHORT_PREAMBLE};
use evenair_core::time::Duration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_untagged::UntaggedEnumVisitor;

use crate::scenario::values::name_or::NameOr;

/// PLCP preamble and header of 802.11b (IEEE 802.11-2007 18.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preamble {
    /// 144 + 48 bits at 1 Mbit/s: 192 us.
    Long,
    /// 72 bits at 1 Mbit/s and 48 bits at 2 Mbit/s: 96 us; not with frames at 1 Mbit/s.
    Short,
    /// This long, whatever the standard says (ns-2 with `PreambleLength_ 72`: 120 us).
    Duration(Seconds),
}

impl Preamble {
    /// How long preamble and header take.
    pub fn duration(self) -> Duration {
        match self {
            Self::Long => LONG_PREAMBLE,
            Self::Short => SHORT_PREAMBLE,
            Self::Duration(seconds) => seconds.duration(),
        }
    }
}

/// From which size on a frame is announced by RTS/CTS (dot11RTSThreshold).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtsThreshold {
    /// Never.
    #[default]
    Off,
    /// Frames longer than this many bytes; 0 means every data frame.
    Bytes(u32),
}

const PREAMBLES: &str = "\"long\", \"short\" or a duration such as \"120 us\"";

impl Serialize for Preamble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Long => serializer.serialize_str("long"),
            Self::Short => serializer.serialize_str("short"),
            Self::Duration(seconds) => seconds.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Preamble {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NameOr {
            accepted: PREAMBLES,
            suggested: &["long", "short"],
            of_text: |text| match text {
                "long" => Some(Self::Long),
                "short" => Some(Self::Short),
                _ => text.parse().ok().map(Self::Duration),
            },
            of_number: |number| Seconds::from_number(number).ok().map(Self::Duration),
        }
        .read(deserializer)
    }
}

impl JsonSchema for Preamble {
    fn schema_name() -> Cow<'static, str> {
        "Preamble".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string", "enum": ["long", "short"] },
                generator.subschema_for::<Seconds>(),
            ],
        })
    }
}

impl Serialize for RtsThreshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str("off"),
            Self::Bytes(bytes) => serializer.serialize_u32(*bytes),
        }
    }
}

impl<'de> Deserialize<'de> for RtsThreshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "\"off\", or bytes from 0 (always) to 4294967295";
        let visitor = UntaggedEnumVisitor::new().expecting(expected).string(|text| {
            let bytes = || u32::try_from(text.parse::<Bytes>().ok()?.as_u64()).ok();
            match bytes() {
                _ if text == "off" => Ok(Self::Off),
                Some(bytes) => Ok(Self::Bytes(bytes)),
                None => Err(Error::invalid_value(Unexpected::Str(text), &expected)),
            }
        });
        whole_numbers(visitor, 0..=u32::MAX, expected, Self::Bytes).deserialize(deserializer)
    }
}

impl JsonSchema for RtsThreshold {
    fn schema_name() -> Cow<'static, str> {
        "RtsThreshold".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "const": "off" },
                generator.subschema_for::<Bytes>(),
            ],
        })
    }
}
