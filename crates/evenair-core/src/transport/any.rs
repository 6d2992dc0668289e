//! The closed set of transports.

use super::contract::{Counters, Output, RateControl, Windows};
use super::ends::Ends;
use super::limits::{Limit, LimitTimes};
use super::option::PacketOption;
use super::tcp::{ReceivingEnd, SendingEnd};
use super::tfrc::{TfrcSink, TfrcSource};
use super::udp::{UdpSink, UdpSource};
use crate::congestion::Observed;
use crate::delays::Delays;
use crate::packet::{End, Packet};
use crate::time::{Duration, Instant};
use crate::traffic::Reception;
use crate::units::Rate;

/// Makes the enum of the ends of all transports and its dispatch. (Crates that generate it do not take
/// methods with a generic argument.)
macro_rules! transports {
    ($($variant:ident($source:ty, $sink:ty): $doc:literal,)+) => {
        /// Both ends of a flow over one of the transports, see [`Ends`]. The set is closed, so a packet
        /// costs no virtual call, and one branch.
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "most flows are TCP's; a box is a detour")]
        pub enum AnyEnds {
            $(#[doc = $doc] $variant(Ends<$source, $sink>),)+
        }

        impl AnyEnds {
            transports! { @methods ($($variant)+)
                /// See [`Ends::open`].
                pub fn open(&mut self, now: Instant, number: u8, bytes: u64, out: &mut impl Output);

                /// See [`Ends::request`].
                pub fn request(&mut self, now: Instant, bytes: u64, out: &mut impl Output);

                /// See [`Ends::on_packet`].
                #[inline(always)]
                pub fn on_packet(
                    &mut self,
                    now: Instant,
                    packet: &Packet,
                    option: Option<&PacketOption>,
                    out: &mut impl Output,
                ) -> Instant;

                /// See [`Ends::on_departure`].
                pub fn on_departure(
                    &mut self,
                    now: Instant,
                    packet: &Packet,
                    out: &mut impl Output,
                ) -> Instant;

                /// See [`Ends::on_timer`].
                #[inline(always)]
                pub fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output);

                /// See [`Ends::stop`].
                pub fn stop(&mut self, now: Instant);

                /// See [`Ends::limit_rate`].
                pub fn limit_rate(&mut self, now: Instant, end: End, limit: Option<Rate>);

                /// See [`Ends::measure_from`].
                pub fn measure_from(&mut self, now: Instant);
            }

            transports! { @getters ($($variant)+)
                /// See [`Ends::poll_at`].
                #[inline(always)]
                pub fn poll_at(end: End) -> Instant;

                /// See [`Ends::rtt`].
                pub fn rtt(end: End) -> Option<Duration>;

                /// See [`Ends::is_opening`].
                pub fn is_opening() -> bool;

                /// See [`Ends::is_done`].
                pub fn is_done() -> bool;

                /// See [`Ends::received`].
                pub fn received() -> (u64, bool);

                /// See [`Ends::counters`].
                pub fn counters() -> Counters;

                /// See [`Ends::rtt_samples`].
                pub fn rtt_samples() -> Option<&Delays>;

                /// See [`Ends::one_way_delay`].
                pub fn one_way_delay() -> &Delays;

                /// See [`Ends::limits`].
                pub fn limits(now: Instant) -> Option<LimitTimes>;

                /// See [`Ends::limit`].
                pub fn limit() -> Limit;

                /// See [`Ends::windows`].
                pub fn windows() -> Option<Windows>;

                /// See [`Ends::probes`].
                pub fn probes() -> bool;

                /// See [`Ends::observe`].
                pub fn observe(see: &mut dyn FnMut(&str, Observed<'_>)) -> ();

                /// See [`Ends::rate_control`].
                pub fn rate_control() -> Option<RateControl>;
            }
        }
    };
    (@methods $variants:tt $(
        $(#[$meta:meta])*
        pub fn $method:ident(&mut self $(, $arg:ident: $type:ty)* $(,)?) $(-> $result:ty)?;
    )+) => {
        $(
            $(#[$meta])*
            pub fn $method(&mut self $(, $arg: $type)*) $(-> $result)? {
                transports!(@each $variants self, ends => ends.$method($($arg),*))
            }
        )+
    };
    (@getters $variants:tt $(
        $(#[$meta:meta])*
        pub fn $method:ident($($arg:ident: $type:ty)?) -> $result:ty;
    )+) => {
        $(
            $(#[$meta])*
            pub fn $method(&self $(, $arg: $type)?) -> $result {
                transports!(@each $variants self, ends => ends.$method($($arg)?))
            }
        )+
    };
    (@each ($($variant:ident)+) $self:ident, $ends:ident => $call:expr) => {
        match $self { $(Self::$variant($ends) => $call,)+ }
    };
}

impl AnyEnds {
    /// Whether it sends datagrams that do not all have the same size.
    pub fn varies(&self) -> bool {
        match self {
            Self::Udp(ends) => ends.varies(),
            Self::Tcp(_) | Self::Tfrc(_) => false,
        }
    }

    /// The receiver of the application, if it has one.
    pub fn reception(&self) -> Option<&Reception> {
        match self {
            Self::Udp(ends) => ends.sink.reception(),
            Self::Tcp(_) | Self::Tfrc(_) => None,
        }
    }
}

transports! {
    Tcp(SendingEnd, ReceivingEnd): "TCP.",
    Udp(UdpSource, UdpSink): "UDP.",
    Tfrc(TfrcSource, TfrcSink): "TFRC.",
}
