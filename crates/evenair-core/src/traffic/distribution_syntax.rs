//! Distributions in a configuration file: `{ distribution = "pareto", mean = "30 KB", shape = 1.5 }`,
//! or a plain quantity for a constant.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, json};

use super::distribution::{Distribution, Family};
use crate::component::message::{shown_path, shown_value, unknown_key};
use crate::component::{
    Bounds, Bytes, Composite, CompositeType, DISTRIBUTION, KindSeed, ParameterSeed, Parameters,
    ReadFile, RefusedSeed, Registry, Seconds, Value, each_parameter_at_bounds,
};

/// The family that has values instead of a mean.
pub const TRACE: &str = "trace";

/// The largest factor.
const MAX_FACTOR: f64 = 1e6;

/// The longest trace; a resolved configuration has all of its values.
const MAX_VALUES: usize = 100_000;

/// A distribution of durations, in seconds.
pub const fn distribution_of_times() -> Bounds<Distribution> {
    static TIMES: CompositeType = composite::<Times>();
    Bounds::composite(&TIMES)
}

/// A distribution of sizes, in bytes.
pub const fn distribution_of_sizes() -> Bounds<Distribution> {
    static SIZES: CompositeType = composite::<Sizes>();
    Bounds::composite(&SIZES)
}

/// A distribution of factors, plain numbers.
pub const fn distribution_of_factors() -> Bounds<Distribution> {
    static FACTORS: CompositeType = composite::<Factors>();
    Bounds::composite(&FACTORS)
}

crate::composite_field!(Distribution);

/// What is drawn.
trait Quantity {
    const UNIT: Unit;
}

struct Times;

impl Quantity for Times {
    const UNIT: Unit = Unit::Time;
}

struct Sizes;

impl Quantity for Sizes {
    const UNIT: Unit = Unit::Size;
}

struct Factors;

impl Quantity for Factors {
    const UNIT: Unit = Unit::One;
}

const fn composite<Q: Quantity>() -> CompositeType {
    CompositeType {
        accepted: || Q::UNIT.accepted().to_owned(),
        read: |from, current, read_file| {
            let seed = DistributionSeed { unit: Q::UNIT, current: of(current), read_file };
            Ok(Box::new(seed.deserialize(from)?))
        },
        shown: |value| as_toml(of(value), Q::UNIT).into(),
        schema: |_| schema(Q::UNIT),
        at_bounds,
    }
}

fn of(value: &dyn Composite) -> &Distribution {
    value.downcast_ref().expect("a parameter that is a distribution has one")
}

/// The unit of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Time,
    Size,
    One,
}

impl Unit {
    /// The accepted values, for error messages and lists.
    fn accepted(self) -> &'static str {
        match self {
            Self::Time => {
                "a time such as \"10 s\", or a table such as \
                 { distribution = \"exponential\", mean = \"10 s\" }"
            }
            Self::Size => {
                "a size such as \"30 KB\", or a table such as \
                 { distribution = \"pareto\", mean = \"30 KB\" }"
            }
            Self::One => {
                "a number such as 1, or a table such as \
                 { distribution = \"lognormal\", mean = 1, sigma = 0.3 }"
            }
        }
    }

    /// A value with its unit, as TOML text.
    fn show(self, value: f64) -> String {
        match self {
            Self::Time => format!("\"{value} s\""),
            Self::Size => format!("\"{value} B\""),
            Self::One => value.to_string(),
        }
    }
}

/// Reads a quantity in seconds or bytes, or a number.
struct QuantitySeed(Unit);

impl<'de> DeserializeSeed<'de> for QuantitySeed {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        match self.0 {
            Unit::Time => Ok(Seconds::deserialize(deserializer)?.duration().as_secs_f64()),
            Unit::Size => Ok(Bytes::deserialize(deserializer)?.as_u64() as f64),
            Unit::One => {
                let got = serde_json::Value::deserialize(deserializer)?;
                let number = got.as_f64().filter(|number| (0.0..=MAX_FACTOR).contains(number));
                number.ok_or_else(|| {
                    let got = shown_value(&got);
                    D::Error::custom(format!(
                        "got {got}; accepted: a number from 0 to {MAX_FACTOR}"
                    ))
                })
            }
        }
    }
}

/// Reads a distribution. What a table omits keeps its value in `current`, as far as the family has
/// it. The family's name must come before its parameters.
struct DistributionSeed<'a> {
    unit: Unit,
    current: &'a Distribution,
    read_file: Option<ReadFile>,
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
        let (unit, read_file) = (self.unit, self.read_file);
        let mut family = self.current.family().clone();
        let mut mean = self.current.mean();
        let mut values: Option<Arc<[f64]>> = None;
        while let Some(key) = map.next_key::<String>()? {
            let found = family.values().into_iter().find(|(p, _)| p.name == key);
            let is_trace = family.name() == TRACE;
            match key.as_str() {
                DISTRIBUTION => {
                    let named: Family = map.next_value_seed(KindSeed(PhantomData))?;
                    if named.name() != family.name() {
                        family = named;
                    }
                }
                "mean" if !is_trace => mean = map.next_value_seed(QuantitySeed(unit))?,
                "values" if is_trace => values = Some(map.next_value_seed(ValuesSeed(unit))?),
                "file" if is_trace => {
                    values = Some(map.next_value_seed(FileSeed { unit, read_file })?);
                }
                _ => match found {
                    Some((parameter, current)) => {
                        let seed = ParameterSeed { parameter, current, read_file };
                        let value = map.next_value_seed(seed)?;
                        family.assign(parameter.name, value);
                    }
                    None => map.next_value_seed(RefusedSeed(foreign_key(&key, &family)))?,
                },
            }
        }
        if family.name() == TRACE {
            let accepted = "a list of values, or a file with one value in each line";
            let missing =
                || A::Error::custom(format!("got a trace of nothing; accepted: {accepted}"));
            return Ok(Distribution::trace(values.ok_or_else(missing)?));
        }
        Ok(Distribution::new(family, mean))
    }
}

impl DistributionSeed<'_> {
    fn constant<'de, D: Deserializer<'de>>(self, from: D) -> Result<Distribution, D::Error> {
        Ok(Distribution::constant(QuantitySeed(self.unit).deserialize(from)?))
    }
}

/// The keys of a family's table.
fn keys(family: &Family) -> Vec<&'static str> {
    let common: &[&str] = if family.name() == TRACE { &["values", "file"] } else { &["mean"] };
    let mut keys: Vec<&'static str> = [DISTRIBUTION].iter().chain(common).copied().collect();
    family.visit(&mut |parameter, _| keys.push(parameter.name));
    keys
}

fn foreign_key(key: &str, family: &Family) -> String {
    let accepted = keys(family);
    if Family::all().iter().any(|other| keys(other).contains(&key)) {
        let (name, accepted) = (family.name(), accepted.join(", "));
        return format!("`{key}` is no parameter of a {name:?} distribution; accepted: {accepted}");
    }
    unknown_key(key, &accepted)
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

/// Reads the values of a trace from a text file: one in each line, after an optional heading in
/// the first line.
struct FileSeed {
    unit: Unit,
    read_file: Option<ReadFile>,
}

impl<'de> DeserializeSeed<'de> for FileSeed {
    type Value = Arc<[f64]>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Arc<[f64]>, D::Error> {
        let path = String::deserialize(from)?;
        let named = shown_path(&path);
        let Some(read_file) = self.read_file else {
            return Err(D::Error::custom(format!("got the file {named}; accepted: values")));
        };
        let is_text = |bytes| String::from_utf8(bytes).map_err(|_| "it is no text".to_owned());
        let text = read_file(&path).and_then(is_text).map_err(|problem| {
            D::Error::custom(format!("got {named}: {problem}; accepted: a text file of values"))
        })?;
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
        let mut values = Vec::new();
        for (line, number) in lines.filter(|(line, _)| !line.is_empty()) {
            let plain = line.parse::<f64>().ok().filter(|value| value.is_finite());
            let value =
                plain.map_or_else(|| line.trim_matches('"').into(), serde_json::Value::from);
            match QuantitySeed(self.unit).deserialize(value) {
                Ok(value) => values.push(value),
                Err(_) if number == 1 && is_heading(line) => {}
                Err(error) => {
                    return Err(D::Error::custom(format!("{named}, line {number}: {error}")));
                }
            }
        }
        checked(values).map_err(|error| D::Error::custom(format!("{named}: {error}")))
    }
}

/// Whether a line starts with a word that is no number, as `nan` and `inf` are.
pub(super) fn is_heading(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.starts_with(char::is_alphabetic) && word.parse::<f64>().is_err()
}

fn checked(values: Vec<f64>) -> Result<Arc<[f64]>, String> {
    match values.len() {
        1..=MAX_VALUES => Ok(values.into()),
        n => Err(format!("got {n} values; accepted: from 1 to {MAX_VALUES} of them")),
    }
}

/// As a table in a configuration file.
impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(DISTRIBUTION, self.family().name())?;
        match self.trace_values() {
            Some(values) => map.serialize_entry("values", values)?,
            None => map.serialize_entry("mean", &self.mean())?,
        }
        for (parameter, value) in self.family().values() {
            map.serialize_entry(parameter.name, &value)?;
        }
        map.end()
    }
}

/// A distribution as TOML text.
fn as_toml(distribution: &Distribution, unit: Unit) -> String {
    let family = distribution.family();
    let mean = unit.show(distribution.mean());
    let mut own = String::new();
    family.visit(&mut |parameter, value| {
        let value = match value {
            Value::Number(number) => number.to_string(),
            other => json!(other).to_string(),
        };
        own.push_str(&format!(", {} = {value}", parameter.name));
    });
    format!("{{ {DISTRIBUTION} = {:?}, mean = {mean}{own} }}", family.name())
}

/// The JSON Schema of what [`DistributionSeed`] reads.
fn schema(unit: Unit) -> serde_json::Value {
    let mut properties = Map::new();
    let mut insert = |key: &str, schema| properties.insert(key.to_owned(), schema);
    insert(DISTRIBUTION, json!({ "enum": Family::names() }));
    insert("mean", json!({ "type": ["number", "string"] }));
    for family in Family::all() {
        family.visit(&mut |parameter, _| {
            insert(parameter.name, json!({ "type": "number" }));
        });
    }
    insert("values", json!({ "type": "array", "items": { "type": ["number", "string"] } }));
    insert("file", json!({ "type": "string", "description": "one value in each line" }));
    json!({ "anyOf": [
        { "type": ["number", "string"], "description": unit.accepted() },
        { "type": "object", "properties": properties, "additionalProperties": false },
    ] })
}

/// Each family, with each of its parameters at its bounds.
fn at_bounds() -> Vec<serde_json::Value> {
    let mut all = vec![json!(2000)];
    for family in Family::all() {
        if family.name() == TRACE {
            all.push(json!({ DISTRIBUTION: TRACE, "values": [2000, 1000] }));
        } else {
            let table = json!({ DISTRIBUTION: family.name(), "mean": 2000 });
            all.extend(each_parameter_at_bounds(&family, table));
        }
    }
    all
}
