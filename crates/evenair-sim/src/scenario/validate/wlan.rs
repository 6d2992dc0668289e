//! Checks of the keys of a WLAN cell.

use std::iter;

use evenair_core::component::{BitRate, Seconds};
use evenair_core::control;
use evenair_core::medium::wlan::channel::{Coding, Config};
use evenair_core::medium::wlan::high_throughput::ModeError;
use evenair_core::medium::wlan::phy::PhyKind;
use evenair_core::medium::wlan::rate_control;
use evenair_core::medium::wlan::{AMsduLimit, Aggregation, AggregationConfig};
use evenair_core::medium::{PhyFormat, scheduler};
use evenair_core::time::Duration;

use super::checks::check_component;
use crate::scenario::problem::{Checked, Problem, fail};
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wlan_cell::WlanCell;
use crate::scenario::values::choices::Preamble;
use crate::scenario::values::control_rate::ControlRate;
use crate::scenario::values::names::Band;
use crate::scenario::values::off_or_time::OffOrTime;

const SLOWEST: BitRate = BitRate::from_bps(1_000_000);

/// Checks the cell of these stations.
pub(super) fn check_cell(cell: &WlanCell, stations: &[Station]) -> Checked {
    match cell.phy.high_throughput() {
        Some(_) => check_high_throughput(cell, stations)?,
        None => check_without_mcs(cell)?,
    }
    if let ControlRate::Fixed(rate) = cell.control_rate {
        phy_rate("cell.control_rate", rate, cell.control_phy())?;
        if cell.has_dot11b(stations) {
            let got = format!("got {rate} with 802.11b stations in an 802.11g cell");
            return Err(fail("cell.control_rate", &got, "\"basic\""));
        }
    }
    if cell.protection.is_some() && matches!(cell.phy, PhyKind::Dot11a | PhyKind::Dot11b) {
        let got = format!("got a protection with phy \"{}\"", cell.phy);
        let accepted = "no protection, or phy \"802.11g\", \"802.11n\", \"802.11ac\", \"802.11ax\"";
        return Err(fail("cell.protection", &got, accepted));
    }
    check_basic_rates(cell, stations)?;
    check_beacon_interval(cell)?;
    check_controller(cell)?;
    check_component("cell.scheduler", &cell.scheduler)?;
    if let Some(ring @ 1..) = cell.ring
        && cell.scheduler.has_station_queues()
    {
        let got = format!("got {ring} with scheduler \"{}\"", cell.scheduler.name());
        return Err(fail("cell.ring", &got, "0, or scheduler \"fifo\""));
    }
    check_hardware(cell, stations)?;
    check_preamble(cell)
}

/// A driver has a scheduler, one that looks at the hardware has a driver, and weights have a meaning.
fn check_hardware(cell: &WlanCell, stations: &[Station]) -> Checked {
    let scheduler = cell.scheduler.name();
    let depth = cell.hardware_depth.unwrap_or(0);
    if !cell.scheduler.has_station_queues() {
        let accepted = "scheduler \"airtime-drr\" or \"round-robin\"";
        if cell.access_point.is_some() {
            let got = format!("got \"linux\" with scheduler {scheduler:?}");
            return Err(fail("cell.access_point", &got, accepted));
        }
        if depth > 0 {
            let got = format!("got {depth} with scheduler {scheduler:?}");
            return Err(fail("cell.hardware_depth", &got, &format!("0, or {accepted}")));
        }
    }
    if cell.scheduler.needs_hardware() && depth == 0 {
        let got = "got 0 with a scheduler that looks at the hardware";
        let accepted = "at least 1, or form \"ath9k\" without aql";
        return Err(fail("cell.hardware_depth", got, accepted));
    }
    let of_tins = [
        ("fq_memory_limit", cell.fq_memory_limit.map(|bytes| bytes.to_string())),
        ("sta_slow_threshold", cell.sta_slow_threshold.map(|rate| rate.to_string())),
    ];
    for (key, value) in of_tins {
        if let Some(value) = value.filter(|_| !cell.has_tins()) {
            let accepted = "none, or access_point \"linux\" with a \"fq-codel\" queue";
            return Err(fail(&format!("cell.{key}"), &format!("got {value}"), accepted));
        }
    }
    let is_airtime = matches!(cell.scheduler, scheduler::Config::AirtimeDrr(_));
    match stations.iter().position(|station| station.airtime_weight.is_some()) {
        Some(group) if !is_airtime => {
            let got = format!("got a weight with scheduler {scheduler:?}");
            let field = format!("station.{group}.airtime_weight");
            Err(fail(&field, &got, "no weight, or scheduler \"airtime-drr\""))
        }
        _ => Ok(()),
    }
}

fn check_controller(cell: &WlanCell) -> Checked {
    check_component("cell.controller", &cell.controller)?;
    match cell.controller {
        control::Config::Cot(_) if cell.beacon_interval == OffOrTime::Off => {
            let got = format!("got \"off\" with controller {:?}", cell.controller.name());
            let accepted = "a time such as \"100 ms\", or controller \"none\"";
            Err(fail("cell.beacon_interval", &got, accepted))
        }
        _ => Ok(()),
    }
}

/// What the Beacon Interval field can express: 1 to 65,535 time units of 1024 us (IEEE 802.11-2007 7.3.1.3).
const BEACON_INTERVALS: [Duration; 2] =
    [Duration::from_micros(1024), Duration::from_micros(65_535 * 1024)];

fn check_beacon_interval(cell: &WlanCell) -> Checked {
    let [shortest, longest] = BEACON_INTERVALS;
    match cell.beacon_interval {
        OffOrTime::Time(interval) if !(shortest..=longest).contains(&interval.duration()) => {
            let [shortest, longest] = BEACON_INTERVALS.map(Seconds::from);
            let accepted = format!("\"off\", or a time from {shortest} to {longest}");
            Err(fail("cell.beacon_interval", &format!("got {interval}"), &accepted))
        }
        _ => Ok(()),
    }
}

/// Every station has all basic rates.
fn check_basic_rates(cell: &WlanCell, stations: &[Station]) -> Checked {
    let phy = if cell.has_dot11b(stations) { PhyKind::Dot11b } else { cell.control_phy() };
    let possible = phy.possible_basic_rates();
    let wrong = cell.basic_rates.iter().find(|rate| !possible.contains(rate));
    let got = match wrong {
        Some(rate) => format!("got {rate}"),
        None if cell.basic_rates.is_empty() => "got none".to_owned(),
        None => return Ok(()),
    };
    let accepted = format!("rates of {phy}: {}", quoted(&possible));
    Err(fail("cell.basic_rates", &got, &accepted))
}

fn check_preamble(cell: &WlanCell) -> Checked {
    let field = "cell.preamble";
    let has_mcs = cell.phy.high_throughput().is_some();
    match cell.preamble {
        Some(_) if cell.phy != PhyKind::Dot11b && !has_mcs => {
            let got = format!("got a preamble with phy \"{}\"", cell.phy);
            Err(fail(field, &got, "no preamble, or phy \"802.11b\""))
        }
        Some(name @ (Preamble::Long | Preamble::Short)) if has_mcs => {
            let name = if name == Preamble::Long { "long" } else { "short" };
            let got = format!("got \"{name}\" with phy \"{}\"", cell.phy);
            Err(fail(field, &got, "a duration such as \"44 us\", or no preamble: the standard's"))
        }
        Some(Preamble::Short) => {
            if cell.data_rate == Some(SLOWEST) {
                return short_with_slowest(field, "cell.data_rate");
            }
            if cell.control_rate == ControlRate::Fixed(SLOWEST) {
                return short_with_slowest(field, "cell.control_rate");
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

/// Checks the keys of a cell of 802.11n, ac or ax.
fn check_high_throughput(cell: &WlanCell, stations: &[Station]) -> Checked {
    let phy = cell.phy;
    let refuse = |key: &str, got: &str, accepted: &str| {
        Err(fail(&format!("cell.{key}"), &format!("got {got} with phy \"{phy}\""), accepted))
    };
    if let Some(rate) = cell.data_rate {
        return refuse("data_rate", &rate.to_string(), "no data_rate: mcs, streams, channel_width");
    }
    if !cell.immediate_access {
        return refuse("immediate_access", "false", "true");
    }
    if cell.long_retry_limit != WlanCell::default().long_retry_limit {
        let accepted = "no long_retry_limit: short_retry_limit is for all frames";
        return refuse("long_retry_limit", &cell.long_retry_limit.to_string(), accepted);
    }
    if cell.msdu_lifetime == Some(OffOrTime::Time(Seconds::ZERO)) {
        return Err(fail("cell.msdu_lifetime", "got 0 s", "\"off\", or a time above 0"));
    }
    if cell.band == Some(Band::TwoPointFour) {
        if phy == PhyKind::Dot11ac {
            return refuse("band", "\"2.4 GHz\"", "\"5 GHz\"");
        }
        if let Some(width) = cell.channel_width.filter(|width| width.as_u64() > 40_000_000) {
            return refuse("channel_width", &format!("{width} at 2.4 GHz"), "20 MHz, 40 MHz");
        }
    }
    for (key, edca, of_access_points) in
        [("edca", cell.edca, false), ("edca_ap", cell.edca_ap, true)]
    {
        if let Some(edca) = edca {
            edca.check(&format!("cell.{key}"), of_access_points)?;
        }
    }
    if let Some(aggregation) = &cell.aggregation {
        check_aggregation("cell.aggregation", aggregation, phy)?;
    }
    check_mode("cell", cell, None)?;
    check_coding(cell, stations)
}

/// 802.11ax-2021 27.3.12.5: 1024-QAM, more than 20 MHz and more than 4 streams have LDPC alone.
fn check_coding(cell: &WlanCell, stations: &[Station]) -> Checked {
    if cell.coding != Some(Coding::Bcc) {
        return Ok(());
    }
    let modes = iter::once(None).chain(stations.iter().map(Some));
    for mode in modes.filter_map(|station| cell.mode(station).ok()) {
        let is_wide = mode.width_hz > 20_000_000 || mode.streams > 4;
        let has = mode.mcs.is_none_or(|mcs| Coding::Bcc.has(mcs));
        if !has || mode.format == PhyFormat::He && is_wide {
            let (width, streams) = (mode.width_hz / 1_000_000, mode.streams);
            let mcs = mode.mcs.map_or(0, |mcs| mcs.0);
            let got =
                format!("got \"bcc\" with {width} MHz, {streams} streams, MCS {mcs} of 802.11ax");
            let accepted = "\"ldpc\", or up to 20 MHz, 4 streams and MCS 9";
            return Err(fail("cell.coding", &got, accepted));
        }
    }
    Ok(())
}

/// Checks the mode of the data PPDUs of `station`, or of the cell.
fn check_mode(table: &str, cell: &WlanCell, station: Option<&Station>) -> Checked {
    let width = station.map_or(cell.channel_width, |station| station.channel_width);
    if let Some(width) = width.filter(|width| !width.as_u64().is_multiple_of(20_000_000)) {
        let field = format!("{table}.channel_width");
        return Err(fail(&field, &format!("got {width}"), "20 MHz, 40 MHz, 80 MHz or 160 MHz"));
    }
    let Err(error) = cell.mode(station) else { return Ok(()) };
    let key = match error {
        ModeError::Format => "phy",
        ModeError::Width(..) => "channel_width",
        ModeError::Streams(..) => "streams",
        ModeError::GuardInterval(..) => "guard_interval",
        ModeError::Mcs(..) => "mcs",
    };
    let message = error.to_string().replace("; accepted with", "; accepted: with");
    Err(Problem { field: format!("{table}.{key}"), message })
}

fn check_aggregation(field: &str, aggregation: &AggregationConfig, phy: PhyKind) -> Checked {
    check_component(field, aggregation)?;
    let AggregationConfig::AMpdu(config) = aggregation else { return Ok(()) };
    if let (AMsduLimit::Bytes(bytes), Some(format)) = (config.amsdu, phy.high_throughput()) {
        let most = Aggregation::longest_amsdu(format);
        if bytes > most {
            let accepted = format!("\"off\", or 1 to {most} with {phy}");
            return Err(fail(&format!("{field}.amsdu"), &format!("got {bytes}"), &accepted));
        }
    }
    let most = phy.high_throughput().map(Aggregation::of).map_or(0, |most| most.window.into());
    match config.window {
        Some(window) if window > most => {
            let accepted = format!("1 to {most} with {phy}");
            Err(fail(&format!("{field}.window"), &format!("got {window}"), &accepted))
        }
        _ => Ok(()),
    }
}

/// Refuses the keys of 802.11n, ac and ax in another cell, and checks its data rate.
fn check_without_mcs(cell: &WlanCell) -> Checked {
    let given = [
        ("band", cell.band.is_some()),
        ("channel_width", cell.channel_width.is_some()),
        ("mcs", cell.mcs.is_some()),
        ("streams", cell.streams.is_some()),
        ("guard_interval", cell.guard_interval.is_some()),
        ("coding", cell.coding.is_some()),
        ("aggregation", cell.aggregation.is_some()),
        ("block_ack_recovery", cell.block_ack_recovery.is_some()),
        ("msdu_lifetime", cell.msdu_lifetime.is_some()),
        ("edca", cell.edca.is_some()),
        ("edca_ap", cell.edca_ap.is_some()),
    ];
    refuse_keys_of_mcs("cell", &given, cell.phy)?;
    let rate = cell.data_rate.unwrap_or_else(|| cell.phy.default_data_rate());
    phy_rate("cell.data_rate", rate, cell.phy)
}

fn refuse_keys_of_mcs(table: &str, given: &[(&str, bool)], phy: PhyKind) -> Checked {
    let Some((key, _)) = given.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let got = format!("got it with phy \"{phy}\"");
    let accepted = "phy \"802.11n\", \"802.11ac\" or \"802.11ax\"";
    Err(fail(&format!("{table}.{key}"), &got, accepted))
}

/// The keys of a station with MCS, and whether they are given.
fn keys_of_mcs(station: &Station) -> [(&'static str, bool); 4] {
    [
        ("mcs", station.mcs.is_some()),
        ("streams", station.streams.is_some()),
        ("channel_width", station.channel_width.is_some()),
        ("aggregation", station.aggregation.is_some()),
    ]
}

/// Checks the keys of a station that only cells with, or only cells without MCS have.
fn check_modes_of_station(field: &str, station: &Station, cell: &WlanCell) -> Checked {
    if cell.phy.high_throughput().is_none() {
        return refuse_keys_of_mcs(field, &keys_of_mcs(station), cell.phy);
    }
    let phy = cell.phy_of(station);
    if cell.is_legacy(station) {
        return refuse_keys_of_mcs(field, &keys_of_mcs(station), phy);
    }
    if station.data_rate.is_some() {
        let got = format!("got it with phy \"{phy}\"");
        return Err(fail(&format!("{field}.data_rate"), &got, "mcs, streams, channel_width"));
    }
    if let Some(
        control @ (rate_control::Config::Arf(_)
        | rate_control::Config::Aarf(_)
        | rate_control::Config::Minstrel(_)),
    ) = &station.rate_control
    {
        let got = format!("got \"{}\", which is without MCS, with phy \"{phy}\"", control.name());
        let accepted = "\"fixed\", \"ideal\", \"minstrel-ht\", or a prototype";
        return Err(fail(&format!("{field}.rate_control"), &got, accepted));
    }
    if let (Some(width), Some(most)) = (station.channel_width, cell.channel_width)
        && width > most
    {
        let field = format!("{field}.channel_width");
        return Err(fail(&field, &format!("got {width}"), &format!("up to {most}, the cell's")));
    }
    if let Some(aggregation) = &station.aggregation {
        check_aggregation(&format!("{field}.aggregation"), aggregation, phy)?;
    }
    check_mode(field, cell, Some(station))
}

/// IEEE 802.11-2007 18.2.2.2: frames at 1 Mbit/s have the long preamble.
fn short_with_slowest(field: &str, rate_key: &str) -> Checked {
    let got = format!("got preamble \"short\" with {rate_key} {SLOWEST}");
    Err(fail(field, &got, "\"long\", or 2 Mbps and faster with \"short\""))
}

/// Checks the keys of a station that depend on the cell.
pub(super) fn check_station(field: &str, station: &Station, cell: &WlanCell) -> Checked {
    if station.modulation.is_some() {
        let accepted = "data_rate, or kind = \"wimax\" of the cell";
        return Err(fail(
            &format!("{field}.modulation"),
            "got a key of a \"wimax\" cell",
            accepted,
        ));
    }
    let phy = check_phy(field, station, cell)?;
    check_modes_of_station(field, station, cell)?;
    if let Some(rate_control) = &station.rate_control {
        check_component(&format!("{field}.rate_control"), rate_control)?;
    }
    if let Some(Config::Schedule(schedule)) = &station.channel
        && phy.high_throughput().is_none()
    {
        let mut limits = schedule.rates.rates().filter(|rate| *rate != BitRate::UNLIMITED);
        limits.try_for_each(|rate| phy_rate(&format!("{field}.channel.rates"), rate, phy))?;
    }
    let Some(rate) = station.data_rate else { return Ok(()) };
    let field = format!("{field}.data_rate");
    phy_rate(&field, rate, phy)?;
    if rate == SLOWEST && cell.preamble == Some(Preamble::Short) {
        return short_with_slowest(&field, "data_rate");
    }
    Ok(())
}

/// The PHY of a station: that of the cell, or an older one that the cell can have.
fn check_phy(field: &str, station: &Station, cell: &WlanCell) -> Result<PhyKind, Problem> {
    let phy = cell.phy_of(station);
    let accepted = cell.station_phys();
    if accepted.contains(&phy) {
        return Ok(phy);
    }
    let older: Vec<_> = accepted[1..].iter().map(|phy| format!("\"{phy}\"")).collect();
    let accepted = match older.is_empty() {
        true => format!("\"{}\", that of the cell", cell.phy),
        false => format!("\"{}\", that of the cell, or {}", cell.phy, older.join(", ")),
    };
    Err(fail(&format!("{field}.phy"), &format!("got \"{phy}\""), &accepted))
}

fn phy_rate(field: &str, rate: BitRate, phy: PhyKind) -> Checked {
    if phy.rates().any(|r| r == rate) {
        return Ok(());
    }
    let rates: Vec<BitRate> = phy.rates().collect();
    let accepted = format!("a rate of {phy}: {}", quoted(&rates));
    Err(fail(field, &format!("got {rate}"), &accepted))
}

/// `"1 Mbps", "2 Mbps"`.
fn quoted(rates: &[BitRate]) -> String {
    let quoted: Vec<String> = rates.iter().map(|rate| format!("\"{rate}\"")).collect();
    quoted.join(", ")
}
