//! The scenario: the single authority on what can be simulated.
//!
//! A scenario's way: TOML text ([`document_from_toml`]) or JSON from Python becomes a *document*
//! (a [`serde_json::Value`]); [`set`] overrides single values of it by dotted key; [`resolve`]
//! turns it into a [`Scenario`] that is checked and has every default filled in. Serialised, a
//! resolved scenario is again a valid document, and resolving that changes nothing.
//!
//! Apply [`set`] to what the user wrote, not to a resolved scenario: some defaults follow from
//! other values (the rates from the PHY, the marking from the queue), and once filled in they stay.

mod beacon_interval;
mod bounded_integer;
#[cfg(test)]
mod broken_tests;
mod cell;
mod choices;
mod clash;
mod control_rate;
mod defaults;
mod document;
mod error;
mod names;
mod node_names;
mod overrides;
mod presets;
mod queue;
mod request_backoff;
#[cfg(test)]
mod tests;
mod topology;
mod trace_file;
mod transport;
mod types;
mod validate;
mod wimax_cell;
#[cfg(test)]
mod wimax_tests;
mod wlan_cell;

pub use cell::Cell;
pub use clash::{Origin, line_of_key};
pub use document::document_from_toml;
pub use error::ScenarioError;
pub use names::CellKind;
pub use overrides::set;
pub use presets::TcpPreset;
pub(crate) use presets::parts as presets;
pub use queue::Queue;
pub use request_backoff::RequestBackoff;
pub(crate) use topology::{ACCESS_POINT, SERVER, Topology};
pub use trace_file::read_no_files;
pub(crate) use transport::UDP;
pub use types::{
    DelayedAck, Direction, Flow, Gateway, LimitedTransmit, RtoFormula, Scenario, Station, SynTimer,
    Trace, Transport, Wired, WiredLink,
};
pub(crate) use validate::numbered;
pub use wimax_cell::WimaxCell;
pub use wlan_cell::{
    BeaconInterval, ControlRate, PhyKind, Preamble, Protection, RtsThreshold, WlanCell,
};

pub use evenair_core::component::{BitRate, Bytes, Hertz, QueueLimit, Seconds};
pub use evenair_core::traffic::Application;

use serde_json::Value;

/// Checks a document and fills in every default.
///
/// `source` names where the document came from (a file name, "arguments"): errors start with it.
///
/// # Errors
///
/// The first thing that is wrong, with its field, the value it got and what is accepted.
pub fn resolve(mut document: Value, source: &str) -> Result<Scenario, ScenarioError> {
    let refuse =
        |problem: validate::Problem| ScenarioError::new(source, &problem.field, &problem.message);
    validate::check_tables(&document).map_err(refuse)?;
    defaults::fill_document(&mut document);
    let mut scenario: Scenario = serde_path_to_error::deserialize(document)
        .map_err(|err| ScenarioError::from_serde(source, &err))?;
    defaults::fill_scenario(&mut scenario);
    validate::check(&scenario).map_err(refuse)?;
    Ok(scenario)
}

/// The JSON Schema of a scenario document.
pub fn json_schema() -> Value {
    schemars::schema_for!(Scenario).to_value()
}
