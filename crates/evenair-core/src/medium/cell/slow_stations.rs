//! The rule for slow stations that Linux had until 6.15: CoDel is milder on the queues of a station whose expected throughput is
//! low, as the time that a few packets take there is longer than CoDel's target (`sta_update_codel_params` in
//! `net/mac80211/sta_info.c`; removed in June 2025, since it all but ended CoDel where many stations are associated).
//!
//! A station is slow if its throughput is below a threshold times the number of associated stations (`STA_SLOW_THRESHOLD`, 6
//! Mb/s). Linux's throughput is Minstrel-HT's estimate. Here it is that of packets of 1,200 bytes, Minstrel-HT's reference, in the mode of
//! the last PPDU, with the airtime that Linux estimates for airtime queue limits; losses do not count.

use crate::medium::scheduler::expected_airtime;
use crate::medium::wlan::high_throughput;
use crate::medium::{Attempt, PhyMode, PhyModes};
use crate::packet::AccessCategory;
use crate::units::Rate;

/// Minstrel-HT's reference packet, bytes (`AVG_PKT_SIZE` in `net/mac80211/rc80211_minstrel_ht.c`).
const PACKET: u32 = 1200;

/// The rule, and what it knows.
#[derive(Debug)]
pub(super) struct SlowStations {
    threshold: Rate,
    /// The mode of the last PPDU to each station.
    modes: Vec<Option<PhyMode>>,
}

impl SlowStations {
    /// Below `threshold` times their number, `stations` are slow.
    pub(super) fn new(threshold: Rate, stations: usize) -> Self {
        Self { threshold, modes: vec![None; stations] }
    }

    /// An attempt to this station is over. Returns whether it is slow, if that is not known.
    pub(super) fn note(
        &mut self,
        station: usize,
        attempt: &Attempt,
        modes: &PhyModes,
    ) -> Option<bool> {
        let mode = attempt.mode.filter(|_| attempt.sent_data && !attempt.is_up())?;
        if self.modes[station].replace(mode) == Some(mode) {
            return None;
        }
        let vector = modes.vector(mode);
        let symbols = vector.mcs.map(|_| high_throughput::symbols(vector)).unwrap_or_default();
        let nanos = expected_airtime(vector, symbols, AccessCategory::BestEffort, PACKET);
        let throughput = u128::from(PACKET) * 8 * 1_000_000_000 / u128::from(nanos.max(1));
        let least = u128::from(self.threshold.as_bps()) * self.modes.len() as u128;
        Some(throughput < least)
    }
}
