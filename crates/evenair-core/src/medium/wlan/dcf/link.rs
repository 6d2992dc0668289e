//! One direction of a link: the frames of its attempts, and the control of their rates.

use super::exchange::{Frames, payload};
use crate::medium::Airtime;
use crate::medium::wlan::channel::Channel;
use crate::medium::wlan::config::{DcfConfig, StationConfig};
use crate::medium::wlan::frame::control::Protection;
use crate::medium::wlan::rate_control::{
    AnyRateControl, Config, LinkInfo, NextFrame, Outcome, RateControl,
};
use crate::rng::RngStream;
use crate::time::Instant;
use crate::units::Rate;

/// One direction of the link between a station and the access point.
#[derive(Debug)]
pub(super) struct Link {
    /// Size of the last data frame.
    bytes: u32,
    /// The frames of the last attempt. Most attempts repeat them, which saves divisions.
    frames: Frames,
    /// Airtime of all attempts, the present one as a whole.
    pub(super) airtime: Airtime,
    /// Chooses the rate of each attempt; `None`: it is always that of the last.
    pub(super) adaptation: Option<Box<Adaptation>>,
}

impl Link {
    /// A link whose first rate, or only one, is `rate`.
    pub(super) fn new(config: &DcfConfig, rate: Rate, adaptation: Option<Adaptation>) -> Self {
        Self {
            bytes: 0,
            frames: Frames::new(config, 0, rate),
            airtime: Airtime::default(),
            adaptation: adaptation.map(Box::new),
        }
    }

    /// The frames of an attempt that begins now, with a data frame of `bytes`.
    #[inline(always)]
    pub(super) fn attempt(&mut self, config: &DcfConfig, now: Instant, bytes: u32) -> &Frames {
        if self.adaptation.is_some() {
            self.adapt(config, now, bytes);
        } else if self.bytes != bytes {
            self.prepare(config, bytes, self.frames.rate);
        }
        &self.frames
    }

    /// The frames of the present, or last, attempt.
    pub(super) fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The rate of the link, but for frames that try another one.
    pub(super) fn rate(&self) -> Rate {
        self.adaptation.as_ref().map_or(self.frames.rate, |adaptation| adaptation.present())
    }

    #[inline(never)] // only with rate control
    fn adapt(&mut self, config: &DcfConfig, now: Instant, bytes: u32) {
        let Some(adaptation) = &mut self.adaptation else { return };
        let needs_rts = config.rts_threshold.is_some_and(|threshold| bytes > threshold);
        let rate = adaptation.choose(now, bytes, needs_rts);
        if (self.bytes, self.frames.rate) != (bytes, rate) {
            self.prepare(config, bytes, rate);
        }
    }

    #[inline(never)] // seldom in comparison
    fn prepare(&mut self, config: &DcfConfig, bytes: u32, rate: Rate) {
        self.bytes = bytes;
        if self.frames.rate == rate {
            self.frames.airtime = config.phy.airtime(bytes, rate);
            self.frames.payload = payload(config, bytes, rate);
        } else {
            self.frames = Frames::new(config, bytes, rate);
        }
    }
}

/// The rate control of one direction of a link, and how often it used each rate.
#[derive(Debug)]
pub(super) struct Adaptation {
    rates: &'static [Rate],
    control: AnyRateControl,
    /// What the control frames of the link are for, but for those of long data frames.
    protection: Protection,
    /// The rate of the last attempt.
    chosen: usize,
    /// The present rate when it was last looked at.
    present: usize,
    /// Data frames at each rate.
    frames: Vec<u64>,
}

impl Adaptation {
    /// Of a link of `node`; `None` where its rate is fixed.
    pub(super) fn new(
        config: &DcfConfig,
        node: &StationConfig,
        channel: Option<&Channel>,
        stream: RngStream,
    ) -> Option<Self> {
        if matches!(node.rate_control, Config::Fixed(_)) {
            return None;
        }
        let rates = config.phy.rates_of(node.phy);
        let first = rates.iter().rposition(|rate| *rate <= node.rate).unwrap_or(0);
        let link = LinkInfo { rates, first, phy: &config.phy, channel, stream };
        let control = AnyRateControl::new(&node.rate_control, link);
        Some(Self {
            protection: config.protection_of(rates[0]),
            present: control.present(),
            control,
            chosen: first,
            frames: vec![0; rates.len()],
            rates,
        })
    }

    /// The rate of an attempt that begins now, with a data frame of `bytes`.
    pub(super) fn choose(&mut self, now: Instant, bytes: u32, needs_rts: bool) -> Rate {
        let prelude = if needs_rts { Protection::RtsCts } else { self.protection };
        self.chosen = self.control.choose(&NextFrame { now, bytes, prelude });
        self.rates[self.chosen]
    }

    /// The attempt is over. Returns whether the present rate has changed.
    pub(super) fn report(&mut self, now: Instant, sent_data: bool, outcome: Outcome) -> bool {
        self.frames[self.chosen] += u64::from(sent_data);
        self.control.report(now, sent_data, outcome);
        let before = std::mem::replace(&mut self.present, self.control.present());
        before != self.present
    }

    /// The present rate.
    pub(super) fn present(&self) -> Rate {
        self.rates[self.control.present()]
    }

    /// The data frames at each rate, ascending.
    pub(super) fn frames_by_rate(&self) -> impl Iterator<Item = (Rate, u64)> {
        self.rates.iter().copied().zip(self.frames.iter().copied())
    }
}
