//! Values that are a name or a quantity.

use evenair_core::component::message::{nearest, shown};
use evenair_core::component::untagged::numbers;
use serde::Deserializer;
use serde::de::{Error, Unexpected};
use serde_untagged::UntaggedEnumVisitor;

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

impl<T> NameOr<T> {
    /// Reads one.
    ///
    /// # Errors
    /// What it got, and what is accepted.
    pub(crate) fn read<'de, D: Deserializer<'de>>(self, from: D) -> Result<T, D::Error> {
        let number = |value: f64| {
            let refused = || Error::invalid_value(Unexpected::Float(value), &self.accepted);
            (self.of_number)(value).ok_or_else(refused)
        };
        let visitor = UntaggedEnumVisitor::new().expecting(self.accepted).string(|text| {
            (self.of_text)(text).ok_or_else(|| {
                let hint = nearest(text, self.suggested)
                    .map_or(String::new(), |near| format!("did you mean {near:?}? "));
                Error::custom(format!("got {}; {hint}accepted: {}", shown(text), self.accepted))
            })
        });
        numbers(visitor, number).deserialize(from)
    }
}
