//! Why flows starve, and why users are dissatisfied: a sentence for each flow, from the numbers of a result.
//!
//! A flow *starves* if its goodput is less than half of its fair share, although it has data to send:
//!
//! - The fair share is the mean goodput of the flows that Jain's index compares (`jain_over`): what each of them
//!   had if they shared what they have together evenly. Half of it is more than chance takes from one of
//!   several equal flows in a run of some seconds, and less than a user overlooks.
//! - Of a TCP flow, the time in which its application had nothing to send does not count: its share is that
//!   part of the fair share. If this was half of the time or more, its application limits the flow.
//! - UDP does not react, so that it gets what it sends and nothing drops. It starves if, besides, less than
//!   half of its datagrams arrive.
//! - Other flows that Jain's index does not compare, such as web pages beside bulk flows, have no share.
//!
//! A flow whose user notices something else has a diagnosis as well, whatever its goodput: see [`user`].
//!
//! What is read of a result is [`evidence`]'s, the cause follows in [`cause`], and [`sentence`] has the
//! words. A number in a sentence is a number of the result, or the ratio of two.

mod cause;
mod evidence;
mod sentence;
#[cfg(test)]
mod tests;
mod user;

use std::fmt;

use serde::Serialize;
use serde_json::json;

use crate::results::run::RunResult;
use evidence::{Evidence, FlowEvidence};

pub use cause::{Cause, Place};
pub use user::Fault;

/// Why a flow starves, or why its user is dissatisfied.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The flow's id.
    pub flow: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// The fault in words that follow the flow's name.
    pub says: &'static str,
    /// The numbers of the fault.
    pub measure: String,
    /// Why it is so.
    pub cause: Cause,
    /// Where its packets are lost, if that is the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its goodput, bit/s.
    pub goodput_bps: f64,
    /// The goodput that it would have if the flows that are compared had all the same, bit/s.
    pub fair_share_bps: f64,
    /// In how many runs it has this fault.
    pub faulty_runs: usize,
    /// Of how many runs its numbers are the means.
    pub runs: usize,
    /// The cause in words, without the flow's name: part of a sentence, without capital and full stop.
    pub text: String,
}

/// Why [`explain_json`] has no answer.
#[derive(Debug)]
pub struct ExplainError(String);

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not the document of a result: {}", self.0)
    }
}

impl std::error::Error for ExplainError {}

/// A diagnosis of each flow that has a fault, in the order of `flows`; none if none has.
pub fn explain(result: &RunResult) -> Vec<Diagnosis> {
    // Without the traces, which are long.
    let keys = json!({
        "scenario": result.scenario,
        "jain_over": result.jain_over,
        "flows": result.flows,
        "ap_queue": result.ap_queue,
        "stations": result.stations,
        "wired": result.wired,
        "sessions": result.sessions,
    });
    let evidence = Evidence::from_document(keys).expect("a result has the keys of a result");
    diagnoses(&[evidence])
}

/// The same of the JSON text of a result, or of a set of them (`{"runs": [...]}`), whose means over the
/// runs then count.
///
/// # Errors
/// The text is not a result, or the runs are not of the same flows.
pub fn explain_json(text: &str) -> Result<Vec<Diagnosis>, ExplainError> {
    let runs = evidence::from_json(text).map_err(|error| ExplainError(error.to_string()))?;
    let flows = |run: &Evidence| run.flows.iter().map(|flow| flow.id.clone()).collect::<Vec<_>>();
    if runs.windows(2).any(|pair| flows(&pair[0]) != flows(&pair[1])) {
        return Err(ExplainError("its runs have different flows".to_owned()));
    }
    Ok(diagnoses(&runs))
}

fn diagnoses(runs: &[Evidence]) -> Vec<Diagnosis> {
    let Some(mean) = Evidence::mean(runs) else { return Vec::new() };
    let starving: Vec<bool> = mean.flows.iter().map(|flow| starves(flow, &mean)).collect();
    let others = cause::others(&mean, &starving);
    let fault_of = |index: usize, run: &Evidence| {
        let flow = &run.flows[index];
        user::fault(flow).or_else(|| starves(flow, run).then_some(Fault::Starves))
    };
    let each = mean.flows.iter().enumerate();
    each.filter_map(|(index, flow)| {
        let fault = fault_of(index, &mean)?;
        let (cause, place) = match fault {
            Fault::Starves => cause::find(flow, &others, &mean),
            _ => user::cause(fault, flow, &mean),
        };
        Some(Diagnosis {
            flow: flow.id.clone(),
            fault,
            says: sentence::fault(fault),
            measure: sentence::measure(fault, flow, &mean),
            cause,
            place,
            goodput_bps: flow.goodput_bps,
            fair_share_bps: mean.fair_share_bps,
            faulty_runs: runs.iter().filter(|run| fault_of(index, run) == Some(fault)).count(),
            runs: runs.len(),
            text: sentence::text(flow, fault, (cause, place), &others, &mean),
        })
    })
    .collect()
}

/// The rule.
fn starves(flow: &FlowEvidence, run: &Evidence) -> bool {
    let (is_udp, idle) = (flow.transport == "udp", flow.limited_by.application);
    let share = run.fair_share_bps * (1.0 - idle);
    (run.compares(flow) || is_udp)
        && flow.goodput_bps < 0.5 * share
        && idle < 0.5
        && (!is_udp || flow.data_losses.total() > 0.5 * flow.segments_sent)
}
