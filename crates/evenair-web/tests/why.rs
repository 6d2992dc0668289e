//! The answer of a run says why flows starve, as `evenair run --explain` does.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::explain_json;
use serde_json::{Value, json};

/// The cell of Gong et al. 2006, with short or long downlink queue.
fn answer(limit: u32) -> Value {
    let toml = include_str!("../../../python/evenair/scenarios/gong2006.toml");
    let changes = json!([["cell.queue.limit", limit.to_string()], ["duration", "20"]]);
    let ask = |request: Value| -> Value {
        let text = evenair_web::answer(&request.to_string());
        serde_json::from_str::<Value>(&text).unwrap()["ok"].take()
    };
    let toml = ask(json!({ "call": "set", "toml": toml, "changes": changes }));
    ask(json!({ "call": "run", "toml": toml, "seed": 1, "trace_s": 1.0 }))
}

#[test]
fn a_run_says_why_flows_starve() {
    let unfair = answer(60);
    let expected = explain_json(&unfair["result"].to_string()).unwrap();
    assert_eq!(unfair["why"], json!(expected));
    let flows: Vec<&str> = expected.iter().map(|of| of.flow.as_str()).collect();
    assert_eq!(flows, ["down-1", "down-2", "down-3", "down-4", "down-5"]);
    assert_eq!(answer(300)["why"], json!([]));
}
