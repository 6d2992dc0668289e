//! Parts chosen from a registry of the core: a name, or a table with the part's own parameters.
//!
//! What is accepted follows from the registry alone, so a new part needs nothing here.

use std::fmt;

use evenair_core::component::{Accepts, Choice, Parameter, Part, Value};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, json};

use super::distribution::{self, DistributionOut, DistributionSeed, Unit};
use super::limit::{QueueLimit, UNLIMITED};
use super::names::{nearest, quoted_list, shown, unknown_name};
use super::quantity::Seconds;

/// What can be chosen.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// The parts.
    pub(super) registry: &'static [&'static Part],
    /// Names that the interface promises and that are not available yet.
    pub(super) planned: &'static [&'static str],
    /// Where a table gives no `kind`.
    pub(super) default: &'static str,
    /// What is chosen, for errors.
    pub(super) noun: &'static str,
    /// Whether the table has a `limit` besides the part's own parameters.
    pub(super) has_limit: bool,
}

/// What a scenario chose.
pub(super) struct Chosen {
    pub(super) choice: Choice,
    pub(super) limit: Option<QueueLimit>,
}

impl Parts {
    /// The names of all parts.
    pub(super) fn names(self) -> Vec<&'static str> {
        self.registry.iter().map(|part| part.name).collect()
    }

    /// The default part with its default parameters.
    pub(super) fn default_choice(self) -> Choice {
        Choice::by_name(self.registry, self.default).expect("the default is in the registry")
    }

    /// Reads a name or a table. A table's `kind` must come before the part's parameters.
    pub(super) fn read<'de, D: Deserializer<'de>>(self, from: D) -> Result<Chosen, D::Error> {
        from.deserialize_any(PartVisitor(self))
    }

    /// The JSON Schema of what [`Parts::read`] takes.
    pub(super) fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        let mut forms = vec![json!({ "type": "string", "enum": self.names() })];
        for part in self.registry {
            let mut properties = Map::new();
            properties.insert("kind".to_owned(), json!({ "const": part.name }));
            if self.has_limit {
                let limit = generator.subschema_for::<QueueLimit>();
                properties.insert("limit".to_owned(), limit.to_value());
            }
            for parameter in part.parameters {
                properties.insert(parameter.name.to_owned(), parameter_schema(parameter));
            }
            forms.push(json!({
                "type": "object",
                "description": part.summary,
                "properties": properties,
                "additionalProperties": false,
            }));
        }
        json_schema!({ "anyOf": forms })
    }

    fn by_name<E: Error>(self, name: &str) -> Result<Choice, E> {
        Choice::by_name(self.registry, name)
            .ok_or_else(|| E::custom(unknown_name(name, &self.names(), self.planned)))
    }

    /// The keys of a table that chooses `part`.
    fn keys(self, part: &Part) -> Vec<&'static str> {
        let limit = if self.has_limit { &["limit"][..] } else { &[] };
        let own = part.parameters.iter().map(|p| p.name);
        ["kind"].iter().chain(limit).copied().chain(own).collect()
    }
}

/// Writes a choice: `kind`, what stands beside it, and every parameter.
pub(super) fn write<S: Serializer>(
    to: S,
    choice: &Choice,
    limit: Option<QueueLimit>,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("kind", choice.name())?;
    if let Some(limit) = limit {
        map.serialize_entry("limit", &limit)?;
    }
    for (parameter, value) in choice.values() {
        map.serialize_entry(parameter.name, &ValueOut(value))?;
    }
    map.end()
}

/// Writes a choice by its name where that says it all, else as a table.
pub(super) fn write_short<S: Serializer>(to: S, choice: &Choice) -> Result<S::Ok, S::Error> {
    if choice.part().parameters.is_empty() {
        return to.serialize_str(choice.name());
    }
    write(to, choice, None)
}

/// A value as a scenario writes it.
struct ValueOut<'a>(&'a Value);

impl Serialize for ValueOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Name(name) => serializer.serialize_str(name),
            Value::Whole(u64::MAX) => serializer.serialize_str(UNLIMITED),
            Value::Whole(number) => serializer.serialize_u64(*number),
            Value::Switch(on) => serializer.serialize_bool(*on),
            Value::Number(number) => serializer.serialize_f64(*number),
            Value::Time(span) => Seconds::from(*span).serialize(serializer),
            Value::Distribution(distribution) => {
                DistributionOut(distribution).serialize(serializer)
            }
        }
    }
}

/// A parameter's default, as people would write it.
pub(crate) fn default_of(parameter: &Parameter) -> serde_json::Value {
    match (&parameter.default, Unit::of(parameter.accepts)) {
        (Value::Time(span), _) => Seconds::from(*span).to_string().into(),
        (Value::Distribution(distribution), Some(unit)) => {
            distribution::as_toml(distribution, unit).into()
        }
        (other, _) => json!(ValueOut(other)),
    }
}

struct PartVisitor(Parts);

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Chosen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, kind) = (quoted_list(&self.0.names()), self.0.default);
        write!(f, "a table such as {{ kind = {kind:?} }}, or one of {names}")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Chosen, E> {
        Ok(Chosen { choice: self.0.by_name(name)?, limit: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Chosen, A::Error> {
        let mut chosen = Chosen { choice: self.0.default_choice(), limit: None };
        while let Some(key) = map.next_key::<String>()? {
            let part = chosen.choice.part();
            if key == "kind" {
                chosen.choice = map.next_value_seed(KindSeed(self.0))?;
            } else if key == "limit" && self.0.has_limit {
                chosen.limit = Some(map.next_value()?);
            } else if let Some(parameter) = part.parameters.iter().find(|p| p.name == key) {
                let value = map.next_value_seed(ParameterSeed(parameter))?;
                chosen.choice = chosen.choice.with(parameter.name, value);
            } else {
                map.next_value_seed(ForeignSeed(self.foreign_key(&key, part)))?;
            }
        }
        Ok(chosen)
    }
}

impl PartVisitor {
    fn foreign_key(&self, key: &str, part: &Part) -> String {
        let keys = self.0.keys(part);
        let accepted = keys.join(", ");
        let mut others = self.0.registry.iter().flat_map(|part| part.parameters);
        if others.any(|p| p.name == key) {
            let noun = self.0.noun;
            return format!(
                "`{key}` is no parameter of a {:?} {noun}; accepted: {accepted}",
                part.name
            );
        }
        let key: String = key.chars().take(60).collect();
        let hint = nearest(&key, &keys).map_or(String::new(), |n| format!("did you mean `{n}`? "));
        format!("unknown key `{key}`; {hint}accepted: {accepted}")
    }
}

/// Refuses a value with this message, so that the error's path has its key.
pub(super) struct ForeignSeed(pub(super) String);

impl<'de> DeserializeSeed<'de> for ForeignSeed {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(D::Error::custom(self.0))
    }
}

struct KindSeed(Parts);

impl<'de> DeserializeSeed<'de> for KindSeed {
    type Value = Choice;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Choice, D::Error> {
        self.0.by_name(&String::deserialize(deserializer)?)
    }
}

pub(super) struct ParameterSeed(pub(super) &'static Parameter);

impl<'de> DeserializeSeed<'de> for ParameterSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let accepts = self.0.accepts;
        if let (Some(unit), Value::Distribution(default)) = (Unit::of(accepts), &self.0.default) {
            let seed = DistributionSeed { unit, default };
            return seed.deserialize(deserializer).map(Value::Distribution);
        }
        let accepted = accepted(accepts);
        let got = serde_json::Value::deserialize(deserializer)?;
        let value = match (accepts, &got) {
            (Accepts::Names(names), serde_json::Value::String(text)) => {
                let found = names.iter().find(|name| *name == text);
                return found
                    .map(|name| Value::Name(name))
                    .ok_or_else(|| D::Error::custom(unknown_name(text, names, &[])));
            }
            (Accepts::Whole(least, most), json) => {
                json.as_u64().filter(|n| (least..=most).contains(n)).map(Value::Whole)
            }
            (Accepts::Number(least, most), json) => {
                json.as_f64().filter(|n| (least..=most).contains(n)).map(Value::Number)
            }
            (Accepts::Probability, json) => {
                json.as_f64().filter(|p| *p > 0.0 && *p < 1.0).map(Value::Number)
            }
            (Accepts::Time, json) => {
                let time = Seconds::deserialize(json).map_err(D::Error::custom)?;
                (time != Seconds::ZERO).then(|| Value::Time(time.duration()))
            }
            (Accepts::Limit(_), serde_json::Value::String(text)) => {
                (text == UNLIMITED).then_some(Value::Whole(u64::MAX))
            }
            (Accepts::Limit(most), json) => {
                json.as_u64().filter(|n| (1..=most).contains(n)).map(Value::Whole)
            }
            (Accepts::Switch, json) => json.as_bool().map(Value::Switch),
            (Accepts::Names(_) | Accepts::Times | Accepts::Sizes, _) => None,
        };
        value.ok_or_else(|| D::Error::custom(format!("got {}; accepted: {accepted}", told(&got))))
    }
}

/// A value from outside as an error message shows it.
fn told(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => shown(text),
        serde_json::Value::Array(_) => "a list".to_owned(),
        serde_json::Value::Object(_) => "a table".to_owned(),
        plain => plain.to_string(),
    }
}

/// What a parameter accepts, in words.
pub(crate) fn accepted(accepts: Accepts) -> String {
    match accepts {
        Accepts::Names(names) => quoted_list(names),
        Accepts::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Accepts::Number(least, most) => format!("a number from {least} to {most}"),
        Accepts::Probability => "a probability above 0 and below 1".to_owned(),
        Accepts::Time => "a time above 0, such as \"10 s\"".to_owned(),
        Accepts::Limit(most) => format!("a whole number from 1 to {most}, or {UNLIMITED:?}"),
        Accepts::Switch => "true or false".to_owned(),
        Accepts::Times => Unit::Time.accepted().to_owned(),
        Accepts::Sizes => Unit::Size.accepted().to_owned(),
    }
}

fn parameter_schema(parameter: &Parameter) -> serde_json::Value {
    let mut schema = match parameter.accepts {
        Accepts::Names(names) => json!({ "type": "string", "enum": names }),
        Accepts::Whole(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Accepts::Number(least, most) => {
            json!({ "type": "number", "minimum": least, "maximum": most })
        }
        Accepts::Probability => {
            json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
        }
        Accepts::Time => json!({ "type": ["number", "string"] }),
        Accepts::Limit(most) => json!({ "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": most },
            { "const": UNLIMITED },
        ] }),
        Accepts::Switch => json!({ "type": "boolean" }),
        Accepts::Times => distribution::schema(Unit::Time),
        Accepts::Sizes => distribution::schema(Unit::Size),
    };
    schema["description"] = parameter.meaning.into();
    schema["default"] = json!(ValueOut(&parameter.default));
    schema
}
