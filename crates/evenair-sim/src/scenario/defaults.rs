//! Defaults that depend on other values; the others are stated at their fields.

use evenair_core::component::{Configuration as _, Parameters as _, put_kind_first};
use evenair_core::congestion::EcnFeedback;
use evenair_core::control::NoneConfig;
use evenair_core::medium::scheduler::{AirtimeDrrConfig, AirtimeForm};
use evenair_core::medium::wlan::phy::PhyKind;
use evenair_core::medium::wlan::{Protection, rate_control};
use evenair_core::queue::{self, FqCodelConfig};
use evenair_core::tcp::TcpPreset;
use evenair_core::traffic::VideoCallConfig;
use evenair_core::traffic::voip::{Codec, VoipConfig};
use evenair_core::transport::{Config as Transport, Timestamps};
use serde_json::{Map, Value, json};

use crate::scenario::tables::cell::Cell;
use crate::scenario::tables::flow::DEFAULT_SEGMENT;
use crate::scenario::tables::scenario::Scenario;
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wired::WiredLink;
use crate::scenario::tables::wlan_cell::{DEFAULT_GUARD_INTERVAL, WlanCell};
use crate::scenario::values::choices::Preamble;
use crate::scenario::values::names::{AccessPoint, CellKind, Direction, Stack};
use crate::scenario::values::node_names::SERVER;
use crate::scenario::values::queue::{PER_STATION_LIMIT, WIMAX_LIMIT};

/// Time between beacons where a controller needs them (Kashibuchi et al. 2009, section IV).
const CONTROLLER_BEACON_INTERVAL: &str = "100 ms";

/// Bytes that MAC header with QoS Control, FCS and LLC/SNAP add to an IP packet (802.11-2020 9.2.4.5, 9.3.2.1).
const QOS_MAC_OVERHEAD: u32 = 26 + 4 + 8;

/// Fills in what must be known before the document is read into types.
///
/// Values of a wrong type are left as they are: reading them into types gives the better error.
pub(super) fn fill_document(document: &mut Value) {
    let is_dot11b = |station: &Map<String, Value>| {
        station.get("phy").and_then(Value::as_str) == Some(PhyKind::Dot11b.name())
    };
    let has_dot11b = tables(document.get_mut("station")).any(|station| is_dot11b(station));
    let mut cell = document.get_mut("cell").and_then(Value::as_object_mut);
    let kind = match cell.as_deref().and_then(|cell| cell.get("kind")) {
        Some(name) => name.as_str().and_then(CellKind::from_name),
        None => Some(CellKind::default()),
    };
    if let Some(cell) = &mut cell {
        default_to(cell, "kind", CellKind::default().name());
        put_kind_first(cell);
        if kind == Some(CellKind::Wlan) {
            fill_wlan(cell, has_dot11b);
        }
        put_kind_of(cell, "queue");
        put_kind_of(cell, "scheduler");
        put_kind_of(cell, "controller");
        put_kind_of(cell, "aggregation");
    }
    if let Some(gateway) = document.get_mut("gateway").and_then(Value::as_object_mut) {
        put_kind_of(gateway, "limiter");
    }
    if let Some(wired) = document.get_mut("wired").and_then(Value::as_object_mut) {
        put_kind_of(wired, "queue");
        for link in tables(wired.get_mut("link")) {
            put_kind_of(link, "queue");
            put_kind_of(link, "error");
        }
        tables(wired.get_mut("flow")).for_each(fill_flow);
    }
    for station in tables(document.get_mut("station")) {
        if kind == Some(CellKind::Wimax) {
            fill_limit(station, "queue", WIMAX_LIMIT);
        }
        if station.get("stack").and_then(Value::as_str) == Some(Stack::Linux.name()) {
            fill_stack(station);
        }
        put_kind_of(station, "queue");
        for key in ["error", "rate_control", "channel", "aggregation"] {
            put_kind_of(station, key);
        }
        for flow in tables(station.get_mut("flows")) {
            let calls = [VoipConfig::COMPONENT.name, VideoCallConfig::COMPONENT.name];
            if application(flow).is_some_and(|name| calls.contains(&name)) {
                default_to(flow, "direction", Direction::Both.name());
            }
            fill_flow(flow);
        }
    }
}

/// The rates follow the PHY, the queue the scheduler, and a controller needs beacons. Basic rates are
/// rates of all stations.
fn fill_wlan(cell: &mut Map<String, Value>, has_dot11b: bool) {
    let phy = match cell.get("phy") {
        Some(name) => name.as_str().and_then(PhyKind::from_name),
        None => Some(PhyKind::default()),
    };
    if let Some(phy) = phy {
        if phy.high_throughput().is_some() {
            default_to(cell, "data_rate", Value::Null);
            default_to(cell, "mac_overhead", QOS_MAC_OVERHEAD);
        } else {
            default_to(cell, "data_rate", phy.default_data_rate().as_bps());
        }
        let of = if has_dot11b { PhyKind::Dot11b } else { phy };
        let basic: Vec<u64> = of.default_basic_rates().iter().map(|r| r.as_bps()).collect();
        default_to(cell, "basic_rates", basic);
    }
    let controller = cell.get("controller").map(|table| table.get("kind").unwrap_or(table));
    if controller.and_then(Value::as_str).is_some_and(|name| name != NoneConfig::COMPONENT.name) {
        default_to(cell, "beacon_interval", CONTROLLER_BEACON_INTERVAL);
    }
    if cell.get("access_point").and_then(Value::as_str) == Some(AccessPoint::Linux.name()) {
        fill_linux(cell);
    }
    let scheduler =
        cell.get("scheduler").map(|scheduler| scheduler.get("kind").unwrap_or(scheduler));
    if scheduler.and_then(Value::as_str) == Some(AirtimeDrrConfig::COMPONENT.name) {
        fill_limit(cell, "queue", PER_STATION_LIMIT);
        if let Some(queue) = cell.get_mut("queue").and_then(Value::as_object_mut) {
            default_to(queue, "kind", FqCodelConfig::COMPONENT.name);
        }
    }
}

/// What mac80211 and its drivers have where the cell says nothing else (Linux 6.16): airtime fairness with limits of what is
/// in the hardware, two PPDUs there, and FQ-CoDel.
fn fill_linux(cell: &mut Map<String, Value>) {
    default_to(cell, "hardware_depth", HARDWARE_DEPTH);
    let airtime_drr = AirtimeDrrConfig::COMPONENT.name;
    let scheduler = table_of(cell, "scheduler", airtime_drr);
    if let Some(scheduler) = scheduler
        && scheduler.get("kind").and_then(Value::as_str) == Some(airtime_drr)
    {
        default_to(scheduler, "form", AirtimeForm::Mac80211.name());
    }
    fill_mac80211_queue(cell);
}

/// What a station with Linux's network stack has where it says nothing else.
fn fill_stack(station: &mut Map<String, Value>) {
    fill_mac80211_queue(station);
    for flow in tables(station.get_mut("flows")) {
        let is_up = flow.get("direction").and_then(Value::as_str) == Some(Direction::Up.name());
        if is_up && transport(flow).is_some_and(|transport| transport.is_tcp()) {
            default_to(flow, "tsq", WIFI_PACING_SHIFT);
        }
    }
}

/// The queues of mac80211 as `table.queue`.
fn fill_mac80211_queue(table: &mut Map<String, Value>) {
    let fq_codel = FqCodelConfig::COMPONENT.name;
    if let Some(queue) = table_of(table, "queue", fq_codel)
        && queue.get("kind").and_then(Value::as_str) == Some(fq_codel)
    {
        default_to(queue, "limit", PER_STATION_LIMIT);
        // `fq_flows_cnt` and `fq_init`: 4096 queues with turns of 300 bytes (`net/mac80211/tx.c`, `include/net/fq_impl.h`).
        default_to(queue, "flows", 4096);
        default_to(queue, "quantum", 300);
        // `fq_flow_drop`.
        default_to(queue, "drop_batch", 32);
        // `sta_info_alloc` (`sta_info.c`): 20 and 100 ms; CoDel's `mtu` is 0.
        default_to(queue, "target", "20 ms");
        default_to(queue, "mtu", 0);
    }
}

/// `tx_sk_pacing_shift` (`ieee80211_alloc_hw_nm`, `net/mac80211/main.c`).
const WIFI_PACING_SHIFT: u32 = 7;

/// Bytes of the buffers of an access point's packets: of one with VHT, and of an older one (`fq_init` in
/// `include/net/fq_impl.h` and `ieee80211_txq_setup_flows` in `net/mac80211/tx.c`, Linux 6.4).
const MEMORY: [u32; 2] = [16 << 20, 4 << 20];

/// ATH_AGGR_MIN_QDEPTH (`drivers/net/wireless/ath/ath9k/ath9k.h`).
const HARDWARE_DEPTH: u32 = 2;

/// The table of the component `table[key]`, of kind `kind` if none is given.
fn table_of<'a>(
    table: &'a mut Map<String, Value>,
    key: &str,
    kind: &str,
) -> Option<&'a mut Map<String, Value>> {
    let component = table.entry(key).or_insert_with(|| kind.into());
    if component.is_string() {
        *component = Map::from_iter([("kind".to_owned(), component.take())]).into();
    }
    let component = component.as_object_mut()?;
    default_to(component, "kind", kind);
    Some(component)
}

/// Gives the queue in `table[key]` this limit, if it has none.
fn fill_limit(table: &mut Map<String, Value>, key: &str, limit: u32) {
    let queue = table.entry(key).or_insert_with(|| Map::new().into());
    if queue.is_string() {
        *queue = Map::from_iter([("kind".to_owned(), queue.take())]).into();
    }
    if let Some(queue) = queue.as_object_mut() {
        default_to(queue, "limit", limit);
    }
}

fn fill_flow(flow: &mut Map<String, Value>) {
    put_kind_of(flow, "transport");
    put_kind_of(flow, "application");
    if let Some(transport) = transport(flow) {
        let defaults = transport.flow_defaults(application(flow));
        default_to(flow, "application", defaults.application);
        let timestamps = match flow.get("timestamps") {
            Some(Value::Bool(true)) if transport.is_tcp() => Timestamps::BYTES,
            _ => 0,
        };
        default_to(flow, "header", defaults.header + timestamps);
        let payload = codec(flow).map_or(defaults.payload - timestamps, Codec::payload);
        default_to(flow, "segment", payload);
    }
    fill_tcp(flow);
}

/// The transport of a flow.
fn transport(flow: &Map<String, Value>) -> Option<Transport> {
    let transport = flow.get("transport").map(|t| t.get("kind").unwrap_or(t));
    let name = transport.map_or(Some(Transport::default().name()), Value::as_str);
    name.and_then(Transport::from_name)
}

/// The name of a flow's application, if it gives one.
fn application(flow: &Map<String, Value>) -> Option<&str> {
    let application = flow.get("application")?;
    application.get("kind").unwrap_or(application).as_str()
}

/// The codec of a call.
fn codec(flow: &Map<String, Value>) -> Option<Codec> {
    let given = flow
        .get("application")
        .filter(|_| application(flow) == Some(VoipConfig::COMPONENT.name))?;
    given.get("codec").map_or(Some(Codec::default()), |name| Codec::from_name(name.as_str()?))
}

/// Writes the options of its preset into a flow.
fn fill_tcp(flow: &mut Map<String, Value>) {
    let preset = match flow.get("tcp") {
        Some(name) => name.as_str().and_then(TcpPreset::from_name),
        None => Some(TcpPreset::default()),
    };
    let segment = match flow.get("segment") {
        Some(segment) => segment.as_u64().and_then(|segment| u32::try_from(segment).ok()),
        None => Some(DEFAULT_SEGMENT),
    };
    let (Some(preset), Some(segment)) = (preset, segment) else { return };
    let mut options = preset.config(segment);
    // What an option needs that the flow does not have, the preset does not have either.
    let window = flow.get("window").and_then(Value::as_u64).unwrap_or(options.window.into());
    options.initial_window = options.initial_window.min(window.clamp(1, u32::MAX.into()) as u32);
    if flow.get("sack") == Some(&Value::Bool(false)) {
        (options.rack, options.prr) = (false, false);
    }
    for (parameter, value) in options.values() {
        default_to(flow, parameter.name, json!(value));
    }
}

/// The tables in a list.
fn tables(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let items = list.and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Fills in the optional values of a scenario that has been read.
pub(super) fn fill_scenario(scenario: &mut Scenario) {
    match &mut scenario.cell {
        Cell::Wlan(cell) => match cell.phy {
            PhyKind::Dot11a => {}
            PhyKind::Dot11n | PhyKind::Dot11ac | PhyKind::Dot11ax => fill_high_throughput(cell),
            PhyKind::Dot11b => {
                cell.preamble.get_or_insert(Preamble::Long);
            }
            PhyKind::Dot11g => {
                let protects = cell.has_dot11b(&scenario.station);
                let default = if protects { Protection::CtsToSelf } else { Protection::Off };
                cell.protection.get_or_insert(default);
            }
        },
        Cell::Wimax(cell) => {
            cell.bytes_per_symbol.get_or_insert(cell.modulation.bytes_per_symbol());
        }
    }
    if let Cell::Wlan(cell) = &mut scenario.cell
        && cell.access_point.is_some()
    {
        fill_linux_stations(cell, &mut scenario.station);
    }
    let marks_packets = matches!(scenario.cell.queue().discipline, queue::Config::SpmAf(_));
    let wired = &mut scenario.wired;
    if wired.link.is_empty() {
        let WiredLink { rate, delay, queue, .. } = wired.links()[0].clone();
        (wired.rate, wired.delay, wired.queue) = (Some(rate), Some(delay), Some(queue));
    } else {
        for flow in scenario.station.iter_mut().flat_map(|s| &mut s.flows) {
            flow.host.get_or_insert_with(|| SERVER.to_owned());
        }
    }
    let stations = scenario.station.iter_mut().flat_map(|s| &mut s.flows);
    for flow in stations.chain(&mut wired.flow) {
        let tcp = &mut flow.tcp;
        tcp.spm_marking.get_or_insert(marks_packets && flow.transport.is_tcp());
        tcp.byte_counting = Some(tcp.byte_counting());
        tcp.initial_ssthresh = Some(tcp.initial_ssthresh());
        let default = flow.transport.default_ecn();
        let ecn = tcp.ecn.unwrap_or(default);
        // That there is none is written where it is not the default, to be refused.
        tcp.ecn = Some(ecn).filter(|ecn| *ecn != default || default != EcnFeedback::None);
        tcp.receiver_ecn = tcp.receiver_ecn.filter(|_| tcp.ecn.is_some());
        tcp.timestamps = tcp.timestamps.filter(|timestamps| *timestamps);
    }
}

/// What a Linux access point has besides for its stations: a limit of memory, and Minstrel where frames are lost by their
/// rate.
fn fill_linux_stations(cell: &mut WlanCell, stations: &mut [Station]) {
    if cell.has_tins() {
        let has_vht = matches!(cell.phy, PhyKind::Dot11ac | PhyKind::Dot11ax);
        cell.fq_memory_limit.get_or_insert(MEMORY[usize::from(!has_vht)]);
    }
    for station in stations.iter_mut().filter(|station| station.channel.is_some()) {
        let has_mcs = cell.phy_of(station).high_throughput().is_some();
        station.rate_control.get_or_insert_with(|| match has_mcs {
            true => rate_control::Config::MinstrelHt(Default::default()),
            false => rate_control::Config::Minstrel(Default::default()),
        });
    }
}

/// Fills in the keys of a PHY with MCS. A mode that the PHY does not have is left for the check.
fn fill_high_throughput(cell: &mut WlanCell) {
    cell.band.get_or_insert_default();
    cell.channel_width.get_or_insert(cell.default_channel_width());
    cell.streams.get_or_insert(1);
    cell.guard_interval.get_or_insert(DEFAULT_GUARD_INTERVAL.into());
    cell.coding.get_or_insert_default();
    cell.protection.get_or_insert_default();
    if let Ok(mode) = cell.mode(None) {
        cell.mcs = mode.mcs.map(|mcs| mcs.0.into());
    }
    cell.aggregation.get_or_insert_default();
    cell.block_ack_recovery.get_or_insert_default();
    cell.msdu_lifetime.get_or_insert_default();
    cell.edca.get_or_insert_default();
}

/// Moves the `kind` of the component in `table[key]` before its parameters.
fn put_kind_of(table: &mut Map<String, Value>, key: &str) {
    if let Some(component) = table.get_mut(key).and_then(Value::as_object_mut) {
        put_kind_first(component);
    }
}

fn default_to(table: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    table.entry(key).or_insert_with(|| value.into());
}
