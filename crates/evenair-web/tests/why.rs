//! Why flows starve, of one run and of several, as `evenair run --explain` says it.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::explain_json;
use serde_json::{Value, json};

fn ask(request: Value) -> Value {
    serde_json::from_str(&evenair_web::answer(&request.to_string())).unwrap()
}

/// The cell of Gong et al. 2006, with short or long downlink queue.
fn answer(limit: u32, seed: u64) -> Value {
    let toml = include_str!("../../../python/evenair/scenarios/gong2006.toml");
    let changes = json!([["cell.queue.limit", limit.to_string()], ["duration", "20"]]);
    let toml = ask(json!({ "call": "set", "toml": toml, "changes": changes }))["ok"].take();
    ask(json!({ "call": "run", "toml": toml, "seed": seed, "trace_s": 1.0 }))["ok"].take()
}

#[test]
fn a_run_says_why_flows_starve() {
    let unfair = answer(60, 1);
    let expected = explain_json(&unfair["result"].to_string()).unwrap();
    assert_eq!(unfair["why"], json!(expected));
    let flows: Vec<&str> = expected.iter().map(|of| of.flow.as_str()).collect();
    assert_eq!(flows, ["down-1", "down-2", "down-3", "down-4", "down-5"]);
    assert_eq!(answer(300, 1)["why"], json!([]));
}

/// Of the members of a result, only those of which a diagnosis is made have to be there.
#[test]
fn several_runs_are_explained_by_their_means() {
    let results: Vec<Value> = (1..=3).map(|seed| answer(60, seed)["result"].take()).collect();
    let expected = explain_json(&json!({ "runs": results }).to_string()).unwrap();
    assert!(expected.iter().all(|each| each.runs == 3) && !expected.is_empty());
    let keys = ["scenario", "jain_over", "flows", "ap_queue", "stations", "wired"];
    let part =
        |result: &Value| -> Value { keys.iter().map(|&key| (key, result[key].clone())).collect() };
    let runs: Vec<Value> = results.iter().map(part).collect();
    assert_eq!(ask(json!({ "call": "explain", "runs": runs }))["ok"], json!(expected));
}

#[test]
fn what_is_no_result_has_no_explanation() {
    let message = ask(json!({ "call": "explain", "runs": [{}] }))["error"]["message"].take();
    assert!(message.as_str().unwrap().starts_with("not the document of a result: "), "{message}");
    assert_eq!(ask(json!({ "call": "explain", "runs": [] }))["ok"], json!([]));
}
