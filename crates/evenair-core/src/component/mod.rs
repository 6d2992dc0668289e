//! Registries: what the parts of one kind are called, what parameters they have, where they come
//! from. Scenarios, the command line's help and the documentation follow from it.

use crate::time::Duration;
use crate::traffic::Distribution;

/// A part that a scenario can name.
#[derive(Debug)]
pub struct Part {
    /// The name in a scenario.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Paper, RFC or standard that defines it.
    pub source: &'static str,
    /// Its parameters, besides those that all parts of the kind have.
    pub parameters: &'static [Parameter],
    /// Pairs of parameters of which the first may not be above the second.
    pub ordered: &'static [(&'static str, &'static str)],
}

/// A parameter of a part.
#[derive(Debug)]
pub struct Parameter {
    /// The key in a scenario.
    pub name: &'static str,
    /// The value where a scenario gives none.
    pub default: Value,
    /// The values that it may have.
    pub accepts: Accepts,
    /// Meaning and unit.
    pub meaning: &'static str,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One of several names.
    Name(&'static str),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A length of time.
    Time(Duration),
    /// Yes or no.
    Switch(bool),
    /// How a random quantity is distributed.
    Distribution(Distribution),
}

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accepts {
    /// One of these names.
    Names(&'static [&'static str]),
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// A number above 0 and below 1.
    Probability,
    /// A length of time above zero.
    Time,
    /// A whole number from 1 to this one, or unlimited, which is `u64::MAX`.
    Limit(u64),
    /// True or false.
    Switch,
    /// A distribution of lengths of time, in seconds.
    Times,
    /// A distribution of sizes, in bytes.
    Sizes,
}

/// What is wrong with the parameters of a part taken together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The parameter to change.
    pub parameter: &'static str,
    /// What it got.
    pub got: String,
    /// What would be accepted.
    pub accepted: String,
}

/// A part with a value for each of its parameters.
#[derive(Clone, Debug)]
pub struct Choice {
    part: &'static Part,
    /// In the order of the part's parameters.
    values: Vec<Value>,
}

impl Choice {
    /// `part` with its defaults.
    pub fn new(part: &'static Part) -> Self {
        Self { part, values: part.parameters.iter().map(|p| p.default.clone()).collect() }
    }

    /// The part called `name` in `registry`, with its defaults.
    pub fn by_name(registry: &[&'static Part], name: &str) -> Option<Self> {
        registry.iter().find(|part| part.name == name).map(|part| Self::new(part))
    }

    /// The same with another value for one parameter.
    ///
    /// # Panics
    /// If the part has no such parameter.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: Value) -> Self {
        let index = self.index(parameter);
        self.values[index] = value;
        self
    }

    /// The part.
    pub fn part(&self) -> &'static Part {
        self.part
    }

    /// The part's name.
    pub fn name(&self) -> &'static str {
        self.part.name
    }

    /// Each parameter with its value.
    pub fn values(&self) -> impl Iterator<Item = (&'static Parameter, &Value)> {
        self.part.parameters.iter().zip(&self.values)
    }

    /// The value of a parameter that is a name.
    ///
    /// # Panics
    /// If the part has no such parameter; likewise the methods below.
    pub fn named(&self, parameter: &str) -> &'static str {
        match &self.values[self.index(parameter)] {
            Value::Name(name) => name,
            other => panic!("{parameter} is no name but {other:?}"),
        }
    }

    /// The value of a parameter that is a whole number.
    pub fn whole(&self, parameter: &str) -> u64 {
        match &self.values[self.index(parameter)] {
            Value::Whole(number) => *number,
            other => panic!("{parameter} is no whole number but {other:?}"),
        }
    }

    /// The value of a parameter that is a number.
    pub fn number(&self, parameter: &str) -> f64 {
        match &self.values[self.index(parameter)] {
            Value::Number(number) => *number,
            other => panic!("{parameter} is no number but {other:?}"),
        }
    }

    /// The value of a parameter that is a length of time.
    pub fn time(&self, parameter: &str) -> Duration {
        match &self.values[self.index(parameter)] {
            Value::Time(span) => *span,
            other => panic!("{parameter} is no time but {other:?}"),
        }
    }

    /// The value of a parameter that is yes or no.
    pub fn switch(&self, parameter: &str) -> bool {
        match &self.values[self.index(parameter)] {
            Value::Switch(on) => *on,
            other => panic!("{parameter} is no switch but {other:?}"),
        }
    }

    /// The value of a parameter that is a distribution.
    pub fn distribution(&self, parameter: &str) -> &Distribution {
        match &self.values[self.index(parameter)] {
            Value::Distribution(distribution) => distribution,
            other => panic!("{parameter} is no distribution but {other:?}"),
        }
    }

    /// The first pair of parameters that is not in order.
    pub fn objection(&self) -> Option<Objection> {
        let number = |name| match &self.values[self.index(name)] {
            Value::Whole(number) => *number as f64,
            Value::Number(number) => *number,
            Value::Time(span) => span.as_secs_f64(),
            Value::Distribution(distribution) => distribution.mean(),
            Value::Name(_) | Value::Switch(_) => 0.0,
        };
        let wrong = self.part.ordered.iter().find(|(low, high)| number(low) > number(high));
        wrong.map(|&(low, high)| Objection {
            parameter: high,
            got: format!("got {}", number(high)),
            accepted: format!("at least {low}, {}", number(low)),
        })
    }

    fn index(&self, parameter: &str) -> usize {
        let found = self.part.parameters.iter().position(|p| p.name == parameter);
        found.unwrap_or_else(|| panic!("{} has no parameter {parameter}", self.part.name))
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.part.name == other.part.name && self.values == other.values
    }
}
