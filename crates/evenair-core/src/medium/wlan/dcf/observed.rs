//! What a controller may know of the cell.

use super::state::Dcf;
use crate::medium::{ExchangeTime, Observable};
use crate::packet::{AccessCategory, Direction, NodeId};
use crate::time::Duration;

impl Observable for Dcf {
    fn decoded(&self, station: NodeId) -> bool {
        self.decoded[station.index()]
    }

    fn rate_changes(&self) -> u64 {
        self.rate_changes
    }

    fn mean_first_backoff(&self) -> Duration {
        self.config.phy.slot * u64::from(self.config.phy.cw_min) / 2
    }

    fn exchange(
        &self,
        station: NodeId,
        direction: Direction,
        _category: AccessCategory,
        bytes: u32,
        _waiting: u32,
    ) -> ExchangeTime {
        let mode = self.setup.modes.vector(self.mode(station, direction));
        ExchangeTime { time: self.config.exchange_time(mode, bytes), packets: 1 }
    }
}
