//! evenair's simulator: it builds a simulation from a [`scenario`], runs it and returns the result.
//!
//! ```text
//! TOML or Python -> scenario::resolve -> Scenario -> run -> RunResult -> JSON, tables, plots
//! ```

mod agenda;
pub mod air_trace;
pub mod application;
mod capture;
pub mod emulation;
mod engine;
mod explain;
mod results;
pub mod scenario;
mod wired;

pub use air_trace::air_trace;
pub use capture::{CaptureOf, CaptureSinks, LinkType, Pcapng};
pub use engine::run::{run, run_with_captures};
pub use engine::run_error::RunError;
pub use engine::run_options::RunOptions;
pub use explain::{
    Cause, DelayExplanation, DelayPlace, Diagnosis, ExplainError, Fault, FlowDelay, Place, explain,
    explain_delays, explain_delays_json, explain_json,
};
pub use results::delay::{DelayCurve, DelayResult, LimitedBy};
pub use results::delay_by_place::{DelayByPlace, TimesAt};
pub use results::labels::LABELS;
pub use results::limiter::{LimiterResult, LimiterSample};
pub use results::losses::LossesByPlace;
pub use results::medium::{AirResult, CategoryResult, EdcaResult, FrameResult, RequestsResult};
pub use results::quality::{CallResult, Quality, StreamResult, VideoResult};
pub use results::run::{
    FlowResult, LinkResult, Losses, MacResult, QueueResult, RESULT_VERSION, RunResult,
    SessionResult, WiredResult,
};
pub use results::series::Series;
pub use scenario::parts::parts;

/// Compiles and runs the Rust code of the page about prototypes.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/prototypes.md")]
struct PrototypesPage;
