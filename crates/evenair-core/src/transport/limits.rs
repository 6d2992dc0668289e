//! What holds a sender back, and for how long.
//!
//! At each time it is one of the [`Limit`]s. As Linux's `tcp_info` has it (`tcp_chrono_start` and
//! `tcp_chrono_stop` in `net/ipv4/tcp_output.c`), the sender is *busy* from the SYN, or from data to
//! send, until all of them are acknowledged; otherwise it waits for its application. It is limited by the
//! receiver's window (`tcpi_rwnd_limited`) while cwnd would let a segment go and the window does not. Linux
//! does not divide the rest of the busy time (`tcpi_busy_time`); here it is divided into recovery,
//! waiting for a timeout, the queues of the sender's host, probes of the congestion control, pacing, and cwnd. Recovery and timeouts come before the receiver's
//! window.

use crate::time::{Duration, Instant};

/// What holds a sender back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The receiver's window, while cwnd has room.
    ReceiveWindow,
    /// cwnd, the handshake, or the last ACKs of a transfer.
    Cwnd,
    /// From the detection of a loss until what had been sent then is acknowledged.
    Recovery,
    /// Nothing arrives until the retransmission timer expires.
    Timeout,
    /// Everything that there is to send is acknowledged.
    Application,
    /// What is in the queues of the sender's host (`flow.tsq`), while the windows have room.
    SmallQueue,
    /// Pacing, while the windows and the queues of the host have room.
    Pacing,
    /// Pacing or cwnd, which the congestion control keeps at another value than its estimate of the path to measure that.
    BandwidthProbing,
}

/// For how long each of the limits applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitTimes([Duration; 8]);

impl LimitTimes {
    /// For how long this one did.
    pub fn of(&self, limit: Limit) -> Duration {
        self.0[limit as usize]
    }
}

/// Measures [`LimitTimes`].
#[derive(Clone, Debug)]
pub(crate) struct LimitClock {
    limit: Limit,
    /// The last ACK, transmission or expiry of a timer.
    last_event: Instant,
    /// Until when `times` are complete.
    since: Instant,
    times: LimitTimes,
}

impl Default for LimitClock {
    /// Waiting for the application from time 0 on.
    fn default() -> Self {
        let (last_event, since) = (Instant::ZERO, Instant::ZERO);
        Self { limit: Limit::Application, last_event, since, times: LimitTimes::default() }
    }
}

impl LimitClock {
    /// After an event this is the limit.
    #[inline(always)]
    pub(crate) fn set(&mut self, now: Instant, limit: Limit) {
        self.last_event = now;
        if limit != self.limit {
            self.change(now, limit);
        }
    }

    #[inline(never)]
    fn change(&mut self, now: Instant, limit: Limit) {
        self.times.0[self.limit as usize] += now.since(self.since);
        (self.limit, self.since) = (limit, now);
    }

    /// A retransmission timer expires: what has passed since the last event, but not before `sent`, was
    /// waiting for it.
    #[cold]
    pub(crate) fn expire(&mut self, now: Instant, sent: Instant) {
        let from = self.last_event.max(sent).max(self.since);
        let limit = self.limit;
        self.change(from, Limit::Timeout);
        self.change(now, limit);
        self.last_event = now;
    }

    /// The present limit. That it is a timeout is known only when the timer expires.
    pub(crate) fn limit(&self) -> Limit {
        self.limit
    }

    /// Measures from `now` on.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.times = LimitTimes::default();
        (self.since, self.last_event) = (now, now.max(self.last_event));
    }

    /// The times until `now`. If a timer `has_expired` and nothing has happened since, the sender waits
    /// for the next expiry.
    pub(crate) fn times(&self, now: Instant, has_expired: bool) -> LimitTimes {
        let mut clock = self.clone();
        if has_expired && self.limit != Limit::Application {
            clock.expire(now, Instant::ZERO);
        }
        clock.change(now, Limit::Application);
        clock.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Instant = |ms| Instant::from_nanos(ms * 1_000_000);

    /// By hand: cwnd from 10, the receiver's window from 30, an ACK at 40, the timer expires at 100, an
    /// ACK comes at 120.
    #[test]
    fn the_wait_for_a_timeout_begins_at_the_last_event() {
        let mut clock = LimitClock::default();
        clock.set(MS(10), Limit::Cwnd);
        clock.set(MS(30), Limit::ReceiveWindow);
        clock.set(MS(40), Limit::ReceiveWindow);
        clock.expire(MS(100), Instant::ZERO);
        clock.set(MS(100), Limit::Recovery);
        clock.set(MS(120), Limit::Cwnd);
        let times = clock.times(MS(150), false);
        let of = |limit| times.of(limit).as_nanos() / 1_000_000;
        assert_eq!(of(Limit::Application), 10);
        assert_eq!(of(Limit::Cwnd), 20 + 30);
        assert_eq!(of(Limit::ReceiveWindow), 10);
        assert_eq!(of(Limit::Timeout), 60);
        assert_eq!(of(Limit::Recovery), 20);
    }

    /// The same wait, of which the measurement sees the part after 70, or which the end cuts off.
    #[test]
    fn a_wait_for_a_timeout_is_cut_at_both_ends() {
        let mut clock = LimitClock::default();
        clock.set(MS(40), Limit::Cwnd);
        clock.restart(MS(70));
        clock.expire(MS(100), Instant::ZERO);
        clock.set(MS(100), Limit::Recovery);
        let times = clock.times(MS(150), true);
        assert_eq!(times.of(Limit::Timeout), MS(150).since(MS(70)));
        assert_eq!(clock.times(MS(150), false).of(Limit::Recovery), MS(150).since(MS(100)));
        assert_eq!(times.of(Limit::Cwnd), Duration::ZERO);
    }
}
