//! Every part that a scenario can name, from the registries.

use evenair_core::parts::{self, Parameter, Part};
use evenair_core::{errors, phy, queue, tcp};
use serde_json::{Value, json};

use crate::scenario::{Seconds, UDP, ValueOut, accepted};

/// Every queue discipline, congestion control, PHY, loss process and application: `kind`, `name`, `summary`,
/// `source` and `parameters` (each `name`, `default`, `accepts`,
/// `meaning`).
pub fn parts() -> Value {
    let kinds: [(&str, &[&Part]); 6] = [
        ("queue discipline", queue::REGISTRY),
        ("congestion control", tcp::congestion::REGISTRY),
        ("datagram transport", &[&UDP]),
        ("PHY", phy::REGISTRY),
        ("error", errors::REGISTRY),
        ("application", APPLICATIONS),
    ];
    let list = |(kind, parts): (&str, &[&Part])| -> Vec<Value> {
        parts.iter().map(|part| describe(kind, part)).collect()
    };
    Value::Array(kinds.into_iter().flat_map(list).collect())
}

static APPLICATIONS: &[&Part] = &[
    &Part {
        name: "bulk",
        summary: "always has data to send (TCP)",
        source: "ns-2's Application/FTP",
        ordered: &[],
        parameters: &[],
    },
    &Part {
        name: "cbr",
        summary: "a datagram of `segment` bytes at a constant interval, by the flow's `rate` (UDP)",
        source: "ns-2's Application/Traffic/CBR",
        ordered: &[],
        parameters: &[],
    },
];

fn describe(kind: &str, part: &Part) -> Value {
    let parameters: Vec<Value> = part
        .parameters
        .iter()
        .map(|p| {
            json!({
                "name": p.name,
                "default": default(p),
                "accepts": accepted(p.accepts),
                "meaning": p.meaning,
            })
        })
        .collect();
    json!({
        "kind": kind,
        "name": part.name,
        "summary": part.summary,
        "source": part.source,
        "parameters": parameters,
    })
}

/// The default, as a scenario would write it.
fn default(parameter: &Parameter) -> Value {
    match parameter.default {
        parts::Value::Time(span) => Seconds::from(span).to_string().into(),
        other => json!(ValueOut(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;

    /// A scenario can name every queue discipline and congestion control of the registries.
    #[test]
    fn scenarios_know_the_registries() {
        for part in queue::REGISTRY {
            for control in tcp::congestion::REGISTRY {
                let document = json!({
                    "cell": { "queue": part.name },
                    "station": [{ "flows": [{ "direction": "up", "transport": control.name }] }],
                });
                let scenario = scenario::resolve(document, "test").unwrap();
                assert_eq!(scenario.cell.queue.discipline.name(), part.name);
                assert_eq!(scenario.station[0].flows[0].transport.name(), control.name);
            }
        }
    }
}
