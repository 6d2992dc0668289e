//! Quantities as people write them: "11 Mbps", "2 ms", "30 KB", "7 MHz", or plain numbers in bit/s,
//! seconds, bytes and hertz. They serialise as plain numbers.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_untagged::UntaggedEnumVisitor;

use super::message::{nearest, shown};
use super::untagged::numbers;
use crate::time::Duration;
use crate::units::Rate;

/// A data rate: above 0 and up to 1 Tbit/s, or unlimited. 0 only where a parameter accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BitRate(u64);

/// A length of time, up to 1,000,000 s, kept in whole nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(Duration);

/// A size, up to 1 TB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(u64);

/// A frequency or bandwidth: above 0 and up to 1 THz, in whole hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hertz(u64);

impl BitRate {
    /// So fast that sending takes no time; written "unlimited".
    pub const UNLIMITED: Self = Self(u64::MAX);

    /// `bps` bit/s.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// Bit/s.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// `bps` as a plain number in a scenario.
    pub fn from_number(bps: f64) -> Result<Self, String> {
        RATE.number(bps).map(Self)
    }

    /// A rate or 0, as a text with a unit or a plain number; `None` for anything else.
    pub(super) fn from_zero(json: &serde_json::Value) -> Option<Self> {
        const FROM_ZERO: Measure = Measure { min: 0.0, ..RATE };
        let bps = match json {
            serde_json::Value::String(text) => FROM_ZERO.text(text),
            json => FROM_ZERO.number(json.as_f64()?),
        };
        bps.ok().map(Self)
    }

    /// The engine's rate.
    pub const fn rate(self) -> Rate {
        Rate::from_bps(self.0)
    }
}

impl Seconds {
    /// No time at all.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(Duration::from_millis(ms))
    }

    /// The engine's length of time.
    pub const fn duration(self) -> Duration {
        self.0
    }

    /// `seconds` as a plain number in a scenario.
    pub fn from_number(seconds: f64) -> Result<Self, String> {
        Ok(Self::from_base(TIME.number(seconds)?))
    }

    fn from_base(ns: u64) -> Self {
        Self(Duration::from_nanos(ns))
    }

    fn to_number(self) -> f64 {
        // A division, because 1e-9 is no binary fraction: this gives 0.1 for 100 ms.
        self.0.as_nanos() as f64 / 1e9
    }
}

impl Bytes {
    /// `bytes` bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Bytes.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

impl Hertz {
    /// `hertz` Hz.
    pub const fn new(hertz: u64) -> Self {
        Self(hertz)
    }

    /// Hz.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

impl From<Duration> for Seconds {
    fn from(span: Duration) -> Self {
        Self(span)
    }
}

/// In the largest unit that leaves no fraction, or in Mbit/s, where that is usual.
impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("unlimited"),
            bps if bps >= 100_000 => write!(f, "{} Mbps", bps as f64 / 1e6),
            bps => write!(f, "{bps} bps"),
        }
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.to_number())
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

/// In megahertz from there on.
impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            hertz if hertz >= 1_000_000 => write!(f, "{} MHz", hertz as f64 / 1e6),
            hertz => write!(f, "{hertz} Hz"),
        }
    }
}

/// One kind of quantity: its units and bounds.
struct Measure {
    /// What is accepted, for people.
    expected: &'static str,
    /// A unit's name and its size in the base unit (bit/s, nanoseconds, bytes, hertz).
    units: &'static [(&'static str, f64)],
    /// What a plain number counts, in the base unit.
    plain: f64,
    /// The largest value, in the base unit; all of them are exact as `f64`.
    max: f64,
    /// The smallest value, in the base unit.
    min: f64,
}

const RATE: Measure = Measure {
    expected: "a rate above 0 and up to 1000 Gbps, such as \"11 Mbps\", or plain bit/s",
    units: &[
        ("bps", 1.0),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("b/s", 1.0),
        ("kb/s", 1e3),
        ("Mb/s", 1e6),
        ("Gb/s", 1e9),
    ],
    plain: 1.0,
    max: 1e12,
    min: 1.0,
};

const TIME: Measure = Measure {
    expected: "a time from 0 to 1000000 s, such as \"2 ms\", or plain seconds",
    units: &[
        ("ns", 1.0),
        ("us", 1e3),
        ("\u{b5}s", 1e3),
        ("\u{3bc}s", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("min", 60e9),
        ("h", 3600e9),
    ],
    plain: 1e9,
    max: 1e15,
    min: 0.0,
};

const SIZE: Measure = Measure {
    expected: "a size from 0 to 1000 GB, such as \"30 KB\", or plain bytes",
    units: &[
        ("B", 1.0),
        ("KB", 1e3),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ],
    plain: 1.0,
    max: 1e12,
    min: 0.0,
};

const FREQUENCY: Measure = Measure {
    expected: "a frequency above 0 and up to 1000 GHz, such as \"7 MHz\", or plain Hz",
    units: &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)],
    plain: 1.0,
    max: 1e12,
    min: 1.0,
};

impl Measure {
    /// A plain number in the base unit, or what is wrong with it.
    fn number(&self, value: f64) -> Result<u64, String> {
        self.scaled(value, self.plain)
    }

    /// A number with its unit in the base unit, or what is wrong with it.
    fn text(&self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        let (number, unit) = text.split_at(number_len(text));
        let unit = unit.trim_start();
        let value: f64 =
            number.parse().map_err(|_| "it does not start with a number".to_owned())?;
        if unit.is_empty() {
            return Err("its unit is missing".to_owned());
        }
        match self.units.iter().find(|(name, _)| *name == unit) {
            Some(&(_, size)) => self.scaled(value, size),
            None => Err(self.unknown_unit(unit)),
        }
    }

    fn scaled(&self, value: f64, unit: f64) -> Result<u64, String> {
        let base = (value * unit).round();
        if !value.is_finite() {
            Err("it is not a finite number".to_owned())
        } else if value < 0.0 {
            Err("it is negative".to_owned())
        } else if base > self.max {
            Err("it is too large".to_owned())
        } else if base < self.min {
            Err("it is too small".to_owned())
        } else {
            Ok(base as u64)
        }
    }

    fn unknown_unit(&self, unit: &str) -> String {
        let names: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        let hint =
            nearest(unit, &names).map_or(String::new(), |n| format!(", did you mean `{n}`?"));
        format!("its unit {} is none of {}{hint}", shown(unit), names.join(", "))
    }
}

/// How many bytes of `text` are its number; what follows is the unit.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_number = |at: usize| match bytes[at] {
        b'0'..=b'9' | b'.' | b'+' | b'-' => true,
        // An exponent, unless a unit starts with this letter.
        b'e' | b'E' => {
            bytes.get(at + 1).is_some_and(|next| matches!(next, b'0'..=b'9' | b'+' | b'-'))
        }
        _ => false,
    };
    (0..bytes.len()).find(|&at| !is_number(at)).unwrap_or(bytes.len())
}

/// Parsing, reading and the schema, which differ in the measure alone.
macro_rules! quantity {
    ($name:ident, $measure:ident, $from_base:expr $(, $word:literal => $special:expr)?) => {
        impl FromStr for $name {
            /// What is wrong with the text.
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                $(if text == $word {
                    return Ok($special);
                })?
                $measure.text(text).map($from_base)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                fn fail(got: &dyn fmt::Display, problem: &str) -> serde_untagged::de::Error {
                    let expected = $measure.expected;
                    Error::custom(format!("got {got}: {problem}; accepted: {expected}"))
                }
                let number = |value: f64| {
                    let read = $measure.number(value).map($from_base);
                    read.map_err(|problem| fail(&value, &problem))
                };
                let visitor = UntaggedEnumVisitor::new().expecting($measure.expected);
                let visitor = visitor.string(|text| {
                    text.parse().map_err(|problem: String| fail(&shown(text), &problem))
                });
                numbers(visitor, number).deserialize(deserializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $measure.expected,
                    "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string" }],
                })
            }
        }
    };
}

quantity!(BitRate, RATE, BitRate, "unlimited" => BitRate::UNLIMITED);
quantity!(Seconds, TIME, Seconds::from_base);
quantity!(Bytes, SIZE, Bytes);
quantity!(Hertz, FREQUENCY, Hertz);

impl Serialize for BitRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Self::UNLIMITED {
            serializer.serialize_str("unlimited")
        } else {
            serializer.serialize_u64(self.0)
        }
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_number())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl Serialize for Hertz {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}
