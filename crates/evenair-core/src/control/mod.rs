//! Controllers of traffic: those of a cell, and limiters at a gateway behind it ([`limiter`]).
//!
//! The controllers of a cell limit the rates of flows, so that stations share the medium. A controller
//! has two parts, both without clock and medium. The part at the access point observes
//! the cell and puts its decision into each beacon. The part at a station receives the decision,
//! observes the station's own flows, and says at what rate each may send; the driver passes that to
//! [`Transport::limit_rate`](crate::transport::Transport::limit_rate). Both observe the last
//! beacon intervals ([`ObservationSlot`]).

pub mod cot;
pub mod limiter;
mod slot;

pub use slot::{ObservationSlot, Slots};

use crate::component::{configuration, registry};

configuration! {
    /// Parameters of none.
    pub struct NoneConfig {
        name: "none",
        summary: "no controller: transports alone decide on their rates",
        source: "-",
    }
}

registry! {
    /// The configuration of a controller.
    pub enum Config {
        None(NoneConfig),
        Cot(cot::CotConfig),
    }
    kind "controller", noun "controller", schema "Controller", planned &[]
}
