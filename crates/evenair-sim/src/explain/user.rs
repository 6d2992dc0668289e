//! What the users of applications notice, and why.
//!
//! A call is poor below a MOS with which many users are dissatisfied, and a page is slow above the load time that ITU-T
//! G.1010 calls acceptable. A picture that freezes and a video that stalls are faults by themselves. Transfers are
//! slow if they take twice as long as alone, as a flow starves below half of its share.

use evenair_core::traffic::voip::VoipConfig;
use evenair_core::traffic::voip::e_model::{Path, rating};
use serde::Serialize;

use super::cause::{Cause, Place};
use super::evidence::{Evidence, FlowEvidence};

/// Below this MOS "many users" are dissatisfied (ITU-T G.107, table B.1: R = 70).
const DISSATISFIED: f64 = 3.6;
/// The longest acceptable time for a web page, seconds (ITU-T G.1010, table I.2).
const ACCEPTABLE_S: f64 = 4.0;
/// Half of the speed of a transfer that is alone.
const SLOW: f64 = 2.0;
/// The part of a time from which on it is most of it.
const MOST: f64 = 0.5;
/// The mean wait of all packets is not that of a flow with round trips shorter than this part of it: the queue
/// prefers the flow.
const OWN_WAIT: f64 = 0.7;

/// What is wrong with a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It has less than half of its fair share of the goodput.
    Starves,
    /// A call with a MOS below 3.6.
    PoorCall,
    /// The picture of a video call freezes.
    Freezes,
    /// Pages take more than 4 s.
    SlowPages,
    /// Transfers take twice as long as alone, or some do not take place.
    SlowTransfers,
    /// The video of a stream stands still, or does not begin.
    Stalls,
    /// Its station takes the airtime of the others.
    TakesAirtime,
}

/// What is wrong for the user of the flow.
pub(super) fn fault(flow: &FlowEvidence) -> Option<Fault> {
    let above = |number: Option<f64>, bar: f64| number.is_some_and(|number| number > bar);
    let page_load_s = flow.page_load_s.as_ref().map(|times| times.mean);
    let faults = [
        (Fault::PoorCall, flow.mos.is_some_and(|mos| mos < DISSATISFIED)),
        (Fault::Freezes, above(flow.frozen_s, 0.0)),
        (Fault::SlowPages, above(page_load_s, ACCEPTABLE_S)),
        (
            Fault::SlowTransfers,
            flow.slowdown().is_some_and(|factor| factor >= SLOW) || is_limited(flow),
        ),
        (Fault::Stalls, above(flow.stalls_s, 0.0) || has_not_begun(flow)),
    ];
    faults.into_iter().find_map(|(fault, is_so)| is_so.then_some(fault))
}

/// What keeps the flow with this fault from better.
pub(super) fn cause(fault: Fault, flow: &FlowEvidence, run: &Evidence) -> (Cause, Option<Place>) {
    match fault {
        Fault::PoorCall => call(flow),
        Fault::Freezes if flow.frames_missing() > 0.0 => {
            (Cause::FrameLosses, flow.data_losses.worst())
        }
        Fault::Freezes => (Cause::FrameDelay, None),
        Fault::SlowTransfers if is_limited(flow) => (Cause::TransferLimit, None),
        Fault::TakesAirtime => (Cause::Airtime, None),
        Fault::Starves | Fault::SlowPages | Fault::SlowTransfers | Fault::Stalls => {
            transfers(flow, run)
        }
    }
}

/// Whether transfers do not take place, or more wait than are under way.
fn is_limited(flow: &FlowEvidence) -> bool {
    let arrivals = flow.arrivals.as_ref();
    arrivals.is_some_and(|of| of.dropped > 0.0 || of.waiting > of.under_way)
}

/// Of a stream: the video was not played, although there was something to send for most of the time.
pub(super) fn has_not_begun(flow: &FlowEvidence) -> bool {
    flow.stalls_s.is_some() && flow.startup_s.is_none() && flow.limited_by.application < MOST
}

/// What costs a call most of its rating: delay, or datagrams that it misses because they are lost or late.
fn call(flow: &FlowEvidence) -> (Cause, Option<Place>) {
    let none = Path { delay_s: 0.0, loss: 0.0, burst_ratio: 1.0 };
    let codec = VoipConfig::default().impairment();
    let best = rating(&none, &codec);
    let delay_s = flow.mouth_to_ear_s.unwrap_or(0.0);
    let delay = best - rating(&Path { delay_s, ..none }, &codec);
    let missing = best - delay - flow.r_factor.unwrap_or(best);
    if delay >= missing {
        return (Cause::CallDelay, None);
    }
    if flow.late_ratio.unwrap_or(0.0) > flow.loss_ratio.unwrap_or(0.0) {
        return (Cause::CallLate, None);
    }
    (Cause::CallLosses, flow.data_losses.worst())
}

/// What takes most of the time of pages, transfers and chunks: the repair of losses, waiting in queues, or round
/// trips for other reasons.
fn transfers(flow: &FlowEvidence, run: &Evidence) -> (Cause, Option<Place>) {
    if flow.repair_share() >= MOST {
        return (Cause::TransferLosses, flow.data_losses.worst());
    }
    let waits = flow.mean_rtt_s.is_some_and(|rtt_s| {
        let (at_ap, at_station) = run.waits_s(flow);
        let wait_s = at_ap + at_station;
        wait_s >= MOST * rtt_s && rtt_s >= OWN_WAIT * wait_s
    });
    (if waits { Cause::TransferQueues } else { Cause::TransferRounds }, None)
}
