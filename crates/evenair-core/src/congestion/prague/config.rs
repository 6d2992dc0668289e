//! The parameters of Prague.

use super::rtt_independence::RttScaling;
use crate::component::{configuration, integer, names, positive};
use crate::time::Duration;

configuration! {
    /// Parameters of Prague.
    pub struct PragueConfig {
        name: "prague",
        summary: "the control of L4S: reduces by the share of marked segments, and depends little on the round-trip time; needs AccECN",
        source: "RFC 9331 section 4, draft-briscoe-iccrg-prague-congestion-control, tcp_prague 0.6",
    }
    /// how the window grows at round-trip times below `rtt_target`
    rtt_scaling: RttScaling = RttScaling::Rate, names(); // prague_rtt_scaling 1
    /// the round-trip time as at which it then grows
    rtt_target: Duration = Duration::from_millis(25), positive(); // prague_rtt_target
    /// round trips after slow start before that begins, so that short flows are not slowed
    rtt_transition: u32 = 500, integer(0..=4_294_967_295); // prague_rtt_transition
}
