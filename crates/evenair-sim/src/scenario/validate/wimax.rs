//! Checks of the keys of a WiMAX cell.

use evenair_core::medium::wimax::FrameAccount;
use evenair_core::medium::wimax::phy::PhyError;

use super::super::types::Station;
use super::super::wimax_cell::WimaxCell;
use super::{Checked, Problem, above_zero, check_component, fail};

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
    match FrameAccount::new(&config, count) {
        Ok(_) => Ok(()),
        Err(error) => refuse("cell.dl_ratio", format!("got {}: {error}", cell.dl_ratio)),
    }
}

/// Checks the keys of a station that depend on the cell.
pub(super) fn check_station(field: &str, station: &Station) -> Checked {
    match station.data_rate {
        Some(_) => {
            let accepted = "modulation, or kind = \"wlan\" of the cell";
            Err(fail(&format!("{field}.data_rate"), "got a key of a \"wlan\" cell", accepted))
        }
        None => Ok(()),
    }
}
