//! The scenario: the single authority on what can be simulated.
//!
//! A scenario's way: TOML text ([`document_from_toml`]) or JSON from Python becomes a *document*
//! (a [`serde_json::Value`]); [`set`] overrides single values of it by dotted key; [`resolve`]
//! turns it into a [`Scenario`] that is checked and has every default filled in. Serialised, a
//! resolved scenario is again a valid document, and resolving that changes nothing.
//!
//! Apply [`set`] to what the user wrote, not to a resolved scenario: some defaults follow from
//! other values (the rates from the PHY, the marking from the queue), and once filled in they stay.

#[cfg(test)]
mod broken_tests;
mod defaults;
mod document;
mod error;
pub(crate) mod parts;
mod problem;
mod resolution;
mod tables;
#[cfg(test)]
mod tests;
mod topology;
mod validate;
mod values;
#[cfg(test)]
mod wimax_tests;

pub use document::from_toml::document_from_toml;
pub use document::origin::{Origin, line_of_key};
pub use document::overrides::set;
pub use error::ScenarioError;
pub use resolution::resolve;
pub use tables::cell::Cell;
pub use tables::flow::Flow;
pub use tables::scenario::{Gateway, Scenario, Trace};
pub use tables::station::Station;
pub use tables::wimax_cell::WimaxCell;
pub use tables::wired::{Wired, WiredLink};
pub use tables::wlan_cell::WlanCell;
pub(crate) use topology::Topology;
pub(crate) use validate::numbered;
pub use values::choices::{Preamble, RtsThreshold};
pub use values::control_rate::ControlRate;
pub use values::edca::Edca;
pub use values::names::{Band, CellKind, Direction};
pub(crate) use values::node_names::{ACCESS_POINT, SERVER};
pub use values::off_or_time::OffOrTime;
pub use values::queue::Queue;
pub use values::request_backoff::RequestBackoff;
pub use values::trace_file::read_no_files;

pub use evenair_core::component::{BitRate, Bytes, Hertz, QueueLimit, Seconds};
pub use evenair_core::medium::wlan::Protection;
pub use evenair_core::medium::wlan::phy::PhyKind;
pub use evenair_core::tcp::{
    DelayedAck, LimitedTransmit, RtoFormula, SynTimer, TcpConfig, TcpPreset,
};
pub use evenair_core::traffic::Application;
pub use evenair_core::transport::Config as Transport;

use serde_json::Value;

/// The JSON Schema of a scenario document.
pub fn json_schema() -> Value {
    schemars::schema_for!(Scenario).to_value()
}
