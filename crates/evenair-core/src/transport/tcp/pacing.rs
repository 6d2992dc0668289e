//! Pacing as in Linux: segments leave one after the other at a rate, and not as ACKs come.
//!
//! - The rate is that of the congestion control if it has one. Otherwise it is the window, or what is outstanding if that is
//!   more, in a smoothed round-trip time; times 2 while cwnd is below half of ssthresh, so that slow start can double, else times
//!   1.2 (`tcp_update_pacing_rate` in `net/ipv4/tcp_input.c`, `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`; Linux 6.1 to 6.16). It
//!   is a rate of payload. Before the first round-trip time there is none.
//! - After a segment the next one leaves when the rate has had time for its payload. A sender that comes late may make up for
//!   it, by half of that time at most. Ten segments of a connection leave before the first one waits
//!   (`tcp_update_skb_after_send` in `tcp_output.c`), unless the congestion control has a rate for them.
//! - With `tso` what leaves at a time is a burst: as much as the rate sends in 2^-10 s, two segments at least and 64 KB at most
//!   (`tcp_tso_autosize`, `sk_pacing_shift`; `gso_max_size`), as where a network device divides it; or as much as the congestion
//!   control says (`tso_segs`), within the same limits. `tcp_tso_rtt_log`, which lets bursts be
//!   longer at round-trip times below 0.5 ms, is left out.
//!
//! Timers are exact: Linux's are, too, up to some microseconds (`hrtimer`).

use super::config::TcpConfig;
use super::tcb::Tcb;
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// Segments at the start before which none waits.
const UNPACED: u64 = 10;

/// `GSO_LEGACY_MAX_SIZE` (`include/linux/netdevice.h`).
const LONGEST_BURST: u64 = 65_536;

/// `tcp_min_tso_segs`.
const SHORTEST_BURST: u64 = 2;

/// `sk_pacing_shift` where no device changes it (`sock_init_data` in `net/core/sock.c`).
const PACING_SHIFT: u32 = 10;

/// The pacing rate, of payload, with so many bytes outstanding.
pub(super) fn pacing_rate(tcb: &Tcb, outstanding: u64) -> Option<Rate> {
    if let Some(rate) = tcb.congestion.pacing_rate() {
        return Some(rate);
    }
    let nanos = u128::from(tcb.rtt.srtt()?.as_nanos().max(1));
    let window = tcb.congestion.window();
    let percent = if window.cwnd < window.ssthresh / 2.0 { 200 } else { 120 };
    let bits = 8 * u128::from(tcb.cwnd_bytes().max(outstanding));
    let rate = bits * percent * 10_000_000 / nanos;
    Some(Rate::from_bps(u64::try_from(rate).unwrap_or(u64::MAX)))
}

/// Segments that leave at a time at this rate.
fn burst(tcb: &Tcb, rate: Rate) -> u64 {
    let of_rate = || ((rate.as_bps() / 8) >> PACING_SHIFT) / tcb.segment();
    let segments = tcb.congestion.burst().unwrap_or_else(of_rate);
    segments.min(LONGEST_BURST / tcb.segment()).max(SHORTEST_BURST)
}

/// When the segments of a connection may leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacing {
    has_bursts: bool,
    /// The congestion control may have a rate.
    by_control: bool,
    /// Where it has none, the window sets the rate.
    by_window: bool,
    /// When the next segment may leave (`tcp_wstamp_ns`).
    next_at: Instant,
    /// The same if one has been held back.
    release_at: Option<Instant>,
    /// Segments sent.
    sent: u64,
    /// Segments of the burst at `burst_at` that may still leave.
    left: u64,
    burst_at: Instant,
}

impl Pacing {
    /// Nothing has been sent.
    pub(super) fn new(config: &TcpConfig, by_control: bool) -> Self {
        let (has_bursts, by_window) = (config.tso, config.pacing);
        Self { has_bursts, by_control, by_window, ..Self::default() }
    }

    /// Whether a segment that may be sent otherwise has to wait.
    pub(super) fn holds_back(&mut self, now: Instant) -> bool {
        let holds_back = !self.is_within_burst(now) && now < self.next_at;
        self.release_at = holds_back.then_some(self.next_at);
        holds_back
    }

    /// Whether the next segment belongs to a burst that has begun.
    pub(super) fn is_within_burst(&self, now: Instant) -> bool {
        self.left > 0 && self.burst_at == now
    }

    /// A segment of `payload` bytes leaves.
    pub(super) fn sent(&mut self, now: Instant, payload: u32, tcb: &Tcb) {
        self.sent += 1;
        if self.sent == 1 {
            self.next_at = now; // It is not late: it could not have left before.
        }
        let Some(rate) = self.rate(tcb).filter(|rate| rate.as_bps() > 0) else {
            self.next_at = self.next_at.max(now);
            return;
        };
        if self.is_within_burst(now) {
            self.left -= 1;
        } else if self.has_bursts {
            (self.left, self.burst_at) = (burst(tcb, rate) - 1, now);
        }
        let time = rate.time_for(u64::from(payload));
        let late = now.since(self.next_at);
        let credit = Duration::from_nanos(late.as_nanos().min(time.as_nanos() / 2));
        self.next_at = self.next_at.max(now) + time.saturating_sub(credit);
    }

    /// The rate for what follows the segment that leaves now.
    fn rate(&self, tcb: &Tcb) -> Option<Rate> {
        let is_paced = self.by_window && self.sent >= UNPACED;
        let of_control = if self.by_control { tcb.congestion.pacing_rate() } else { None };
        of_control
            .or_else(|| is_paced.then(|| pacing_rate(tcb, tcb.snd_max - tcb.snd_una)).flatten())
    }

    /// When the next segment may leave. It may be past.
    pub(super) fn next_at(&self) -> Instant {
        self.next_at
    }

    /// When a segment that has been held back may leave.
    pub(super) fn poll_at(&self) -> Instant {
        self.release_at.unwrap_or(Instant::NEVER)
    }

    /// Whether a segment is held back.
    pub(super) fn is_waiting(&self) -> bool {
        self.release_at.is_some()
    }

    /// The timer may have expired: what was held back is tried again.
    pub(super) fn on_timer(&mut self, now: Instant) {
        self.release_at = self.release_at.filter(|at| *at > now);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::congestion::{
        Controller, EcnFeedback, NewReno, OpenEvent, Prague, PragueConfig, WindowControl,
    };
    use crate::transport::tcp::TcpConfig;

    /// cwnd of 100 segments of so many bytes, and a round-trip time of 10 ms.
    pub(in crate::transport::tcp) fn tcb_of(segment: u32, ssthresh: Option<u32>) -> Tcb {
        let config = TcpConfig {
            initial_window: 100,
            initial_ssthresh: ssthresh,
            window: 1000,
            ..TcpConfig::default()
        };
        let mut tcb = Tcb::new(config, segment, u64::MAX, Controller::NewReno(NewReno));
        let (now, segment) = (Instant::ZERO, tcb.segment());
        let opened = OpenEvent { now, srtt: None, segment, has_sack: false };
        tcb.congestion.open(100, &opened);
        tcb.rtt.sample(Duration::from_millis(10));
        tcb
    }

    /// Segments of 1,000 bytes: 10 MB/s of payload, or 12 after slow start and 20 in it.
    fn tcb(ssthresh: Option<u32>) -> Tcb {
        tcb_of(1000, ssthresh)
    }

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    /// The rate, Mb/s: 96 after slow start, 160 in it; twice that with 200 segments outstanding; none before a round trip.
    #[test]
    fn the_rate_is_a_window_in_a_round_trip() {
        let rate = |tcb: &Tcb, outstanding| pacing_rate(tcb, outstanding).map(Rate::as_bps);
        assert_eq!(rate(&tcb(Some(100)), 0), Some(96_000_000));
        assert_eq!(rate(&tcb(None), 0), Some(160_000_000));
        assert_eq!(rate(&tcb(Some(100)), 200_000), Some(192_000_000));
        let mut unmeasured = tcb(None);
        unmeasured.rtt = Tcb::new(unmeasured.config, 1000, 1, Controller::NewReno(NewReno)).rtt;
        assert_eq!(rate(&unmeasured, 0), None);
    }

    /// In slow start a segment takes 50 us. Ten leave at once; from the tenth on they are 50 us apart. Who comes 20 us late makes up for
    /// it, who comes 500 us late for 25.
    #[test]
    fn segments_are_as_far_apart_as_the_rate_says() {
        let (tcb, mut pacing) = (tcb(None), Pacing { by_window: true, ..Pacing::default() });
        for _ in 0..10 {
            assert!(!pacing.holds_back(at(1000)));
            pacing.sent(at(1000), 1000, &tcb);
        }
        assert!(pacing.holds_back(at(1000)) && pacing.is_waiting());
        assert_eq!(pacing.poll_at(), at(1050));
        pacing.on_timer(at(1050));
        assert!(!pacing.is_waiting() && !pacing.holds_back(at(1050)));
        pacing.sent(at(1050), 1000, &tcb);
        assert!(pacing.holds_back(at(1099)) && !pacing.holds_back(at(1100)));
        pacing.sent(at(1120), 1000, &tcb);
        assert!(pacing.holds_back(at(1149)) && !pacing.holds_back(at(1150)));
        pacing.sent(at(1650), 1000, &tcb);
        assert!(pacing.holds_back(at(1674)) && !pacing.holds_back(at(1675)));
    }

    /// Prague's burst is what its rate sends in 2^-12 s. By hand: of 300 segments in 10 ms, 7; of 10, 0, and two leave; of 300,000, 7,324,
    /// of which 65 are less than 64 KB. Without a burst of its own NewReno has 30 at the first of these rates.
    #[test]
    fn the_control_may_have_bursts_of_its_own() {
        let bursts = [300, 10, 300_000].map(|cwnd| {
            let mut tcb = tcb(Some(cwnd));
            let prague = Controller::Prague(Prague::new(PragueConfig::default()));
            tcb.congestion = WindowControl::new(prague, cwnd);
            tcb.congestion.use_ecn(EcnFeedback::AccEcn);
            let opened =
                OpenEvent { now: at(0), srtt: None, segment: tcb.segment(), has_sack: true };
            tcb.congestion.open(cwnd, &opened);
            tcb.congestion.on_ack(&tcb.event(at(0), 1.0, Some(Duration::from_millis(10))));
            burst(&tcb, tcb.congestion.pacing_rate().unwrap())
        });
        assert_eq!(bursts, [7, 2, 65]);
        assert_eq!(burst(&tcb(None), Rate::from_bps(8 * 31_200_000)), 30);
    }

    /// Bursts: 20 MB/s are 19,531 bytes in 2^-10 s, 19 segments, which take 950 us. The first begins with the tenth segment.
    #[test]
    fn bursts_are_what_the_rate_sends_in_a_millisecond() {
        let (tcb, mut pacing) =
            (tcb(None), Pacing { has_bursts: true, by_window: true, ..Pacing::default() });
        for _ in 0..9 {
            pacing.sent(at(0), 1000, &tcb);
        }
        let mut segments = 0;
        while !pacing.holds_back(at(0)) {
            pacing.sent(at(0), 1000, &tcb);
            segments += 1;
        }
        assert_eq!((segments, pacing.poll_at()), (19, at(950)));
    }
}
