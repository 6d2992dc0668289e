//! The loss signal: how many packets the access point's downlink queue has dropped.

pub mod counter;
pub mod netlink;
pub mod snmp;

use std::net::SocketAddr;
use std::time::Duration;

/// A source of the losses of the access point's downlink queue.
pub trait LossSignal: Send {
    /// The losses since the last call; returns at once. `active`: packets have left the gateway
    /// towards the access point since the last call. A counter that stands still is stale only then.
    fn poll(&mut self, active: bool) -> Sample;

    /// How often the source refreshes its counters, as far as observed. `None`: not known yet, for
    /// lack of an answer or of traffic. A control interval below it sees rounds without news.
    fn refresh(&self) -> Option<Duration>;

    /// The agent that is asked over the network, if there is one and its name has been resolved.
    fn peer(&self) -> Option<SocketAddr> {
        None
    }

    /// Why the last reading failed, in one line without secrets; `None` if it succeeded.
    fn error(&self) -> Option<String>;
}

/// What became known of the losses between two calls of [`LossSignal::poll`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// State of the source.
    pub health: Health,
    /// Packets lost. `None`: not known; the rate is then held, whatever `health` is.
    pub lost: Option<u64>,
    /// Time since the last fresh reading, or since the start if there was none. A reading is fresh
    /// when the counters that it contains have changed, or when the source does not cache them.
    pub age: Duration,
}

/// State of a loss signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Counters are fresh, or nothing has been sent that could change them.
    Ok,
    /// The source answers, but its counters stand still although packets pass.
    Stale,
    /// The source does not answer, or not with the counters asked for.
    Unreachable,
    /// The counters are discontinuous, as after a restart of the agent: losses before are lost.
    Reset,
    /// A 32-bit counter passed its end; `lost` is right nevertheless.
    Wrapped,
}

impl Health {
    /// The name in records, metrics and `status`.
    pub fn name(self) -> &'static str {
        match self {
            Health::Ok => "ok",
            Health::Stale => "stale",
            Health::Unreachable => "unreachable",
            Health::Reset => "reset",
            Health::Wrapped => "wrapped",
        }
    }
}
