//! Why flows starve: a sentence for each of them, from the numbers of a result.
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
//! A call of which many users are dissatisfied has a diagnosis as well, by its MOS and not by its goodput: see
//! [`call`].
//!
//! What is read of a result is [`evidence`]'s, the cause follows in [`cause`], and [`sentence`] has the
//! words. A number in a sentence is a number of the result, or the ratio of two.

mod call;
mod cause;
mod evidence;
mod sentence;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;
use serde_json::json;

use crate::results::run::RunResult;
use evidence::{Evidence, FlowEvidence};

pub use cause::{Cause, Place};

/// Why a flow starves, or why its user is dissatisfied.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The flow's id.
    pub flow: String,
    /// What keeps its goodput down.
    pub cause: Cause,
    /// Where its packets are lost, if that is the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its goodput, bit/s.
    pub goodput_bps: f64,
    /// The goodput that it would have if the flows that are compared had all the same, bit/s.
    pub fair_share_bps: f64,
    /// Of a call with which many users are dissatisfied: its MOS. Absent of a flow that starves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mos: Option<f64>,
    /// In how many runs it starves, or is such a call.
    pub starving_runs: usize,
    /// Of how many runs its numbers are the means.
    pub runs: usize,
    /// The same in words, without the flow's name: part of a sentence, without capital and full stop.
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

/// A diagnosis of each flow that starves or is a poor call, in the order of `flows`; none if none does.
pub fn explain(result: &RunResult) -> Vec<Diagnosis> {
    // Without the traces, which are long.
    let keys = json!({
        "scenario": result.scenario,
        "jain_over": result.jain_over,
        "flows": result.flows,
        "ap_queue": result.ap_queue,
        "stations": result.stations,
        "wired": result.wired,
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
    let is_named = |(index, flow): &(usize, &FlowEvidence)| starving[*index] || call::is_poor(flow);
    let each = mean.flows.iter().enumerate().filter(is_named);
    each.map(|(index, flow)| {
        let is_call = call::is_poor(flow);
        let (cause, place) =
            if is_call { call::cause(flow) } else { cause::find(flow, &others, &mean) };
        let is_so = |run: &&Evidence| match is_call {
            true => call::is_poor(&run.flows[index]),
            false => starves(&run.flows[index], run),
        };
        Diagnosis {
            flow: flow.id.clone(),
            cause,
            place,
            goodput_bps: flow.goodput_bps,
            fair_share_bps: mean.fair_share_bps,
            mos: flow.mos.filter(|_| is_call),
            starving_runs: runs.iter().filter(is_so).count(),
            runs: runs.len(),
            text: sentence::text(flow, cause, place, &others, &mean),
        }
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
