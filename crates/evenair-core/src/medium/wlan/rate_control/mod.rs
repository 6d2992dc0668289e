//! Rate control: which rate the data frame of each attempt has.
//!
//! Each direction of each link has its own. It learns how each attempt ends that has a data frame; an
//! RTS without CTS tells nothing about a data rate. To add a rate control, add a file and a line in
//! `rate_controls!` below.

mod aarf;
mod arf;
pub mod boxed;
mod fixed;
mod ideal;
mod minstrel;
#[cfg(test)]
mod tests;

pub use aarf::{Aarf, AarfConfig};
pub use arf::{Arf, ArfConfig};
pub use fixed::{Fixed, FixedConfig};
pub use ideal::{Ideal, IdealConfig};
pub use minstrel::{Minstrel, MinstrelConfig};

use super::channel::Channel;
use super::dcf::{DcfConfig, StationConfig};
use super::frame::control::Protection;
use super::phy::Phy;
use crate::component::{Prototype, registry};
use crate::rng::RngStream;
use crate::time::Instant;
use crate::units::Rate;

/// What a rate control knows of its link from the start.
#[derive(Clone, Debug)]
pub struct LinkInfo<'a> {
    /// The rates that the link can have, ascending. Rates are named by their index here.
    pub rates: &'static [Rate],
    /// The rate of the first data frame, unless the rate control has its own.
    pub first: usize,
    /// Timing of the cell.
    pub phy: &'a Phy,
    /// What is known of the channel.
    pub channel: Option<&'a Channel>,
    /// Own random numbers.
    pub stream: RngStream,
}

/// A data frame whose rate is to be chosen.
#[derive(Clone, Copy, Debug)]
pub struct NextFrame {
    /// When its attempt begins.
    pub now: Instant,
    /// Its size, MAC overhead included.
    pub bytes: u32,
    /// What goes before it, for its size or for protection.
    pub prelude: Protection,
}

/// How an attempt has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The packet is acknowledged.
    Delivered,
    /// The packet will be sent again.
    Failed,
    /// The packet is dropped.
    GivenUp,
}

/// Chooses the rates of one direction of a link.
pub trait RateControl {
    /// The rate of an attempt that begins now.
    fn choose(&mut self, frame: &NextFrame) -> usize;

    /// The attempt of the last [`RateControl::choose`] is over. `sent_data` is false if it had no data
    /// frame.
    fn report(&mut self, now: Instant, sent_data: bool, outcome: Outcome);

    /// The rate at which packets are sent at present, but for those that try another one.
    fn present(&self) -> usize;
}

/// Generates the registry of all rate controls, and an enum that dispatches to them.
macro_rules! rate_controls {
    ($($type:ident($config:ident),)+) => {
        registry! {
            /// The configuration of a rate control.
            pub enum Config {
                $($type($config),)+
            }
            kind "rate control", noun "rate control", schema "RateControl", planned &[],
            prototypes Prototype(Prototype<boxed::NewRateControl>) in boxed::PROTOTYPES
        }

        /// Any of the rate controls.
        #[derive(Debug)]
        pub enum AnyRateControl {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
            #[doc = "One that is registered at run time."]
            Prototype(boxed::Boxed),
        }

        impl AnyRateControl {
            /// The configured rate control of a link.
            pub fn new(config: &Config, link: LinkInfo<'_>) -> Self {
                match config {
                    $(Config::$type(config) => Self::$type($type::new(config.clone(), link)),)+
                    Config::Prototype(config) => Self::Prototype(boxed::Boxed::new(config, link)),
                }
            }
        }

        impl RateControl for AnyRateControl {
            fn choose(&mut self, frame: &NextFrame) -> usize {
                match self {
                    $(Self::$type(control) => control.choose(frame),)+
                    Self::Prototype(control) => control.choose(frame),
                }
            }

            fn report(&mut self, now: Instant, sent_data: bool, outcome: Outcome) {
                match self {
                    $(Self::$type(control) => control.report(now, sent_data, outcome),)+
                    Self::Prototype(control) => control.report(now, sent_data, outcome),
                }
            }

            fn present(&self) -> usize {
                match self {
                    $(Self::$type(control) => control.present(),)+
                    Self::Prototype(control) => control.present(),
                }
            }
        }
    };
}

rate_controls! {
    Fixed(FixedConfig),
    Arf(ArfConfig),
    Aarf(AarfConfig),
    Minstrel(MinstrelConfig),
    Ideal(IdealConfig),
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
