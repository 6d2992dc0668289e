//! A rate control behind a box: one that is defined outside of this crate.

use std::fmt::Debug;

use super::algorithm::{LinkInfo, NextFrame, RateControl, Report};
use crate::component::{Prototype, Prototypes, Value};

/// Makes a rate control from the values of its parameters and its link.
pub type NewRateControl = dyn Fn(&[Value], LinkInfo<'_>) -> Box<dyn BoxedRateControl> + Send + Sync;

/// The rate controls that are registered at run time.
pub static PROTOTYPES: Prototypes<NewRateControl> = Prototypes::new();

/// A rate control that can be behind a box.
pub trait BoxedRateControl: RateControl + Debug + Send {}

impl<C: RateControl + Debug + Send> BoxedRateControl for C {}

/// A boxed rate control.
#[derive(Debug)]
pub struct Boxed(Box<dyn BoxedRateControl>);

impl Boxed {
    /// The configured rate control of a link.
    pub fn new(config: &Prototype<NewRateControl>, link: LinkInfo<'_>) -> Self {
        Self(config.constructor()(config.parameter_values(), link))
    }
}

impl RateControl for Boxed {
    fn choose(&mut self, frame: &NextFrame) -> usize {
        self.0.choose(frame)
    }

    fn may_aggregate(&self) -> bool {
        self.0.may_aggregate()
    }

    fn report(&mut self, report: &Report) {
        self.0.report(report);
    }

    fn present(&self) -> usize {
        self.0.present()
    }
}
