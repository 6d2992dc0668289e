//! What holds for any text of a scenario, and any overrides. Also of the crate evenair-fuzz.

use evenair_sim::scenario::{ScenarioError, document_from_toml, resolve, set};

/// A refusal is one line of bounded length that names its source.
fn check_error(error: &ScenarioError) {
    let line = error.to_string();
    assert!(line.starts_with("fuzz: ") || line.starts_with("--set: "), "{line}");
    assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
    assert!(line.len() < 1000, "{line}");
}

/// Reads a text, sets keys, resolves, and resolves again what came out.
pub fn check(text: &[u8], overrides: &[(String, String)]) {
    let mut document = match document_from_toml(text, "fuzz") {
        Ok(document) => document,
        Err(error) => return check_error(&error),
    };
    for (key, value) in overrides {
        let before = document.clone();
        if let Err(error) = set(&mut document, key, value, "--set") {
            check_error(&error);
            assert_eq!(document, before, "a refused override changes nothing");
        }
    }
    match resolve(document, "fuzz") {
        Ok(scenario) => {
            let written = serde_json::to_value(&scenario).unwrap();
            let again =
                resolve(written.clone(), "fuzz").unwrap_or_else(|e| panic!("{e}: {written}"));
            assert_eq!(serde_json::to_value(&again).unwrap(), written);
        }
        Err(error) => check_error(&error),
    }
}
