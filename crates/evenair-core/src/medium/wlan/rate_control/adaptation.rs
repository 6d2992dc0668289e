//! The rate control of one direction of a link, as its medium uses it.

use super::algorithm::{LinkInfo, NextFrame, RateControl, Report};
use super::{AnyRateControl, Config};
use crate::medium::PhyMode;
use crate::medium::wlan::Protection;
use crate::time::Instant;

/// The rate control of one direction of a link, and how often it used each mode.
#[derive(Debug)]
pub(in crate::medium::wlan) struct Adaptation {
    /// Those that it chooses among, by ascending rate.
    modes: Vec<PhyMode>,
    control: AnyRateControl,
    /// What the control frames of the link are for, but for those of long data frames.
    protection: Protection,
    /// That of the last attempt.
    chosen: usize,
    /// The present one when it was last looked at.
    present: usize,
    /// MPDUs in each.
    frames: Vec<u64>,
}

impl Adaptation {
    /// Of this link.
    pub(in crate::medium::wlan) fn new(
        config: &Config,
        link: LinkInfo<'_>,
        protection: Protection,
    ) -> Self {
        let chosen = link.first;
        let modes: Vec<_> = link.modes.iter().map(|(mode, _)| *mode).collect();
        let control = AnyRateControl::new(config, link);
        let (present, frames) = (control.present(), vec![0; modes.len()]);
        Self { modes, control, protection, chosen, present, frames }
    }

    /// The mode of an attempt that begins now, with a data frame of `bytes`. If a mode has been chosen that was not
    /// used, it is that one.
    pub(in crate::medium::wlan) fn choose(
        &mut self,
        now: Instant,
        bytes: u32,
        needs_rts: bool,
    ) -> PhyMode {
        let prelude = if needs_rts { Protection::RtsCts } else { self.protection };
        self.chosen = self.control.choose(&NextFrame { now, bytes, prelude });
        self.modes[self.chosen]
    }

    /// Whether the PPDU of the last [`Self::choose`] may have several MPDUs.
    pub(in crate::medium::wlan) fn may_aggregate(&self) -> bool {
        self.control.may_aggregate()
    }

    /// The attempt is over. Returns whether the present mode has changed.
    pub(in crate::medium::wlan) fn report(&mut self, report: &Report) -> bool {
        self.frames[self.chosen] += if report.sent_data { u64::from(report.mpdus) } else { 0 };
        self.control.report(report);
        let before = std::mem::replace(&mut self.present, self.control.present());
        before != self.present
    }

    /// The present mode.
    pub(in crate::medium::wlan) fn present(&self) -> PhyMode {
        self.modes[self.control.present()]
    }

    /// The MPDUs in each mode, by ascending rate.
    pub(in crate::medium::wlan) fn frames_by_mode(&self) -> impl Iterator<Item = (PhyMode, u64)> {
        self.modes.iter().copied().zip(self.frames.iter().copied())
    }
}
