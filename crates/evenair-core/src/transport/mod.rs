//! The contract of transports, and what their packets have in common.
//!
//! A transport carries the data of one flow from the [`End::Sender`] to the [`End::Receiver`].
//! It takes packets ([`Transport::on_packet`]) and the time ([`Transport::on_timer`], to be called
//! at [`Transport::poll_at`]), and gives the packets that it sends to the [`Output`] of the caller, so
//! that an immediate answer costs no second call. A new transport is a variant of [`AnyTransport`]
//! and no branch elsewhere.
//!
//! A packet is small and carries no option itself. An [`Output`] is given the [`PacketOption`] beside the
//! packet, keeps it, and stores its number in [`Packet::option`]; whoever delivers the packet passes the
//! option to [`Transport::on_packet`] again. This works in both directions.

mod contract;
mod header;
mod limits;
mod option;
mod sack;
pub mod tcp;
pub mod tfrc;
mod udp;

pub use contract::{Counters, Measurements, Output, RateControl, Transport};
pub use header::PacketHeader;
pub use limits::{Limit, LimitTimes};
pub use option::{DataHeader, PacketOption, Report, WindowUpdate};
pub use sack::{MAX_BLOCKS, SackBlocks};
pub use udp::Udp;

use self::tcp::Connection;
use self::tfrc::Tfrc;
use crate::packet::{End, Packet};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Makes the enum of all transports and its dispatch.
macro_rules! transports {
    ($($variant:ident($type:ident): $doc:literal,)+) => {
        /// One of the transports. The set is closed, so a packet costs no virtual call.
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "most flows are TCP's; a box is a detour")]
        pub enum AnyTransport {
            $(#[doc = $doc] $variant($type),)+
        }

        impl Transport for AnyTransport {
            fn start(&mut self, now: Instant, out: &mut impl Output) {
                match self { $(Self::$variant(t) => t.start(now, out),)+ }
            }

            #[inline(always)]
            fn on_packet(
                &mut self,
                now: Instant,
                packet: &Packet,
                option: Option<&PacketOption>,
                out: &mut impl Output,
            ) -> (End, Instant) {
                match self { $(Self::$variant(t) => t.on_packet(now, packet, option, out),)+ }
            }

            #[inline(always)]
            fn on_timer(&mut self, now: Instant, end: End, out: &mut impl Output) {
                match self { $(Self::$variant(t) => t.on_timer(now, end, out),)+ }
            }

            #[inline(always)]
            fn poll_at(&self, end: End) -> Instant {
                match self { $(Self::$variant(t) => t.poll_at(end),)+ }
            }

            fn stop(&mut self, now: Instant) {
                match self { $(Self::$variant(t) => t.stop(now),)+ }
            }

            fn limit_rate(&mut self, now: Instant, end: End, limit: Option<Rate>) {
                match self { $(Self::$variant(t) => t.limit_rate(now, end, limit),)+ }
            }

            fn rtt(&self, end: End) -> Option<Duration> {
                match self { $(Self::$variant(t) => t.rtt(end),)+ }
            }

            fn answer_bytes(&self) -> u32 {
                match self { $(Self::$variant(t) => t.answer_bytes(),)+ }
            }

            fn measure_from(&mut self, now: Instant) {
                match self { $(Self::$variant(t) => t.measure_from(now),)+ }
            }

            fn measurements(&self) -> Measurements<'_> {
                match self { $(Self::$variant(t) => t.measurements(),)+ }
            }

            fn limits(&self, now: Instant) -> Option<LimitTimes> {
                match self { $(Self::$variant(t) => t.limits(now),)+ }
            }

            fn counters(&self) -> Counters {
                match self { $(Self::$variant(t) => t.counters(),)+ }
            }

            fn cwnd(&self) -> Option<f64> {
                match self { $(Self::$variant(t) => t.cwnd(),)+ }
            }

            fn rate_control(&self) -> Option<RateControl> {
                match self { $(Self::$variant(t) => t.rate_control(),)+ }
            }
        }
    };
}

transports! {
    Tcp(Connection): "TCP.",
    Udp(Udp): "UDP.",
    Tfrc(Tfrc): "TFRC.",
}
