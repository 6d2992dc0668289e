//! Requests and their answers.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{RunOptions, run};
use serde_json::{Value, json};

/// A station with rate control, a controller and a limiter: what observes a run at its samples.
const TEXTS: [&str; 3] = [
    "duration = \"5 s\"\n[[station]]\ncount = 2\nflows = [{ direction = \"up\" }, { direction = \"down\" }]\n",
    "duration = \"5 s\"\n[cell]\nphy = \"802.11a\"\ncontroller = \"cot\"\n[[station]]\ndata_rate = \"6 Mbps\"\nflows = [{ direction = \"up\" }]\n[[station]]\nrate_control = \"arf\"\nchannel = { kind = \"snr\", snr_db = 15 }\nflows = [{ direction = \"down\", transport = \"tfrc\" }]\n",
    "duration = \"5 s\"\n[gateway]\nlimiter = { kind = \"adaptive\", interval = \"0.2 s\", bucket = \"20 KB\" }\n[[station]]\ncount = 2\nflows = [{ direction = \"up\" }, { direction = \"down\" }]\n",
];

fn answer(request: Value) -> Value {
    serde_json::from_str(&evenair_web::answer(&request.to_string())).unwrap()
}

#[test]
fn series_change_nothing_else() {
    for toml in TEXTS {
        let scenario = resolve(document_from_toml(toml.as_bytes(), "x").unwrap(), "x").unwrap();
        for seed in 1..=3 {
            let plain = run(&scenario, seed, &RunOptions::default()).unwrap();
            for trace_s in [0.001, 0.07, 1.0] {
                let request =
                    json!({ "call": "run", "toml": toml, "seed": seed, "trace_s": trace_s });
                let mut sampled = answer(request)["ok"]["result"].take();
                let series = sampled.as_object_mut().unwrap().shift_remove("series").unwrap();
                // The texts are long, and have the order of the keys.
                let (sampled, plain) =
                    (sampled.to_string(), serde_json::to_string(&plain).unwrap());
                assert!(sampled == plain, "{toml} {seed} {trace_s}");
                let times = series["time_s"].as_array().unwrap();
                assert_eq!(times.len(), (5.0 / trace_s) as usize, "{toml}");
            }
        }
    }
}

/// What is in the series is what the scenario's own trace would have, but for runs that a sample changes:
/// those of a controller.
#[test]
fn series_are_those_of_a_trace() {
    for toml in [TEXTS[0], TEXTS[2]] {
        let sampled = answer(json!({ "call": "run", "toml": toml, "seed": 1, "trace_s": 0.5 }));
        let with_trace = format!("trace = {{ interval = 0.5 }}\n{toml}");
        let traced =
            answer(json!({ "call": "run", "toml": with_trace, "seed": 1, "trace_s": 0.1 }));
        assert_eq!(sampled["ok"]["result"]["series"], traced["ok"]["result"]["series"]);
        assert!(!sampled["ok"]["result"]["series"]["time_s"].as_array().unwrap().is_empty());
    }
}

#[test]
fn errors_have_key_and_line() {
    for (toml, field, line) in [
        ("[cell]\nphy = \"x\"\n[[station]]\nflows = []\n", Some("cell.phy"), Some(2)),
        ("[[station]]\ncount = 3\n", Some("station.0.flows"), Some(1)),
        (
            "name = \"a\"\n\n[[station]]\nflows = [\n  { direction = \"up\" },\n  { direction = \"on\" },\n]\n",
            Some("station.0.flows.1.direction"),
            Some(6),
        ),
        ("name = \"a\"\n[cell\n", None, Some(2)),
        ("name = \"a\"\n", Some("station"), None),
    ] {
        let error = answer(json!({ "call": "resolve", "toml": toml }))["error"].take();
        assert!(!error["message"].as_str().unwrap().contains('\n'));
        assert_eq!(
            (&error["field"], &error["line"]),
            (&json!(field), &json!(line)),
            "{toml} {error}"
        );
    }
    let request = json!({ "call": "run", "toml": TEXTS[0], "seed": 1, "trace_s": 0 });
    assert_eq!(answer(request)["error"]["field"], "trace.interval");
}

#[test]
fn what_is_no_request_is_an_error() {
    for request in
        ["", "{}", "[1]", r#"{ "call": "exec" }"#, r#"{ "call": "run", "toml": "", "seed": -1 }"#]
    {
        let answer: Value = serde_json::from_str(&evenair_web::answer(request)).unwrap();
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("not a request: "));
    }
}
