//! evenair's real-time emulator: the cell and the wired links of a scenario between real TCP
//! stacks.
//!
//! Each station, wired host and the gateway is a network namespace with a TUN device. One thread
//! reads the packets that hosts send, passes them through the very cell of evenair-core and the
//! very links of evenair-sim, and writes them to the device where they come out.
//!
//! | packet | path |
//! |---|---|
//! | from a station | `wlan0` - the station's queue, the air - `ap0` of the gateway |
//! | from the gateway's `wan0`, from a host's `eth0` | wired links - `eth0` or `wan0` |
//! | from the gateway's `ap0` | the access point's queue, the air - `wlan0` of the station |
//!
//! The kernel of the gateway's namespace forwards between `ap0` and `wan0`.
//!
//! The *medium clock* is CLOCK_MONOTONIC since the start of the engine. Each event happens at the
//! time at which it is due on this clock, however late the thread is, so that lateness never costs
//! capacity of the medium. What a kernel sends enters the network when it is read, so that a thread
//! that stands still costs the flows their traffic: how long it is behind is recorded by time.

mod account;
mod device;
mod engine;
mod report;
mod routes;
mod running;
mod signals;
mod snmp;
mod spec;
mod timing;

pub use account::{Account, Dropped};
pub use device::payload::{Buffer, Pool};
pub use device::ports::{Arriving, Ports, Site};
pub use engine::Engine;
pub use report::{FlowCounts, Report};
pub use running::Running;
pub use signals::Signals;
#[doc(hidden)]
pub use snmp::answer as snmp_answer;
pub use spec::{FlowSpec, Protocol, SnmpSpec, Spec};
pub use timing::clock::Clock;
pub use timing::punctuality::{Lateness, Punctuality};
pub use timing::realtime::die_with_parent;

use std::fmt;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The specification or the scenario is not valid: one line with field, value and what is
    /// accepted.
    Invalid(String),
    /// The run failed: one line.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) | Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Error {}
