//! The marks of one connection, as Linux's version 3 counts them ([`super::ecn`]).

use crate::component::named;
use crate::time::Duration;

named! {
    /// What a mark is.
    pub enum EcnRule {
        /// Congestion, as a loss below the threshold (3.7).
        #[default]
        Draft => "draft",
        /// Linux's version 3.
        Linux => "linux",
    }
    planned []
}

/// `bbr_ecn_max_rtt_us`: the longest BBR.min_rtt with which marks begin to count.
const LONGEST_RTT: Duration = Duration::from_millis(5);
/// `bbr_ecn_alpha_gain`: the weight of a round trip in the smoothed share.
const GAIN: f64 = 1.0 / 16.0;
/// `bbr_ecn_thresh`: the share of marked segments above which there is too much in flight.
pub(super) const THRESHOLD: f64 = 0.5;
/// `bbr_full_ecn_cnt`: round trips in a row with that share which end Startup.
const STARTUP_ROUNDS: u32 = 2;
/// What the marks of one connection have told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// `ecn_eligible`: whether they count.
    pub(super) counts: bool,
    /// `ecn_alpha`: the smoothed share; 1 at first (`bbr_ecn_alpha_init`).
    pub(super) alpha: f64,
    /// Delivered in the present round trip, and marked of it, bytes.
    pub(super) delivered: u64,
    pub(super) marked: u64,
    /// `startup_ecn_rounds`.
    startup_rounds: u32,
    /// `ecn_in_round`: since the last round trip of losses began.
    pub(super) in_round: bool,
    /// `ecn_in_cycle` and `loss_in_cycle`: since the last probe ended.
    pub(super) in_cycle: bool,
    pub(super) has_loss_in_cycle: bool,
    /// `TCP_CA_CWR`: until so much has been delivered, marks have been reported less than a round trip ago, bytes.
    pub(super) reported_until: Option<u64>,
}

impl Marks {
    pub(super) fn new() -> Self {
        Self {
            counts: false,
            alpha: 1.0,
            delivered: 0,
            marked: 0,
            startup_rounds: 0,
            in_round: false,
            in_cycle: false,
            has_loss_in_cycle: false,
            reported_until: None,
        }
    }

    /// A round trip ends on a path of this round-trip time (`bbr_update_ecn_alpha`). The share of it that was marked.
    pub(super) fn on_round(&mut self, min_rtt: Option<Duration>) -> Option<f64> {
        self.counts |= min_rtt.is_some_and(|rtt| rtt <= LONGEST_RTT);
        if !self.counts || self.delivered == 0 {
            return None;
        }
        let share = self.marked as f64 / self.delivered as f64;
        self.alpha = (1.0 - GAIN) * self.alpha + GAIN * share;
        (self.delivered, self.marked) = (0, 0);
        Some(share)
    }

    /// `bbr_check_ecn_too_high_in_startup`: whether this round trip ends Startup.
    pub(super) fn ends_startup(&mut self, share: f64) -> bool {
        self.startup_rounds = if share >= THRESHOLD { self.startup_rounds + 1 } else { 0 };
        self.startup_rounds >= STARTUP_ROUNDS
    }
}
