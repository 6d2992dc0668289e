//! Integers within bounds, whose errors name the accepted range.

use evenair_core::component::untagged::whole_numbers;
use serde::{Deserialize, Deserializer};
use serde_untagged::UntaggedEnumVisitor;

/// Reads an integer from `MIN` to `MAX`.
pub(crate) fn bounded_integer<'de, const MIN: u32, const MAX: u32, D>(
    deserializer: D,
) -> Result<u32, D::Error>
where
    D: Deserializer<'de>,
{
    let accepted = format!("a whole number from {MIN} to {MAX}");
    let visitor = UntaggedEnumVisitor::new().expecting(accepted.as_str());
    whole_numbers(visitor, MIN..=MAX, &accepted, |number| number).deserialize(deserializer)
}

/// Reads an integer from `MIN` to `MAX`, or null for none.
pub(crate) fn optional_bounded_integer<'de, const MIN: u32, const MAX: u32, D>(
    deserializer: D,
) -> Result<Option<u32>, D::Error>
where
    D: Deserializer<'de>,
{
    struct Bounded<const MIN: u32, const MAX: u32>(u32);
    impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Bounded<MIN, MAX> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            bounded_integer::<MIN, MAX, D>(from).map(Self)
        }
    }
    let read = Option::<Bounded<MIN, MAX>>::deserialize(deserializer)?;
    Ok(read.map(|bounded| bounded.0))
}
