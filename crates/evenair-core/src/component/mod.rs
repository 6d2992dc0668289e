//! Components: queue disciplines, congestion controls, loss models, applications, distributions.
//!
//! A component has a *configuration*: a struct with a field for each *parameter*, declared with
//! [`configuration!`](crate::configuration!). The declaration states the name, the summary and the source
//! of the component, and the type, default, bounds and documentation of each parameter. The
//! components of one kind form a *registry*: an enum with a configuration in each variant, declared
//! with [`registry!`](crate::registry!).
//!
//! From these declarations follow the syntax in a configuration file ([`read`], [`write()`]), the
//! error messages, the JSON Schema ([`schema`]) and the list of components ([`list`]). The parameters of a
//! group may also stand among the keys of another table ([`Beside`], [`write_group`], [`group_schema`]).
//!
//! ```
//! use evenair_core::component::{QueueLimit, Reader, Registry};
//! use evenair_core::queue::{Config, LasConfig, Service};
//!
//! // With serde, as a field of any configuration:
//! let las: Config = serde_json::from_str(r#"{ "kind": "las", "service": "bytes" }"#).unwrap();
//! let expected = LasConfig { service: Service::Bytes, ..LasConfig::default() };
//! assert_eq!(las, expected.into());
//! assert_eq!(las.violation(), None);
//!
//! // With a limit, from any deserializer:
//! let text = r#"{ "kind": "droptail", "limit": "30 KB" }"#;
//! let reader = Reader { has_limit: true, read_file: None };
//! let table = reader.read::<Config, _>(&mut serde_json::Deserializer::from_str(text)).unwrap();
//! assert_eq!(table.limit, Some(QueueLimit::Bytes(30_000)));
//!
//! let error = serde_json::from_str::<Config>(r#""lass""#).unwrap_err();
//! assert!(error.to_string().starts_with("got \"lass\"; did you mean \"las\"? accepted: "));
//! ```
//!
//! `kind` must come before the parameters ([`put_kind_first`]), and the order of parameters is
//! checked by [`Registry::violation`], after reading.

mod bounds;
mod bucket_size;
mod composite;
mod group;
mod limit;
mod macros;
pub mod message;
mod nested;
mod parameter;
mod prototype;
pub mod quantity;
mod rate_steps;
mod registry;
mod serialize;
mod table;
#[cfg(test)]
mod tests;
pub mod untagged;

pub(crate) use bounds::each_parameter_at_bounds;
pub use bucket_size::BucketSize;
pub use composite::{Composite, CompositeType, ReadFile};
pub use group::Beside;
pub use limit::QueueLimit;
pub use parameter::{
    Bounds, FieldType, Limit, NamedValue, OnOff, Parameter, ParameterType, Unsigned, Value,
    bucket_size, integer, limit, names, number, optional, positive, positive_up_to, probability,
    rate, rate_from_zero, rate_steps, switch,
};
pub use prototype::{Definition, Prototype, Prototypes};
pub use quantity::{BitRate, Bytes, Hertz, Seconds};
pub use rate_steps::RateSteps;
#[doc(hidden)]
pub use registry::last_of;
pub use registry::{Component, Configuration, Parameters, Registry, Violation};
pub use serialize::{describe, group_schema, list, schema, write, write_group};
pub use table::{DISTRIBUTION, Reader, Table, put_kind_first, read};
pub(crate) use table::{KindSeed, ParameterSeed, RefusedSeed};

pub use crate::{configuration, group_serde, named, registry};

#[doc(hidden)]
pub use {schemars, serde};
