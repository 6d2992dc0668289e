//! A group of parameters among the keys of another table: TCP's options in a flow.

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use super::message::unknown_key;
use super::parameter::{Parameter, Value};
use super::registry::Parameters;
use super::table::{ParameterSeed, RefusedSeed};

/// Reads a table that has the parameters of a group besides the fields of a struct. The struct reads
/// its fields from this deserializer, which assigns the parameters and refuses other keys.
///
/// serde's `flatten` does without errors that know their place, and without `deny_unknown_fields`.
#[derive(Debug)]
pub struct Beside<'g, D, G> {
    from: D,
    group: &'g mut G,
}

impl<'g, D, G> Beside<'g, D, G> {
    /// Reads `from`, and assigns what the table has of the group.
    pub fn new(from: D, group: &'g mut G) -> Self {
        Self { from, group }
    }
}

impl<'de, D: Deserializer<'de>, G: Parameters> Deserializer<'de> for Beside<'_, D, G> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let group = self.group;
        self.from.deserialize_struct(name, fields, BesideVisitor { visitor, fields, group })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct BesideVisitor<'g, V, G> {
    visitor: V,
    fields: &'static [&'static str],
    group: &'g mut G,
}

impl<'de, V: Visitor<'de>, G: Parameters> Visitor<'de> for BesideVisitor<'_, V, G> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Self { visitor, fields, group } = self;
        let parameters = group.values();
        visitor.visit_map(Fields { map, fields, parameters, group })
    }
}

/// The entries of a table that are fields. What lies between them is assigned.
struct Fields<'g, A, G> {
    map: A,
    fields: &'static [&'static str],
    parameters: Vec<(&'static Parameter, Value)>,
    group: &'g mut G,
}

impl<'de, A: MapAccess<'de>, G: Parameters> MapAccess<'de> for Fields<'_, A, G> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if self.fields.contains(&key.as_str()) {
                return seed.deserialize(StringDeserializer::new(key)).map(Some);
            }
            let Some((parameter, current)) = self.parameters.iter().find(|(p, _)| p.name == key)
            else {
                self.map.next_value_seed(RefusedSeed(self.unknown(&key)))?;
                continue;
            };
            let current = current.clone();
            let value =
                self.map.next_value_seed(ParameterSeed { parameter, current, read_file: None })?;
            let assigned = self.group.assign(parameter.name, value);
            debug_assert!(assigned, "{key}: a value of another type");
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

impl<A, G> Fields<'_, A, G> {
    fn unknown(&self, key: &str) -> String {
        let parameters = self.parameters.iter().map(|(parameter, _)| parameter.name);
        unknown_key(key, &self.fields.iter().copied().chain(parameters).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use schemars::SchemaGenerator;
    use serde::Deserialize;
    use serde_json::{Value as Json, json};

    use super::super::{group_schema, integer, optional, positive_up_to, switch, write_group};
    use super::*;
    use crate::time::Duration;

    crate::configuration! {
        /// A group.
        pub group Tank;
        /// volume, litres
        volume: u32 = 50, integer(1..=100);
        /// content, litres
        content: Option<u32> = None, optional(integer(0..=100), "volume");
        /// whether it is closed
        closed: bool = false, switch();
        /// time until it is empty
        empties: Duration = Duration::from_secs(1), positive_up_to(Duration::from_secs(60));
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Place {
        street: String,
        number: u8,
    }

    fn read(json: &Json) -> Result<(Place, Tank), String> {
        let mut tank = Tank::default();
        let place = Place::deserialize(Beside::new(json, &mut tank));
        place.map(|place| (place, tank)).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_and_parameters_stand_in_any_order() {
        let table =
            json!({ "content": 7, "number": 3, "volume": 9, "street": "a", "empties": "2 s" });
        let (place, tank) = read(&table).unwrap();
        assert_eq!(place, Place { street: "a".to_owned(), number: 3 });
        let empties = Duration::from_secs(2);
        assert_eq!(tank, Tank { volume: 9, content: Some(7), closed: false, empties });
        assert_eq!(read(&json!({})).unwrap(), (Place::default(), Tank::default()));
    }

    #[test]
    fn other_keys_and_wrong_values_are_refused() {
        for (table, error) in [
            (
                json!({ "volum": 1 }),
                "unknown key `volum`; did you mean `volume`? accepted: street, number, volume, \
                 content, closed, empties",
            ),
            (json!({ "stret": 1 }), "unknown key `stret`; did you mean `street`? accepted: street"),
            (json!({ "volume": 101 }), "got 101; accepted: a whole number from 1 to 100"),
            (json!({ "volume": null }), "got null; accepted: a whole number from 1 to 100"),
            (json!({ "content": "1" }), "got \"1\"; accepted: a whole number from 0 to 100"),
            (json!({ "empties": 61 }), "got 61 s; accepted: a time above 0 and up to 60 s"),
            (json!({ "empties": 0 }), "got 0 s; accepted: a time above 0 and up to 60 s"),
            (json!({ "empties": "soon" }), "got \"soon\": it does not start with a number; acc"),
            (json!([]), "invalid type: sequence, expected struct Place"),
        ] {
            let message = read(&table).unwrap_err();
            assert!(message.starts_with(error), "{table}: {message}");
        }
    }

    /// What is absent is not written, and may be given as null.
    #[test]
    fn absent_parameters_stay_absent() {
        let written = |tank: &Tank| write_group(serde_json::value::Serializer, tank).unwrap();
        let table = json!({ "volume": 50, "closed": false, "empties": 1.0 });
        assert_eq!(written(&Tank::default()), table);
        let full = Tank { content: Some(0), ..Tank::default() };
        assert_eq!(written(&full)["content"], 0);
        assert_eq!(read(&written(&full)).unwrap().1, full);
        assert_eq!(read(&json!({ "content": null })).unwrap().1, Tank::default());
    }

    #[test]
    fn the_schema_has_a_default_unless_it_is_absent() {
        let schema = group_schema(&mut SchemaGenerator::default(), &Tank::default());
        let properties = &schema.as_value()["properties"];
        assert_eq!(properties["volume"]["default"], 50);
        let content = json!({
            "type": ["integer", "null"], "minimum": 0, "maximum": 100, "description": "content, litres"
        });
        assert_eq!(properties["content"], content);
    }
}
