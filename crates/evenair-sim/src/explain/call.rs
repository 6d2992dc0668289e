//! Calls with which many users are dissatisfied, and why.

use evenair_core::traffic::voip::VoipConfig;
use evenair_core::traffic::voip::e_model::{Path, rating};

use super::cause::{Cause, Place};
use super::evidence::FlowEvidence;

/// Below this MOS "many users" are dissatisfied (ITU-T G.107, table B.1: R = 70).
const DISSATISFIED: f64 = 3.6;

pub(super) fn is_poor(flow: &FlowEvidence) -> bool {
    flow.mos.is_some_and(|mos| mos < DISSATISFIED)
}

/// What costs a call most of its rating: delay, or datagrams that it misses because they are lost or late.
pub(super) fn cause(flow: &FlowEvidence) -> (Cause, Option<Place>) {
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
