//! Calls: speech over UDP, and what its receiver hears.

mod call;
mod config;
pub mod e_model;
mod playout;

pub use call::{CallReceiver, Heard};
pub use config::{Codec, INTERVAL, VoipConfig};
pub use playout::{Playout, PlayoutBuffer};
