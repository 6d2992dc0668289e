//! What a single value's type cannot check: bounds that depend on the place, and values that
//! do not go together.

use evenair_core::component::Choice;
use evenair_core::tcp::MAX_RTO;
use serde_json::Value;

use super::application::Application;
use super::choices::Preamble;
use super::errors::AirErrors;
use super::limit::QueueLimit;
use super::names::{quoted_list, unknown_name};
use super::quantity::{BitRate, Seconds};
use super::topology::Topology;
use super::transport::Transport;
use super::types::{Cell, Direction, Flow, PhyKind, Scenario, Station, Wired};

/// A field and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(super) field: String,
    pub(super) message: String,
}

type Checked = Result<(), Problem>;

/// A problem with `field`: what it got, and what would be accepted.
pub(super) fn fail(field: &str, got: &str, accepted: &str) -> Problem {
    Problem { field: field.to_owned(), message: format!("{got}; accepted: {accepted}") }
}

/// What `station` takes.
pub(super) const STATIONS: &str = "a list of at least one [[station]] table";
/// What a station's `flows` takes.
pub(super) const FLOWS: &str = "a list of at least one flow such as { direction = \"up\" }";

/// More flows than any run finishes.
const MAX_FLOWS: u64 = 100_000;
/// More numbers in a trace than anybody plots; they are kept in memory.
const MAX_SAMPLES: u64 = 10_000_000;
/// Numbers in each sample: two of every flow, and four of the cell.
const SAMPLES_PER_FLOW: u64 = 2;
const SAMPLES_PER_CELL: u64 = 4;
/// The largest IP packet, and the largest frame here.
const MAX_PACKET: u64 = 65_535;
/// More entries of the routing tables than memory should hold.
const MAX_PLACES: u64 = 10_000_000;
const SLOWEST: BitRate = BitRate::from_bps(1_000_000);

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
    for key in ["cell", "wired", "trace"] {
        no_list(key, &document[key])?;
    }
    for (index, station) in entries(&document["station"]) {
        let field = format!("station.{index}");
        no_list(&field, station)?;
        no_list(&format!("{field}.error"), &station["error"])?;
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
    check_cell(&scenario.cell)?;
    if scenario.station.is_empty() {
        return Err(fail("station", "got none", STATIONS));
    }
    let end = scenario.duration.duration() + scenario.warmup.duration();
    let stagger = scenario.stagger();
    check_part("cell.queue", &scenario.cell.queue.discipline)?;
    let each = |station: &Station| u64::from(station.count) * station.flows.len() as u64;
    let flows = scenario.station.iter().map(each).sum::<u64>() + scenario.wired.flow.len() as u64;
    let topology = check_wired(&scenario.wired, flows)?;
    if flows > MAX_FLOWS {
        let got = format!("got {flows} flows in all (count times flows)");
        return Err(fail("station", &got, &format!("up to {MAX_FLOWS} flows in all")));
    }
    let mut first = 0;
    for (index, station) in scenario.station.iter().enumerate() {
        let field = format!("station.{index}");
        check_station(&field, station, scenario)?;
        for (flow_index, flow) in station.flows.iter().enumerate() {
            let field = format!("{field}.flows.{flow_index}");
            check_station_flow(&field, flow, &scenario.wired, &topology)?;
            check_flow(&field, flow)?;
            // Of the flows that this entry stands for, the one that starts last.
            let last = u64::from(station.count - 1) * station.flows.len() as u64;
            let staggered = stagger * (first + last + flow_index as u64);
            check_times(&field, flow, Seconds::from(staggered), Seconds::from(end))?;
            check_size(&field, flow, station.extra_header, scenario.cell.mac_overhead)?;
            check_limits(&field, flow, station, scenario)?;
        }
        first += each(station);
    }
    for (index, flow) in scenario.wired.flow.iter().enumerate() {
        let field = format!("wired.flow.{index}");
        check_wired_flow(&field, flow, &topology)?;
        check_flow(&field, flow)?;
        check_times(&field, flow, Seconds::ZERO, Seconds::from(end))?;
        check_size(&field, flow, 0, 0)?;
        check_wired_limits(&scenario.wired, flow.segment + flow.header)?;
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

fn check_cell(cell: &Cell) -> Checked {
    phy_rate("cell.data_rate", cell.data_rate, cell.phy)?;
    phy_rate("cell.control_rate", cell.control_rate, cell.phy)?;
    check_preamble(cell)
}

fn check_preamble(cell: &Cell) -> Checked {
    let field = "cell.preamble";
    match cell.preamble {
        Some(_) if cell.phy != PhyKind::Dot11b => {
            let got = format!("got a preamble with phy \"{}\"", cell.phy);
            Err(fail(field, &got, "no preamble, or phy \"802.11b\""))
        }
        Some(Preamble::Short) => {
            for (rate, key) in
                [(cell.data_rate, "cell.data_rate"), (cell.control_rate, "cell.control_rate")]
            {
                if rate == SLOWEST {
                    return short_with_slowest(field, key);
                }
            }
            Ok(())
        }
        Some(Preamble::Duration(seconds)) => {
            const LONGEST: Seconds = Seconds::from_millis(10);
            if seconds == Seconds::ZERO || seconds > LONGEST {
                let accepted = format!("\"long\", \"short\" or a time above 0 and up to {LONGEST}");
                return Err(fail(field, &format!("got {seconds}"), &accepted));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// IEEE 802.11-2007 18.2.2.2: frames at 1 Mbit/s have the long preamble.
fn short_with_slowest(field: &str, rate_key: &str) -> Checked {
    let got = format!("got preamble \"short\" with {rate_key} {SLOWEST}");
    Err(fail(field, &got, "\"long\", or 2 Mbps and faster with \"short\""))
}

fn check_station(field: &str, station: &Station, scenario: &Scenario) -> Checked {
    if let Some(rate) = station.data_rate {
        let field = format!("{field}.data_rate");
        phy_rate(&field, rate, scenario.cell.phy)?;
        if rate == SLOWEST && scenario.cell.preamble == Some(Preamble::Short) {
            return short_with_slowest(&field, "data_rate");
        }
    }
    check_part(&format!("{field}.queue"), &station.queue.discipline)?;
    if let Some(AirErrors(errors)) = &station.error {
        check_part(&format!("{field}.error"), errors)?;
    }
    if station.flows.is_empty() {
        return Err(fail(&format!("{field}.flows"), "got none", FLOWS));
    }
    Ok(())
}

fn check_flow(field: &str, flow: &Flow) -> Checked {
    let at = |key: &str| format!("{field}.{key}");
    let (application, over_tcp) = (flow.application.name(), flow.application.is_over_tcp());
    if over_tcp != flow.transport.is_tcp() {
        let got = format!("got \"{application}\" over {}", flow.transport);
        return Err(fail(&at("application"), &got, &Application::transports()));
    }
    match (over_tcp, flow.rate) {
        (false, None) => {
            let needs = format!("which a \"{application}\" application needs");
            let accepted = format!("a rate such as \"1 Mbps\", {needs}");
            return Err(fail(&at("rate"), "missing", &accepted));
        }
        (false, Some(BitRate::UNLIMITED)) => {
            return Err(fail(&at("rate"), "got \"unlimited\"", "a rate such as \"1 Mbps\""));
        }
        (true, Some(rate)) => {
            let accepted = format!("no rate with application \"{application}\", or one over udp");
            return Err(fail(&at("rate"), &format!("got {rate}"), &accepted));
        }
        _ => {}
    }
    check_part(&at("application"), &flow.application.0)?;
    match application {
        "on-off" => check_on_off(&at("application.on"), flow)?,
        "file" => check_file_size(&at("application.size"), flow)?,
        "web" => {
            check_file_size(&at("application.size"), flow)?;
            let request = flow.application.0.whole("request");
            if request > u64::from(flow.segment) {
                let accepted = format!("a whole number from 0 to the segment, {}", flow.segment);
                return Err(fail(&at("application.request"), &format!("got {request}"), &accepted));
            }
        }
        _ => {}
    }
    if !flow.transport.is_tcp() {
        if flow.spm_marking == Some(true) {
            let accepted = "false with transport \"udp\" (marking follows TCP's cwnd)";
            return Err(fail(&at("spm_marking"), "got true", accepted));
        }
        if flow.ecn {
            let accepted = "false with transport \"udp\" (which does not react to marks)";
            return Err(fail(&at("ecn"), "got true", accepted));
        }
        return Ok(());
    }
    if flow.header < 40 {
        let accepted = "a whole number from 40 to 120 for TCP over IP";
        return Err(fail(&at("header"), &format!("got {}", flow.header), accepted));
    }
    for (key, value) in [("rack", flow.rack), ("prr", flow.prr)] {
        if value && !flow.sack {
            return Err(fail(&at(key), "got true", "false without sack = true"));
        }
    }
    if flow.initial_window > flow.window {
        let got = format!("got {}", flow.initial_window);
        let accepted = format!("a whole number from 1 to the window, {}", flow.window);
        return Err(fail(&at("initial_window"), &got, &accepted));
    }
    if let Transport::Tcp(control) = &flow.transport {
        check_part(&at("transport"), control)?;
    }
    above_zero(&at("delayed_ack_timeout"), flow.delayed_ack_timeout)?;
    for (key, rto) in [("min_rto", flow.min_rto), ("initial_rto", flow.initial_rto)] {
        if rto == Seconds::ZERO || rto.duration() > MAX_RTO {
            let accepted = format!("a time above 0 and up to {}", Seconds::from(MAX_RTO));
            return Err(fail(&at(key), &format!("got {rto}"), &accepted));
        }
    }
    Ok(())
}

/// Shorter on periods would take no end of them for a datagram.
fn check_on_off(field: &str, flow: &Flow) -> Checked {
    let interval = flow.datagram_interval().as_secs_f64();
    let mean = flow.application.0.distribution("on").mean();
    if mean < interval {
        let accepted = format!("at least {interval} s on average, a datagram at the flow's rate");
        return Err(fail(field, &format!("got {mean} s"), &accepted));
    }
    Ok(())
}

/// A file has a byte at least.
fn check_file_size(field: &str, flow: &Flow) -> Checked {
    let size = flow.application.0.distribution("size").mean();
    if size < 1.0 {
        let accepted = "at least 1 B on average, such as \"30 KB\"";
        return Err(fail(field, &format!("got {size} B"), accepted));
    }
    Ok(())
}

fn check_times(field: &str, flow: &Flow, staggered: Seconds, end: Seconds) -> Checked {
    let start = flow.start.unwrap_or(staggered);
    let got = match flow.start {
        Some(_) => format!("got {start}"),
        None => format!("got none, so that the last of these flows would start at {start}"),
    };
    if start >= end {
        let accepted = format!("a time before the end of the run, {end}");
        return Err(fail(&format!("{field}.start"), &got, &accepted));
    }
    match flow.stop {
        Some(stop) if stop <= start => {
            let accepted = format!("a time after the flow's start, {start}");
            Err(fail(&format!("{field}.stop"), &format!("got {stop}"), &accepted))
        }
        _ => Ok(()),
    }
}

/// A limit in bytes must let the largest packet in.
fn check_limits(field: &str, flow: &Flow, station: &Station, scenario: &Scenario) -> Checked {
    let asked =
        if flow.application.name() == "web" { flow.application.0.whole("request") } else { 0 };
    let (data, ack) = (u64::from(flow.segment + flow.header), u64::from(flow.header) + asked);
    let (down, up) =
        if flow.direction == Some(Direction::Down) { (data, ack) } else { (ack, data) };
    let up = up + u64::from(station.extra_header);
    let group = field.rsplit_once(".flows").map_or(field, |(group, _)| group);
    for (field, queue, largest) in [
        ("cell.queue.limit".to_owned(), &scenario.cell.queue, down),
        (format!("{group}.queue.limit"), &station.queue, up),
    ] {
        check_limit(&field, queue.limit, largest)?;
    }
    check_wired_limits(&scenario.wired, down.max(up) as u32)
}

fn check_wired_limits(wired: &Wired, largest: u32) -> Checked {
    wired.links().iter().enumerate().try_for_each(|(index, link)| {
        let field = format!("{}.queue.limit", link_field(wired, index));
        check_limit(&field, link.queue.limit, u64::from(largest))
    })
}

fn check_limit(field: &str, limit: QueueLimit, largest: u64) -> Checked {
    match limit {
        QueueLimit::Bytes(limit) if limit < largest => {
            let accepted = format!("at least {largest} B, the largest packet, or packets");
            Err(fail(field, &format!("got {limit} B"), &accepted))
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
        check_part(&format!("{field}.queue"), &link.queue.discipline)?;
        if let Some(AirErrors(errors)) = &link.error {
            check_part(&format!("{field}.error"), errors)?;
            if errors.named("level") == "mac" {
                let accepted = "\"ip\": a wired link has no MAC that repeats";
                return Err(fail(&format!("{field}.error.level"), "got \"mac\"", accepted));
            }
        }
    }
    Topology::new(wired)
}

/// The ends of a flow between a station and a host.
fn check_station_flow(field: &str, flow: &Flow, wired: &Wired, topology: &Topology) -> Checked {
    let at = |key: &str| format!("{field}.{key}");
    if flow.direction.is_none() {
        return Err(fail(&at("direction"), "missing", &quoted_list(Direction::NAMES)));
    }
    for (key, given) in [("from", &flow.from), ("to", &flow.to)] {
        if given.is_some() {
            let accepted = "a direction, and a host if it is not the server";
            return Err(fail(&at(key), "got it with a station's flow", accepted));
        }
    }
    match &flow.host {
        Some(_) if wired.link.is_empty() => {
            let accepted = "no host without [[wired.link]] tables";
            Err(fail(&at("host"), "got a host where there is one link", accepted))
        }
        Some(host) => check_host(&at("host"), host, topology),
        None => Ok(()),
    }
}

/// The ends of a flow between two hosts.
fn check_wired_flow(field: &str, flow: &Flow, topology: &Topology) -> Checked {
    let at = |key: &str| format!("{field}.{key}");
    for (key, given) in [("direction", flow.direction.is_some()), ("host", flow.host.is_some())] {
        if given {
            let accepted = "from and to, the names of two hosts";
            return Err(fail(&at(key), "got it with a flow between hosts", accepted));
        }
    }
    for (key, host) in [("from", &flow.from), ("to", &flow.to)] {
        match host {
            Some(host) => check_host(&at(key), host, topology)?,
            None => {
                return Err(fail(&at(key), "missing", &quoted_list(&topology.hosts())));
            }
        }
    }
    if flow.from == flow.to {
        return Err(fail(&at("to"), "got the host that the data come from", "another host"));
    }
    Ok(())
}

fn check_host(field: &str, host: &str, topology: &Topology) -> Checked {
    let hosts = topology.hosts();
    if hosts.contains(&host) {
        return Ok(());
    }
    Err(Problem { field: field.to_owned(), message: unknown_name(host, &hosts, &[]) })
}

/// What a part asks of its parameters together.
fn check_part(field: &str, choice: &Choice) -> Checked {
    match choice.objection() {
        Some(objection) => {
            let field = format!("{field}.{}", objection.parameter);
            Err(fail(&field, &objection.got, &objection.accepted))
        }
        None => Ok(()),
    }
}

fn check_size(field: &str, flow: &Flow, extra_header: u32, mac_overhead: u32) -> Checked {
    let size = [flow.segment, flow.header, extra_header, mac_overhead]
        .iter()
        .map(|&part| u64::from(part))
        .sum::<u64>();
    if size > MAX_PACKET {
        let got = format!(
            "got {}, with header {}, extra_header {extra_header} and mac_overhead {mac_overhead} a frame of {size} bytes",
            flow.segment, flow.header
        );
        let accepted = format!("up to {MAX_PACKET} bytes together");
        return Err(fail(&format!("{field}.segment"), &got, &accepted));
    }
    Ok(())
}

fn phy_rate(field: &str, rate: BitRate, phy: PhyKind) -> Checked {
    if phy.rates().any(|r| r == rate) {
        return Ok(());
    }
    let rates: Vec<String> = phy.rates().map(|rate| format!("\"{rate}\"")).collect();
    let accepted = format!("a rate of {phy}: {}", rates.join(", "));
    Err(fail(field, &format!("got {rate}"), &accepted))
}

fn above_zero(field: &str, time: Seconds) -> Checked {
    if time == Seconds::ZERO {
        return Err(fail(field, "got 0 s", "a time above 0, such as \"1 s\""));
    }
    Ok(())
}
