//! Checks of single values, of which the others are made.

use evenair_core::component::{Registry, Seconds, Violation};

use crate::scenario::problem::{Checked, fail};

/// Checks the parameters of a component together.
pub(super) fn check_component(field: &str, configuration: &impl Registry) -> Checked {
    refuse(field, configuration.violation())
}

pub(super) fn refuse(field: &str, violation: Option<Violation>) -> Checked {
    let Some(Violation { parameter, got, accepted }) = violation else { return Ok(()) };
    Err(fail(&format!("{field}.{parameter}"), &got, &accepted))
}

pub(super) fn above_zero(field: &str, time: Seconds) -> Checked {
    if time == Seconds::ZERO {
        return Err(fail(field, "got 0 s", "a time above 0, such as \"1 s\""));
    }
    Ok(())
}
