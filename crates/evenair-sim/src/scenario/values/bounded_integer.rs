//! Integers within bounds, whose errors name the accepted range.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, Unexpected, Visitor};

/// Reads an integer from `MIN` to `MAX`.
pub(crate) fn bounded_integer<'de, const MIN: u32, const MAX: u32, D>(
    deserializer: D,
) -> Result<u32, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Bounded::<MIN, MAX>)
}

/// Reads an integer from `MIN` to `MAX`, or null for none.
pub(crate) fn optional_bounded_integer<'de, const MIN: u32, const MAX: u32, D>(
    deserializer: D,
) -> Result<Option<u32>, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_option(Optional::<MIN, MAX>)
}

struct Bounded<const MIN: u32, const MAX: u32>;

impl<const MIN: u32, const MAX: u32> Visitor<'_> for Bounded<MIN, MAX> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u32, E> {
        u32::try_from(value)
            .ok()
            .filter(|n| (MIN..=MAX).contains(n))
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u32, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }
}

struct Optional<const MIN: u32, const MAX: u32>;

impl<'de, const MIN: u32, const MAX: u32> Visitor<'de> for Optional<MIN, MAX> {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Bounded::<MIN, MAX>.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        bounded_integer::<MIN, MAX, D>(deserializer).map(Some)
    }
}
