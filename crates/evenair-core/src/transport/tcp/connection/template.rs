//! What each connection of a flow begins with.

use super::opening::ConnectionConfig;
use crate::congestion::{CongestionControl, Controller};
use crate::rng::{RngStream, StreamId};
use crate::transport::tcp::sender::Sender;

/// What each connection begins with.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) config: ConnectionConfig,
    control: Controller,
    /// Connections so far.
    connections: u64,
}

impl Template {
    /// Before the first connection.
    pub(super) fn new(config: ConnectionConfig, control: Controller) -> Self {
        Self { config, control, connections: 0 }
    }

    /// The sender of the next connection, which sends so many bytes.
    pub(super) fn sender(&mut self, bytes: u64) -> Sender {
        let Self { config, connections, .. } = self;
        let mut control = self.control.clone();
        if control.is_rate_based() {
            control.use_random(RngStream::new(config.random, StreamId::Congestion, *connections));
            *connections += 1;
        }
        Sender::new(config.tcp, config.segment, bytes, control)
    }
}
