//! Distributions in a scenario: `{ distribution = "pareto", mean = "30 KB", shape = 1.5 }`, or a
//! plain quantity for one that is always the same.

use std::fmt;
use std::sync::Arc;

use evenair_core::component::{Accepts, Parameter, Part, Value};
use evenair_core::traffic::{Distribution, FAMILIES};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::names::{nearest, shown, unknown_name};
use super::part::{ForeignSeed, ParameterSeed};
use super::quantity::{Bytes, Seconds};

/// The key of the family's name.
pub(super) const FAMILY: &str = "distribution";
/// The family that has values instead of a mean.
pub(super) const TRACE: &str = "trace";

/// The longest trace; a resolved scenario has all of it.
const MAX_VALUES: usize = 100_000;
/// Of its file.
const MAX_BYTES: u64 = 10_000_000;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    Time,
    Size,
}

impl Unit {
    /// What a parameter's distribution is of, if it is one.
    pub(super) fn of(accepts: Accepts) -> Option<Self> {
        match accepts {
            Accepts::Times => Some(Self::Time),
            Accepts::Sizes => Some(Self::Size),
            _ => None,
        }
    }

    /// What is accepted, for people.
    pub(super) fn accepted(self) -> &'static str {
        match self {
            Self::Time => {
                "a time such as \"10 s\", or a table such as \
                 { distribution = \"exponential\", mean = \"10 s\" }"
            }
            Self::Size => {
                "a size such as \"30 KB\", or a table such as \
                 { distribution = \"pareto\", mean = \"30 KB\" }"
            }
        }
    }

    /// A plain number of the base unit, as errors and lists of parts show it.
    fn show(self, value: f64) -> String {
        match self {
            Self::Time => format!("\"{value} s\""),
            Self::Size => format!("\"{value} B\""),
        }
    }
}

/// Reads a quantity in seconds or bytes.
struct QuantitySeed(Unit);

impl<'de> DeserializeSeed<'de> for QuantitySeed {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        match self.0 {
            Unit::Time => Ok(Seconds::deserialize(deserializer)?.duration().as_secs_f64()),
            Unit::Size => Ok(Bytes::deserialize(deserializer)?.as_u64() as f64),
        }
    }
}

/// Reads a distribution. What a table leaves out is as in the default, as far as the family has it;
/// the family's name must come before its own parameter.
pub(super) struct DistributionSeed<'a> {
    pub(super) unit: Unit,
    pub(super) default: &'a Distribution,
}

impl<'de> DeserializeSeed<'de> for DistributionSeed<'_> {
    type Value = Distribution;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Distribution, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DistributionSeed<'_> {
    type Value = Distribution;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.unit.accepted())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Distribution, E> {
        self.constant(serde::de::value::StrDeserializer::new(text))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Distribution, E> {
        self.constant(serde::de::value::F64Deserializer::new(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Distribution, E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Distribution, E> {
        self.visit_f64(value as f64)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distribution, A::Error> {
        let mut family = self.default.family();
        let mut mean = self.default.mean();
        let mut own = self.default.own();
        let mut values: Option<Arc<[f64]>> = None;
        while let Some(key) = map.next_key::<String>()? {
            let parameter = family.parameters.iter().find(|p| p.name == key);
            let trace = family.name == TRACE;
            match key.as_str() {
                FAMILY => {
                    let named = map.next_value_seed(FamilySeed)?;
                    if named.name != family.name {
                        (family, own) = (named, None);
                    }
                }
                "mean" if !trace => mean = map.next_value_seed(QuantitySeed(self.unit))?,
                "values" if trace => values = Some(map.next_value_seed(ValuesSeed(self.unit))?),
                "file" if trace => values = Some(map.next_value_seed(FileSeed(self.unit))?),
                _ => match parameter {
                    Some(parameter) => {
                        let Value::Number(number) =
                            map.next_value_seed(ParameterSeed(parameter))?
                        else {
                            unreachable!("families have numbers as parameters");
                        };
                        own = Some(number);
                    }
                    None => map.next_value_seed(ForeignSeed(foreign_key(&key, family)))?,
                },
            }
        }
        if family.name == TRACE {
            let accepted = "a list of values, or a file with one value in each line";
            let missing =
                || A::Error::custom(format!("got a trace of nothing; accepted: {accepted}"));
            return Ok(Distribution::Trace { values: values.ok_or_else(missing)? });
        }
        let own = own.or(match family.parameters {
            [Parameter { default: Value::Number(number), .. }] => Some(*number),
            _ => None,
        });
        let distribution = Distribution::of(family.name, mean, own.unwrap_or_default());
        Ok(distribution.expect("the family is one that has a mean"))
    }
}

impl DistributionSeed<'_> {
    fn constant<'de, D: Deserializer<'de>>(self, from: D) -> Result<Distribution, D::Error> {
        let mean = QuantitySeed(self.unit).deserialize(from)?;
        Ok(Distribution::Deterministic { mean })
    }
}

struct FamilySeed;

impl<'de> DeserializeSeed<'de> for FamilySeed {
    type Value = &'static Part;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<&'static Part, D::Error> {
        let name = String::deserialize(from)?;
        let found = FAMILIES.iter().find(|family| family.name == name);
        found.copied().ok_or_else(|| D::Error::custom(unknown_name(&name, &names(), &[])))
    }
}

fn names() -> Vec<&'static str> {
    FAMILIES.iter().map(|family| family.name).collect()
}

/// The keys of a family's table.
fn keys(family: &Part) -> Vec<&'static str> {
    let common: &[&str] = if family.name == TRACE { &["values", "file"] } else { &["mean"] };
    let own = family.parameters.iter().map(|p| p.name);
    [FAMILY].iter().chain(common).copied().chain(own).collect()
}

fn foreign_key(key: &str, family: &Part) -> String {
    let accepted = keys(family).join(", ");
    if FAMILIES.iter().any(|family| keys(family).contains(&key)) {
        let family = family.name;
        return format!(
            "`{key}` is no parameter of a {family:?} distribution; accepted: {accepted}"
        );
    }
    let key: String = key.chars().take(60).collect();
    let hint = nearest(&key, &keys(family));
    let hint = hint.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("unknown key `{key}`; {hint}accepted: {accepted}")
}

/// Reads the values of a trace from a list.
struct ValuesSeed(Unit);

impl<'de> DeserializeSeed<'de> for ValuesSeed {
    type Value = Arc<[f64]>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Arc<[f64]>, D::Error> {
        let items = Vec::<serde_json::Value>::deserialize(from)?;
        let read = |item| QuantitySeed(self.0).deserialize(item).map_err(D::Error::custom);
        let values = items.iter().map(read).collect::<Result<Vec<f64>, _>>()?;
        checked(values).map_err(D::Error::custom)
    }
}

/// Reads the values of a trace from a text file: one in each line, of which the first may be a
/// heading.
struct FileSeed(Unit);

impl<'de> DeserializeSeed<'de> for FileSeed {
    type Value = Arc<[f64]>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Arc<[f64]>, D::Error> {
        let path = String::deserialize(from)?;
        let named = named(&path);
        let text = read_text(&path).map_err(|problem| {
            D::Error::custom(format!("got {named}: {problem}; accepted: a text file of values"))
        })?;
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
        let mut values = Vec::new();
        for (line, number) in lines.filter(|(line, _)| !line.is_empty()) {
            let plain = line.parse::<f64>().ok().filter(|value| value.is_finite());
            let value =
                plain.map_or_else(|| line.trim_matches('"').into(), serde_json::Value::from);
            match QuantitySeed(self.0).deserialize(value) {
                Ok(value) => values.push(value),
                Err(_) if number == 1 && line.starts_with(|c: char| c.is_alphabetic()) => {}
                Err(error) => {
                    return Err(D::Error::custom(format!("{named}, line {number}: {error}")));
                }
            }
        }
        checked(values).map_err(|error| D::Error::custom(format!("{named}: {error}")))
    }
}

/// The end of a path is what tells files apart, so that a long one is not cut as other texts are.
fn named(path: &str) -> String {
    if path.chars().count() <= 200 { format!("{path:?}") } else { shown(path) }
}

fn read_text(path: &str) -> Result<String, String> {
    let told = |error: std::io::Error| error.to_string();
    // Neither what never ends nor what never answers.
    let metadata = std::fs::metadata(path).map_err(told)?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!("it is larger than {} MB", MAX_BYTES / 1_000_000));
    }
    std::fs::read_to_string(path).map_err(told)
}

fn checked(values: Vec<f64>) -> Result<Arc<[f64]>, String> {
    match values.len() {
        1..=MAX_VALUES => Ok(values.into()),
        n => Err(format!("got {n} values; accepted: from 1 to {MAX_VALUES} of them")),
    }
}

/// A distribution as a scenario writes it.
pub(super) struct DistributionOut<'a>(pub(super) &'a Distribution);

impl Serialize for DistributionOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let family = self.0.family();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(FAMILY, family.name)?;
        if let Distribution::Trace { values } = self.0 {
            map.serialize_entry("values", &values[..])?;
        } else {
            map.serialize_entry("mean", &self.0.mean())?;
        }
        if let (Some(own), [parameter]) = (self.0.own(), family.parameters) {
            map.serialize_entry(parameter.name, &own)?;
        }
        map.end()
    }
}

/// The same as a text, in TOML.
pub(super) fn as_toml(distribution: &Distribution, unit: Unit) -> String {
    let family = distribution.family();
    let mean = unit.show(distribution.mean());
    let own = match (distribution.own(), family.parameters) {
        (Some(own), [parameter]) => format!(", {} = {own}", parameter.name),
        _ => String::new(),
    };
    format!("{{ {FAMILY} = {:?}, mean = {mean}{own} }}", family.name)
}

/// What [`DistributionSeed`] takes.
pub(super) fn schema(unit: Unit) -> serde_json::Value {
    json!({ "anyOf": [
        { "type": ["number", "string"], "description": unit.accepted() },
        { "type": "object", "properties": {
            FAMILY: { "enum": names() },
            "mean": { "type": ["number", "string"] },
            "shape": { "type": "number" },
            "sigma": { "type": "number" },
            "values": { "type": "array", "items": { "type": ["number", "string"] } },
            "file": { "type": "string", "description": "one value in each line" },
        }, "additionalProperties": false },
    ] })
}
