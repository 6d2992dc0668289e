//! Every part that a scenario can name, from the registries.

use evenair_core::component::Part;
use evenair_core::medium::wlan::phy;
use evenair_core::{loss, queue, tcp, traffic};
use serde_json::{Value, json};

use crate::scenario::{UDP, accepted, default_of};

/// Every queue discipline, congestion control, PHY, loss process, application and distribution:
/// `kind`, `name`, `summary`, `source` and `parameters` (each `name`, `default`, `accepts`,
/// `meaning`).
pub fn parts() -> Value {
    let kinds: [(&str, &[&Part]); 8] = [
        ("queue discipline", queue::REGISTRY),
        ("congestion control", tcp::congestion::REGISTRY),
        ("datagram transport", &[&UDP]),
        ("PHY", phy::REGISTRY),
        ("error", loss::REGISTRY),
        ("application", traffic::STREAMS),
        ("application", traffic::DATAGRAMS),
        ("distribution", traffic::FAMILIES),
    ];
    let list = |(kind, parts): (&str, &[&Part])| -> Vec<Value> {
        parts.iter().map(|part| describe(kind, part)).collect()
    };
    Value::Array(kinds.into_iter().flat_map(list).collect())
}

fn describe(kind: &str, part: &Part) -> Value {
    let parameters: Vec<Value> = part
        .parameters
        .iter()
        .map(|p| {
            json!({
                "name": p.name,
                "default": default_of(p),
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
