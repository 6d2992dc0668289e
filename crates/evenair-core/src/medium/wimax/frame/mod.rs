//! The parts of a frame: its subframes, the messages that it begins with, room for bursts.

pub(super) mod maps;
pub(super) mod room;
mod share;

pub use maps::Maps;
pub use share::DlShare;
