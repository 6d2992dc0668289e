//! Rate limiters of the uplink: a policer between the access point and the wired network, outside of
//! the access point (Blefari-Melazzi, Detti, Ordine and Salsano, "A mechanism to enforce TCP fairness
//! in 802.11 wireless LANs and its performance evaluation in a real test-bed", 2007).
//!
//! Uploads take what downloads leave when the access point's queue loses packets: a lost segment slows
//! a download down, a lost acknowledgement hardly slows an upload. A [`Policer`] of the uplink makes
//! uploads lose segments, too. The rate of the fixed limiter is half of the capacity; the adaptive one
//! ([`AdaptiveRateLimiter`]) finds the largest rate at which the queue loses nothing.
//!
//! The driver measures two throughputs and asks a loss signal about the queue, once per round, and
//! passes the decision to the policer: a [`Policer`] in the simulator, a program in the kernel at a
//! gateway.

mod adaptive;
mod policer;

pub use adaptive::{AdaptiveRateLimiter, Branch, Decision, Round, Throughput};
pub use policer::Policer;

use crate::component::{
    BitRate, Bounds, BucketSize, Bytes, CompositeType, Registry as _, Violation, bucket_size,
    configuration, named, names, positive, rate, rate_from_zero, registry,
};
use crate::time::Duration;

registry! {
    /// The configuration of a limiter.
    pub enum Config {
        None(NoneConfig),
        Adaptive(AdaptiveConfig),
        Fixed(FixedConfig),
    }
    kind "limiter", noun "limiter", schema "Limiter", planned &[]
}

impl Config {
    /// Parameters that are valid one by one, but not together: [`violation`](crate::component::Registry::violation), a lowest rate
    /// above the highest one, and a reservation for UDP that leaves nothing.
    pub fn conflict(&self) -> Option<Violation> {
        let violation = self.violation();
        match self {
            Self::Adaptive(AdaptiveConfig { min_rate, max_rate, .. })
                if violation.is_none() && min_rate > max_rate =>
            {
                Some(Violation {
                    parameter: "min_rate",
                    got: format!("got {min_rate}"),
                    accepted: format!("at most max_rate, {max_rate}"),
                })
            }
            Self::Adaptive(AdaptiveConfig { udp: Udp::Reserved, udp_rate, max_rate, .. })
                if violation.is_none() && udp_rate.as_bps() >= max_rate.as_bps() =>
            {
                Some(Violation {
                    parameter: "udp_rate",
                    got: format!("got {udp_rate}"),
                    accepted: format!("less than max_rate, {max_rate}"),
                })
            }
            _ => violation,
        }
    }

    /// Size of each token bucket, bytes; `None` without one.
    pub fn bucket_bytes(&self) -> Option<u64> {
        match self {
            Self::None(_) => None,
            Self::Adaptive(config) => Some(config.bucket_bytes()),
            Self::Fixed(config) => Some(config.bucket_bytes()),
        }
    }

    /// Which packets the throughput of the uplink counts; without rounds, all.
    pub fn uplink_count(&self) -> UplinkCount {
        match self {
            Self::Adaptive(config) => config.uplink_count,
            Self::None(_) | Self::Fixed(_) => UplinkCount::default(),
        }
    }
}

configuration! {
    /// Parameters of none.
    pub struct NoneConfig {
        name: "none",
        summary: "the uplink is not limited",
        source: "-",
    }
}

configuration! {
    /// Parameters of the limiter with an adaptive rate.
    pub struct AdaptiveConfig {
        name: "adaptive",
        summary: "polices the uplink at the highest rate at which the access point's queue loses nothing",
        source: "Blefari-Melazzi et al. 2007; defaults: section 3.2",
        ordered: [step <= max_rate],
    }
    /// time between two decisions, T_p
    interval: Duration = Duration::from_secs(1), positive();
    /// how much the rate changes per round, R_step
    step: BitRate = BitRate::from_bps(200_000), rate();
    /// size of the token bucket, bytes, or the time in which `max_rate` fills it
    bucket: BucketSize = BucketSize::Bytes(Bytes::new(250_000)), bucket_size();
    /// highest rate: what the cell can carry at most, at IP level, C_max
    max_rate: BitRate = BitRate::from_bps(6_000_000), rate();
    /// lowest rate, whatever the losses; 0 as in Tab. 1, which has none
    min_rate: BitRate = BitRate::from_bps(0), rate_from_zero();
    /// how the limiter learns of losses
    loss_signal: LossSignal = LossSignal::Exact(ExactConfig {}), loss_signal();
    /// what UDP is to the limiter
    udp: Udp = Udp::Shared, names();
    /// in both directions together, with `udp` "reserved"
    udp_rate: BitRate = BitRate::from_bps(1_000_000), rate();
    /// which packets from the stations R_up counts
    uplink_count: UplinkCount = UplinkCount::Air, names();
}

impl AdaptiveConfig {
    /// Size of the token bucket, bytes.
    pub fn bucket_bytes(&self) -> u64 {
        self.bucket.bytes(self.max_rate)
    }
}

configuration! {
    /// Parameters of the limiter with a fixed rate.
    pub struct FixedConfig {
        name: "fixed",
        summary: "polices the uplink at a constant rate",
        source: "Blefari-Melazzi et al. 2005, after Blefari-Melazzi et al. 2007, section 2",
    }
    /// half of 4.6 Mb/s, the largest TCP throughput in 802.11b at IP level
    rate: BitRate = BitRate::from_bps(2_300_000), rate();
    /// size of the token bucket, bytes, or the time in which `rate` fills it
    bucket: BucketSize = BucketSize::Bytes(Bytes::new(300_000)), bucket_size();
}

impl FixedConfig {
    /// Size of the token bucket, bytes.
    pub fn bucket_bytes(&self) -> u64 {
        self.bucket.bytes(self.rate)
    }
}

named! {
    /// What UDP is to a limiter. The publication has TCP alone, and names the other two as future
    /// work.
    pub enum Udp {
        /// Traffic like any other: one bucket for all.
        #[default]
        Shared => "shared",
        /// It has a bucket of its own at `udp_rate`, which is taken from the capacity.
        Reserved => "reserved",
        /// It has a bucket of its own at half of the capacity; what it uses is taken from the capacity.
        Estimated => "estimated",
    }
    planned []
}

named! {
    /// Which packets from the stations R_up counts.
    pub enum UplinkCount {
        /// All that have crossed the air: the definition of Blefari-Melazzi et al. 2007, section 2.
        #[default]
        Air => "air",
        /// Those that have passed the policer, as firewall rules behind it count: the test-bed of the
        /// publication, as far as its text says.
        Passed => "passed",
    }
    planned []
}

registry! {
    /// The configuration of a loss signal: how a limiter learns whether the access point's queue has
    /// lost packets.
    pub enum LossSignal {
        Exact(ExactConfig),
        Polled(PolledConfig),
    }
    kind "loss signal", noun "loss signal", schema "LossSignal", planned &[]
}

/// A loss signal, as a parameter of a limiter.
pub const fn loss_signal() -> Bounds<LossSignal> {
    static LOSS_SIGNAL: CompositeType = CompositeType::component::<LossSignal>();
    Bounds::composite(&LOSS_SIGNAL)
}

crate::composite_field!(LossSignal);

configuration! {
    /// An exact signal has no parameters.
    pub struct ExactConfig {
        name: "exact",
        summary: "each decision knows of all losses before it",
        source: "Blefari-Melazzi et al. 2007, Tab. 1",
    }
}

configuration! {
    /// Parameters of a signal that is polled.
    pub struct PolledConfig {
        name: "polled",
        summary: "a counter of the access point that is read over the network (SNMP)",
        source: "Blefari-Melazzi et al. 2007, section 2; refresh: net-snmp's interface table",
    }
    /// time between two updates of the counter in the access point's agent
    refresh: Duration = Duration::from_secs(3), positive();
    /// time between the reading of the counter and the decision
    delay: Duration = Duration::from_millis(20), positive();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uplink_counts_what_the_adaptive_limiter_says() {
        assert_eq!(Config::from(AdaptiveConfig::default()).uplink_count(), UplinkCount::Air);
        let uplink_count = UplinkCount::Passed;
        let config = AdaptiveConfig { uplink_count, ..AdaptiveConfig::default() };
        assert_eq!(Config::from(config).uplink_count(), UplinkCount::Passed);
        assert_eq!(Config::from(FixedConfig::default()).uplink_count(), UplinkCount::Air);
    }

    #[test]
    fn the_lowest_rate_is_at_most_the_highest() {
        let with = |bps| {
            let min_rate = BitRate::from_bps(bps);
            Config::from(AdaptiveConfig { min_rate, ..AdaptiveConfig::default() }).conflict()
        };
        assert_eq!(with(6_000_000), None);
        let conflict = with(6_000_001).unwrap();
        assert_eq!(
            (conflict.parameter, conflict.accepted.as_str()),
            ("min_rate", "at most max_rate, 6 Mbps")
        );
    }

    #[test]
    fn a_reservation_leaves_something() {
        let with = |udp, mbps: u64| {
            let udp_rate = BitRate::from_bps(1_000_000 * mbps);
            Config::from(AdaptiveConfig { udp, udp_rate, ..AdaptiveConfig::default() }).conflict()
        };
        assert_eq!(with(Udp::Reserved, 5), None);
        assert_eq!(with(Udp::Shared, 6), None);
        let conflict = with(Udp::Reserved, 6).unwrap();
        assert_eq!((conflict.parameter, conflict.got.as_str()), ("udp_rate", "got 6 Mbps"));
        let step = BitRate::from_bps(7_000_000);
        let config = AdaptiveConfig { step, udp: Udp::Reserved, ..AdaptiveConfig::default() };
        assert_eq!(Config::from(config).conflict().unwrap().parameter, "max_rate");
    }
}
