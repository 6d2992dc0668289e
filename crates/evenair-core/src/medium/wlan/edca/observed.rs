//! What a controller may know of the cell.

use super::mac::contender_of;
use super::state::Edca;
use crate::medium::{ExchangeTime, LinkId, Observable};
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::time::Duration;

impl Observable for Edca {
    fn decoded(&self, station: NodeId) -> bool {
        self.broadcasts.decoded[station.index()]
    }

    fn rate_changes(&self) -> u64 {
        self.rate_changes
    }

    fn mean_first_backoff(&self) -> Duration {
        let parameters = &self.config.access_point[AccessCategory::BestEffort as usize];
        self.config.phy.slot * u64::from(parameters.cw_min) / 2
    }

    /// Of a TXOP, which may have several exchanges, this is the first.
    fn exchange(
        &self,
        station: NodeId,
        direction: Direction,
        category: AccessCategory,
        bytes: u32,
        waiting: u32,
    ) -> ExchangeTime {
        let (config, associations) = (&self.config, &self.setup.associations);
        let link_id = LinkId::new(associations.number(station), direction);
        let (from, _) = associations.ends(link_id);
        let queue = self.setup.layout.queue(from, link_id, category);
        let contender = contender_of(from, category);
        let mut link = self.links[link_id.index()].at_present(config, &self.setup.modes);
        let (control, format, sifs) = (link.control, link.vector.format, config.phy.sifs);
        let before = |bytes| control.time_before(config.prelude(format, bytes), sifs);
        let limit = self.macs[contender.index()].txop;
        let limit = if limit > Duration::ZERO { limit } else { Duration::MAX };
        let longest = limit.saturating_sub(before(u32::MAX) + sifs + control.block_ack.time);
        let agreement = &self.agreements[queue.0 as usize];
        let (psdu, packets) = agreement.fullest(config, &link, longest, bytes, waiting.max(1));
        let ppdu = link.ppdu_time(config, psdu.bytes);
        let response = link.response(psdu).time;
        let time = self.aifs(contender) + before(psdu.bytes) + ppdu + sifs + response;
        ExchangeTime { time, packets }
    }
}
