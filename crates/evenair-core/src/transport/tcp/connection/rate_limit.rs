//! A limit of the sending rate that a controller sets at either end.
//!
//! The sender keeps at most the payload outstanding that the rate carries in its shortest round-trip
//! time: of a longer one a part is time in queues, which a larger window would only lengthen. The
//! receiver imposes a rate by the window that it advertises. It measures round-trip times as Linux's
//! receiver does (`tcp_rcv_rtt_measure_ts`): by the timestamps of its ACKs (RFC 7323), which the data
//! echo. They are exchanged from the first limit on, also by a flow whose segments have none otherwise. Their bytes
//! are not added to the packets: a header with timestamps is one of the size that the flow has anyway.

use crate::time::{Duration, Instant};
use crate::transport::tcp::rtt::smooth;
use crate::units::Rate;

/// The smallest window under a limit, segments: with one, a receiver that delays ACKs would wait for its
/// timer each time.
const MIN_WINDOW: u32 = 2;

/// The segments that `rate` carries in `rtt`, at least [`MIN_WINDOW`], at most `most`.
fn window(rate: Rate, rtt: Duration, segment: u32, most: u32) -> u32 {
    let bits_ns = u128::from(rate.as_bps()) * u128::from(rtt.as_nanos());
    let segments = bits_ns / (8_000_000_000 * u128::from(segment.max(1)));
    u32::try_from(segments).unwrap_or(u32::MAX).max(MIN_WINDOW).min(most)
}

/// The limits at the end that sends.
#[derive(Clone, Debug)]
pub(super) struct SendLimit {
    /// Of a controller at this end.
    pub(super) rate: Option<Rate>,
    /// The receiver's window without limits, segments.
    full: u32,
    /// As it is advertised.
    advertised: u32,
}

impl SendLimit {
    /// No limit of a window of `full` segments.
    pub(super) fn new(full: u32) -> Self {
        Self { rate: None, full, advertised: full }
    }

    /// The same controller's limit of another connection.
    pub(super) fn of_next_connection(&self) -> Self {
        Self { rate: self.rate, ..Self::new(self.full) }
    }

    /// The receiver advertises a window of so many segments.
    pub(super) fn on_update(&mut self, window: u32) {
        self.advertised = window.min(self.full);
    }

    /// The segments that may be outstanding.
    pub(super) fn window(&self, min_rtt: Option<Duration>, segment: u32) -> u32 {
        match (self.rate, min_rtt) {
            (Some(rate), Some(rtt)) => window(rate, rtt, segment, self.advertised),
            _ => self.advertised,
        }
    }
}

/// The limit at the end that receives.
#[derive(Clone, Debug)]
pub(super) struct ReceiveLimit {
    pub(super) rate: Option<Rate>,
    /// The window without limit, segments, and their size, bytes.
    full: u32,
    segment: u32,
    /// SRTT and RTTVAR, once there is a sample.
    smoothed: Option<(Duration, Duration)>,
    /// The smallest sample.
    least: Option<Duration>,
    /// The last timestamp that data have echoed.
    echoed: Option<Instant>,
}

impl ReceiveLimit {
    pub(super) fn new(full: u32, segment: u32) -> Self {
        Self { rate: None, full, segment, smoothed: None, least: None, echoed: None }
    }

    /// Data have arrived that echo the timestamp of an ACK. The first of each ACK are a sample.
    pub(super) fn on_echo(&mut self, now: Instant, timestamp: Instant) {
        if self.echoed.replace(timestamp) != Some(timestamp) {
            let rtt = now.since(timestamp);
            self.smoothed = Some(smooth(self.smoothed, rtt));
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// Smoothed.
    pub(super) fn rtt(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt, _)| srtt)
    }

    /// The window to advertise, segments.
    pub(super) fn window(&self) -> u32 {
        match (self.rate, self.least) {
            (Some(rate), Some(rtt)) => window(rate, rtt, self.segment, self.full),
            _ => self.full,
        }
    }
}
