//! evenair's simulator for web pages.
//!
//! A request is JSON text, and so is its answer ([`answer`]). On WebAssembly the page writes the request
//! to the linear memory and reads the answer from it ([`boundary`]).

mod air_trace;
#[cfg(target_family = "wasm")]
mod boundary;
mod document;
mod problem;
mod request;
mod rewrite;

pub use request::{answer, answer_with, failure};
