//! Rate control: which rate the data frame of each attempt has.
//!
//! Each direction of each link has its own. It learns how each attempt ends, with A-MPDUs also how many MPDUs are
//! acknowledged; an RTS without CTS tells nothing about a data rate. To add a rate control, add a file and a line in
//! `rate_controls!` below.

mod aarf;
mod adaptation;
mod algorithm;
mod arf;
pub mod boxed;
mod fixed;
mod ideal;
mod minstrel;
mod minstrel_ht;
#[cfg(test)]
mod tests;

pub use aarf::{Aarf, AarfConfig};
pub(in crate::medium::wlan) use adaptation::Adaptation;
pub use algorithm::{LinkInfo, NextFrame, Outcome, RateControl, Report};
pub use arf::{Arf, ArfConfig};
pub use fixed::{Fixed, FixedConfig};
pub use ideal::{Ideal, IdealConfig};
pub use minstrel::{Minstrel, MinstrelConfig};
pub use minstrel_ht::{MinstrelHt, MinstrelHtConfig};

use crate::component::{Prototype, registry};

impl Config {
    /// Whether the mode of a link never changes.
    pub const fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed(_))
    }
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

            fn may_aggregate(&self) -> bool {
                match self {
                    $(Self::$type(control) => control.may_aggregate(),)+
                    Self::Prototype(control) => control.may_aggregate(),
                }
            }

            fn report(&mut self, report: &Report) {
                match self {
                    $(Self::$type(control) => control.report(report),)+
                    Self::Prototype(control) => control.report(report),
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
    MinstrelHt(MinstrelHtConfig),
    Ideal(IdealConfig),
}
