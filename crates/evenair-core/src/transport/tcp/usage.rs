//! How much of cwnd is used, and whether it may grow (RFC 7661 section 4.3: cwnd does not grow while it
//! is not validated).
//!
//! The rule is Linux's (`tcp_cwnd_validate` and `tcp_is_cwnd_limited`, since 6.1). cwnd limits the
//! sender if it was filled at some time in this window of data or, where it never was, in the one
//! before. Then it may grow. In slow start it may also grow while it is less than twice what was
//! outstanding, so that a sender that uses more than half of it can go on doubling.
//!
//! Only the growth is checked. A cwnd that is used in part is not reduced (RFC 7661 section 4.4); that of a
//! sender which pauses and then sends more on the same connection is another matter (`idle_restart.rs`).

use crate::congestion::Window;

/// What a sender has made of cwnd.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CwndUsage {
    /// Whether cwnd limited the sender.
    limited: bool,
    /// Bytes outstanding, at most.
    most: u64,
    /// The end of the window of data that this is about (`cwnd_usage_seq`).
    end: u64,
    /// What had been sent when this was last called.
    sent: u64,
}

impl CwndUsage {
    /// The sender has sent what it may, up to `snd_max`; `limited`: more would exceed cwnd. (Linux notes
    /// this whenever it has sent something; before each ACK of new data is enough.)
    pub(super) fn note(&mut self, limited: bool, snd_una: u64, snd_max: u64) {
        let outstanding = snd_max - snd_una;
        let is_new = std::mem::replace(&mut self.sent, snd_max) != snd_max;
        let replaces = snd_una >= self.end || (!self.limited && outstanding > self.most);
        if limited || (is_new && replaces) {
            (self.limited, self.most, self.end) = (limited, outstanding, snd_max);
        }
    }

    /// Whether an ACK may increase cwnd.
    pub(super) fn may_grow(&self, window: Window, segment: u64) -> bool {
        self.limited
            || (window.cwnd < window.ssthresh && window.cwnd as u64 * segment < 2 * self.most)
    }
}
