//! What is read of a result, [docs/results.md](../../../../docs/results.md). Results of the test-bed have no
//! `limited_by` and no losses by flow; numbers that are not there count as 0.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One run, or the mean of several.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Evidence {
    pub(super) scenario: Scenario,
    pub(super) jain_over: String,
    pub(super) flows: Vec<FlowEvidence>,
    pub(super) ap_queue: Queue,
    pub(super) stations: Vec<Station>,
    pub(super) wired: Wired,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct FlowEvidence {
    pub(super) id: String,
    pub(super) station: String,
    pub(super) direction: String,
    pub(super) transport: String,
    pub(super) application: String,
    pub(super) goodput_bps: f64,
    #[serde(default)]
    pub(super) segments_sent: f64,
    #[serde(default)]
    pub(super) retransmissions: f64,
    #[serde(default)]
    pub(super) timeouts: f64,
    #[serde(default)]
    pub(super) congestion_responses: f64,
    #[serde(default)]
    pub(super) mean_rtt_s: Option<f64>,
    #[serde(default)]
    pub(super) loss_event_rate: Option<f64>,
    #[serde(default)]
    pub(super) limited_by: Limits,
    #[serde(default)]
    pub(super) data_losses: Losses,
    #[serde(default)]
    pub(super) ack_losses: Losses,
}

/// Shares of the measured time.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Limits {
    pub(super) receive_window: f64,
    pub(super) cwnd: f64,
    pub(super) recovery: f64,
    pub(super) timeout: f64,
    pub(super) application: f64,
}

/// Packets by place.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Losses {
    pub(super) ap_queue: f64,
    pub(super) station_queue: f64,
    pub(super) wired_queue: f64,
    pub(super) retry_limit: f64,
    pub(super) error: f64,
    pub(super) policer: f64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Queue {
    #[serde(default)]
    pub(super) loss_ratio: f64,
    #[serde(default)]
    pub(super) mean_packets: f64,
    #[serde(default)]
    pub(super) mean_acks: f64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Station {
    pub(super) id: String,
    pub(super) airtime_share: f64,
    #[serde(default)]
    pub(super) queue_mean_packets: f64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Wired {
    pub(super) links: Vec<Link>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Link {
    pub(super) from: String,
    pub(super) to: String,
    #[serde(default)]
    pub(super) utilization: f64,
    #[serde(default)]
    pub(super) drops: f64,
}

/// Of the scenario.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Scenario {
    cell: Cell,
    station: Vec<StationGroup>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Cell {
    kind: String,
    #[serde(default)]
    controller: Value,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct StationGroup {
    count: f64,
    flows: Vec<FlowKeys>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct FlowKeys {
    direction: String,
    window: f64,
}

/// The runs of a document.
pub(super) fn from_json(text: &str) -> serde_json::Result<Vec<Evidence>> {
    /// Whether it is of several runs.
    #[derive(Deserialize)]
    struct Kind {
        runs: Option<serde::de::IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Set {
        runs: Vec<Evidence>,
    }
    let kind: Kind = serde_json::from_str(text)?;
    match kind.runs {
        Some(_) => serde_json::from_str(text).map(|Set { runs }| runs),
        None => serde_json::from_str(text).map(|run| vec![run]),
    }
}

impl Evidence {
    pub(super) fn from_document(document: Value) -> serde_json::Result<Self> {
        serde_json::from_value(document)
    }

    /// The mean of runs of the same scenario; `None` without any.
    pub(super) fn mean(runs: &[Self]) -> Option<Self> {
        if let [run] = runs {
            return Some(run.clone());
        }
        let value = |run| serde_json::to_value(run).expect("plain data");
        let documents: Vec<Value> = runs.iter().map(value).collect();
        serde_json::from_value(mean(&documents.iter().collect::<Vec<_>>())?).ok()
    }

    /// Whether Jain's index compares it.
    pub(super) fn compares(&self, flow: &FlowEvidence) -> bool {
        self.jain_over == "all" || self.jain_over == flow.application
    }

    /// The goodput of each flow that is compared if all had the same, bit/s.
    pub(super) fn fair_share_bps(&self) -> f64 {
        let compared = || self.flows.iter().filter(|flow| self.compares(flow));
        compared().map(|flow| flow.goodput_bps).sum::<f64>() / compared().count().max(1) as f64
    }

    pub(super) fn has_controller(&self) -> bool {
        // A component is its name, or a table with its name and parameters.
        let controller = &self.scenario.cell.controller;
        let name = controller.get("kind").unwrap_or(controller).as_str();
        name.is_some_and(|name| name != "none")
    }

    pub(super) fn is_wimax(&self) -> bool {
        self.scenario.cell.kind == "wimax"
    }

    pub(super) fn station(&self, flow: &FlowEvidence) -> Option<&Station> {
        self.stations.iter().find(|station| station.id == flow.station)
    }

    /// The share of the air that the traffic of a flow's station uses, divided by the station's flows.
    pub(super) fn airtime(&self, flow: &FlowEvidence) -> f64 {
        let flows = self.flows.iter().filter(|other| other.station == flow.station).count();
        self.station(flow).map_or(0.0, |station| station.airtime_share / flows as f64)
    }

    /// The receiver's window of a flow, segments.
    pub(super) fn window(&self, flow: &FlowEvidence) -> Option<f64> {
        let (mut up, mut down) = (0, 0);
        for group in &self.scenario.station {
            for keys in (0..group.count as u64).flat_map(|_| &group.flows) {
                let number = if keys.direction == "up" { &mut up } else { &mut down };
                *number += 1;
                if flow.id == format!("{}-{number}", keys.direction) {
                    return Some(keys.window);
                }
            }
        }
        None
    }

    /// The wired link that drops most.
    pub(super) fn worst_link(&self) -> Option<&Link> {
        self.wired.links.iter().max_by(|a, b| a.drops.total_cmp(&b.drops))
    }
}

/// The mean of each number in documents of the same form; of everything else the first. Where some have
/// no number, it is the mean of the others.
fn mean(documents: &[&Value]) -> Option<Value> {
    let first = *documents.iter().find(|value| !value.is_null()).or(documents.first())?;
    let each = |pick: &dyn Fn(&Value) -> Option<&Value>| -> Vec<&Value> {
        documents.iter().filter_map(|document| pick(document)).collect()
    };
    Some(match first {
        Value::Number(_) => {
            let numbers: Vec<f64> = documents.iter().filter_map(|value| value.as_f64()).collect();
            (numbers.iter().sum::<f64>() / numbers.len() as f64).into()
        }
        Value::Array(items) => {
            let item = |index| mean(&each(&|document| document.get(index)));
            (0..items.len()).filter_map(item).collect()
        }
        Value::Object(members) => {
            let member = |name: &String| Some((name.clone(), mean(&each(&|of| of.get(name)))?));
            members.keys().filter_map(member).collect()
        }
        other => other.clone(),
    })
}
