//! Checks of the names and groups that users give to stations and flows.

use std::collections::BTreeMap;

use evenair_core::component::message::shown;

use crate::scenario::problem::{Checked, fail};
use crate::scenario::tables::scenario::Scenario;

/// The longest name or group, characters.
const LONGEST: usize = 100;

/// Checks all names and groups of `scenario`.
pub(super) fn check_labels(scenario: &Scenario) -> Checked {
    let (mut stations, mut flows) = (Names::default(), Names::default());
    for (index, station) in scenario.station.iter().enumerate() {
        let field = format!("station.{index}");
        stations.add(&field, station.name.as_deref(), station.count)?;
        for (index, flow) in station.flows.iter().enumerate() {
            let field = format!("{field}.flows.{index}");
            check_text(&format!("{field}.name"), flow.name.as_deref())?;
            for &direction in flow.directions() {
                flows.add(&field, flow.name_of(direction).as_deref(), station.count)?;
            }
            check_text(&format!("{field}.group"), flow.group.as_deref())?;
        }
    }
    for (index, flow) in scenario.wired.flow.iter().enumerate() {
        let field = format!("wired.flow.{index}");
        flows.add(&field, flow.name.as_deref(), 1)?;
        check_text(&format!("{field}.group"), flow.group.as_deref())?;
    }
    Ok(())
}

/// Names as results have them, and the entries that they are of.
#[derive(Default)]
struct Names {
    taken: BTreeMap<String, String>,
}

impl Names {
    /// Adds the names that the `count` stations or flows of the entry at `field` have.
    fn add(&mut self, field: &str, name: Option<&str>, count: u32) -> Checked {
        let Some(name) = name else { return Ok(()) };
        let key = format!("{field}.name");
        check_text(&key, Some(name))?;
        for number in 1..=count {
            let full = numbered(name, number, count);
            let got = format!("got {}", shown(&full));
            if let Some(other) = self.taken.insert(full, field.to_owned()) {
                let got = format!("{got}, the name of {other}, too");
                return Err(fail(&key, &got, "a name of its own (groups may have several)"));
            }
        }
        Ok(())
    }
}

/// The name of number `number`, from 1, of `count` stations or flows of one entry.
pub(crate) fn numbered(name: &str, number: u32, count: u32) -> String {
    if count == 1 { name.to_owned() } else { format!("{name}-{number}") }
}

fn check_text(field: &str, text: Option<&str>) -> Checked {
    let Some(text) = text else { return Ok(()) };
    let accepted = "1 to 100 printable characters that neither begin nor end with a space";
    let is_short = text.chars().take(LONGEST + 1).count() <= LONGEST;
    let unprintable = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.is_empty() || text.trim() != text || !is_short || text.contains(unprintable) {
        return Err(fail(field, &format!("got {}", shown(text)), accepted));
    }
    Ok(())
}
