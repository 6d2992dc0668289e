//! The result of a run. Its JSON form is the documented interface.

pub(crate) mod completion;
pub(crate) mod delay;
pub(crate) mod delay_by_place;
pub(crate) mod labels;
pub(crate) mod limiter;
pub(crate) mod losses;
pub(crate) mod medium;
pub(crate) mod of_session;
pub(crate) mod quality;
pub(crate) mod run;
pub(crate) mod series;
