//! Where the delay of flows is, in words.

use serde::Serialize;

use super::evidence::{Evidence, FlowEvidence};
use super::sentence::{ms, percent};
use crate::results::delay_by_place::DelayByPlace;

/// Where the delay of the flows is that were measured so.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DelayExplanation {
    /// In the order of `flows` in the result.
    pub flows: Vec<FlowDelay>,
    /// The id of the one with the longest delay.
    pub worst: String,
    /// Where most of its delay is, in words without the flow's name: part of a sentence, without capital and full stop.
    pub text: String,
}

/// Where the delay of a flow is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowDelay {
    /// The flow's id.
    pub flow: String,
    /// Its mean one-way delay, seconds.
    pub delay_s: f64,
    /// The part of it at each place.
    pub by_place_s: DelayByPlace,
    /// Where most of it is.
    pub place: DelayPlace,
    /// The share of the delay there.
    pub share: f64,
}

/// Where a packet spends time, by the keys of [`DelayByPlace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields of the same names have them")]
pub enum DelayPlace {
    Repair,
    StationQueue,
    ApQueue,
    Ring,
    Hardware,
    Air,
    Reorder,
    WiredQueue,
    Wire,
}

impl DelayByPlace {
    /// Mean times.
    fn means(&self) -> [(DelayPlace, f64); 9] {
        [
            (DelayPlace::Repair, self.repair.mean),
            (DelayPlace::StationQueue, self.station_queue.mean),
            (DelayPlace::ApQueue, self.ap_queue.mean),
            (DelayPlace::Ring, self.ring.mean),
            (DelayPlace::Hardware, self.hardware.mean),
            (DelayPlace::Air, self.air.mean),
            (DelayPlace::Reorder, self.reorder.mean),
            (DelayPlace::WiredQueue, self.wired_queue.mean),
            (DelayPlace::Wire, self.wire.mean),
        ]
    }
}

/// `None` if no flow was measured.
pub(super) fn explain(mean: &Evidence) -> Option<DelayExplanation> {
    let flows: Vec<_> = mean.flows.iter().filter_map(flow_delay).collect();
    let worst = flows.iter().max_by(|one, two| one.delay_s.total_cmp(&two.delay_s))?;
    let flow = mean.flows.iter().find(|flow| flow.id == worst.flow)?;
    let text = format!(
        "{} of its one-way delay of {} {}",
        percent(worst.share),
        ms(Some(worst.delay_s)),
        at(worst.place, flow, mean)
    );
    Some(DelayExplanation { worst: worst.flow.clone(), text, flows })
}

fn flow_delay(flow: &FlowEvidence) -> Option<FlowDelay> {
    let by_place_s = flow.delay_by_place_s?;
    let means = by_place_s.means();
    let delay_s = means.iter().map(|(_, mean)| mean).sum::<f64>();
    let (place, most) = means.into_iter().max_by(|one, two| one.1.total_cmp(&two.1))?;
    let share = if delay_s > 0.0 { most / delay_s } else { 0.0 };
    Some(FlowDelay { flow: flow.id.clone(), delay_s, by_place_s, place, share })
}

fn at(place: DelayPlace, flow: &FlowEvidence, run: &Evidence) -> String {
    let station = run.station_name(&flow.station);
    let ap = if run.is_wimax() { "base station" } else { "AP" };
    match place {
        DelayPlace::Repair => "passes before what was lost is sent again".to_owned(),
        DelayPlace::StationQueue => format!("is in the queue of {station}"),
        DelayPlace::ApQueue => format!("is in the {ap}'s queue for {station}"),
        DelayPlace::Ring => "is in the ring of the driver".to_owned(),
        DelayPlace::Hardware => format!("is in the hardware of the {ap}"),
        DelayPlace::Air => "is on the air: contention, transmissions and retries".to_owned(),
        DelayPlace::Reorder => "is in the reorder buffer of its receiver".to_owned(),
        DelayPlace::WiredQueue => "is in queues of wired links".to_owned(),
        DelayPlace::Wire => "is on the wire: transmission and propagation".to_owned(),
    }
}
