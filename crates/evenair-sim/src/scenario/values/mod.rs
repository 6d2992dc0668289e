//! What the values of single keys may be, and how they are read.

pub(crate) mod bounded_integer;
pub(crate) mod choices;
pub(crate) mod control_rate;
pub(crate) mod edca;
pub(crate) mod name_or;
pub(crate) mod names;
pub(crate) mod node_names;
pub(crate) mod off_or_time;
pub(crate) mod queue;
pub(crate) mod request_backoff;
pub(crate) mod trace_file;
