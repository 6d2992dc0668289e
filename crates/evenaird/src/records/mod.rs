//! Decision records: their lines, and the file that a thread of its own writes them to.

pub mod file;
pub mod record;
pub mod writer;
