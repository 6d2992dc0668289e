//! How a frame is divided between its subframes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_untagged::UntaggedEnumVisitor;

use crate::component::message::shown;
use crate::component::untagged::numbers;

/// The largest number of a ratio.
const MAX_PART: u32 = 1000;
const ACCEPTED: &str = "a ratio of downlink to uplink such as \"3:1\", each part from 1 to 1000, \
                        or the downlink's fraction of the symbols, above 0 and below 1";

/// The downlink's share of the symbols of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DlShare {
    /// Downlink to uplink, each from 1 to 1000.
    Ratio {
        /// The downlink's part.
        dl: u32,
        /// The uplink's part.
        ul: u32,
    },
    /// A fraction above 0 and below 1.
    Fraction(f64),
}

impl DlShare {
    /// Symbols of the downlink subframe in a frame of `total`, rounded down.
    pub fn symbols(self, total: u32) -> u32 {
        match self {
            Self::Ratio { dl, ul } => total * dl / (dl + ul),
            Self::Fraction(fraction) => (f64::from(total) * fraction) as u32,
        }
    }

    fn ratio(dl: u32, ul: u32) -> Option<Self> {
        let accepted = 1..=MAX_PART;
        (accepted.contains(&dl) && accepted.contains(&ul)).then_some(Self::Ratio { dl, ul })
    }

    /// A fraction, or r for a ratio of r:1.
    fn from_number(number: f64) -> Option<Self> {
        if number > 0.0 && number < 1.0 {
            return Some(Self::Fraction(number));
        }
        if number.fract() == 0.0 { Self::ratio(number as u32, 1) } else { None }
    }
}

/// 1:1.
impl Default for DlShare {
    fn default() -> Self {
        Self::Ratio { dl: 1, ul: 1 }
    }
}

impl fmt::Display for DlShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio { dl, ul } => write!(f, "{dl}:{ul}"),
            Self::Fraction(fraction) => write!(f, "{fraction}"),
        }
    }
}

impl FromStr for DlShare {
    /// What is accepted instead.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = match text.split_once(':') {
            Some((dl, ul)) => {
                let parts = dl.trim().parse().ok().zip(ul.trim().parse().ok());
                parts.and_then(|(dl, ul)| Self::ratio(dl, ul))
            }
            None => text.trim().parse().ok().and_then(Self::from_number),
        };
        share.ok_or_else(|| format!("got {}; accepted: {ACCEPTED}", shown(text)))
    }
}

/// A ratio as text, a fraction as a number.
impl Serialize for DlShare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ratio { .. } => serializer.collect_str(self),
            Self::Fraction(fraction) => serializer.serialize_f64(*fraction),
        }
    }
}

impl<'de> Deserialize<'de> for DlShare {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = |value: f64| {
            let refused = || Error::custom(format!("got {value}; accepted: {ACCEPTED}"));
            Self::from_number(value).ok_or_else(refused)
        };
        let visitor = UntaggedEnumVisitor::new().expecting(ACCEPTED);
        let visitor = visitor.string(|text| text.parse().map_err(Error::custom));
        numbers(visitor, number).deserialize(deserializer)
    }
}

impl JsonSchema for DlShare {
    fn schema_name() -> Cow<'static, str> {
        "DlShare".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": ACCEPTED,
            "anyOf": [
                { "type": "string" },
                { "type": "number", "exclusiveMinimum": 0, "maximum": MAX_PART },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_written() {
        for (text, share, written) in [
            (r#""3:1""#, DlShare::Ratio { dl: 3, ul: 1 }, r#""3:1""#),
            (r#"" 2 : 3 ""#, DlShare::Ratio { dl: 2, ul: 3 }, r#""2:3""#),
            ("1", DlShare::Ratio { dl: 1, ul: 1 }, r#""1:1""#),
            ("6.0", DlShare::Ratio { dl: 6, ul: 1 }, r#""6:1""#),
            ("0.75", DlShare::Fraction(0.75), "0.75"),
            (r#""0.75""#, DlShare::Fraction(0.75), "0.75"),
        ] {
            assert_eq!(serde_json::from_str::<DlShare>(text).unwrap(), share);
            assert_eq!(serde_json::to_string(&share).unwrap(), written);
        }
        for text in
            ["0", "-1", "1.5", "1001", r#""0:1""#, r#""1:0""#, r#""3:1:1""#, r#""1:-1""#, r#""x""#]
        {
            let error = serde_json::from_str::<DlShare>(text).unwrap_err().to_string();
            assert!(error.contains("accepted: a ratio"), "{text}: {error}");
        }
        assert!(serde_json::from_str::<DlShare>("true").is_err());
    }

    /// Of 146 symbols (wimax frame of 5 ms at 7 MHz): 73, 97, 109, 116, 121, 125 at 1:1 to 6:1.
    #[test]
    fn symbols_are_rounded_down() {
        let ratios = [1, 2, 3, 4, 5, 6].map(|dl| DlShare::Ratio { dl, ul: 1 }.symbols(146));
        assert_eq!(ratios, [73, 97, 109, 116, 121, 125]);
        assert_eq!(DlShare::Ratio { dl: 1, ul: 2 }.symbols(146), 48);
        assert_eq!(DlShare::Fraction(0.75).symbols(146), 109);
    }
}
