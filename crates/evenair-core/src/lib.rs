//! The sans-IO components of evenair: queue disciplines, transports, applications, loss models, PHY
//! timing and media as state machines, and how a configuration file describes them.
//!
//! Nothing here reads a clock or a file, opens a socket, starts a thread or has a global random
//! number generator. A component is passed the time and what arrived; it returns what to do and when
//! to call it again. The simulator, the real-time emulator and the gateway are drivers of the same
//! code.

pub mod component;
pub mod congestion;
pub mod control;
pub mod delays;
pub mod flow_losses;
pub mod ip;
pub mod loss;
pub mod medium;
pub mod packet;
pub mod queue;
pub mod rng;
pub mod time;
pub mod token_bucket;
pub mod tournament;
pub mod traffic;
pub mod transport;
mod truesize;
pub mod units;

pub use transport::{tcp, tfrc};

/// Compiles the Rust code of the architecture page.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/architecture.md")]
struct ArchitecturePage;
