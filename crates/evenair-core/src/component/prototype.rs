//! Prototypes: components that are defined outside of this crate, and registered at run time.
//!
//! A registry is a closed enum. One of its variants may be a [`Prototype`]: the configuration of any
//! component of a [`Prototypes`], the set that a program can extend. From the [`Definition`] follow
//! syntax, error messages, schema and list, as from [`configuration!`](crate::configuration!).

use std::fmt;
use std::mem::discriminant;
use std::sync::{PoisonError, RwLock};

use super::parameter::{Parameter, Value};
use super::registry::{Component, Parameters};

/// What a prototype is, and the function that makes one; `F` is the type of that function.
pub struct Definition<F: ?Sized> {
    /// Name, summary and source.
    pub component: &'static Component,
    /// The parameters with their defaults.
    pub parameters: Vec<(&'static Parameter, Value)>,
    /// Makes the component from the values of the parameters, which are in their order.
    pub new: Box<F>,
}

/// The prototypes of one kind that are registered in this process.
pub struct Prototypes<F: ?Sized + 'static>(RwLock<Vec<&'static Definition<F>>>);

impl<F: ?Sized> Prototypes<F> {
    /// An empty set.
    #[allow(clippy::new_without_default, reason = "it is for a static")]
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// Adds a definition, or replaces that of the same name. Configurations that have been read keep
    /// theirs: a definition stays in memory until the process ends.
    pub fn register(&self, definition: Definition<F>) {
        let definition: &'static Definition<F> = Box::leak(Box::new(definition));
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match all.iter_mut().find(|other| other.component.name == definition.component.name) {
            Some(other) => *other = definition,
            None => all.push(definition),
        }
    }

    /// Each prototype with its defaults, in the order of registration.
    pub fn all(&self) -> Vec<Prototype<F>> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|&definition| Prototype::new(definition)).collect()
    }
}

/// The configuration of a prototype.
pub struct Prototype<F: ?Sized + 'static> {
    definition: &'static Definition<F>,
    values: Vec<Value>,
}

impl<F: ?Sized> Prototype<F> {
    fn new(definition: &'static Definition<F>) -> Self {
        let values = definition.parameters.iter().map(|(_, default)| default.clone()).collect();
        Self { definition, values }
    }

    /// The component.
    pub fn component(&self) -> &'static Component {
        self.definition.component
    }

    /// The function that makes the component.
    pub fn constructor(&self) -> &'static F {
        &self.definition.new
    }

    /// The values of the parameters, in their order.
    pub fn parameter_values(&self) -> &[Value] {
        &self.values
    }
}

impl<F: ?Sized> Parameters for Prototype<F> {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        for ((parameter, _), value) in self.definition.parameters.iter().zip(&self.values) {
            visitor(parameter, value.clone());
        }
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        let mut parameters = self.definition.parameters.iter();
        let Some(index) = parameters.position(|(parameter, _)| parameter.name == name) else {
            return false;
        };
        let fits = discriminant(&self.values[index]) == discriminant(&value);
        if fits {
            self.values[index] = value;
        }
        fits
    }
}

impl<F: ?Sized> Clone for Prototype<F> {
    fn clone(&self) -> Self {
        Self { definition: self.definition, values: self.values.clone() }
    }
}

impl<F: ?Sized> PartialEq for Prototype<F> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.component(), other.component()) && self.values == other.values
    }
}

impl<F: ?Sized> fmt::Debug for Prototype<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.component().name).field("values", &self.values).finish()
    }
}
