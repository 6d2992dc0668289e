//! The configuration of transfers that come by themselves.

use super::opened_by::OpenedBy;
use super::{Distribution, distribution_of_sizes, distribution_of_times};
use crate::component::{Limit, configuration, integer, limit, named, names};

configuration! {
    /// Parameters of transfers that come by themselves.
    pub struct ArrivalsConfig {
        name: "arrivals",
        summary: "files that come by themselves, each over a new connection (TCP)",
        source: "the M/G/1 queue with processor sharing; Paxson and Floyd 1995",
    }
    /// payload of a file, bytes
    size: Distribution = Distribution::pareto(30_000.0, 1.5), distribution_of_sizes();
    /// time from one arrival to the next; the offered load is the mean size divided by the mean gap
    gap: Distribution = Distribution::exponential(1.0), distribution_of_times();
    /// arrivals after which none come any more
    arrivals: Limit = Limit::Unlimited, limit(10_000_000);
    /// Common to the applications whose transfers come by themselves.
    open_loop: OpenLoopConfig = OpenLoopConfig::default();
}

configuration! {
    /// Parameters of the applications whose transfers come by themselves.
    pub group OpenLoopConfig;
    /// transfers that may be under way at the same time
    concurrent: u64 = 64, integer(1..=1_024);
    /// what happens to a transfer that comes while so many are under way
    beyond: Beyond = Beyond::Wait, names();
    /// who opens the connections, see the application "web"
    opened_by: OpenedBy = OpenedBy::Receiver, names();
    /// payload of the request for a transfer, bytes, up to a segment
    request: u64 = 0, integer(0..=65_495);
}

named! {
    /// What happens to a transfer beyond the limit.
    pub enum Beyond {
        /// It waits until another is over, the first that came first. Its time counts from its arrival.
        #[default]
        Wait => "wait",
        /// It does not take place.
        Drop => "drop",
    }
    planned []
}
