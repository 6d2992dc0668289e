//! Requests and answers.

use evenair_sim::scenario::{self, Scenario};
use evenair_sim::{Diagnosis, RESULT_VERSION, RunOptions, RunResult, explain, explain_json, run};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::problem::{Problem, SOURCE};
use crate::{air_trace, document};

/// A request, by the name of its call.
#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
enum Request {
    /// The versions of evenair and of its results.
    Version,
    /// The JSON Schema of a scenario.
    Schema,
    /// All components, with their parameters.
    Parts,
    /// The scenario with every default.
    Resolve { toml: String },
    /// The text with keys set to values in the syntax of the command line; null removes a key.
    Set { toml: String, changes: Vec<(String, Option<String>)> },
    /// The result of one run. `trace_s` is the interval of its series, should the scenario have none.
    Run { toml: String, seed: u64, trace_s: Option<f64> },
    /// The accesses to the medium of that run from `from_s` on, see [`air_trace`].
    AirTrace { toml: String, seed: u64, from_s: f64, accesses: u32 },
    /// Why flows starve, from the means over runs of one scenario: their documents.
    Explain { runs: Vec<Value> },
}

/// The answer to a request for a run.
#[derive(Serialize)]
struct RunAnswer {
    /// As `evenair run --json` has it, without the wall-clock time.
    result: RunResult,
    /// Of `evenair run --explain`.
    why: Vec<Diagnosis>,
}

/// Answers a request: `{"ok": ...}`, or `{"error": {"message": ..., "field": ..., "line": ...}}`.
pub fn answer(request: &str) -> String {
    answer_with(request, &RunOptions::default())
}

/// As [`answer`], with options of its run; its series are those that the request asks for.
pub fn answer_with(request: &str, options: &RunOptions) -> String {
    let outcome = match serde_json::from_str(request) {
        Ok(request) => handle(request, options),
        Err(error) => Err(Problem::new(format!("not a request: {error}"))),
    };
    match outcome {
        Ok(text) => format!(r#"{{"ok":{text}}}"#),
        Err(problem) => refuse(&problem),
    }
}

/// The answer to a request that has failed.
pub fn failure(message: &str) -> String {
    refuse(&Problem::new(message.to_owned()))
}

fn refuse(problem: &Problem) -> String {
    format!(r#"{{"error":{}}}"#, text(problem))
}

/// The answer as JSON text.
fn handle(request: Request, options: &RunOptions) -> Result<String, Problem> {
    Ok(match request {
        Request::Version => text(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "result_version": RESULT_VERSION,
        })),
        Request::Schema => text(&scenario::json_schema()),
        Request::Parts => text(&evenair_sim::parts()),
        Request::Resolve { toml } => text(&resolve(&toml)?),
        Request::Set { toml, changes } => text(&document::set(&toml, &changes)?),
        Request::Run { toml, seed, trace_s } => {
            let scenario = resolve(&toml)?;
            let options = RunOptions { sampled: sampling(&toml, trace_s)?, ..options.clone() };
            let result =
                run(&scenario, seed, &options).map_err(|error| Problem::new(error.to_string()))?;
            text(&RunAnswer { why: explain(&result), result })
        }
        Request::AirTrace { toml, seed, from_s, accesses } => {
            text(&air_trace::record(&resolve(&toml)?, seed, from_s, accesses, options)?)
        }
        Request::Explain { runs } => {
            let diagnoses = explain_json(&text(&json!({ "runs": runs })));
            text(&diagnoses.map_err(|error| Problem::new(error.to_string()))?)
        }
    })
}

fn text(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers have text keys")
}

fn resolve(toml: &str) -> Result<Scenario, Problem> {
    scenario::document_from_toml(toml.as_bytes(), SOURCE)
        .and_then(|document| scenario::resolve(document, SOURCE))
        .map_err(|error| Problem::of_scenario(&error, toml))
}

/// The interval, by the rules of the key `trace.interval`.
fn sampling(toml: &str, trace_s: Option<f64>) -> Result<Option<scenario::Seconds>, Problem> {
    let Some(trace_s) = trace_s else { return Ok(None) };
    let document = scenario::document_from_toml(toml.as_bytes(), SOURCE);
    let traced = document.and_then(|mut document| {
        if document.get("trace").is_none() {
            document["trace"] = json!({ "interval": trace_s });
        }
        scenario::resolve(document, SOURCE)
    });
    let traced = traced.map_err(|error| Problem::of_scenario(&error, toml))?;
    Ok(traced.trace.map(|trace| trace.interval))
}
