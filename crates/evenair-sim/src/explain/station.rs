//! The station that takes the airtime of the others.
//!
//! Where stations have the same chance to transmit a packet, a slow one uses the air for longer, and all have the
//! throughput of the slow one (Heusse et al. 2003, "Performance Anomaly of 802.11b"). Then no flow has less than
//! another, so that this is a fault of the station. A fast station may take most of the airtime as well, if it sends more
//! than others.

use super::cause::LESS_WORTH;
use super::evidence::{Evidence, Traffic};

/// A slow station that has this many times the mean airtime of the stations takes that of others: three quarters of it
/// from one other station, half of it from two.
const MORE_AIRTIME: f64 = 1.5;
/// And so does any station with this many times. Equal stations that transmit all the time differ by less.
const MOST_AIRTIME: f64 = 3.0;
/// Airtime is scarce if the air is used for this part of the time. What is left are spaces and backoffs, and a cell
/// that has nothing to send.
const BUSY: f64 = 0.5;

/// The station, and what it is compared with.
#[derive(Clone, Debug)]
pub(super) struct Taker {
    pub(super) id: String,
    pub(super) traffic: Traffic,
    /// Its shares of the airtime and of the goodput of all stations.
    pub(super) airtime: f64,
    pub(super) goodput: f64,
    /// Bits that arrive for each second of the airtime of the others.
    pub(super) others_bits_per_airtime: f64,
}

/// The station that takes the airtime of the others, if one does.
pub(super) fn taker(run: &Evidence) -> Option<Taker> {
    let active = || run.by_station().filter(|(_, traffic)| traffic.airtime_share > 0.0);
    let sum = |number: &dyn Fn(Traffic) -> f64| active().map(|(_, of)| number(of)).sum::<f64>();
    let (airtime, goodput) = (sum(&|of| of.airtime_share), sum(&|of| of.goodput_bps));
    let in_use = run.ap.as_ref().map_or(airtime, |ap| ap.airtime_share);
    let (id, traffic) =
        active().max_by(|(_, one), (_, two)| one.airtime_share.total_cmp(&two.airtime_share))?;
    let others_airtime = airtime - traffic.airtime_share;
    let others_bits_per_airtime = (goodput - traffic.goodput_bps) / others_airtime;
    let is_slow = traffic.bits_per_airtime() < LESS_WORTH * others_bits_per_airtime;
    let bar = if is_slow { MORE_AIRTIME } else { MOST_AIRTIME };
    let takes = traffic.airtime_share * active().count() as f64 >= bar * airtime;
    (in_use >= BUSY && others_airtime > 0.0 && takes).then(|| Taker {
        id: id.to_owned(),
        traffic,
        airtime: traffic.airtime_share / airtime,
        goodput: traffic.goodput_bps / goodput,
        others_bits_per_airtime,
    })
}
