//! A congestion control with its window.

use super::{
    AckEvent, CongestionControl, Controller, EcnFeedback, EcnResponse, LossDetection, LostSegment,
    Observed, OpenEvent, RateSample, SentEvent, Window,
};
use crate::units::Rate;

/// A congestion control and its window, which nothing else writes. The window counts segments, of which
/// congestion avoidance adds fractions.
#[derive(Clone, Debug)]
pub struct WindowControl {
    control: Controller,
    window: Window,
}

impl WindowControl {
    /// Before the connection is open; `ssthresh` is the first threshold, segments.
    pub fn new(control: Controller, ssthresh: u32) -> Self {
        Self { control, window: Window { cwnd: 1.0, ssthresh: f64::from(ssthresh) } }
    }

    /// The connection is open, and cwnd is this many segments.
    pub fn open(&mut self, initial_window: u32, event: &OpenEvent) {
        self.window.cwnd = f64::from(initial_window);
        self.control.on_open(&mut self.window, event);
    }

    /// The sender has been idle for long, and goes on with this window. The control is not told.
    pub fn restart(&mut self, window: Window) {
        self.window = window;
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// cwnd, segments.
    #[inline(always)]
    pub fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    /// What finds losses.
    pub fn loss_detection(&self) -> LossDetection {
        self.control.loss_detection()
    }

    /// See [`CongestionControl::use_ecn`].
    pub fn use_ecn(&mut self, agreed: EcnFeedback) -> EcnResponse {
        self.control.use_ecn(agreed)
    }

    /// See [`CongestionControl::is_rate_based`].
    pub fn is_rate_based(&self) -> bool {
        self.control.is_rate_based()
    }

    /// See [`CongestionControl::limits_itself`].
    pub fn limits_itself(&self) -> bool {
        self.control.limits_itself()
    }

    /// See [`CongestionControl::paces`].
    pub fn paces(&self) -> bool {
        self.control.paces()
    }

    /// See [`CongestionControl::pacing_rate`].
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.control.pacing_rate()
    }

    /// See [`CongestionControl::burst`].
    pub fn burst(&self) -> Option<u64> {
        self.control.burst()
    }

    /// See [`CongestionControl::on_sent`].
    pub fn on_sent(&mut self, event: &SentEvent) {
        self.control.on_sent(&mut self.window, event);
    }

    /// See [`CongestionControl::on_rate_sample`].
    pub fn on_rate_sample(&mut self, sample: &RateSample) {
        self.control.on_rate_sample(&mut self.window, sample);
    }

    /// See [`CongestionControl::on_segment_lost`].
    pub fn on_segment_lost(&mut self, segment: &LostSegment) {
        self.control.on_segment_lost(&mut self.window, segment);
    }

    /// See [`CongestionControl::lowers_rate`].
    pub fn lowers_rate(&self) -> bool {
        self.control.lowers_rate()
    }

    /// See [`CongestionControl::is_probing`].
    pub fn is_probing(&self) -> Option<bool> {
        self.control.is_probing()
    }

    /// See [`CongestionControl::observe`].
    pub fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        self.control.observe(see);
    }

    /// See [`CongestionControl::on_ack`].
    #[inline(always)]
    pub fn on_ack(&mut self, event: &AckEvent) {
        if event.may_grow {
            self.control.on_ack(&mut self.window, event);
        } else {
            self.signal(event, |control, window| control.on_ack(window, event));
        }
    }

    /// See [`CongestionControl::on_duplicate_ack`].
    pub fn on_duplicate_ack(&mut self, event: &AckEvent) {
        self.signal(event, |control, window| control.on_duplicate_ack(window, event));
    }

    /// See [`CongestionControl::on_loss`].
    pub fn on_loss(&mut self, event: &AckEvent) {
        self.signal(event, |control, window| control.on_loss(window, event));
    }

    /// See [`CongestionControl::on_congestion_mark`].
    pub fn on_congestion_mark(&mut self, event: &AckEvent) {
        self.signal(event, |control, window| control.on_congestion_mark(window, event));
    }

    /// See [`CongestionControl::on_partial_ack`].
    pub fn on_partial_ack(&mut self, event: &AckEvent) {
        self.signal(event, |control, window| control.on_partial_ack(window, event));
    }

    /// See [`CongestionControl::on_recovered`].
    pub fn on_recovered(&mut self, event: &AckEvent) {
        self.signal(event, |control, window| control.on_recovered(window, event));
    }

    /// See [`CongestionControl::on_timeout`].
    pub fn on_timeout(&mut self, event: &AckEvent, first: bool) {
        self.signal(event, |control, window| control.on_timeout(window, event, first));
    }

    /// Calls the control. It may increase cwnd although the event forbids that, if it decides once a round trip:
    /// the increase is taken back.
    #[cold]
    fn signal(&mut self, event: &AckEvent, handle: impl FnOnce(&mut Controller, &mut Window)) {
        let before = self.window.cwnd;
        handle(&mut self.control, &mut self.window);
        if !event.may_grow {
            self.window.cwnd = self.window.cwnd.min(before);
        }
    }
}
