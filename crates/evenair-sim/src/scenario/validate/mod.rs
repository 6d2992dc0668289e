//! Checks of values together, and of bounds that depend on other values.

mod checks;
mod flow;
mod gateway;
mod labels;
mod wimax;
mod wlan;

use evenair_core::component::{QueueLimit, Seconds};
use evenair_core::loss::Level;
use evenair_core::traffic::{Application, Session};
use serde_json::Value;

use self::checks::{above_zero, check_component};
use self::flow::{
    check_access_category, check_flow, check_path, check_size, check_small_queue,
    check_station_flow, check_times, check_wired_flow, check_wired_size,
};
use self::gateway::{check_bucket, check_limiter};
use self::labels::check_labels;
use crate::scenario::problem::{Checked, FLOWS, Problem, STATIONS, fail};
use crate::scenario::tables::cell::Cell;
use crate::scenario::tables::flow::Flow;
use crate::scenario::tables::scenario::Scenario;
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wired::Wired;
use crate::scenario::topology::Topology;
use crate::scenario::values::names::Direction;

pub(crate) use self::labels::numbered;

/// More flows than any run finishes.
const MAX_FLOWS: u64 = 100_000;
/// More numbers in a trace than anybody plots; they are kept in memory.
const MAX_SAMPLES: u64 = 10_000_000;
/// Numbers in each sample: six of every flow, and six of the cell.
const SAMPLES_PER_FLOW: u64 = 6;
const SAMPLES_PER_CELL: u64 = 6;
/// More entries of the routing tables than memory should hold.
const MAX_PLACES: u64 = 10_000_000;

/// Refuses lists where a table belongs: serde would take them as the fields in order.
pub(super) fn check_tables(document: &Value) -> Checked {
    let no_list = |field: &str, value: &Value| match value {
        Value::Array(_) => Err(fail(field, "got a list", "a table of keys and values")),
        _ => Ok(()),
    };
    let no_lists = |field: &str, list: &Value| -> Checked {
        entries(list).try_for_each(|(index, entry)| no_list(&format!("{field}.{index}"), entry))
    };
    no_list("", document)?;
    for key in ["cell", "wired", "gateway", "trace"] {
        no_list(key, &document[key])?;
    }
    for key in ["scheduler", "aggregation", "edca", "edca_ap"] {
        no_list(&format!("cell.{key}"), &document["cell"][key])?;
    }
    let limiter = &document["gateway"]["limiter"];
    no_list("gateway.limiter", limiter)?;
    no_list("gateway.limiter.loss_signal", &limiter["loss_signal"])?;
    for (index, station) in entries(&document["station"]) {
        let field = format!("station.{index}");
        no_list(&field, station)?;
        for key in ["error", "rate_control", "channel", "aggregation"] {
            no_list(&format!("{field}.{key}"), &station[key])?;
        }
        no_lists(&format!("{field}.flows"), &station["flows"])?;
    }
    let wired = &document["wired"];
    for (index, link) in entries(&wired["link"]) {
        no_list(&format!("wired.link.{index}"), link)?;
        no_list(&format!("wired.link.{index}.error"), &link["error"])?;
    }
    no_lists("wired.flow", &wired["flow"])
}

/// Checks a scenario whose defaults are filled in.
pub(super) fn check(scenario: &Scenario) -> Checked {
    above_zero("duration", scenario.duration)?;
    if scenario.station.is_empty() {
        return Err(fail("station", "got none", STATIONS));
    }
    check_cell(scenario)?;
    let end = scenario.duration.duration() + scenario.warmup.duration();
    let stagger = scenario.stagger();
    check_component("cell.queue", &scenario.cell.queue().discipline)?;
    check_limiter(&scenario.gateway.limiter, end)?;
    let each = |station: &Station| u64::from(station.count) * station.flow_count();
    let flows = scenario.station.iter().map(each).sum::<u64>() + scenario.wired.flow.len() as u64;
    let topology = check_wired(&scenario.wired, flows)?;
    let connections = |flow: &Flow| match &flow.application {
        Application::Stream(stream) => Session::slots(stream) as u64,
        Application::Datagrams(_) => 1,
    };
    let of_station = |station: &Station| {
        u64::from(station.count) * station.flows.iter().map(connections).sum::<u64>()
    };
    let connections = scenario.station.iter().map(of_station).sum::<u64>()
        + scenario.wired.flow.iter().map(connections).sum::<u64>();
    if flows > MAX_FLOWS {
        let got = format!("got {flows} flows in all (count times flows)");
        return Err(fail("station", &got, &format!("up to {MAX_FLOWS} flows in all")));
    }
    if connections > MAX_FLOWS {
        let got = format!("got flows with {connections} connections at the same time");
        return Err(fail("station", &got, &format!("up to {MAX_FLOWS} connections in all")));
    }
    check_labels(scenario)?;
    let mut first = 0;
    for (index, station) in scenario.station.iter().enumerate() {
        let field = format!("station.{index}");
        check_station(&field, station, scenario)?;
        let mut own = 0;
        for (flow_index, flow) in station.flows.iter().enumerate() {
            let field = format!("{field}.flows.{flow_index}");
            check_station_flow(&field, flow, &scenario.wired, &topology)?;
            check_flow(&field, flow)?;
            check_access_category(&field, flow, Some((&scenario.cell, station)))?;
            // Of the flows that this entry stands for, the one that starts last.
            own += flow.directions().len() as u64;
            let last = u64::from(station.count - 1) * station.flow_count() + own - 1;
            let staggered = stagger * (first + last);
            check_times(&field, flow, Seconds::from(staggered), Seconds::from(end))?;
            check_size(&field, flow, station, &scenario.cell)?;
            check_limits(&field, flow, station, scenario)?;
            check_small_queue(&field, flow, &scenario.wired, &topology)?;
        }
        first += each(station);
    }
    for (index, flow) in scenario.wired.flow.iter().enumerate() {
        let field = format!("wired.flow.{index}");
        check_wired_flow(&field, flow, &topology)?;
        check_flow(&field, flow)?;
        check_access_category(&field, flow, None)?;
        check_times(&field, flow, Seconds::ZERO, Seconds::from(end))?;
        check_wired_size(&field, flow)?;
        check_path(&field, flow, &scenario.wired, &topology)?;
        check_wired_limits(&scenario.wired, flow.segment + flow.header)?;
        check_small_queue(&field, flow, &scenario.wired, &topology)?;
    }
    if let Some(trace) = &scenario.trace {
        above_zero("trace.interval", trace.interval)?;
        let instants =
            scenario.duration.duration().as_nanos() / trace.interval.duration().as_nanos();
        let samples = instants.saturating_mul(SAMPLES_PER_FLOW * flows + SAMPLES_PER_CELL);
        if samples > MAX_SAMPLES {
            let got = format!("got {}, which makes {samples} samples", trace.interval);
            return Err(fail("trace.interval", &got, &format!("up to {MAX_SAMPLES} samples")));
        }
    }
    Ok(())
}

fn entries(list: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list.as_array().into_iter().flatten().enumerate()
}

fn check_cell(scenario: &Scenario) -> Checked {
    match &scenario.cell {
        Cell::Wlan(cell) => wlan::check_cell(cell, &scenario.station),
        Cell::Wimax(cell) => wimax::check_cell(cell, &scenario.station),
    }
}

fn check_station(field: &str, station: &Station, scenario: &Scenario) -> Checked {
    match &scenario.cell {
        Cell::Wlan(cell) => wlan::check_station(field, station, cell)?,
        Cell::Wimax(_) => wimax::check_station(field, station)?,
    }
    check_component(&format!("{field}.queue"), &station.queue.discipline)?;
    if let Some(error) = &station.error {
        check_component(&format!("{field}.error"), error)?;
    }
    if station.flows.is_empty() {
        return Err(fail(&format!("{field}.flows"), "got none", FLOWS));
    }
    Ok(())
}

/// A limit in bytes must let the largest packet in.
fn check_limits(field: &str, flow: &Flow, station: &Station, scenario: &Scenario) -> Checked {
    let request = match &flow.application {
        Application::Stream(stream) => Session::opening(stream).request,
        Application::Datagrams(_) => 0,
    };
    let (data, ack) = (u64::from(flow.segment + flow.header), u64::from(flow.header + request));
    let largest = |way| if flow.directions().contains(&way) { data } else { ack };
    let (down, up) = (largest(Direction::Down), largest(Direction::Up));
    let up = up + u64::from(station.extra_header);
    let group = field.rsplit_once(".flows").map_or(field, |(group, _)| group);
    check_limit(|| "cell.queue.limit".to_owned(), scenario.cell.queue().limit, down)?;
    check_limit(|| format!("{group}.queue.limit"), station.queue.limit, up)?;
    check_bucket(&scenario.gateway.limiter, up)?;
    check_wired_limits(&scenario.wired, down.max(up) as u32)
}

fn check_wired_limits(wired: &Wired, largest: u32) -> Checked {
    wired.links().iter().enumerate().try_for_each(|(index, link)| {
        let field = || format!("{}.queue.limit", link_field(wired, index));
        check_limit(field, link.queue.limit, u64::from(largest))
    })
}

fn check_limit(field: impl FnOnce() -> String, limit: QueueLimit, largest: u64) -> Checked {
    match limit {
        QueueLimit::Bytes(limit) if limit < largest => {
            let accepted = format!("at least {largest} B, the largest packet, or packets");
            Err(fail(&field(), &format!("got {limit} B"), &accepted))
        }
        _ => Ok(()),
    }
}

/// Where the keys of a link stand.
fn link_field(wired: &Wired, index: usize) -> String {
    if wired.link.is_empty() { "wired".to_owned() } else { format!("wired.link.{index}") }
}

/// Checks the links for `flows` flows in all.
fn check_wired(wired: &Wired, flows: u64) -> Result<Topology, Problem> {
    let one_link = [
        ("rate", wired.rate.is_some()),
        ("delay", wired.delay.is_some()),
        ("queue", wired.queue.is_some()),
    ];
    if let (Some((key, _)), false) =
        (one_link.iter().find(|(_, given)| *given), wired.link.is_empty())
    {
        let accepted = "either the one link's rate, delay and queue, or [[wired.link]] tables";
        return Err(fail(&format!("wired.{key}"), "got it together with links", accepted));
    }
    let links = wired.links();
    let places = (links.len() as u64).saturating_mul(flows);
    if places > MAX_PLACES {
        let got = format!("got {} links for {flows} flows", links.len());
        let accepted = format!("links times flows up to {MAX_PLACES}");
        return Err(fail("wired.link", &got, &accepted));
    }
    for (index, link) in links.iter().enumerate() {
        let field = link_field(wired, index);
        check_component(&format!("{field}.queue"), &link.queue.discipline)?;
        if let Some(error) = &link.error {
            check_component(&format!("{field}.error"), error)?;
            if error.scope().level == Level::Mac {
                let accepted = "\"ip\": a wired link has no MAC that repeats";
                return Err(fail(&format!("{field}.error.level"), "got \"mac\"", accepted));
            }
        }
    }
    Topology::new(wired)
}
