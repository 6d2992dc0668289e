//! What a component, its parameters and a set of components are.

use std::fmt::Debug;

use super::parameter::{Parameter, Value};

/// What a component is, besides its parameters.
#[derive(Debug)]
pub struct Component {
    /// The name in a configuration file.
    pub name: &'static str,
    /// Other names that are read; only `name` is written.
    pub aliases: &'static [&'static str],
    /// What it does, in one line.
    pub summary: &'static str,
    /// Paper, RFC or standard that defines it.
    pub source: &'static str,
    /// Pairs of parameters of which the first must not exceed the second.
    pub ordered: &'static [(&'static str, &'static str)],
}

impl Component {
    /// The name, then the aliases.
    pub fn accepted_names(&self) -> Vec<&'static str> {
        std::iter::once(&self.name).chain(self.aliases).copied().collect()
    }
}

/// The last of several names.
#[doc(hidden)]
pub const fn last_of(names: &[&'static str]) -> &'static str {
    names[names.len() - 1]
}

/// A value that has parameters.
pub trait Parameters {
    /// Calls `visitor` with each parameter and its value, in the order of declaration.
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value));

    /// Sets the parameter called `name`. Returns false, and changes nothing, if there is no such
    /// parameter, or if the type of `value` is not the parameter's. Bounds are not checked.
    fn assign(&mut self, name: &str, value: Value) -> bool;

    /// Each parameter and its value, in the order of declaration.
    fn values(&self) -> Vec<(&'static Parameter, Value)> {
        let mut values = Vec::new();
        self.visit(&mut |parameter, value| values.push((parameter, value)));
        values
    }
}

/// The configuration of one component. Its `Default` has the default of each parameter.
pub trait Configuration: Parameters + Clone + Debug + Default + PartialEq {
    /// The component.
    const COMPONENT: &'static Component;
}

/// A closed set of components: a value is the configuration of one of them.
pub trait Registry: Parameters + Clone + Debug + PartialEq + 'static {
    /// What the components are, as the list of components has it: "queue discipline".
    const KIND: &'static str;
    /// The key that selects one in a configuration file, as error messages have it: "queue".
    const NOUN: &'static str;
    /// Names of what is not modelled.
    const PLANNED: &'static [&'static str];

    /// Each component with its defaults, in the order of declaration. The first one is selected
    /// where a configuration file names none.
    fn all() -> Vec<Self>;

    /// The component.
    fn component(&self) -> &'static Component;

    /// Whether it is one that was registered at run time.
    fn is_prototype(&self) -> bool {
        false
    }

    /// The component called `name`, or with that alias, with its defaults.
    fn from_name(name: &str) -> Option<Self> {
        let is_called =
            |component: &Component| component.name == name || component.aliases.contains(&name);
        Self::all().into_iter().find(|other| is_called(other.component()))
    }

    /// The names of all components.
    fn names() -> Vec<&'static str> {
        Self::all().iter().map(|configuration| configuration.component().name).collect()
    }

    /// The names of all components, each followed by its aliases.
    fn accepted_names() -> Vec<&'static str> {
        let names = |configuration: &Self| configuration.component().accepted_names();
        Self::all().iter().flat_map(names).collect()
    }

    /// The first pair of parameters that is out of order.
    fn violation(&self) -> Option<Violation> {
        let values = self.values();
        let number = |name: &str| {
            let found = values.iter().find(|(parameter, _)| parameter.name == name);
            found.map_or(0.0, |(_, value)| value.magnitude())
        };
        let mut ordered = self.component().ordered.iter();
        ordered.find(|(low, high)| number(low) > number(high)).map(|&(low, high)| Violation {
            parameter: high,
            got: format!("got {}", number(high)),
            accepted: format!("at least {low}, {}", number(low)),
        })
    }
}

/// Parameters that are valid one by one, but not together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The parameter to change.
    pub parameter: &'static str,
    /// Its value.
    pub got: String,
    /// The values that would be accepted.
    pub accepted: String,
}
