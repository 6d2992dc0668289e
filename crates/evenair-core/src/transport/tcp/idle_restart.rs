//! What is left of cwnd after a pause (RFC 5681 section 4.1): ACKs that would clock new segments out are
//! gone, and what is known of the path is old.

use crate::component::named;
use crate::congestion::Window;
use crate::time::Duration;

named! {
    /// How cwnd restarts when the sender has sent nothing for longer than the retransmission timeout.
    pub enum IdleRestart {
        /// It is halved for each timeout that has passed, down to the initial window, and ssthresh is at least
        /// three quarters of what it was (Linux's `tcp_slow_start_after_idle`, `tcp_cwnd_restart`).
        #[default]
        Linux => "linux",
        /// It is the initial window, if that is less (RFC 5681 section 4.1).
        Rfc5681 => "rfc5681",
        /// As it was (ns-2.35).
        None => "none",
    }
    planned []
}

impl IdleRestart {
    /// The window after a pause of `idle`, which is longer than `rto`.
    pub(super) fn window(
        self,
        before: Window,
        initial_window: u32,
        idle: Duration,
        rto: Duration,
    ) -> Window {
        let least = f64::from(initial_window).min(before.cwnd);
        match self {
            Self::None => before,
            Self::Rfc5681 => Window { cwnd: least, ..before },
            Self::Linux => {
                // A timeout that has just passed halves nothing.
                let timeouts = (idle.as_nanos() - 1) / rto.as_nanos().max(1);
                let halved = before.cwnd.floor() / libm::exp2(timeouts as f64);
                let ssthresh = before.ssthresh.max((0.75 * before.cwnd).floor());
                Window { cwnd: halved.floor().max(least), ssthresh }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn after(restart: IdleRestart, cwnd: f64, ssthresh: f64, idle: u64) -> (f64, f64) {
        let Window { cwnd, ssthresh } =
            restart.window(Window { cwnd, ssthresh }, 10, MS(idle), MS(200));
        (cwnd, ssthresh)
    }

    /// By hand from `tcp_cwnd_restart`, which subtracts a timeout and halves while some of the pause is left: a
    /// pause of 300 ms halves once, 700 ms three times.
    #[test]
    fn linux_halves_for_each_timeout() {
        let linux = |idle| after(IdleRestart::Linux, 100.0, 50.0, idle);
        assert_eq!(linux(201), (50.0, 75.0));
        assert_eq!(linux(300), (50.0, 75.0));
        assert_eq!(linux(400), (50.0, 75.0));
        assert_eq!(linux(401), (25.0, 75.0));
        assert_eq!(linux(700), (12.0, 75.0));
        assert_eq!(linux(1_000_000), (10.0, 75.0));
        // A window below the initial one is left, and a larger threshold as well.
        assert_eq!(after(IdleRestart::Linux, 4.0, 50.0, 300), (4.0, 50.0));
    }

    /// RFC 5681 section 4.1: RW = min(IW, cwnd).
    #[test]
    fn the_rfc_restarts_from_the_initial_window() {
        assert_eq!(after(IdleRestart::Rfc5681, 100.0, 50.0, 201), (10.0, 50.0));
        assert_eq!(after(IdleRestart::Rfc5681, 4.0, 50.0, 201), (4.0, 50.0));
        assert_eq!(after(IdleRestart::None, 100.0, 50.0, 9000), (100.0, 50.0));
    }
}
