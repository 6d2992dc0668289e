//! Checks of a flow.

use evenair_core::component::message::{quoted_list, unknown_name};
use evenair_core::component::{BitRate, Registry, Seconds};
use evenair_core::congestion::EcnFeedback;
use evenair_core::medium::PhyFormat;
use evenair_core::medium::wimax::pdu_overhead;
use evenair_core::medium::wlan::phy::PhyKind;
use evenair_core::queue;
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::{
    Adaptation, Application, Distribution, OnOffConfig, PacketTraceConfig, Pattern, SentAs, Stream,
    TraceDirection, TracePacket, VideoCallConfig,
};
use evenair_core::transport::Timestamps;

use super::checks::check_component;
use crate::scenario::problem::{Checked, Problem, fail};
use crate::scenario::tables::cell::Cell;
use crate::scenario::tables::flow::{Flow, TCP_HEADER};
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wired::Wired;
use crate::scenario::topology::{Topology, link_of};
use crate::scenario::values::names::Direction;
use crate::scenario::values::node_names::{ACCESS_POINT, SERVER};

/// The shortest mean time between arrivals, seconds: more of them would only take memory.
const MIN_GAP: f64 = 1e-6;

/// The largest IP packet, and the largest frame of a WLAN here.
const MAX_PACKET: u64 = 65_535;

/// iputils' ping takes 2 ms from users.
const LEAST_PING_INTERVAL: Duration = Duration::from_millis(1);

pub(super) fn check_flow(field: &str, flow: &Flow) -> Checked {
    let at = |key: &str| format!("{field}.{key}");
    let application = flow.application.name();
    if !flow.transport.carries(&flow.application) {
        let got = format!("got \"{application}\" over {}", flow.transport);
        return Err(fail(&at("application"), &got, &transports()));
    }
    match (flow.application.has_rate(), flow.rate) {
        (true, None) => {
            let needs = format!("which a \"{application}\" application needs");
            let accepted = format!("a rate such as \"1 Mbps\", {needs}");
            return Err(fail(&at("rate"), "missing", &accepted));
        }
        (true, Some(BitRate::UNLIMITED)) => {
            return Err(fail(&at("rate"), "got \"unlimited\"", "a rate such as \"1 Mbps\""));
        }
        (false, Some(rate)) => {
            let or = if flow.transport.is_tcp() { ", or one over udp" } else { "" };
            let accepted = format!("no rate with application \"{application}\"{or}");
            return Err(fail(&at("rate"), &format!("got {rate}"), &accepted));
        }
        _ => {}
    }
    check_component(&at("application"), &flow.application)?;
    match &flow.application {
        Application::Datagrams(Pattern::OnOff(config)) => {
            check_on_off(&at("application.on"), config, flow)?;
        }
        Application::Datagrams(Pattern::Voip(config)) if flow.segment != config.codec.payload() => {
            let (codec, payload) = (config.codec, config.codec.payload());
            let accepted = format!("{payload}, 20 ms of codec \"{codec}\"");
            return Err(fail(&at("segment"), &format!("got {}", flow.segment), &accepted));
        }
        Application::Stream(Stream::File(file)) => {
            check_file_size(&at("application.size"), &file.size)?;
        }
        Application::Stream(Stream::Web(web)) => {
            check_file_size(&at("application.size"), &web.size)?;
            check_request(&at("application.request"), (web.request, 0), flow)?;
        }
        Application::Stream(Stream::Page(page)) => {
            check_file_size(&at("application.size"), &page.settings.page.size)?;
            check_request(&at("application.request"), (page.request, 1), flow)?;
        }
        Application::Stream(Stream::Arrivals(arrivals)) => {
            check_file_size(&at("application.size"), &arrivals.size)?;
            check_request(&at("application.request"), (arrivals.open_loop.request, 0), flow)?;
            if arrivals.gap.mean() < MIN_GAP {
                let got = format!("got {} s", arrivals.gap.mean());
                let accepted = format!("at least {MIN_GAP} s on average");
                return Err(fail(&at("application.gap"), &got, &accepted));
            }
        }
        Application::Stream(Stream::Video(video)) => {
            check_request(&at("application.request"), (video.request, 1), flow)?;
            let highest = video.reservoir + video.cushion;
            if highest > video.buffer {
                let got = format!("got {}", Seconds::from(video.cushion));
                let accepted = "up to the buffer less the reservoir";
                return Err(fail(&at("application.cushion"), &got, accepted));
            }
        }
        Application::Datagrams(Pattern::VideoCall(config)) => {
            check_video(&at("application"), config, flow)?;
        }
        Application::Stream(Stream::Trace(trace)) => {
            check_request(&at("application.request"), (trace.open_loop.request, 0), flow)?;
            check_trace(&at("application"), trace, flow, (1, u32::MAX))?;
        }
        Application::Datagrams(Pattern::Trace(trace)) => {
            let sizes = (flow.header + 1, flow.header + flow.segment);
            check_trace(&at("application"), trace, flow, sizes)?;
        }
        Application::Datagrams(Pattern::Ping(ping)) if ping.interval < LEAST_PING_INTERVAL => {
            let got = format!("got {} s", ping.interval.as_secs_f64());
            let accepted = "from 1 ms to 3600 s";
            return Err(fail(&at("application.interval"), &got, accepted));
        }
        Application::Datagrams(
            Pattern::Cbr(_) | Pattern::Poisson(_) | Pattern::Voip(_) | Pattern::Ping(_),
        )
        | Application::Stream(Stream::Bulk(_)) => {}
    }
    let transport = &flow.transport;
    if !transport.is_tcp() {
        if flow.tcp.spm_marking() {
            let accepted =
                format!("false with transport \"{transport}\" (marking follows TCP's cwnd)");
            return Err(fail(&at("spm_marking"), "got true", &accepted));
        }
        if let Some(ecn) = flow.tcp.ecn {
            let got = match ecn {
                EcnFeedback::AccEcn => "got \"accecn\"",
                _ => "got true",
            };
            let accepted =
                format!("false with transport \"{transport}\" (which does not react to marks)");
            return Err(fail(&at("ecn"), got, &accepted));
        }
        if flow.tcp.timestamps() {
            let accepted =
                format!("false with transport \"{transport}\" (they are an option of TCP)");
            return Err(fail(&at("timestamps"), "got true", &accepted));
        }
        if let Some(shift) = flow.tcp.tsq {
            let accepted = format!("none with transport \"{transport}\" (these are TCP's queues)");
            return Err(fail(&at("tsq"), &format!("got {shift}"), &accepted));
        }
        return check_component(&at("transport"), transport);
    }
    let (least, of) = if flow.tcp.timestamps() {
        (TCP_HEADER + Timestamps::BYTES, "TCP with timestamps")
    } else {
        (TCP_HEADER, "TCP")
    };
    if flow.header < least {
        let accepted = format!("a whole number from {least} to 120 for {of} over IP");
        return Err(fail(&at("header"), &format!("got {}", flow.header), &accepted));
    }
    let tcp = &flow.tcp;
    for (key, value) in [("rack", tcp.rack), ("prr", tcp.prr)] {
        if value && !tcp.sack {
            return Err(fail(&at(key), "got true", "false without sack = true"));
        }
    }
    if tcp.ecn() == EcnFeedback::None && transport.default_ecn() != EcnFeedback::None {
        let accepted = format!("\"accecn\" or true with transport \"{transport}\" (which is L4S)");
        return Err(fail(&at("ecn"), "got false", &accepted));
    }
    if tcp.tso && !tcp.pacing {
        return Err(fail(&at("tso"), "got true", "false without pacing = true"));
    }
    if tcp.initial_window > tcp.window {
        let got = format!("got {}", tcp.initial_window);
        let accepted = format!("a whole number from 1 to the window, {}", tcp.window);
        return Err(fail(&at("initial_window"), &got, &accepted));
    }
    check_component(&at("transport"), transport)
}

/// The transports of the applications, for errors.
fn transports() -> String {
    let (streams, datagrams) = (Stream::names(), Pattern::names());
    let (streams, datagrams) = (quoted_list(&streams), quoted_list(&datagrams));
    format!(
        "{streams} over TCP (a trace with sent_as = \"{}\"), \"bulk\" over tfrc, {datagrams} over udp",
        SentAs::Transfers
    )
}

/// With shorter on periods, one datagram would take an unbounded number of them.
fn check_on_off(field: &str, config: &OnOffConfig, flow: &Flow) -> Checked {
    let interval = flow.offer(TraceDirection::Up).interval().as_secs_f64();
    let mean = config.on.mean();
    if mean < interval {
        let accepted = format!("at least {interval} s on average, a datagram at the flow's rate");
        return Err(fail(field, &format!("got {mean} s"), &accepted));
    }
    Ok(())
}

/// The largest key frame, bytes on average.
const MAX_KEY_FRAME: f64 = 100e6;

/// Frames have a size, and one that can be sent.
fn check_video(field: &str, config: &VideoCallConfig, flow: &Flow) -> Checked {
    let mean = config.variation.mean();
    if mean <= 0.0 {
        let field = format!("{field}.variation");
        return Err(fail(&field, &format!("got {mean}"), "a number above 0 on average"));
    }
    let mut offer = flow.offer(TraceDirection::Up);
    if config.adaptation != Adaptation::None {
        offer.rate = Some(config.max_rate.rate());
    }
    let bytes = config.frames(&offer, Instant::ZERO, 0, 0).mean_key_frame();
    if !(1.0..=MAX_KEY_FRAME).contains(&bytes) {
        let got = format!("got key frames of {} B on average", bytes.round());
        let accepted = "1 B to 100 MB, by rate, frame_rate, key_interval and key_size";
        return Err(fail(&format!("{field}.key_size"), &got, accepted));
    }
    let (least, most) = (config.min_rate, config.max_rate);
    let rate = flow.rate.unwrap_or(least);
    if config.adaptation != Adaptation::None && !(least..=most).contains(&rate) {
        let accepted = format!("from min_rate to max_rate, {least} to {most}");
        let field = field.replace(".application", ".rate");
        return Err(fail(&field, &format!("got {rate}"), &accepted));
    }
    Ok(())
}

/// A request, of at least so many bytes, is one segment.
fn check_request(field: &str, (request, least): (u64, u64), flow: &Flow) -> Checked {
    if request > u64::from(flow.segment) {
        let accepted = format!("a whole number from {least} to the segment, {}", flow.segment);
        return Err(fail(field, &format!("got {request}"), &accepted));
    }
    Ok(())
}

/// A trace that begins anew more often would be all that a run computes.
const LEAST_REPEAT: Duration = Duration::from_micros(1);

/// Each packet has one of these sizes, some go in its direction, and a round ends before the next begins.
fn check_trace(
    field: &str,
    trace: &PacketTraceConfig,
    flow: &Flow,
    (least, most): (u32, u32),
) -> Checked {
    let packets = trace.packets.as_deref().unwrap_or_default();
    let fits = |packet: &TracePacket| (least..=most).contains(&packet.bytes);
    if let Some((place, packet)) = packets.iter().enumerate().find(|(_, packet)| !fits(packet)) {
        let got = format!("packet {}: got {} B", place + 1, packet.bytes);
        let accepted = format!("from {least} to {most} B, by the flow's header and segment");
        return Err(fail(&format!("{field}.packets"), &got, &accepted));
    }
    // Between hosts those that go up are replayed.
    let directions = flow.direction.map_or(&[Direction::Up][..], |_| flow.directions());
    for &direction in directions {
        let goes =
            |packet: &TracePacket| packet.direction.is_none_or(|to| to.name() == direction.name());
        if !packets.iter().any(goes) {
            let got = format!("got no packet that goes {direction}");
            let accepted = "at least one in each direction of the flow";
            return Err(fail(&format!("{field}.packets"), &got, accepted));
        }
    }
    match (trace.repeat, trace.length()) {
        (Some(repeat), Some(length)) if repeat < length.max(LEAST_REPEAT) => {
            let got = format!("got {}", Seconds::from(repeat));
            let [least, length] = [LEAST_REPEAT, length].map(Seconds::from);
            let accepted = format!("at least {least} and the length of the trace, {length}");
            Err(fail(&format!("{field}.repeat"), &got, &accepted))
        }
        _ => Ok(()),
    }
}

/// A file has at least one byte.
fn check_file_size(field: &str, size: &Distribution) -> Checked {
    let size = size.mean();
    if size < 1.0 {
        let accepted = "at least 1 B on average, such as \"30 KB\"";
        return Err(fail(field, &format!("got {size} B"), accepted));
    }
    Ok(())
}

pub(super) fn check_times(field: &str, flow: &Flow, staggered: Seconds, end: Seconds) -> Checked {
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

/// The ends of a flow between a station and a host.
pub(super) fn check_station_flow(
    field: &str,
    flow: &Flow,
    wired: &Wired,
    topology: &Topology,
) -> Checked {
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
pub(super) fn check_wired_flow(field: &str, flow: &Flow, topology: &Topology) -> Checked {
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

/// Refuses a flow with feedback between hosts whose packets and ACKs take no time at all: time would stand
/// still.
pub(super) fn check_path(field: &str, flow: &Flow, wired: &Wired, topology: &Topology) -> Checked {
    let host = |name: &Option<String>| name.as_deref().and_then(|name| topology.node(name));
    let (Some(from), Some(to)) = (host(&flow.from), host(&flow.to)) else { return Ok(()) };
    let links = wired.links();
    let bits = |bytes: u32| 8 * u64::from(bytes);
    let takes_time = |path: Vec<usize>, bits: u64| {
        path.into_iter().map(|directed| &links[link_of(directed)]).any(|link| {
            let time = link.rate.rate().time_for_bits(bits) + link.delay.duration();
            time > Duration::ZERO
        })
    };
    if !flow.transport.has_feedback()
        || takes_time(topology.path(from, to), bits(flow.segment + flow.header))
        || takes_time(topology.path(to, from), bits(flow.header))
    {
        return Ok(());
    }
    let accepted = "a path on which a packet takes at least 1 ns: a link with a rate or a delay";
    Err(fail(field, "got a path on which packets take no time", accepted))
}

/// What a sender at a host has not sent is known while it enters the link, which has a droptail queue for that.
pub(super) fn check_small_queue(
    field: &str,
    flow: &Flow,
    wired: &Wired,
    topology: &Topology,
) -> Checked {
    let Some(shift) = flow.tcp.tsq else { return Ok(()) };
    let host = |name: &Option<String>| topology.node(name.as_deref().unwrap_or(SERVER));
    let ends = match flow.direction {
        Some(Direction::Up) => return Ok(()),
        Some(_) => (host(&flow.host), topology.node(ACCESS_POINT)),
        None => (host(&flow.from), host(&flow.to)),
    };
    let (Some(from), Some(to)) = ends else { return Ok(()) };
    let links = wired.links();
    let first = topology.path(from, to).first().map(|&directed| &links[link_of(directed)].queue);
    match first.map(|queue| &queue.discipline) {
        Some(discipline) if !matches!(discipline, queue::Config::DropTail(_)) => {
            let name = discipline.name();
            let got = format!("got {shift} where the first link has a {name:?} queue");
            let accepted = "none, or a \"droptail\" queue at the link of the sender's host";
            Err(fail(&format!("{field}.tsq"), &got, accepted))
        }
        _ => Ok(()),
    }
}

fn check_host(field: &str, host: &str, topology: &Topology) -> Checked {
    let hosts = topology.hosts();
    if hosts.contains(&host) {
        return Ok(());
    }
    Err(Problem { field: field.to_owned(), message: unknown_name(host, &hosts, &[]) })
}

/// The largest PDU of 802.16: LEN has 11 bits (IEEE 802.16-2004 6.3.2.1.1).
const MAX_PDU: u64 = 2047;

/// Checks that the packets of a station's flow fit into a frame or PDU of the cell.
pub(super) fn check_size(field: &str, flow: &Flow, station: &Station, cell: &Cell) -> Checked {
    let extra_header = station.extra_header;
    let packet = u64::from(flow.segment) + u64::from(flow.header) + u64::from(extra_header);
    let (size, most, rest) = match cell {
        Cell::Wlan(cell) => {
            let overhead = cell.mac_overhead;
            let rest = format!("and mac_overhead {overhead} a frame");
            (packet + u64::from(overhead), max_mpdu(cell.phy_of(station)), rest)
        }
        Cell::Wimax(cell) => {
            let overhead = pdu_overhead(cell.crc);
            let rest = format!("and the PDU's {overhead} bytes a PDU");
            (packet + u64::from(overhead), MAX_PDU, rest)
        }
    };
    if size <= most {
        return Ok(());
    }
    let got = format!(
        "got {}, with header {}, extra_header {extra_header} {rest} of {size} bytes",
        flow.segment, flow.header
    );
    Err(fail(&format!("{field}.segment"), &got, &format!("up to {most} bytes together")))
}

/// The largest MPDU: of HT in an A-MPDU (IEEE 802.11-2020 10.12.2), of VHT and HE the largest that a station may
/// announce (9.4.2.157.2); of others the largest frame of a WLAN here.
fn max_mpdu(phy: PhyKind) -> u64 {
    match phy.high_throughput() {
        None => MAX_PACKET,
        Some(PhyFormat::Vht | PhyFormat::He) => 11_454,
        Some(_) => 4095,
    }
}

/// Checks that a flow has an access category only where there is EDCA; `place`: cell and station, none between hosts.
pub(super) fn check_access_category(
    field: &str,
    flow: &Flow,
    place: Option<(&Cell, &Station)>,
) -> Checked {
    let Some(category) = flow.access_category else { return Ok(()) };
    let without = match place {
        Some((Cell::Wlan(cell), station)) => match cell.phy_of(station) {
            phy if phy.high_throughput().is_some() => return Ok(()),
            phy => format!("phy \"{phy}\""),
        },
        Some((Cell::Wimax(_), _)) => "kind \"wimax\"".to_owned(),
        None => "a flow between hosts".to_owned(),
    };
    let got = format!("got \"{category}\" with {without}");
    let accepted = "none, or phy \"802.11n\", \"802.11ac\" or \"802.11ax\"";
    Err(fail(&format!("{field}.access_category"), &got, accepted))
}

/// Checks that the packets of a flow between hosts are packets of IP.
pub(super) fn check_wired_size(field: &str, flow: &Flow) -> Checked {
    let size = u64::from(flow.segment) + u64::from(flow.header);
    if size <= MAX_PACKET {
        return Ok(());
    }
    let got = format!("got {}, with header {} a packet of {size} bytes", flow.segment, flow.header);
    Err(fail(&format!("{field}.segment"), &got, &format!("up to {MAX_PACKET} bytes together")))
}
