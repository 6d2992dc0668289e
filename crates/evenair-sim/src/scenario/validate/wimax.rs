//! Checks of the keys of a WiMAX cell.

use evenair_core::medium::wimax::phy::PhyError;
use evenair_core::medium::wimax::{FrameAccount, smallest_pdu};

use super::checks::{above_zero, check_component};
use crate::scenario::problem::{Checked, Problem, fail};
use crate::scenario::tables::station::Station;
use crate::scenario::tables::wimax_cell::WimaxCell;

/// Checks the cell of these stations.
pub(super) fn check_cell(cell: &WimaxCell, stations: &[Station]) -> Checked {
    above_zero("cell.t16", cell.t16)?;
    check_component("cell.scheduler", &cell.scheduler)?;
    let refuse = |field: &str, message: String| Err(Problem { field: field.to_owned(), message });
    let config = match cell.config() {
        Ok(config) => config,
        Err(error @ PhyError::Bandwidth(_)) => return refuse("cell.bandwidth", error.to_string()),
        Err(error @ PhyError::Frame(_)) => return refuse("cell.frame", error.to_string()),
    };
    let count = stations.iter().fold(0_u32, |sum, station| sum.saturating_add(station.count));
    let got = format!("got {}", cell.dl_ratio);
    if let Err(error) = FrameAccount::new(&config, count) {
        return refuse("cell.dl_ratio", format!("{got}: {error}"));
    }
    // The longest bursts are those of a station that is alone.
    let Ok(alone) = FrameAccount::new(&config, 1) else { return Ok(()) };
    let symbols = alone.dl_data_symbols.min(alone.ul_data_symbols);
    let smallest = smallest_pdu(cell.crc);
    for (index, station) in stations.iter().enumerate() {
        let bytes = symbols * cell.bytes_per_symbol_of(station);
        if bytes < smallest {
            let got =
                format!("{got}, so that a burst of station.{index} has at most {bytes} bytes");
            let accepted = format!("bursts of at least {smallest} bytes, the smallest fragment");
            return Err(fail("cell.dl_ratio", &got, &accepted));
        }
    }
    Ok(())
}

/// Checks the keys of a station that depend on the cell.
pub(super) fn check_station(field: &str, station: &Station) -> Checked {
    let keys = [
        ("phy", station.phy.is_some()),
        ("data_rate", station.data_rate.is_some()),
        ("rate_control", station.rate_control.is_some()),
        ("channel", station.channel.is_some()),
        ("stack", station.stack.is_some()),
    ];
    match keys.iter().find(|(_, given)| *given) {
        Some((key, _)) => {
            let accepted = "modulation, or kind = \"wlan\" of the cell";
            Err(fail(&format!("{field}.{key}"), "got a key of a \"wlan\" cell", accepted))
        }
        None => Ok(()),
    }
}
