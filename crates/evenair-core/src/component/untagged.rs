//! Values of several types in a configuration file: a number or a text.

use std::ops::RangeInclusive;

use serde::de::{Error as _, Unexpected};
use serde_untagged::UntaggedEnumVisitor;
use serde_untagged::de::Error;

/// A visitor that reads numbers, too, with or without a fraction.
pub fn numbers<'a, 'de, T: 'a>(
    visitor: UntaggedEnumVisitor<'a, 'de, T>,
    read: impl Fn(f64) -> Result<T, Error> + Copy + 'a,
) -> UntaggedEnumVisitor<'a, 'de, T> {
    visitor.f64(read).u64(move |value| read(value as f64)).i64(move |value| read(value as f64))
}

/// A visitor that reads whole numbers within bounds, too; `expected` is what it accepts in all.
pub fn whole_numbers<'a, 'de, T: 'a>(
    visitor: UntaggedEnumVisitor<'a, 'de, T>,
    bounds: RangeInclusive<u32>,
    expected: &'a str,
    read: impl Fn(u32) -> T + Copy + 'a,
) -> UntaggedEnumVisitor<'a, 'de, T> {
    let (least, most) = bounds.into_inner();
    let within = move |value: Option<u32>| value.filter(|n| (least..=most).contains(n)).map(read);
    visitor
        .u64(move |value| {
            let refused = || Error::invalid_value(Unexpected::Unsigned(value), &expected);
            within(value.try_into().ok()).ok_or_else(refused)
        })
        .i64(move |value| {
            let refused = || Error::invalid_value(Unexpected::Signed(value), &expected);
            within(value.try_into().ok()).ok_or_else(refused)
        })
}
