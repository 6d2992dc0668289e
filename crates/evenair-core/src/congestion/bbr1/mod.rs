//! BBR version 1 (Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016) as Linux has it
//! (`net/ipv4/tcp_bbr.c`; 5.x to 6.16): a model of the path, the highest bandwidth of 10 rounds and the shortest
//! round-trip time of 10 s, says how fast segments leave and how many may be in flight.
//!
//! Each part has a file: [`bandwidth`], [`startup`], [`cycle`], [`min_rtt`], [`aggregation`], [`conservation`] and
//! [`policer`]. They meet in [`model`], in the order of `bbr_main`.
//!
//! Bandwidths and gains are in Linux's fixed point, and round-trip times count in whole microseconds, so that windows
//! are rounded as there. Times of which Linux knows jiffies are exact.
//!
//! Departures:
//! - ACKs that report nothing new are no signal; without SACK duplicate ACKs are none, whereas Linux takes each for a
//!   segment delivered;
//! - a timeout leaves a cwnd of 1 segment, and not of 1 more than is in flight (`tcp_enter_loss`);
//! - a timeout that was not needed is not undone (`bbr_undo_cwnd`): senders here find none;
//! - the option `tso` sends 2 segments at a time at least, also below 1.2 Mb/s (`bbr_min_tso_segs`).

mod aggregation;
mod bandwidth;
mod conservation;
mod cycle;
mod min_rtt;
mod model;
mod policer;
mod startup;

use self::model::Model;
use super::{
    AckEvent, CongestionControl, LostSegment, Observed, OpenEvent, RateSample, SentEvent, Window,
};
use crate::component::configuration;
use crate::rng::RngStream;
use crate::units::Rate;

configuration! {
    /// BBR version 1 has no parameters.
    pub struct Bbr1Config {
        name: "bbr1",
        summary: "paces at the highest bandwidth of 10 rounds, with two bandwidth-delay products in flight at most",
        source: "Cardwell et al. 2016; Linux tcp_bbr",
    }
}

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr1(Box<Model>);

impl Bbr1 {
    /// Before anything has been sent.
    pub fn new(_config: Bbr1Config) -> Self {
        Self(Box::new(Model::new()))
    }
}

impl CongestionControl for Bbr1 {
    fn is_rate_based(&self) -> bool {
        true
    }

    fn limits_itself(&self) -> bool {
        true
    }

    fn use_random(&mut self, random: RngStream) {
        self.0.use_random(random);
    }

    fn on_open(&mut self, window: &mut Window, event: &OpenEvent) {
        self.0.on_open(window, event);
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.0.pacing_rate()
    }

    fn lowers_rate(&self) -> bool {
        self.0.lowers_rate()
    }

    fn on_sent(&mut self, window: &mut Window, event: &SentEvent) {
        self.0.on_sent(window, event);
    }

    fn on_segment_lost(&mut self, _window: &mut Window, segment: &LostSegment) {
        self.0.on_segment_lost(segment);
    }

    fn on_rate_sample(&mut self, window: &mut Window, sample: &RateSample) {
        self.0.on_rate_sample(window, sample);
    }

    fn is_probing(&self) -> Option<bool> {
        Some(self.0.is_probing())
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        self.0.observe(see);
    }

    fn on_ack(&mut self, _window: &mut Window, _signal: &AckEvent) {}

    /// A mark, too: the window does not follow it.
    fn on_loss(&mut self, window: &mut Window, _signal: &AckEvent) {
        self.0.on_loss(window);
    }

    fn on_timeout(&mut self, window: &mut Window, _signal: &AckEvent, _first: bool) {
        self.0.on_timeout(window);
    }
}
