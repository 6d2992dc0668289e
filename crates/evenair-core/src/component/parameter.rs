//! Parameters: their Rust types, their bounds, and the values that are read and written.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use super::bucket_size::{self, BucketSize};
use super::composite::{Composite, CompositeType};
use super::message::quoted_list;
use super::quantity::{BitRate, Seconds};
use super::rate_steps::RateSteps;
use crate::time::Duration;

/// The accepted rates, for error messages and lists.
const RATE: &str = "a rate above 0 and up to 1000 Gbps, such as \"11 Mbps\"";

/// The same with 0, which is no rate.
const RATE_FROM_ZERO: &str = "a rate from 0 to 1000 Gbps, such as \"300 kbps\"";

/// The word for a limit that is not there.
pub(super) const UNLIMITED: &str = "unlimited";

/// The longest duration: that of [`Seconds`].
const MAX_DURATION: Duration = Duration::from_secs(1_000_000);

/// A parameter of a component.
#[derive(Debug)]
pub struct Parameter {
    /// The key in a configuration file.
    pub name: &'static str,
    /// The values that it may have.
    pub parameter_type: ParameterType,
    /// Meaning and unit.
    pub meaning: &'static str,
    /// What holds where the parameter is absent, if it may be: the parameter whose value it takes, or
    /// a value.
    pub absent: Option<&'static str>,
}

/// The values that a parameter may have. Bounds are inclusive unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterType {
    /// One of these names.
    Names(&'static [&'static str]),
    /// An integer from the first to the second.
    Integer(u64, u64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// A number above 0 and below 1.
    Probability,
    /// A duration above zero, up to this one.
    Duration(Duration),
    /// An integer from the first to the second, or this word.
    IntegerOr(u64, u64, &'static str),
    /// True or false.
    Switch,
    /// True, false, or this word.
    SwitchOr(&'static str),
    /// Rates and the times from which they hold.
    RateSteps,
    /// A rate, not unlimited.
    Rate,
    /// A rate or 0, not unlimited.
    RateFromZero,
    /// The size of a token bucket, in bytes or as a time.
    BucketSize,
    /// A type that is defined outside of this module.
    Composite(&'static CompositeType),
}

impl ParameterType {
    /// The accepted values, for error messages and lists.
    pub fn accepted(self) -> String {
        match self {
            Self::Names(names) => quoted_list(names),
            Self::Integer(min, max) => format!("a whole number from {min} to {max}"),
            Self::Number(min, max) => format!("a number from {min} to {max}"),
            Self::Probability => "a probability above 0 and below 1".to_owned(),
            Self::Duration(max) => {
                format!("a time above 0 and up to {}, such as \"10 s\"", Seconds::from(max))
            }
            Self::IntegerOr(min, max, word) => {
                format!("a whole number from {min} to {max}, or {word:?}")
            }
            Self::Switch => "true or false".to_owned(),
            Self::SwitchOr(word) => format!("true, false, or {word:?}"),
            Self::RateSteps => super::rate_steps::ACCEPTED.to_owned(),
            Self::Rate => RATE.to_owned(),
            Self::RateFromZero => RATE_FROM_ZERO.to_owned(),
            Self::BucketSize => bucket_size::ACCEPTED.to_owned(),
            Self::Composite(composite) => (composite.accepted)(),
        }
    }
}

/// The value of a parameter, whatever its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The parameter is absent.
    Absent,
    /// One of several names, or the word of [`ParameterType::IntegerOr`] or [`ParameterType::SwitchOr`].
    Name(&'static str),
    /// An integer.
    Integer(u64),
    /// A number.
    Number(f64),
    /// A duration.
    Duration(Duration),
    /// True or false.
    Switch(bool),
    /// Rates and the times from which they hold.
    RateSteps(RateSteps),
    /// A rate.
    Rate(BitRate),
    /// The size of a token bucket.
    BucketSize(BucketSize),
    /// A value of a [`CompositeType`].
    Composite(Box<dyn Composite>),
}

impl Value {
    /// The number by which two values are compared: seconds of a duration, 0 for what is no number.
    pub(super) fn magnitude(&self) -> f64 {
        match self {
            Self::Integer(number) => *number as f64,
            Self::Number(number) => *number,
            Self::Duration(duration) => duration.as_secs_f64(),
            Self::Rate(rate) => rate.as_bps() as f64,
            Self::Absent
            | Self::Name(_)
            | Self::Switch(_)
            | Self::RateSteps(_)
            | Self::BucketSize(_)
            | Self::Composite(_) => 0.0,
        }
    }

    /// The value as TOML text or a number, for people; of an absent parameter what holds instead.
    pub(super) fn shown(&self, parameter: &Parameter) -> serde_json::Value {
        match (self, parameter.parameter_type) {
            (Self::Absent, _) => {
                // A value, or else the name of a parameter.
                let absent = parameter.absent.unwrap_or_default();
                absent.parse().unwrap_or_else(|_| absent.into())
            }
            (Self::Duration(duration), _) => Seconds::from(*duration).to_string().into(),
            (Self::Rate(rate), _) => rate.to_string().into(),
            (Self::BucketSize(size), _) => size.to_string().into(),
            (Self::Composite(value), ParameterType::Composite(composite)) => {
                (composite.shown)(&**value)
            }
            (other, _) => serde_json::json!(other),
        }
    }
}

/// A Rust type that a parameter can have.
pub trait FieldType: Clone + Debug + PartialEq {
    /// The value, with its type erased.
    fn to_value(&self) -> Value;

    /// The value of this type; `None` if `value` has another type.
    fn from_value(value: Value) -> Option<Self>;
}

/// Makes a type that implements [`Composite`](crate::component::Composite) one that a parameter can have.
#[macro_export]
macro_rules! composite_field {
    ($type:ty) => {
        impl $crate::component::FieldType for $type {
            fn to_value(&self) -> $crate::component::Value {
                $crate::component::Value::Composite(Box::new(self.clone()))
            }

            fn from_value(value: $crate::component::Value) -> Option<Self> {
                match value {
                    $crate::component::Value::Composite(value) => value.downcast_ref().cloned(),
                    _ => None,
                }
            }
        }
    };
}

/// An enum whose variants have names; declared with [`named!`](crate::named!).
pub trait NamedValue: Copy + Debug + PartialEq + 'static {
    /// Each name, in the order of declaration.
    const NAMES: &'static [&'static str];

    /// The name in a configuration file.
    fn name(self) -> &'static str;

    /// The value of that name.
    fn from_name(name: &str) -> Option<Self>;
}

impl<T: NamedValue> FieldType for T {
    fn to_value(&self) -> Value {
        Value::Name(self.name())
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Name(name) => Self::from_name(name),
            _ => None,
        }
    }
}

macro_rules! field_types {
    ($($type:ty => $variant:ident,)+) => {
        $(impl FieldType for $type {
            fn to_value(&self) -> Value {
                Value::$variant(self.clone())
            }

            fn from_value(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(value) => Some(value),
                    _ => None,
                }
            }
        })+
    };
}

/// A parameter that may be absent.
impl<T: FieldType> FieldType for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Absent, T::to_value)
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Absent => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// An unsigned integer.
pub trait Unsigned: FieldType {
    /// The largest one.
    const MAX: u64;
}

impl Unsigned for u64 {
    const MAX: u64 = u64::MAX;
}

impl Unsigned for u32 {
    const MAX: u64 = u32::MAX as u64;
}

impl FieldType for u32 {
    fn to_value(&self) -> Value {
        Value::Integer(u64::from(*self))
    }

    fn from_value(value: Value) -> Option<Self> {
        u64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

field_types! {
    u64 => Integer,
    f64 => Number,
    Duration => Duration,
    bool => Switch,
    RateSteps => RateSteps,
    BitRate => Rate,
    BucketSize => BucketSize,
}

/// A limit that may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most this many.
    Of(u64),
    /// There is none.
    Unlimited,
}

impl Limit {
    /// The largest number within the limit.
    pub fn largest(self) -> u64 {
        match self {
            Self::Of(number) => number,
            Self::Unlimited => u64::MAX,
        }
    }
}

impl FieldType for Limit {
    fn to_value(&self) -> Value {
        match *self {
            Self::Of(number) => Value::Integer(number),
            Self::Unlimited => Value::Name(UNLIMITED),
        }
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(Self::Of(number)),
            Value::Name(UNLIMITED) => Some(Self::Unlimited),
            _ => None,
        }
    }
}

/// The bounds of a field of type `T`: a declaration whose bounds do not fit its type does not
/// compile.
#[derive(Debug)]
pub struct Bounds<T> {
    parameter_type: ParameterType,
    absent: Option<&'static str>,
    field: PhantomData<fn() -> T>,
}

impl<T> Bounds<T> {
    /// Bounds of a type that is defined outside of this module.
    pub const fn composite(composite: &'static CompositeType) -> Self {
        Self::new(ParameterType::Composite(composite))
    }

    /// An integer in this range, or this word; `T` converts both from and to a [`Value`].
    pub const fn integer_or(range: RangeInclusive<u64>, word: &'static str) -> Self {
        assert!(*range.start() <= *range.end(), "the range is empty");
        Self::new(ParameterType::IntegerOr(*range.start(), *range.end(), word))
    }

    /// True, false, or this word; `T` converts both from and to a [`Value`].
    pub const fn switch_or(word: &'static str) -> Self {
        Self::new(ParameterType::SwitchOr(word))
    }

    const fn new(parameter_type: ParameterType) -> Self {
        Self { parameter_type, absent: None, field: PhantomData }
    }

    /// The type of the parameter.
    pub const fn parameter_type(&self) -> ParameterType {
        self.parameter_type
    }

    /// What holds where the parameter is absent, if it may be.
    pub const fn absent(&self) -> Option<&'static str> {
        self.absent
    }
}

/// Any name of an enum that [`named!`](crate::named!) has declared.
pub const fn names<T: NamedValue>() -> Bounds<T> {
    Bounds::new(ParameterType::Names(T::NAMES))
}

/// A parameter that may be absent. `absent` says what holds then: the parameter whose value it takes, or
/// a value.
pub const fn optional<T>(bounds: Bounds<T>, absent: &'static str) -> Bounds<Option<T>> {
    Bounds { parameter_type: bounds.parameter_type, absent: Some(absent), field: PhantomData }
}

/// An integer in this range, of type `u64` or `u32`.
pub const fn integer<T: Unsigned>(range: RangeInclusive<u64>) -> Bounds<T> {
    assert!(*range.start() <= *range.end(), "the range is empty");
    assert!(*range.end() <= T::MAX, "the type has no such value");
    Bounds::new(ParameterType::Integer(*range.start(), *range.end()))
}

/// A number in this range.
pub const fn number(range: RangeInclusive<f64>) -> Bounds<f64> {
    assert!(*range.start() <= *range.end(), "the range is empty");
    Bounds::new(ParameterType::Number(*range.start(), *range.end()))
}

/// A number above 0 and below 1.
pub const fn probability() -> Bounds<f64> {
    Bounds::new(ParameterType::Probability)
}

/// A duration above zero.
pub const fn positive() -> Bounds<Duration> {
    positive_up_to(MAX_DURATION)
}

/// A duration above zero, up to `max`.
pub const fn positive_up_to(max: Duration) -> Bounds<Duration> {
    Bounds::new(ParameterType::Duration(max))
}

/// An integer from 1 to `max`, or "unlimited".
pub const fn limit(max: u64) -> Bounds<Limit> {
    Bounds::integer_or(1..=max, UNLIMITED)
}

/// True or false.
pub const fn switch() -> Bounds<bool> {
    Bounds::new(ParameterType::Switch)
}

/// A rate, not unlimited.
pub const fn rate() -> Bounds<BitRate> {
    Bounds::new(ParameterType::Rate)
}

/// A rate or 0, not unlimited.
pub const fn rate_from_zero() -> Bounds<BitRate> {
    Bounds::new(ParameterType::RateFromZero)
}

/// The size of a token bucket.
pub const fn bucket_size() -> Bounds<BucketSize> {
    Bounds::new(ParameterType::BucketSize)
}

/// Rates and the times from which they hold.
pub const fn rate_steps() -> Bounds<RateSteps> {
    Bounds::new(ParameterType::RateSteps)
}

crate::named! {
    /// A switch that is written "on" or "off".
    pub enum OnOff {
        /// Switched on.
        #[default]
        On => "on",
        /// Switched off.
        Off => "off",
    }
    planned []
}

impl OnOff {
    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}
