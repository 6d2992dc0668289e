//! The cause for which a flow starves.

use serde::Serialize;

use super::evidence::{Evidence, FlowEvidence, Losses};

/// What keeps the goodput of a flow down, or what its user notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its data are lost.
    DataLosses,
    /// The acknowledgements of its data are lost.
    AckLosses,
    /// Queues mark its data as ECN has it.
    CongestionMarks,
    /// It has the airtime of the others, and a second of it carries less.
    Airtime,
    /// The controller of the cell limits its rate.
    Controller,
    /// The receiver's window.
    ReceiveWindow,
    /// Its round trips take longer than those of the others.
    RoundTripTime,
    /// Its congestion control, for another reason.
    Cwnd,
    /// Of a call: it takes long from mouth to ear.
    CallDelay,
    /// Of a call: its datagrams are lost.
    CallLosses,
    /// Of a call: its datagrams arrive after they were to be played.
    CallLate,
    /// Of a video call: packets of its frames are missing.
    FrameLosses,
    /// Of a video call: its frames arrive late.
    FrameDelay,
    /// Of pages, transfers and chunks: most of the time passes with the repair of losses.
    TransferLosses,
    /// Their packets wait in queues for most of a round trip.
    TransferQueues,
    /// They take round trips, and the time is not spent in the cell's queues.
    TransferRounds,
    /// Transfers find the limit of concurrent ones.
    TransferLimit,
}

/// Where packets are lost, by the keys of `data_losses` and `ack_losses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The queue of the access point.
    ApQueue,
    /// The station's own queue.
    StationQueue,
    /// The queue of a wired link.
    WiredQueue,
    /// A MAC at its retry limit.
    RetryLimit,
    /// A loss model.
    Error,
    /// The policer of a rate limiter.
    Policer,
}

/// The flows that Jain's index compares and that do not starve, together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Others {
    /// The share of the air that each has, on average.
    pub(super) airtime: f64,
    /// Bits that arrive for each second of it.
    pub(super) bits_per_airtime: f64,
    /// Lost data packets for each that was sent.
    pub(super) loss_ratio: f64,
    /// Mean of their mean round-trip times, seconds.
    pub(super) rtt_s: Option<f64>,
}

/// A flow that has this part of the airtime of the others has as much as they.
const SAME_AIRTIME: f64 = 0.8;
/// Airtime is less worth if a second of it carries less than this part of what others carry: half of the
/// goodput with [`SAME_AIRTIME`].
pub(super) const LESS_WORTH: f64 = 0.5 / SAME_AIRTIME;
/// Mean round-trip times of flows that share a path differ by less than this factor.
const LONGER_RTT: f64 = 1.5;

impl Losses {
    pub(super) fn of(&self, place: Place) -> f64 {
        match place {
            Place::ApQueue => self.ap_queue,
            Place::StationQueue => self.station_queue,
            Place::WiredQueue => self.wired_queue,
            Place::RetryLimit => self.retry_limit,
            Place::Error => self.error,
            Place::Policer => self.policer,
        }
    }

    pub(super) fn total(&self) -> f64 {
        PLACES.iter().map(|&place| self.of(place)).sum()
    }

    /// Where most are lost, if any are.
    pub(super) fn worst(&self) -> Option<Place> {
        let lossy = PLACES.into_iter().filter(|&place| self.of(place) > 0.0);
        lossy.reduce(|worst, place| if self.of(place) > self.of(worst) { place } else { worst })
    }
}

const PLACES: [Place; 6] = [
    Place::ApQueue,
    Place::StationQueue,
    Place::WiredQueue,
    Place::RetryLimit,
    Place::Error,
    Place::Policer,
];

/// What a starving flow is compared with.
pub(super) fn others(run: &Evidence, starving: &[bool]) -> Others {
    let flows = || {
        let each = run.flows.iter().zip(starving);
        each.filter(|(flow, starves)| run.compares(flow) && !**starves).map(|(flow, _)| flow)
    };
    let sum = |number: &dyn Fn(&FlowEvidence) -> f64| flows().map(number).sum::<f64>();
    let airtime = sum(&|flow| run.traffic(flow).airtime());
    let rtts: Vec<f64> = flows().filter_map(|flow| flow.mean_rtt_s).collect();
    Others {
        airtime: airtime / flows().count().max(1) as f64,
        bits_per_airtime: sum(&|flow| {
            let traffic = run.traffic(flow);
            traffic.goodput_bps / traffic.flows
        }) / airtime,
        loss_ratio: sum(&|flow| flow.data_losses.total())
            / sum(&|flow| flow.segments_sent).max(1.0),
        rtt_s: (!rtts.is_empty()).then(|| rtts.iter().sum::<f64>() / rtts.len() as f64),
    }
}

/// The cause for which `flow` starves.
pub(super) fn find(flow: &FlowEvidence, others: &Others, run: &Evidence) -> (Cause, Option<Place>) {
    let (data, acks) = (flow.data_losses.worst(), flow.ack_losses.worst());
    // What is lost on the air uses airtime as well, so that these losses come first.
    let on_air = matches!(data, Some(Place::RetryLimit | Place::Error));
    let traffic = run.traffic(flow);
    let has_airtime = others.airtime > 0.0 && traffic.airtime() >= SAME_AIRTIME * others.airtime;
    let is_less_worth = traffic.bits_per_airtime() < LESS_WORTH * others.bits_per_airtime;
    if has_airtime && is_less_worth && !on_air {
        return (Cause::Airtime, None);
    }
    // Without a lost segment a timer expires because ACKs are lost.
    if acks.is_some() && flow.timeouts > flow.data_losses.total() {
        return (Cause::AckLosses, acks);
    }
    if flow.limited_by.receive_window >= 0.5 {
        let cause = if run.has_controller() { Cause::Controller } else { Cause::ReceiveWindow };
        return (cause, None);
    }
    // The rate of a congestion control that halves its window is proportional to 1 / (RTT sqrt(p))
    // (Mathis et al. 1997): whichever differs more.
    let longer = rtt_factor(flow, others);
    let lossier = match flow.loss_ratio() {
        0.0 => 0.0,
        ratio => (ratio / others.loss_ratio).sqrt(),
    };
    if longer.is_some_and(|longer| longer > LONGER_RTT.max(lossier)) {
        return (Cause::RoundTripTime, None);
    }
    match data {
        Some(_) => (Cause::DataLosses, data),
        None if flow.congestion_responses > 0.0 => (Cause::CongestionMarks, None),
        // The test-bed does not know where.
        None if flow.retransmissions > 0.0 => (Cause::DataLosses, None),
        None => (Cause::Cwnd, None),
    }
}

fn rtt_factor(flow: &FlowEvidence, others: &Others) -> Option<f64> {
    Some(flow.mean_rtt_s? / others.rtt_s?)
}

impl FlowEvidence {
    /// Lost data packets for each that was sent.
    pub(super) fn loss_ratio(&self) -> f64 {
        self.data_losses.total() / self.segments_sent.max(1.0)
    }
}
