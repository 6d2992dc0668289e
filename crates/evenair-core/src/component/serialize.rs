//! Configurations as they are written, described and listed.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, json};

use super::limit::QueueLimit;
use super::parameter::{Parameter, ParameterType, Value};
use super::quantity::Seconds;
use super::registry::{Component, Parameters, Registry};

/// Writes a configuration: its name if it has neither parameters that are not absent nor a limit, else a
/// table with `kind`, `limit` and each of these parameters.
///
/// # Errors
/// Those of the serializer.
pub fn write<S: Serializer>(
    to: S,
    configuration: &impl Registry,
    limit: Option<QueueLimit>,
) -> Result<S::Ok, S::Error> {
    let name = configuration.component().name;
    let is_absent = |(_, value): &(_, Value)| *value == Value::Absent;
    if configuration.values().iter().all(is_absent) && limit.is_none() {
        return to.serialize_str(name);
    }
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("kind", name)?;
    if let Some(limit) = limit {
        map.serialize_entry("limit", &limit)?;
    }
    write_entries(&mut map, configuration)?;
    map.end()
}

/// Writes a group of parameters as a table of those that are not absent.
///
/// # Errors
/// Those of the serializer.
pub fn write_group<S: Serializer>(to: S, group: &impl Parameters) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    write_entries(&mut map, group)?;
    map.end()
}

fn write_entries<M: SerializeMap>(map: &mut M, from: &impl Parameters) -> Result<(), M::Error> {
    let present = from.values().into_iter().filter(|(_, value)| *value != Value::Absent);
    for (parameter, value) in present {
        map.serialize_entry(parameter.name, &value)?;
    }
    Ok(())
}

/// As in a configuration file.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Name(name) => serializer.serialize_str(name),
            Self::Integer(number) => serializer.serialize_u64(*number),
            Self::Switch(on) => serializer.serialize_bool(*on),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Duration(duration) => Seconds::from(*duration).serialize(serializer),
            Self::RateSteps(steps) => steps.serialize(serializer),
            Self::Rate(rate) => rate.serialize(serializer),
            Self::BucketSize(size) => size.serialize(serializer),
            Self::Composite(value) => value.serialize(serializer),
        }
    }
}

/// Each component of a registry: `kind`, `name`, `aliases`, `summary`, `source` and `parameters` (each
/// with `name`, `default`, `accepts`, `meaning`).
pub fn list<R: Registry>() -> Vec<serde_json::Value> {
    let of =
        |configuration: &R| describe(R::KIND, configuration.component(), configuration.values());
    R::all().iter().map(of).collect()
}

/// A component and its parameters with their defaults, as [`list`] has it.
pub fn describe(
    kind: &str,
    component: &Component,
    parameters: Vec<(&'static Parameter, Value)>,
) -> serde_json::Value {
    let parameters: Vec<serde_json::Value> = parameters
        .into_iter()
        .map(|(parameter, default)| {
            json!({
                "name": parameter.name,
                "default": default.shown(parameter),
                "accepts": parameter.parameter_type.accepted(),
                "meaning": parameter.meaning,
            })
        })
        .collect();
    json!({
        "kind": kind,
        "name": component.name,
        "aliases": component.aliases,
        "summary": component.summary,
        "source": component.source,
        "parameters": parameters,
    })
}

/// The JSON Schema of a configuration; `has_limit` is that of [`Reader`](super::Reader).
pub fn schema<R: Registry>(generator: &mut SchemaGenerator, has_limit: bool) -> Schema {
    let mut forms = vec![json!({ "type": "string", "enum": R::accepted_names() })];
    for configuration in R::all() {
        let component = configuration.component();
        let mut properties = Map::new();
        properties.insert("kind".to_owned(), json!({ "enum": component.accepted_names() }));
        if has_limit {
            let limit = generator.subschema_for::<QueueLimit>();
            properties.insert("limit".to_owned(), limit.to_value());
        }
        add_properties(generator, &mut properties, &configuration);
        forms.push(json!({
            "type": "object",
            "description": component.summary,
            "properties": properties,
            "additionalProperties": false,
        }));
    }
    json_schema!({ "anyOf": forms })
}

/// The JSON Schema of the table that a group of parameters is written as.
pub fn group_schema(generator: &mut SchemaGenerator, defaults: &impl Parameters) -> Schema {
    let mut properties = Map::new();
    add_properties(generator, &mut properties, defaults);
    json_schema!({ "type": "object", "properties": properties })
}

fn add_properties(
    generator: &mut SchemaGenerator,
    properties: &mut Map<String, serde_json::Value>,
    defaults: &impl Parameters,
) {
    for (parameter, default) in defaults.values() {
        let schema = parameter_schema(generator, parameter, &default);
        properties.insert(parameter.name.to_owned(), schema);
    }
}

fn parameter_schema(
    generator: &mut SchemaGenerator,
    parameter: &Parameter,
    default: &Value,
) -> serde_json::Value {
    let mut schema = match parameter.parameter_type {
        ParameterType::Names(names) => json!({ "type": "string", "enum": names }),
        ParameterType::Integer(min, max) => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        ParameterType::Number(min, max) => {
            json!({ "type": "number", "minimum": min, "maximum": max })
        }
        ParameterType::Probability => {
            json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
        }
        ParameterType::Duration(_) => generator.subschema_for::<Seconds>().to_value(),
        ParameterType::IntegerOr(min, max, word) => json!({ "anyOf": [
            { "type": "integer", "minimum": min, "maximum": max },
            { "const": word },
        ] }),
        ParameterType::Switch => json!({ "type": "boolean" }),
        ParameterType::SwitchOr(word) => {
            json!({ "anyOf": [{ "type": "boolean" }, { "const": word }] })
        }
        ParameterType::Rate | ParameterType::RateFromZero | ParameterType::BucketSize => {
            json!({ "type": ["number", "string"] })
        }
        ParameterType::Composite(composite) => (composite.schema)(generator),
        ParameterType::RateSteps => json!({
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "array",
                "items": { "type": ["number", "string"] },
                "minItems": 2,
                "maxItems": 2,
            },
        }),
    };
    schema["description"] = parameter.meaning.into();
    if parameter.absent.is_some() && schema["type"].is_string() {
        schema["type"] = json!([schema["type"], "null"]);
    }
    if *default != Value::Absent {
        schema["default"] = json!(default);
    }
    schema
}
