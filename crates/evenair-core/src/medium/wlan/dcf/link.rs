//! One direction of a link: the frames of its attempts.

use super::exchange::{Frames, payload};
use crate::medium::wlan::config::DcfConfig;
use crate::medium::wlan::rate_control::Adaptation;
use crate::medium::{Airtime, PhyMode, PhyModes};
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
