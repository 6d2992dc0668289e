//! A congestion control behind a box: one that is defined outside of this crate.

use std::fmt::Debug;

use super::{
    AckEvent, CongestionControl, EcnFeedback, EcnResponse, LossDetection, LostSegment, Observed,
    OpenEvent, RateSample, SentEvent, Window,
};
use crate::component::{Prototype, Prototypes, Value};
use crate::rng::RngStream;
use crate::units::Rate;

/// Makes a congestion control from the values of its parameters.
pub type NewControl = dyn Fn(&[Value]) -> Box<dyn BoxedControl> + Send + Sync;

/// The congestion controls that are registered at run time.
pub static PROTOTYPES: Prototypes<NewControl> = Prototypes::new();

/// A congestion control that can be behind a box.
pub trait BoxedControl: CongestionControl + Debug + Send {}

impl<C: CongestionControl + Debug + Send> BoxedControl for C {}

/// A boxed congestion control. A clone is a new one, before anything has been sent: of such a one, a
/// connection takes clones.
#[derive(Debug)]
pub struct Boxed {
    config: Prototype<NewControl>,
    control: Box<dyn BoxedControl>,
}

impl Boxed {
    /// The configured congestion control, before anything has been sent.
    pub fn new(config: Prototype<NewControl>) -> Self {
        let control = config.constructor()(config.parameter_values());
        Self { config, control }
    }
}

impl Clone for Boxed {
    fn clone(&self) -> Self {
        Self::new(self.config.clone())
    }
}

impl CongestionControl for Boxed {
    fn loss_detection(&self) -> LossDetection {
        self.control.loss_detection()
    }

    fn use_ecn(&mut self, agreed: EcnFeedback) -> EcnResponse {
        self.control.use_ecn(agreed)
    }

    fn is_rate_based(&self) -> bool {
        self.control.is_rate_based()
    }

    fn limits_itself(&self) -> bool {
        self.control.limits_itself()
    }

    fn use_random(&mut self, random: RngStream) {
        self.control.use_random(random);
    }

    fn on_open(&mut self, window: &mut Window, event: &OpenEvent) {
        self.control.on_open(window, event);
    }

    fn paces(&self) -> bool {
        self.control.paces()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.control.pacing_rate()
    }

    fn burst(&self) -> Option<u64> {
        self.control.burst()
    }

    fn on_sent(&mut self, window: &mut Window, event: &SentEvent) {
        self.control.on_sent(window, event);
    }

    fn on_rate_sample(&mut self, window: &mut Window, sample: &RateSample) {
        self.control.on_rate_sample(window, sample);
    }

    fn on_segment_lost(&mut self, window: &mut Window, segment: &LostSegment) {
        self.control.on_segment_lost(window, segment);
    }

    fn lowers_rate(&self) -> bool {
        self.control.lowers_rate()
    }

    fn is_probing(&self) -> Option<bool> {
        self.control.is_probing()
    }

    fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
        self.control.observe(see);
    }

    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.control.on_ack(window, signal);
    }

    fn on_duplicate_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.control.on_duplicate_ack(window, signal);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        self.control.on_loss(window, signal);
    }

    fn on_congestion_mark(&mut self, window: &mut Window, signal: &AckEvent) {
        self.control.on_congestion_mark(window, signal);
    }

    fn on_partial_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.control.on_partial_ack(window, signal);
    }

    fn on_recovered(&mut self, window: &mut Window, signal: &AckEvent) {
        self.control.on_recovered(window, signal);
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        self.control.on_timeout(window, signal, first);
    }
}
