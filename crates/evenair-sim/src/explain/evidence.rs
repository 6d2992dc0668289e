//! What is read of a result, [docs/results.md](../../../../docs/results.md). Results of the test-bed have no
//! `limited_by` and no losses by flow; numbers that are not there count as 0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::results::completion::CLASSES;
use crate::results::delay_by_place::DelayByPlace;

/// One run, or the mean of several.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Evidence {
    pub(super) scenario: Scenario,
    pub(super) jain_over: String,
    pub(super) flows: Vec<FlowEvidence>,
    pub(super) ap_queue: Queue,
    pub(super) stations: Vec<Station>,
    #[serde(default)]
    pub(super) ap: Option<AccessPoint>,
    pub(super) wired: Wired,
    #[serde(default, skip_serializing)]
    sessions: Option<Vec<Session>>,
    /// The goodput of each flow that is compared if all had the same, bit/s.
    #[serde(skip)]
    pub(super) fair_share_bps: f64,
    /// By station.
    #[serde(skip)]
    traffic: BTreeMap<String, Traffic>,
}

/// A station, and the traffic of its flows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    pub(super) flows: f64,
    pub(super) goodput_bps: f64,
    pub(super) airtime_share: f64,
    pub(super) queue_mean_packets: f64,
    queue_mean_delay_s: f64,
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
    pub(super) delay_by_place_s: Option<DelayByPlace>,
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
    #[serde(default)]
    pub(super) mos: Option<f64>,
    #[serde(default)]
    pub(super) r_factor: Option<f64>,
    #[serde(default)]
    pub(super) mouth_to_ear_s: Option<f64>,
    #[serde(default)]
    pub(super) loss_ratio: Option<f64>,
    #[serde(default)]
    pub(super) late_ratio: Option<f64>,
    #[serde(default)]
    pub(super) freezes: f64,
    #[serde(default)]
    pub(super) frozen_s: Option<f64>,
    #[serde(default)]
    pub(super) frames_lost_ratio: Option<f64>,
    #[serde(default)]
    pub(super) frames_undecodable_ratio: Option<f64>,
    #[serde(default)]
    pub(super) frame_delay_s: Option<Times>,
    #[serde(default)]
    pub(super) page_load_s: Option<Times>,
    /// Mean time until the first byte of a page or transfer; of `sessions`.
    #[serde(default)]
    pub(super) first_byte_s: Option<f64>,
    #[serde(default)]
    pub(super) completion_s: Option<Completion>,
    #[serde(default)]
    pub(super) arrivals: Option<Arrivals>,
    #[serde(default)]
    pub(super) stalls: f64,
    #[serde(default)]
    pub(super) stalls_s: Option<f64>,
    #[serde(default)]
    pub(super) startup_s: Option<f64>,
    #[serde(default)]
    pub(super) mean_video_rate_bps: Option<f64>,
}

/// How data are transmitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rate {
    /// At a mean rate with rate control, bit/s.
    Mean(f64),
    /// At a rate, bit/s.
    Fixed(f64),
    /// With an MCS.
    Mcs(f64),
}

/// Of a distribution of times, seconds.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Times {
    pub(super) mean: f64,
    pub(super) p95: f64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Completion {
    #[serde(default)]
    pub(super) slowdown: Option<f64>,
    /// Of all classes, in order.
    #[serde(default)]
    pub(super) by_size: Vec<SizeClass>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct SizeClass {
    #[serde(default)]
    pub(super) below_bytes: Option<f64>,
    #[serde(default)]
    pub(super) slowdown: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Arrivals {
    pub(super) arrived: f64,
    pub(super) dropped: f64,
    pub(super) waiting: f64,
    pub(super) under_way: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Session {
    flow: String,
    start_s: f64,
    first_byte_s: f64,
}

/// Shares of the measured time.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Limits {
    pub(super) receive_window: f64,
    pub(super) cwnd: f64,
    pub(super) recovery: f64,
    pub(super) timeout: f64,
    pub(super) application: f64,
    #[serde(default)]
    pub(super) small_queue: f64,
    #[serde(default)]
    pub(super) pacing: f64,
    #[serde(default)]
    pub(super) bandwidth_probing: f64,
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
    #[serde(default)]
    mean_delay_s: f64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Station {
    pub(super) id: String,
    #[serde(default)]
    name: Option<String>,
    airtime_share: f64,
    #[serde(default)]
    data_rates: Option<DataRates>,
    #[serde(default)]
    queue_mean_packets: f64,
    #[serde(default)]
    queue_delay_s: Option<Times>,
}

/// Of its rate control.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct DataRates {
    down_mean_bps: Option<f64>,
    up_mean_bps: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct AccessPoint {
    pub(super) airtime_share: f64,
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
    data_rate: Option<f64>,
    #[serde(default)]
    controller: Value,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct StationGroup {
    count: f64,
    #[serde(default)]
    data_rate: Option<f64>,
    #[serde(default)]
    mcs: Option<f64>,
    flows: Vec<FlowKeys>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct FlowKeys {
    direction: String,
    pub(super) window: f64,
    #[serde(default)]
    pub(super) application: Value,
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
    let runs = match kind.runs {
        Some(_) => serde_json::from_str(text).map(|Set { runs }| runs),
        None => serde_json::from_str(text).map(|run| vec![run]),
    };
    runs.map(|runs| runs.into_iter().map(Evidence::summed).collect())
}

impl Traffic {
    /// The part of the air of each of its flows.
    pub(super) fn airtime(self) -> f64 {
        self.airtime_share / self.flows
    }

    /// Bits that arrive for each second of its airtime.
    pub(super) fn bits_per_airtime(self) -> f64 {
        self.goodput_bps / self.airtime_share
    }
}

impl Completion {
    /// With all classes, so that those of several runs have the same places.
    fn fill(&mut self) {
        let classes = CLASSES.map(|below| {
            let below_bytes = below.map(|bytes| bytes as f64);
            let known = self.by_size.iter().find(|class| class.below_bytes == below_bytes);
            known.cloned().unwrap_or(SizeClass { below_bytes, slowdown: None })
        });
        self.by_size = classes.to_vec();
    }
}

impl FlowEvidence {
    /// Of transfers: the mean slowdown.
    pub(super) fn slowdown(&self) -> Option<f64> {
        self.completion_s.as_ref()?.slowdown
    }

    /// The share of frames that are lost or refer to a lost one.
    pub(super) fn frames_missing(&self) -> f64 {
        self.frames_lost_ratio.unwrap_or(0.0) + self.frames_undecodable_ratio.unwrap_or(0.0)
    }

    /// The part of the time in which there is something to send that passes with the repair of losses.
    pub(super) fn repair_share(&self) -> f64 {
        let Limits { receive_window, cwnd, recovery, timeout, .. } = self.limited_by;
        let Limits { small_queue, pacing, bandwidth_probing, .. } = self.limited_by;
        let held = receive_window + cwnd + recovery + timeout + small_queue + pacing;
        let busy = held + bandwidth_probing;
        if busy > 0.0 { (recovery + timeout) / busy } else { 0.0 }
    }
}

impl Evidence {
    pub(super) fn from_document(document: Value) -> serde_json::Result<Self> {
        serde_json::from_value(document).map(Self::summed)
    }

    /// With the sums over its flows and sessions.
    fn summed(mut self) -> Self {
        let mut first_bytes: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for session in self.sessions.take().unwrap_or_default() {
            let (n, sum) = first_bytes.entry(session.flow).or_default();
            (*n, *sum) = (*n + 1.0, *sum + session.first_byte_s - session.start_s);
        }
        for flow in &mut self.flows {
            let mean = first_bytes.get(&flow.id).map(|(n, sum)| sum / n);
            flow.first_byte_s = flow.first_byte_s.or(mean);
            flow.completion_s.iter_mut().for_each(Completion::fill);
        }
        let compared = || self.flows.iter().filter(|flow| self.compares(flow));
        let goodput: f64 = compared().map(|flow| flow.goodput_bps).sum();
        self.fair_share_bps = goodput / compared().count().max(1) as f64;
        for station in &self.stations {
            let traffic = Traffic {
                airtime_share: station.airtime_share,
                queue_mean_packets: station.queue_mean_packets,
                queue_mean_delay_s: station.queue_delay_s.as_ref().map_or(0.0, |of| of.mean),
                ..Traffic::default()
            };
            self.traffic.insert(station.id.clone(), traffic);
        }
        for flow in &self.flows {
            let traffic = self.traffic.entry(flow.station.clone()).or_default();
            traffic.flows += 1.0;
            traffic.goodput_bps += flow.goodput_bps;
        }
        self
    }

    /// The mean of runs of the same scenario; `None` without any.
    pub(super) fn mean(runs: &[Self]) -> Option<Self> {
        if let [run] = runs {
            return Some(run.clone());
        }
        let value = |run| serde_json::to_value(run).expect("plain data");
        let documents: Vec<Value> = runs.iter().map(value).collect();
        Self::from_document(mean(&documents.iter().collect::<Vec<_>>())?).ok()
    }

    /// Whether Jain's index compares it.
    pub(super) fn compares(&self, flow: &FlowEvidence) -> bool {
        self.jain_over == "all" || self.jain_over == flow.application
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

    /// The traffic of the flow's station. Which of its flows used how much of its airtime is not known.
    pub(super) fn traffic(&self, flow: &FlowEvidence) -> Traffic {
        self.traffic.get(&flow.station).copied().unwrap_or_default()
    }

    /// The stations, each with the traffic of its flows.
    pub(super) fn by_station(&self) -> impl Iterator<Item = (&str, Traffic)> {
        self.traffic.iter().map(|(id, traffic)| (id.as_str(), *traffic))
    }

    /// The name of a station, or its id.
    pub(super) fn station_name<'a>(&'a self, id: &'a str) -> &'a str {
        let station = self.stations.iter().find(|station| station.id == id);
        station.and_then(|station| station.name.as_deref()).unwrap_or(id)
    }

    /// How the data of a flow are transmitted, if that is known.
    pub(super) fn rate_of(&self, flow: &FlowEvidence) -> Option<Rate> {
        let number = self.stations.iter().position(|station| station.id == flow.station)?;
        if let Some(rates) = self.stations[number].data_rates {
            let is_up = flow.direction == "up";
            return if is_up { rates.up_mean_bps } else { rates.down_mean_bps }.map(Rate::Mean);
        }
        let mut last = 0.0;
        let group = self.scenario.station.iter().find(|group| {
            last += group.count;
            (number as f64) < last
        })?;
        let fixed = group.data_rate.or(self.scenario.cell.data_rate).map(Rate::Fixed);
        group.mcs.map(Rate::Mcs).or(fixed)
    }

    /// How long packets wait at the access point and at the flow's station on average, of all flows, seconds.
    pub(super) fn waits_s(&self, flow: &FlowEvidence) -> (f64, f64) {
        (self.ap_queue.mean_delay_s, self.traffic(flow).queue_mean_delay_s)
    }

    /// The keys of a flow in the scenario.
    pub(super) fn keys(&self, flow: &FlowEvidence) -> Option<&FlowKeys> {
        // "up-3" is the third upload of all groups.
        let (direction, number) = flow.id.rsplit_once('-')?;
        let mut before = number.parse::<u64>().ok()?.checked_sub(1)?;
        for group in &self.scenario.station {
            let is_same = |keys: &&FlowKeys| [direction, "both"].contains(&keys.direction.as_str());
            let own: Vec<_> = group.flows.iter().filter(is_same).collect();
            let flows = group.count as u64 * own.len() as u64;
            if before < flows {
                return Some(own[(before % own.len() as u64) as usize]);
            }
            before -= flows;
        }
        None
    }

    /// The wired link that drops packets, if it is the only one.
    pub(super) fn dropping_link(&self) -> Option<&Link> {
        let mut dropping = self.wired.links.iter().filter(|link| link.drops > 0.0);
        dropping.next().filter(|_| dropping.next().is_none())
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
