//! The parameters of TFRC.

use crate::component::{OnOff, configuration, integer, names, number};

configuration! {
    /// Parameters of TFRC.
    pub struct TfrcConfig {
        name: "tfrc",
        summary: "datagrams at the rate that TCP would have at the same losses and round-trip times",
        source: "RFC 5348",
    }
    /// whether the rate follows each round-trip time, so that queues oscillate less (section 4.5)
    oscillation_prevention: OnOff = OnOff::On, names();
    /// whether a long interval without loss makes older ones count less (section 5.5)
    history_discounting: OnOff = OnOff::On, names();
    /// how much less at most (ns-2: 0.5)
    discount_threshold: f64 = 0.25, number(0.01..=1.0);
    /// what is kept of the smoothed round-trip time at each report (ns-2: 0.95)
    rtt_filter: f64 = 0.9, number(0.0..=0.999);
    /// size of a report at IP level, bytes: IP 20, UDP 8, and RTCP transport feedback of 28, of
    /// which 16 are TFRC's (draft-ietf-avt-tfrc-profile-10, section 6; ns-2: 40)
    report_size: u64 = 56, integer(28..=1500);
}

impl TfrcConfig {
    /// The lower bound of the discount factor; none without history discounting.
    pub(super) fn threshold(&self) -> Option<f64> {
        (self.history_discounting == OnOff::On).then_some(self.discount_threshold)
    }
}
