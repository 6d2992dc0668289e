//! The rule for slow stations that Linux had until 6.15: CoDel is milder on the queues of a station whose expected throughput is
//! low, as the time that a few packets take there is longer than CoDel's target (`sta_update_codel_params` in
//! `net/mac80211/sta_info.c`; removed in June 2025, since it all but ended CoDel where many stations are associated).
//!
//! A station is slow if its throughput is below a threshold times the number of associated stations (`STA_SLOW_THRESHOLD`, 6
//! Mb/s). Linux's throughput is Minstrel-HT's estimate. Here it is that of packets of 1,200 bytes, Minstrel-HT's reference, in the mode of
//! the last PPDU, with the airtime that Linux estimates for airtime queue limits; losses do not count.

use super::nodes::Nodes;
use super::packet::CellPacket;
use crate::medium::scheduler::expected_airtime;
use crate::medium::wlan::high_throughput;
use crate::medium::{Attempt, LinkId, PhyMode, PhyModes};
use crate::packet::{AccessCategory, Direction, NodeId};
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
    fn note(&mut self, station: usize, attempt: &Attempt, modes: &PhyModes) -> Option<bool> {
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

impl<P: CellPacket> Nodes<P> {
    /// An attempt of an access point, or to it, is over: tells the queues of the station whether it is slow.
    #[cold]
    pub(super) fn note_slow(&mut self, access_point: NodeId, station: u32, attempt: &Attempt) {
        let Some(slow) = &mut self.slow_stations else { return };
        let Some(is_slow) = slow.note(station as usize, attempt, &self.setup.modes) else { return };
        for category in AccessCategory::ALL {
            let link = LinkId::new(station, Direction::Down);
            let queue = self.setup.layout.queue(access_point, link, category);
            let place = self.place(queue);
            self.queues[place].set_slow(queue.0, is_slow);
        }
    }
}
