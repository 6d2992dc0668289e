//! The closed set of transports.

use super::contract::{Counters, Endpoint, Output, RateControl, Sink, Source, Windows};
use super::ends::Ends;
use super::limits::Limit;
use super::option::PacketOption;
use super::{tcp, tfrc, udp};
use crate::delays::Delays;
use crate::packet::Packet;
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Both ends of a flow over any transport.
pub type AnyEnds = Ends<AnySource, AnySink>;

/// Makes the enums of all sources and all sinks, and their dispatch. (Crates that generate it do not take
/// methods with a generic argument.)
macro_rules! transports {
    ($($variant:ident($source:ty, $sink:ty): $doc:literal,)+) => {
        /// The source of one of the transports. The set is closed, so a packet costs no virtual call.
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "most flows are TCP's; a box is a detour")]
        pub enum AnySource {
            $(#[doc = $doc] $variant($source),)+
        }

        /// The sink of one of the transports.
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "most flows are TCP's; a box is a detour")]
        pub enum AnySink {
            $(#[doc = $doc] $variant($sink),)+
        }

        transports!(@endpoint AnySource $($variant)+);
        transports!(@endpoint AnySink $($variant)+);

        impl Source for AnySource {
            #[inline(always)]
            fn first_sent(
                &mut self,
                packet: &Packet,
                option: Option<&PacketOption>,
            ) -> Option<Instant> {
                match self { $(Self::$variant(end) => end.first_sent(packet, option),)+ }
            }

            fn is_done(&self) -> bool {
                match self { $(Self::$variant(end) => end.is_done(),)+ }
            }

            fn rtt_samples(&self) -> Option<&Delays> {
                match self { $(Self::$variant(end) => end.rtt_samples(),)+ }
            }

            fn reset_rtt_samples(&mut self) {
                match self { $(Self::$variant(end) => end.reset_rtt_samples(),)+ }
            }

            #[inline(always)]
            fn limit(&self) -> Option<Limit> {
                match self { $(Self::$variant(end) => end.limit(),)+ }
            }

            fn has_timed_out(&self) -> bool {
                match self { $(Self::$variant(end) => end.has_timed_out(),)+ }
            }

            fn windows(&self) -> Option<Windows> {
                match self { $(Self::$variant(end) => end.windows(),)+ }
            }

            fn rate_control(&self) -> Option<RateControl> {
                match self { $(Self::$variant(end) => end.rate_control(),)+ }
            }
        }

        impl Sink for AnySink {
            #[inline(always)]
            fn lacks(&self, packet: &Packet) -> bool {
                match self { $(Self::$variant(end) => end.lacks(packet),)+ }
            }

            fn received(&self) -> (u64, bool) {
                match self { $(Self::$variant(end) => end.received(),)+ }
            }
        }
    };
    (@endpoint $name:ident $($variant:ident)+) => {
        impl Endpoint for $name {
            fn open(&mut self, now: Instant, number: u8, bytes: u64, out: &mut impl Output) {
                match self { $(Self::$variant(end) => end.open(now, number, bytes, out),)+ }
            }

            #[inline(always)]
            fn on_packet(
                &mut self,
                now: Instant,
                packet: &Packet,
                option: Option<&PacketOption>,
                out: &mut impl Output,
            ) {
                match self { $(Self::$variant(end) => end.on_packet(now, packet, option, out),)+ }
            }

            #[inline(always)]
            fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
                match self { $(Self::$variant(end) => end.on_timer(now, out),)+ }
            }

            #[inline(always)]
            fn poll_at(&self) -> Instant {
                match self { $(Self::$variant(end) => end.poll_at(),)+ }
            }

            fn stop(&mut self) {
                match self { $(Self::$variant(end) => end.stop(),)+ }
            }

            fn limit_rate(&mut self, now: Instant, limit: Option<Rate>) {
                match self { $(Self::$variant(end) => end.limit_rate(now, limit),)+ }
            }

            fn rtt(&self) -> Option<Duration> {
                match self { $(Self::$variant(end) => end.rtt(),)+ }
            }

            fn counters(&self) -> Counters {
                match self { $(Self::$variant(end) => end.counters(),)+ }
            }

            #[inline]
            fn timeouts(&self) -> u64 {
                match self { $(Self::$variant(end) => end.timeouts(),)+ }
            }

            #[inline]
            fn opening_since(&self) -> Option<Instant> {
                match self { $(Self::$variant(end) => end.opening_since(),)+ }
            }
        }
    };
}

transports! {
    Tcp(tcp::SendingEnd, tcp::ReceivingEnd): "TCP.",
    Udp(udp::UdpSource, udp::UdpSink): "UDP.",
    Tfrc(tfrc::TfrcSource, tfrc::TfrcSink): "TFRC.",
}
