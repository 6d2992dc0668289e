//! The parameters of DualPI2.

use crate::component::{configuration, integer, named, names, number, optional, positive, switch};
use crate::packet::Ecn;
use crate::time::Duration;

configuration! {
    /// Parameters of DualPI2.
    pub struct DualPi2Config {
        name: "dualpi2",
        summary: "a low-latency queue with early marks beside a classic one, coupled by one controller",
        source: "RFC 9332; Linux sch_dualpi2",
    }
    /// target queue delay
    target: Duration = Duration::from_millis(15), positive();
    /// time between two updates of the base probability
    tupdate: Duration = Duration::from_millis(16), positive();
    /// weight of the deviation from the target, per second
    alpha: f64 = 0.16, number(0.0..=1e3);
    /// weight of the change of the delay, per second
    beta: f64 = 3.2, number(0.0..=1e3);
    /// mark probability of the low-latency queue, in base probabilities (k)
    coupling_factor: u64 = 2, integer(1..=255);
    /// a packet that has waited longer in the low-latency queue is marked
    step_thresh: Duration = Duration::from_millis(1), positive();
    /// instead of a time: a packet that leaves more packets than this in the low-latency queue
    /// is marked
    step_packets: Option<u64> = None, optional(integer(0..=1_000_000), "step_thresh");
    /// packets that must wait in the low-latency queue when a packet arrives there; otherwise
    /// its wait does not mark it
    min_qlen_step: u64 = 0, integer(0..=1_000_000);
    /// the packets of the low-latency queue: those with ECT(1) or CE, or all with ECN
    classify: Classification = Classification::L4sEct, names();
    /// share of the link that the classic queue has at least, percent
    classic_protection: u64 = 10, integer(0..=100);
    /// drop packets of both queues where marks of all low-latency packets are not enough;
    /// otherwise they wait until the queue is full
    drop_on_overload: bool = true, switch();
    /// the controller marks and drops packets that arrive, not those that leave
    drop_early: bool = false, switch();
    // Linux takes that of the interface, with the Ethernet header.
    /// bytes; while less than twice as many wait beside a packet, the controller spares it
    mtu: u64 = 1500, integer(1..=65_535);
}

named! {
    /// Which packets the low-latency queue takes.
    pub enum Classification {
        /// ECT(1), the identifier of L4S (RFC 9331), and CE.
        #[default]
        L4sEct => "l4s_ect",
        /// All with ECN: ECT(0), too, for DCTCP in a data centre.
        AnyEct => "any_ect",
    }
    planned []
}

impl Classification {
    /// Whether packets with this ECN field are of the low-latency queue.
    pub(super) const fn is_low_latency(self, ecn: Ecn) -> bool {
        match ecn {
            Ecn::Ect1 | Ecn::Ce => true,
            Ecn::Ect0 => matches!(self, Self::AnyEct),
            Ecn::NotEct => false,
        }
    }
}
