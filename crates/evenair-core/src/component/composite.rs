//! Types of parameters that are defined outside of this module: the distribution of a quantity, the
//! configuration of another component.

use std::any::Any;
use std::fmt::Debug;

use schemars::SchemaGenerator;
use serde_json::Value as Json;

/// Reads the file at a path; the error says what is wrong with it.
pub type ReadFile = fn(&str) -> Result<Vec<u8>, String>;

/// How the values of a type are read and described.
#[derive(Debug)]
pub struct CompositeType {
    /// The accepted values, for error messages and lists.
    pub accepted: fn() -> String,
    /// Reads a value. Keys that a table omits keep their values in the second argument, the value so
    /// far, which of a parameter that may be absent is `()`. The third argument reads the files that a table names; `None` refuses them.
    pub read: ReadComposite,
    /// A value for people, as TOML has it.
    pub shown: fn(&dyn Composite) -> Json,
    /// The JSON Schema of what is read.
    pub schema: fn(&mut SchemaGenerator) -> Json,
    /// Values at the bounds, as a configuration file has them, for tests.
    pub at_bounds: fn() -> Vec<Json>,
}

/// The function of [`CompositeType::read`].
pub type ReadComposite = fn(
    &mut dyn erased_serde::Deserializer<'_>,
    &dyn Composite,
    Option<ReadFile>,
) -> Result<Box<dyn Composite>, erased_serde::Error>;

/// Two types are equal if they are the same static.
impl PartialEq for CompositeType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A value of such a type.
pub trait Composite: Any + Debug + erased_serde::Serialize + Send + Sync {
    /// A copy.
    fn boxed(&self) -> Box<dyn Composite>;

    /// Whether the other value has the same type and is equal.
    fn equals(&self, other: &dyn Composite) -> bool;
}

impl<T: Any + Clone + Debug + PartialEq + serde::Serialize + Send + Sync> Composite for T {
    fn boxed(&self) -> Box<dyn Composite> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Composite) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }
}

erased_serde::serialize_trait_object!(Composite);

impl dyn Composite {
    /// The value, if it is of this type.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

impl Clone for Box<dyn Composite> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl PartialEq for Box<dyn Composite> {
    fn eq(&self, other: &Self) -> bool {
        (**self).equals(&**other)
    }
}
