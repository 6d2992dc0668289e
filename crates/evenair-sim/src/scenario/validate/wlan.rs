//! Checks of the keys of a WLAN cell.

use evenair_core::component::{BitRate, Seconds};
use evenair_core::control;
use evenair_core::medium::wlan::channel::Config;
use evenair_core::medium::wlan::phy::PhyKind;

use super::checks::check_component;
use crate::scenario::problem::{Checked, Problem, fail};
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wlan_cell::WlanCell;
use crate::scenario::values::beacon_interval::BeaconInterval;
use crate::scenario::values::choices::Preamble;
use crate::scenario::values::control_rate::ControlRate;

const SLOWEST: BitRate = BitRate::from_bps(1_000_000);

/// Checks the cell of these stations.
pub(super) fn check_cell(cell: &WlanCell, stations: &[Station]) -> Checked {
    phy_rate("cell.data_rate", cell.data_rate, cell.phy)?;
    if let ControlRate::Fixed(rate) = cell.control_rate {
        phy_rate("cell.control_rate", rate, cell.phy)?;
        if cell.has_dot11b(stations) {
            let got = format!("got {rate} with 802.11b stations in an 802.11g cell");
            return Err(fail("cell.control_rate", &got, "\"basic\""));
        }
    }
    if cell.protection.is_some() && cell.phy != PhyKind::Dot11g {
        let got = format!("got a protection with phy \"{}\"", cell.phy);
        return Err(fail("cell.protection", &got, "no protection, or phy \"802.11g\""));
    }
    check_basic_rates(cell, stations)?;
    check_beacon_interval(cell)?;
    check_controller(cell)?;
    check_component("cell.scheduler", &cell.scheduler)?;
    check_preamble(cell)
}

fn check_controller(cell: &WlanCell) -> Checked {
    check_component("cell.controller", &cell.controller)?;
    match cell.controller {
        control::Config::Cot(_) if cell.beacon_interval == BeaconInterval::Off => {
            let got = format!("got \"off\" with controller {:?}", cell.controller.name());
            let accepted = "a time such as \"100 ms\", or controller \"none\"";
            Err(fail("cell.beacon_interval", &got, accepted))
        }
        _ => Ok(()),
    }
}

fn check_beacon_interval(cell: &WlanCell) -> Checked {
    match cell.beacon_interval {
        BeaconInterval::Every(interval) if !cell.beacon_interval.is_possible() => {
            let got = format!("got {interval}");
            Err(fail("cell.beacon_interval", &got, &BeaconInterval::accepted()))
        }
        _ => Ok(()),
    }
}

/// Every station has all basic rates.
fn check_basic_rates(cell: &WlanCell, stations: &[Station]) -> Checked {
    let phy = if cell.has_dot11b(stations) { PhyKind::Dot11b } else { cell.phy };
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
    match cell.preamble {
        Some(_) if cell.phy != PhyKind::Dot11b => {
            let got = format!("got a preamble with phy \"{}\"", cell.phy);
            Err(fail(field, &got, "no preamble, or phy \"802.11b\""))
        }
        Some(Preamble::Short) => {
            if cell.data_rate == SLOWEST {
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
    if let Some(rate_control) = &station.rate_control {
        check_component(&format!("{field}.rate_control"), rate_control)?;
    }
    if let Some(Config::Schedule(schedule)) = &station.channel {
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

/// The PHY of a station: that of the cell, or 802.11b in a cell of 802.11g.
fn check_phy(field: &str, station: &Station, cell: &WlanCell) -> Result<PhyKind, Problem> {
    let phy = cell.phy_of(station);
    let mixes = (cell.phy, phy) == (PhyKind::Dot11g, PhyKind::Dot11b);
    if phy != cell.phy && !mixes {
        let other = if cell.phy == PhyKind::Dot11g { " or \"802.11b\"" } else { "" };
        let accepted = format!("\"{}\", that of the cell,{other}", cell.phy);
        let accepted = accepted.trim_end_matches(',');
        return Err(fail(&format!("{field}.phy"), &format!("got \"{phy}\""), accepted));
    }
    Ok(phy)
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
