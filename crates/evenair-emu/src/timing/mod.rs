//! The medium clock, and how well the engine keeps to it.

pub mod clock;
pub mod punctuality;
pub mod realtime;
