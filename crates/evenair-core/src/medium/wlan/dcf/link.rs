//! One direction of a link: the frames of its attempts, and the control of their rates.

use super::exchange::{Frames, payload};
use crate::medium::wlan::channel::Channel;
use crate::medium::wlan::config::{DcfConfig, StationConfig};
use crate::medium::wlan::frame::control::Protection;
use crate::medium::wlan::rate_control::{
    AnyRateControl, Config, LinkInfo, NextFrame, Outcome, RateControl, Report,
};
use crate::medium::{Airtime, PhyMode, PhyModes};
use crate::rng::RngStream;
use crate::time::Instant;

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
    /// A link whose first mode, or only one, is `mode`.
    pub(super) fn new(
        config: &DcfConfig,
        modes: &PhyModes,
        mode: PhyMode,
        adaptation: Option<Adaptation>,
    ) -> Self {
        Self {
            bytes: 0,
            frames: Frames::new(config, modes, 0, mode),
            airtime: Airtime::default(),
            adaptation: adaptation.map(Box::new),
        }
    }

    /// The frames of an attempt that begins now, with a data frame of `bytes`.
    #[inline(always)]
    pub(super) fn attempt(
        &mut self,
        config: &DcfConfig,
        modes: &PhyModes,
        now: Instant,
        bytes: u32,
    ) -> &Frames {
        if self.adaptation.is_some() {
            self.adapt(config, modes, now, bytes);
        } else if self.bytes != bytes {
            self.prepare(config, modes, bytes, self.frames.mode);
        }
        &self.frames
    }

    /// The frames of the present, or last, attempt.
    pub(super) fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The mode of the link, but for frames that try another one.
    pub(super) fn mode(&self) -> PhyMode {
        self.adaptation.as_ref().map_or(self.frames.mode, |adaptation| adaptation.present())
    }

    #[inline(never)] // only with rate control
    fn adapt(&mut self, config: &DcfConfig, modes: &PhyModes, now: Instant, bytes: u32) {
        let Some(adaptation) = &mut self.adaptation else { return };
        let needs_rts = config.rts_threshold.is_some_and(|threshold| bytes > threshold);
        let mode = adaptation.choose(now, bytes, needs_rts);
        if (self.bytes, self.frames.mode) != (bytes, mode) {
            self.prepare(config, modes, bytes, mode);
        }
    }

    #[inline(never)] // seldom in comparison
    fn prepare(&mut self, config: &DcfConfig, modes: &PhyModes, bytes: u32, mode: PhyMode) {
        self.bytes = bytes;
        if self.frames.mode == mode {
            let vector = modes.vector(mode);
            self.frames.airtime = config.phy.airtime(bytes, vector);
            self.frames.payload = payload(config, bytes, vector);
        } else {
            self.frames = Frames::new(config, modes, bytes, mode);
        }
    }
}

/// The rate control of one direction of a link, and how often it used each mode.
#[derive(Debug)]
pub(super) struct Adaptation {
    /// Those that it chooses among, by ascending rate.
    modes: Vec<PhyMode>,
    control: AnyRateControl,
    /// What the control frames of the link are for, but for those of long data frames.
    protection: Protection,
    /// That of the last attempt.
    chosen: usize,
    /// The present one when it was last looked at.
    present: usize,
    /// Data frames in each.
    frames: Vec<u64>,
}

impl Adaptation {
    /// Of a link of `node`; `None` where its rate is fixed.
    pub(super) fn new(
        config: &DcfConfig,
        modes: &PhyModes,
        node: &StationConfig,
        channel: Option<&Channel>,
        stream: RngStream,
    ) -> Option<Self> {
        if matches!(node.rate_control, Config::Fixed(_)) {
            return None;
        }
        let modes = config.phy.modes_of(node.phy, modes);
        let first = modes.iter().rposition(|(_, vector)| vector.rate <= node.rate).unwrap_or(0);
        let protection = config.protection_of(&modes[0].1);
        let choices: Vec<_> = modes.iter().map(|(mode, _)| *mode).collect();
        let link = LinkInfo { modes, first, phy: &config.phy, channel, stream };
        let control = AnyRateControl::new(&node.rate_control, link);
        Some(Self {
            protection,
            present: control.present(),
            control,
            chosen: first,
            frames: vec![0; choices.len()],
            modes: choices,
        })
    }

    /// The mode of an attempt that begins now, with a data frame of `bytes`.
    pub(super) fn choose(&mut self, now: Instant, bytes: u32, needs_rts: bool) -> PhyMode {
        let prelude = if needs_rts { Protection::RtsCts } else { self.protection };
        self.chosen = self.control.choose(&NextFrame { now, bytes, prelude });
        self.modes[self.chosen]
    }

    /// The attempt is over. Returns whether the present mode has changed.
    pub(super) fn report(&mut self, now: Instant, sent_data: bool, outcome: Outcome) -> bool {
        self.frames[self.chosen] += u64::from(sent_data);
        self.control.report(&Report::of_frame(now, sent_data, outcome));
        let before = std::mem::replace(&mut self.present, self.control.present());
        before != self.present
    }

    /// The present mode.
    pub(super) fn present(&self) -> PhyMode {
        self.modes[self.control.present()]
    }

    /// The data frames in each mode, by ascending rate.
    pub(super) fn frames_by_mode(&self) -> impl Iterator<Item = (PhyMode, u64)> {
        self.modes.iter().copied().zip(self.frames.iter().copied())
    }
}
