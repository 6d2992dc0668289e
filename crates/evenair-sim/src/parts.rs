//! Every part that a scenario can name, from the registries.

use evenair_core::parts::Part;
use evenair_core::{phy, queue, tcp};
use serde_json::{Value, json};

/// Every queue discipline, congestion control, PHY and application: `kind`, `name`, `summary`,
/// `source` and `parameters` (each `name`, `default`, `meaning`).
pub fn parts() -> Value {
    let kinds: [(&str, &[Part]); 5] = [
        ("queue discipline", queue::REGISTRY),
        ("congestion control", tcp::congestion::REGISTRY),
        ("datagram transport", DATAGRAM_TRANSPORTS),
        ("PHY", phy::REGISTRY),
        ("application", APPLICATIONS),
    ];
    let list = |(kind, parts): (&str, &[Part])| -> Vec<Value> {
        parts.iter().map(|part| describe(kind, part)).collect()
    };
    Value::Array(kinds.into_iter().flat_map(list).collect())
}

const DATAGRAM_TRANSPORTS: &[Part] = &[Part {
    name: "udp",
    summary: "datagrams without acknowledgement or control",
    source: "RFC 768",
    parameters: &[],
}];

const APPLICATIONS: &[Part] = &[
    Part {
        name: "bulk",
        summary: "always has data to send (TCP)",
        source: "ns-2's Application/FTP",
        parameters: &[],
    },
    Part {
        name: "cbr",
        summary: "one datagram of `segment` bytes at a constant interval (UDP)",
        source: "ns-2's Application/Traffic/CBR",
        parameters: &[evenair_core::parts::Parameter {
            name: "rate",
            default: "required",
            meaning: "offered load, bit/s of payload (a key of the flow)",
        }],
    },
];

fn describe(kind: &str, part: &Part) -> Value {
    let parameters: Vec<Value> = part
        .parameters
        .iter()
        .map(|p| json!({ "name": p.name, "default": p.default, "meaning": p.meaning }))
        .collect();
    json!({
        "kind": kind,
        "name": part.name,
        "summary": part.summary,
        "source": part.source,
        "parameters": parameters,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{self, QueueKind};

    /// A scenario can name every queue discipline and transport of the registries, and no other.
    #[test]
    fn registries_and_scenario_agree() {
        let names = |registry: &[Part]| registry.iter().map(|p| p.name).collect::<Vec<_>>();
        assert_eq!(names(queue::REGISTRY), QueueKind::NAMES);
        for name in names(tcp::congestion::REGISTRY) {
            let document = json!({ "station": [{ "flows": [
                { "direction": "up", "transport": name }] }] });
            scenario::resolve(document, "test").unwrap();
        }
    }
}
