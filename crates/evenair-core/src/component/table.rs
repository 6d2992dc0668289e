//! Reading configurations: a name, or a table with the component's own parameters.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::bucket_size::BucketSize;
use super::composite::ReadFile;
use super::limit::QueueLimit;
use super::message::{quoted_list, shown_value, unknown_key, unknown_name};
use super::parameter::{Parameter, ParameterType, Value};
use super::quantity::{BitRate, Seconds};
use super::rate_steps::RateSteps;
use super::registry::Registry;
use crate::time::Duration;

/// The key that selects the family of a distribution.
pub const DISTRIBUTION: &str = "distribution";

/// Reads configurations: `"las"`, or `{ kind = "las", service = "bytes" }`. A table's `kind` must
/// come before its other keys ([`put_kind_first`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader {
    /// Whether a table has a `limit` besides the component's own parameters.
    pub has_limit: bool,
    /// Reads the files of traces; `None` refuses them.
    pub read_file: Option<ReadFile>,
}

/// What [`Reader::read`] has read.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<R> {
    /// The configuration.
    pub configuration: R,
    /// The limit, if there was one.
    pub limit: Option<QueueLimit>,
}

/// Reads a configuration without a limit and without files.
///
/// # Errors
/// The first key or value that is not accepted.
pub fn read<'de, R: Registry, D: Deserializer<'de>>(from: D) -> Result<R, D::Error> {
    Ok(Reader::default().read(from)?.configuration)
}

/// Moves the `kind` of a table, then its `form`, which sets defaults, and the `kind` or `distribution`
/// of each table in it, to the front.
pub fn put_kind_first(table: &mut serde_json::Map<String, serde_json::Value>) {
    put_first(table, "form");
    put_first(table, "kind");
    for parameter in table.values_mut().filter_map(serde_json::Value::as_object_mut) {
        put_first(parameter, DISTRIBUTION);
        put_first(parameter, "kind");
    }
}

fn put_first(table: &mut serde_json::Map<String, serde_json::Value>, key: &str) {
    if let Some(value) = table.shift_remove(key) {
        table.shift_insert(0, key.to_owned(), value);
    }
}

impl Reader {
    /// Reads a name or a table.
    ///
    /// # Errors
    /// The first key or value that is not accepted.
    pub fn read<'de, R: Registry, D: Deserializer<'de>>(
        self,
        from: D,
    ) -> Result<Table<R>, D::Error> {
        from.deserialize_any(TableVisitor { reader: self, registry: PhantomData })
    }

    /// The keys of a table that selects this component.
    fn keys(self, configuration: &impl Registry) -> Vec<&'static str> {
        let limit = if self.has_limit { &["limit"][..] } else { &[] };
        let mut keys: Vec<&'static str> = ["kind"].iter().chain(limit).copied().collect();
        configuration.visit(&mut |parameter, _| keys.push(parameter.name));
        keys
    }
}

struct TableVisitor<R> {
    reader: Reader,
    registry: PhantomData<R>,
}

impl<'de, R: Registry> Visitor<'de> for TableVisitor<R> {
    type Value = Table<R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = R::accepted_names();
        write!(f, "a table such as {{ kind = {:?} }}, or one of {}", names[0], quoted_list(&names))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Table<R>, E> {
        Ok(Table { configuration: by_name(name)?, limit: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table<R>, A::Error> {
        let mut configuration: R = R::all().swap_remove(0);
        let mut limit = None;
        while let Some(key) = map.next_key::<String>()? {
            let found = configuration.values().into_iter().find(|(p, _)| p.name == key);
            if key == "kind" {
                configuration = map.next_value_seed(KindSeed(PhantomData))?;
            } else if key == "limit" && self.reader.has_limit {
                limit = Some(map.next_value()?);
            } else if let Some((parameter, current)) = found {
                let read_file = self.reader.read_file;
                let seed = ParameterSeed { parameter, current, read_file };
                let value = map.next_value_seed(seed)?;
                let assigned = configuration.assign(parameter.name, value);
                debug_assert!(assigned, "{key}: a value of another type");
            } else {
                map.next_value_seed(RefusedSeed(self.foreign_key(&key, &configuration)))?;
            }
        }
        Ok(Table { configuration, limit })
    }
}

impl<R: Registry> TableVisitor<R> {
    fn foreign_key(&self, key: &str, configuration: &R) -> String {
        let keys = self.reader.keys(configuration);
        let mut others = R::all().into_iter().flat_map(|other| other.values());
        if others.any(|(parameter, _)| parameter.name == key) {
            let (noun, accepted) = (R::NOUN, keys.join(", "));
            let name = configuration.component().name;
            return format!("`{key}` is no parameter of a {name:?} {noun}; accepted: {accepted}");
        }
        unknown_key(key, &keys)
    }
}

fn by_name<R: Registry, E: Error>(name: &str) -> Result<R, E> {
    R::from_name(name)
        .ok_or_else(|| E::custom(unknown_name(name, &R::accepted_names(), R::PLANNED)))
}

/// Refuses a value with this message, so that the path of the error ends with its key.
pub(crate) struct RefusedSeed(pub(crate) String);

impl<'de> DeserializeSeed<'de> for RefusedSeed {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(D::Error::custom(self.0))
    }
}

/// Reads the name of a component.
pub(crate) struct KindSeed<R>(pub(crate) PhantomData<R>);

impl<'de, R: Registry> DeserializeSeed<'de> for KindSeed<R> {
    type Value = R;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<R, D::Error> {
        by_name(&String::deserialize(deserializer)?)
    }
}

/// Reads the value of a parameter.
pub(crate) struct ParameterSeed {
    pub(crate) parameter: &'static Parameter,
    /// The value so far; a distribution keeps of it what the table does not give.
    pub(crate) current: Value,
    pub(crate) read_file: Option<ReadFile>,
}

impl<'de> DeserializeSeed<'de> for ParameterSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let parameter_type = self.parameter.parameter_type;
        if let (ParameterType::Composite(composite), Some(_)) =
            (parameter_type, self.parameter.absent)
        {
            let got = serde_json::Value::deserialize(deserializer)?;
            if got.is_null() {
                return Ok(Value::Absent);
            }
            let from = &mut <dyn erased_serde::Deserializer<'_>>::erase(got);
            let value = (composite.read)(from, &(), self.read_file);
            return value.map(Value::Composite).map_err(D::Error::custom);
        }
        if let (ParameterType::Composite(composite), Value::Composite(current)) =
            (parameter_type, &self.current)
        {
            let from = &mut <dyn erased_serde::Deserializer<'_>>::erase(deserializer);
            let value = (composite.read)(from, &**current, self.read_file);
            return value.map(Value::Composite).map_err(D::Error::custom);
        }
        let got = serde_json::Value::deserialize(deserializer)?;
        if got.is_null() && self.parameter.absent.is_some() {
            return Ok(Value::Absent);
        }
        parameter_type.parse(&got).map_err(D::Error::custom)
    }
}

impl ParameterType {
    /// The value that `got` stands for, or the error message. What has keys of its own is not read
    /// here.
    ///
    /// # Errors
    /// The value that it got, and what is accepted.
    pub fn parse(self, got: &serde_json::Value) -> Result<Value, String> {
        let value = match (self, got) {
            (Self::Names(names), serde_json::Value::String(text)) => {
                let found = names.iter().find(|name| *name == text);
                return found
                    .map(|name| Value::Name(name))
                    .ok_or_else(|| unknown_name(text, names, &[]));
            }
            (Self::Integer(min, max), json) => {
                json.as_u64().filter(|n| (min..=max).contains(n)).map(Value::Integer)
            }
            (Self::Number(min, max), json) => {
                json.as_f64().filter(|n| (min..=max).contains(n)).map(Value::Number)
            }
            (Self::Probability, json) => {
                json.as_f64().filter(|p| *p > 0.0 && *p < 1.0).map(Value::Number)
            }
            (Self::Duration(max), json) => return self.duration(max, json).map(Value::Duration),
            (Self::IntegerOr(_, _, word), serde_json::Value::String(text)) => {
                (text == word).then_some(Value::Name(word))
            }
            (Self::IntegerOr(min, max, _), json) => {
                json.as_u64().filter(|n| (min..=max).contains(n)).map(Value::Integer)
            }
            (Self::SwitchOr(word), serde_json::Value::String(text)) => {
                (text == word).then_some(Value::Name(word))
            }
            (Self::Switch | Self::SwitchOr(_), json) => json.as_bool().map(Value::Switch),
            (Self::RateSteps, json) => return RateSteps::parse(json).map(Value::RateSteps),
            (Self::Rate, json) => {
                let rate = BitRate::deserialize(json).ok();
                rate.filter(|rate| *rate != BitRate::UNLIMITED).map(Value::Rate)
            }
            (Self::RateFromZero, json) => BitRate::from_zero(json).map(Value::Rate),
            (Self::BucketSize, json) => BucketSize::parse(json).map(Value::BucketSize),
            (Self::Names(_) | Self::Composite(_), _) => None,
        };
        value.ok_or_else(|| self.refused(&shown_value(got)))
    }

    /// A time above zero, up to `max`. The error says what is wrong with the text or number.
    fn duration(self, max: Duration, got: &serde_json::Value) -> Result<Duration, String> {
        let read = match got {
            serde_json::Value::String(text) => text.parse(),
            json => {
                let number = json.as_f64().ok_or_else(|| self.refused(&shown_value(got)))?;
                Seconds::from_number(number)
            }
        };
        let time: Seconds =
            read.map_err(|problem| self.refused(&format!("{}: {problem}", shown_value(got))))?;
        match time {
            // A number lacks the unit, and what is too long is compared with a bound in seconds.
            Seconds::ZERO if got.is_string() => Err(self.refused(&shown_value(got))),
            _ if time == Seconds::ZERO || time.duration() > max => {
                Err(self.refused(&time.to_string()))
            }
            _ => Ok(time.duration()),
        }
    }

    fn refused(self, got: &str) -> String {
        format!("got {got}; accepted: {}", self.accepted())
    }
}
