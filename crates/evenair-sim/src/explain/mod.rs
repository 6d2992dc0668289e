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
//! A flow whose user notices something else has a diagnosis as well, whatever its goodput: see [`user`]; and so has a station
//! that takes the airtime of others: see [`station`]. Where the delay is, [`delay`] says.
//!
//! What is read of a result is [`evidence`]'s, the cause follows in [`cause`], and [`sentence`] has the
//! words. A number in a sentence is a number of the result, or the ratio of two.

mod cause;
mod delay;
mod evidence;
mod sentence;
mod station;
#[cfg(test)]
mod tests;
mod user;

use std::fmt;

use serde::Serialize;
use serde_json::json;

use crate::results::run::RunResult;
use evidence::{Evidence, FlowEvidence};
use station::Taker;

pub use cause::{Cause, Place};
pub use delay::{DelayExplanation, DelayPlace, FlowDelay};
pub use user::Fault;

/// Why a flow starves, or why its user is dissatisfied.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The flow's id; of a fault of its station that of its fastest flow.
    pub flow: String,
    /// The station's id.
    pub station: String,
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
    diagnoses(&[evidence_of(result)])
}

/// Where the delay of its flows is; `None` if that was not measured.
pub fn explain_delays(result: &RunResult) -> Option<DelayExplanation> {
    delay::explain(&evidence_of(result))
}

fn evidence_of(result: &RunResult) -> Evidence {
    // Without the traces, which are long.
    let keys = json!({
        "scenario": result.scenario,
        "jain_over": result.jain_over,
        "flows": result.flows,
        "ap_queue": result.ap_queue,
        "stations": result.stations,
        "ap": result.ap,
        "wired": result.wired,
        "sessions": result.sessions,
    });
    Evidence::from_document(keys).expect("a result has the keys of a result")
}

/// The same of the JSON text of a result, or of a set of them (`{"runs": [...]}`), whose means over the
/// runs then count.
///
/// # Errors
/// The text is not a result, or the runs are not of the same flows.
pub fn explain_json(text: &str) -> Result<Vec<Diagnosis>, ExplainError> {
    Ok(diagnoses(&runs_of(text)?))
}

/// [`explain_delays`] of the same.
///
/// # Errors
/// As [`explain_json`].
pub fn explain_delays_json(text: &str) -> Result<Option<DelayExplanation>, ExplainError> {
    Ok(Evidence::mean(&runs_of(text)?).and_then(|mean| delay::explain(&mean)))
}

fn runs_of(text: &str) -> Result<Vec<Evidence>, ExplainError> {
    let runs = evidence::from_json(text).map_err(|error| ExplainError(error.to_string()))?;
    let flows = |run: &Evidence| run.flows.iter().map(|flow| flow.id.clone()).collect::<Vec<_>>();
    if runs.windows(2).any(|pair| flows(&pair[0]) != flows(&pair[1])) {
        return Err(ExplainError("its runs have different flows".to_owned()));
    }
    Ok(runs)
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
    let mut found: Vec<_> = each
        .filter_map(|(index, flow)| {
            let fault = fault_of(index, &mean)?;
            let (cause, place) = match fault {
                Fault::Starves => cause::find(flow, &others, &mean),
                _ => user::cause(fault, flow, &mean),
            };
            Some(Diagnosis {
                flow: flow.id.clone(),
                station: flow.station.clone(),
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
        .collect();
    let is_known = |station: &str| {
        found.iter().any(|known| known.cause == Cause::Airtime && known.station == station)
    };
    if let Some(taker) = station::taker(&mean)
        && !is_known(&taker.id)
    {
        found.extend(of_station(&taker, &mean, runs));
    }
    found
}

/// The diagnosis of a station that takes the airtime of others.
fn of_station(taker: &Taker, mean: &Evidence, runs: &[Evidence]) -> Option<Diagnosis> {
    let own = mean.flows.iter().filter(|flow| flow.station == taker.id);
    let flow = own.max_by(|one, two| one.goodput_bps.total_cmp(&two.goodput_bps))?;
    let (measure, text) = sentence::station(taker, flow, mean);
    let takes = |run: &&Evidence| station::taker(run).is_some_and(|of| of.id == taker.id);
    let fault = Fault::TakesAirtime;
    Some(Diagnosis {
        flow: flow.id.clone(),
        station: taker.id.clone(),
        fault,
        says: sentence::fault(fault),
        measure,
        cause: Cause::Airtime,
        place: None,
        goodput_bps: flow.goodput_bps,
        fair_share_bps: mean.fair_share_bps,
        faulty_runs: runs.iter().filter(takes).count(),
        runs: runs.len(),
        text,
    })
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
