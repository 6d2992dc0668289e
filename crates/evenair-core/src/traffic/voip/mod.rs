//! Calls: speech over UDP, and what its receiver hears.

pub mod e_model;
mod playout;

pub use playout::{Playout, PlayoutBuffer};
