//! Values that are a name or a quantity.

use std::fmt;

use evenair_core::component::message::{nearest, shown};
use serde::de::{Error, Unexpected, Visitor};

/// Reads such a value.
pub(crate) struct NameOr<T> {
    /// What is accepted, for errors.
    pub(crate) accepted: &'static str,
    /// The names that an error may suggest.
    pub(crate) suggested: &'static [&'static str],
    /// The value of a text, a name or a quantity with its unit.
    pub(crate) of_text: fn(&str) -> Option<T>,
    /// The value of a number without a unit.
    pub(crate) of_number: fn(f64) -> Option<T>,
}

impl<T> Visitor<'_> for NameOr<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.accepted)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.of_text)(text).ok_or_else(|| {
            let hint = nearest(text, self.suggested)
                .map_or(String::new(), |near| format!("did you mean {near:?}? "));
            E::custom(format!("got {}; {hint}accepted: {}", shown(text), self.accepted))
        })
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        (self.of_number)(value).ok_or_else(|| E::invalid_value(Unexpected::Float(value), &self))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }
}
