//! Values at the bounds of a parameter and just outside of them, for tests of every component.

use serde_json::{Value as Json, json};

use super::parameter::ParameterType;
use super::quantity::Seconds;
use super::registry::{Parameters, Registry};
use crate::time::Duration;

impl ParameterType {
    /// A value at each bound, as a configuration file has it: all names, both ends of a range, what a
    /// composite has.
    pub fn at_bounds(self) -> Vec<Json> {
        match self {
            Self::Names(names) => names.iter().map(|name| json!(name)).collect(),
            Self::Integer(min, max) => vec![json!(min), json!(max)],
            Self::Number(min, max) => vec![json!(min), json!(max)],
            Self::Probability => vec![json!(f64::MIN_POSITIVE), json!(1.0_f64.next_down())],
            Self::Duration(max) => vec![json!("1 ns"), json!(Seconds::from(max).to_string())],
            Self::IntegerOr(min, max, word) => vec![json!(min), json!(max), json!(word)],
            Self::Switch => vec![json!(false), json!(true)],
            Self::SwitchOr(word) => vec![json!(false), json!(true), json!(word)],
            Self::Rate => vec![json!(1), json!(1_000_000_000_000_u64)],
            Self::RateFromZero => vec![json!(0), json!(1_000_000_000_000_u64)],
            Self::BucketSize => vec![json!(1), json!("1000 GB"), json!("1 ns"), json!("1000000 s")],
            Self::Composite(composite) => (composite.at_bounds)(),
            Self::RateSteps => {
                vec![json!([[0.0, 1_000_000]]), json!([[0.0, "unlimited"], [1e-9, 11_000_000]])]
            }
        }
    }

    /// Values just outside of the bounds, and of another type.
    pub fn outside_bounds(self) -> Vec<Json> {
        match self {
            Self::Names(_) => vec![json!("no such name"), json!(1)],
            Self::Integer(min, max) | Self::IntegerOr(min, max, _) => {
                let below = min.checked_sub(1).map_or(json!(-1), |below| json!(below));
                let above = max.checked_add(1).map_or(json!(1.5), |above| json!(above));
                vec![below, above, json!("1"), json!("none")]
            }
            Self::Number(min, max) => {
                vec![json!(min.next_down()), json!(max.next_up()), json!("1")]
            }
            Self::Probability => vec![json!(0), json!(1), json!("0.5")],
            Self::Duration(max) => {
                let above = Duration::from_nanos(max.as_nanos() + 1);
                vec![json!(0), json!("0 s"), json!(Seconds::from(above).to_string()), json!("1")]
            }
            Self::Switch | Self::SwitchOr(_) => vec![json!(1), json!("true")],
            Self::Composite(_) => Vec::new(),
            Self::Rate => vec![json!(0), json!(1e12 + 1.0), json!("unlimited"), json!(true)],
            Self::RateFromZero => {
                vec![json!(-1), json!(1e12 + 1.0), json!("unlimited"), json!(true)]
            }
            Self::BucketSize => vec![json!(0), json!("0 s"), json!("1001 GB"), json!(false)],
            Self::RateSteps => {
                vec![json!([]), json!([[1, 1]]), json!([[0, 1], [0, 2]]), json!([[0, 0]]), json!(1)]
            }
        }
    }
}

/// Each component of a registry, and with each parameter at its bounds.
pub(super) fn tables<R: Registry>() -> Vec<Json> {
    let of = |configuration: R| {
        let table = json!({ "kind": configuration.component().name });
        each_parameter_at_bounds(&configuration, table)
    };
    R::all().into_iter().flat_map(of).collect()
}

/// `table` with each parameter of the configuration at each bound, and as it is.
pub(crate) fn each_parameter_at_bounds(configuration: &impl Parameters, table: Json) -> Vec<Json> {
    let mut all = Vec::new();
    for (parameter, _) in configuration.values() {
        for value in parameter.parameter_type.at_bounds() {
            let mut table = table.clone();
            table[parameter.name] = value;
            all.push(table);
        }
    }
    all.push(table);
    all
}
