//! A rate control that knows the channel, in the manner of ns-3's `IdealWifiManager`: the highest rate
//! at which a frame is received with a given probability. Collisions do not change the rate.

use super::algorithm::{LinkInfo, NextFrame, RateControl, Report};
use crate::component::{configuration, probability};
use crate::medium::PhyMode;
use crate::medium::wlan::channel::Model;

configuration! {
    /// Parameters of a rate control that knows the channel.
    pub struct IdealConfig {
        name: "ideal",
        summary: "the highest rate at which the channel corrupts few frames; it knows the channel",
        source: "ns-3 IdealWifiManager, in kind; 0.9: the sensitivity of 802.11-2007 17.3.10.1",
    }
    /// the probability of reception, collisions apart, that a frame has at least
    success: f64 = 0.9, probability();
}

/// A rate control that knows the channel.
#[derive(Clone, Debug)]
pub struct Ideal {
    success: f64,
    modes: Vec<PhyMode>,
    /// `None`: no frame is corrupted.
    channel: Option<Model>,
    rate: usize,
}

impl Ideal {
    /// Of a link whose frames `link.channel` corrupts.
    pub fn new(config: IdealConfig, link: LinkInfo<'_>) -> Self {
        let channel = link.channel.map(|channel| channel.model().clone());
        let modes = link.modes.iter().map(|(mode, _)| *mode).collect();
        Self { success: config.success, modes, channel, rate: link.first }
    }
}

impl RateControl for Ideal {
    fn choose(&mut self, frame: &NextFrame) -> usize {
        let is_good = |mode: &PhyMode| match &self.channel {
            Some(channel) => channel.success(frame.now, *mode, frame.bytes) >= self.success,
            None => true,
        };
        self.rate = self.modes.iter().rposition(is_good).unwrap_or(0);
        self.rate
    }

    fn report(&mut self, _: &Report) {}

    fn present(&self) -> usize {
        self.rate
    }
}
