//! The parts of a frame that its two subframes have in common.

mod share;

pub use share::DlShare;
