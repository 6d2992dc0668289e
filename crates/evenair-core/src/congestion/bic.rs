//! BIC: the window climbs by binary search towards the size at which the last loss came (Xu,
//! Harfoush and Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004), as Linux has it (`tcp_bic`).
//!
//! With W the window in whole segments, Wmax the target, B = 4 and d = floor((Wmax - W) / B), a
//! round trip of congestion avoidance adds to a window above `low_window`
//!
//! ```text
//! W < Wmax:   Smax             where d > Smax        (linear increase)                           (1)
//!             d                where 1 < d <= Smax   (binary search)
//!             B / smooth_part  where d <= 1          (plateau)
//! W >= Wmax:  B / smooth_part          where W < Wmax + B              (plateau)                 (2)
//!             (W - Wmax) / (B - 1)     where W < Wmax + Smax (B - 1)   (probing)
//!             Smax                     beyond                          (linear)
//! ```
//!
//! and at least W/20 while no Wmax is known, which counts as 0 then. Up to
//! `low_window` it grows as NewReno. A loss sets Wmax = W, or W (1 + beta) / 2 if W was below the
//! old Wmax (fast convergence: room for others), and leaves beta W, or half of it up to
//! `low_window`. A timeout sets ssthresh in the same way, cwnd = 1, and forgets Wmax.
//!
//! - Linux counts in whole numbers, rounded down (`arithmetic = "linux"`): the window; the segments per
//!   increase, which is the window over the growth above; and these divided by the segments per ACK.
//!   That is kept in sixteenths as r + n - floor(r / 16) for an ACK of n segments. It starts at 32, and
//!   with an ACK for each segment becomes 31 and stays, since floor(31 / 16) = 1. So the window climbs
//!   31/16 times as fast as (1) and (2). With `"exact"` the ratio becomes 1, or with delayed ACKs 2,
//!   over what the flow counts for an ACK; no ACK adds more than one segment for each of credit.
//! - Not copied: Linux computes the segments per increase anew when the window has changed or HZ/32
//!   ticks have passed, here for each ACK. Only the ratio changes in between.
//! - A timeout that forgets Wmax makes the window climb by up to Smax each round trip. With NewReno's
//!   recovery, which repairs one loss each round trip, that repeats: a queue that overflows by Smax
//!   segments a round trip loses as many, and the timer expires before they are repaired.
//!   `after_timeout = "keep"` takes a timeout for a loss like others, unless Wmax is that of a loss still
//!   being repaired. The paper says nothing about timeouts.
//! - beta is 819/1024 (Linux; the paper keeps 7/8).
//! - Because Linux's d is whole, the plateau begins 2 B segments below Wmax. With the defaults it
//!   takes (2 B + B) smooth_part / B = 60 round trips by (1) and (2).
//! - `search = "paper"` is the textbook's binary search instead of (1) and (2): half of the distance
//!   to Wmax, between Smin and Smax; beyond Wmax as far as it has come, between 1 and Smax.

use super::hystart::HyStart;
use super::linux::{Arithmetic, LossState, SegmentCount};
use super::{AckEvent, CongestionControl, Window, in_use};
use crate::component::{OnOff, configuration, named, names, number};

configuration! {
    /// Parameters of BIC.
    pub struct BicConfig {
        name: "bic",
        summary: "binary search for the window of the last loss; 4/5 of the window at a loss",
        source: "Xu, Harfoush and Rhee 2004; Linux tcp_bic",
    }
    /// Common to bic and biad.
    increase: IncreaseConfig = IncreaseConfig::default();
    /// what is left of the window at a loss (Linux: 819/1024; the paper: 0.875)
    beta: f64 = BETA, number(0.1..=1.0);
}

configuration! {
    /// Parameters of the binary increase.
    pub group IncreaseConfig;
    /// the increase: Linux's, or the textbook's binary search
    search: Search = Search::Linux, names();
    /// the largest increase in a round trip, segments (Linux: 16; the paper: 32)
    smax: f64 = 16.0, number(1.0..=1e6);
    /// the smallest increase in a round trip with `search = "paper"`, segments
    smin: f64 = 0.01, number(1e-6..=1.0);
    /// round trips for the last 4 segments below the window of the last loss
    smooth_part: f64 = 20.0, number(1.0..=1e6);
    /// up to this window it grows as NewReno, segments
    low_window: f64 = 14.0, number(0.0..=1e6);
    /// whether a loss below the last one's window lowers the target, to leave room
    fast_convergence: OnOff = OnOff::On, names();
    /// whether a timeout forgets the target (Linux), or keeps it as any loss does
    after_timeout: Target = Target::Forget, names();
    /// whether window, increase and segments per ACK are whole numbers, as in Linux, or exact
    arithmetic: Arithmetic = Arithmetic::Linux, names();
}

named! {
    /// The increase below the window of the last loss.
    pub enum Search {
        /// A fourth of the way in each round trip.
        #[default]
        Linux => "linux",
        /// Half of the way in each round trip.
        Paper => "paper",
    }
    planned []
}

named! {
    /// What a timeout does to the target of the search.
    pub enum Target {
        /// There is none until the next loss.
        #[default]
        Forget => "forget",
        /// It is set as after any loss.
        Keep => "keep",
    }
    planned []
}

/// What is left of the window at a loss (Linux).
pub(super) const BETA: f64 = 819.0 / 1024.0;
/// Linux's BICTCP_B: its search goes a fourth of the way each round trip.
const B: f64 = 4.0;
/// Without a Wmax an ACK adds at least 1/20 of a segment.
const MOST_ACKS: f64 = 20.0;
/// Segments per ACK are kept in sixteenths (Linux: ACK_RATIO_SHIFT = 4).
const SIXTEENTHS: f64 = 16.0;
/// Segments per ACK at first (Linux).
const RATIO: f64 = 2.0 * SIXTEENTHS;

/// The binary increase, without the decrease.
#[derive(Clone, Debug)]
pub struct Increase {
    slow_start: HyStart,
    config: IncreaseConfig,
    /// Whether Wmax is that of a loss which has not been repaired yet.
    recovering: bool,
    /// Wmax, once there was a loss.
    max: Option<f64>,
    /// Segments per ACK, in sixteenths (Linux: `delayed_ack`).
    ratio: f64,
    count: SegmentCount,
    loss: LossState,
}

impl Increase {
    /// Before anything has been sent, with this slow start.
    pub fn new(config: IncreaseConfig, slow_start: HyStart) -> Self {
        Self {
            slow_start,
            recovering: false,
            max: None,
            ratio: RATIO,
            count: SegmentCount::new(config.arithmetic),
            loss: LossState::default(),
            config,
        }
    }

    /// New data was acknowledged.
    pub fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        // No event reports the end of a loss that a probe has repaired.
        self.recovering = false;
        self.average(signal);
        let rest = self.slow_start.on_ack(window, signal);
        let rest = self.count.after_slow_start(window, rest);
        if rest > 0.0 {
            let every = self.segments_per_increase(window.cwnd);
            window.cwnd += self.count.advance(every, rest);
        }
    }

    /// Takes an ACK into the mean number of segments per ACK.
    fn average(&mut self, signal: &AckEvent) {
        let last = self.ratio / SIXTEENTHS;
        if !self.config.arithmetic.is_whole() {
            if signal.credit > 0.0 {
                self.ratio += signal.acked / signal.credit - last;
            }
        } else if self.loss.is_open(signal) {
            self.ratio += signal.acked.ceil() - last.floor();
        }
    }

    /// For how many segments of credit the window grows by one (Linux: `cnt`).
    fn segments_per_increase(&self, cwnd: f64) -> f64 {
        let arithmetic = self.config.arithmetic;
        let cwnd = arithmetic.round(cwnd);
        if cwnd <= self.config.low_window {
            return cwnd;
        }
        let mut count = arithmetic.round(cwnd / self.per_round_trip(cwnd.floor()));
        if self.max.is_none() {
            count = count.min(MOST_ACKS);
        }
        arithmetic.round(SIXTEENTHS * count / self.ratio).max(1.0)
    }

    /// What a round trip adds to `cwnd`: equations (1) and (2).
    fn per_round_trip(&self, cwnd: f64) -> f64 {
        let distance = self.max.unwrap_or(0.0) - cwnd;
        if self.config.search == Search::Paper {
            return if distance > 0.0 {
                (distance / 2.0).clamp(self.config.smin, self.config.smax)
            } else {
                (-distance).clamp(1.0, self.config.smax)
            };
        }
        let plateau = B / self.config.smooth_part;
        if distance > 0.0 {
            let step = (distance / B).floor();
            if step <= 1.0 { plateau } else { step.min(self.config.smax) }
        } else if -distance < B {
            plateau
        } else {
            (-distance / (B - 1.0)).min(self.config.smax)
        }
    }

    /// A loss at the window `cwnd`, of which `kept` will be left.
    pub fn on_loss(&mut self, cwnd: f64, kept: f64) {
        self.slow_start.stop();
        let below = self.max.is_some_and(|max| cwnd < max);
        let max =
            if below && self.config.fast_convergence.is_on() { (cwnd + kept) / 2.0 } else { cwnd };
        self.max = Some(max.floor());
        self.count.reset();
        self.recovering = true;
    }

    /// The loss has been repaired.
    pub fn on_recovered(&mut self) {
        self.recovering = false;
    }

    /// A timeout at the window `cwnd`, of which `kept` is ssthresh.
    pub fn on_timeout(&mut self, cwnd: f64, kept: f64, signal: &AckEvent) {
        self.slow_start.stop();
        self.loss.on_timeout(signal);
        self.count.reset();
        if self.config.after_timeout == Target::Forget {
            self.max = None;
            self.ratio = RATIO;
        } else if !self.recovering {
            self.on_loss(cwnd, kept);
        }
        self.recovering = false;
    }

    /// The window up to which growth is NewReno's.
    pub fn low_window(&self) -> f64 {
        self.config.low_window
    }

    /// A number of segments as the arithmetic has it.
    pub fn whole(&self, segments: f64) -> f64 {
        self.config.arithmetic.round(segments)
    }
}

/// BIC.
#[derive(Clone, Debug)]
pub struct Bic {
    increase: Increase,
    beta: f64,
}

impl Bic {
    /// Before anything has been sent.
    pub fn new(config: BicConfig) -> Self {
        Self { increase: Increase::new(config.increase, HyStart::Over), beta: config.beta }
    }

    /// ssthresh after a loss at the window `cwnd`.
    fn after_loss(&self, cwnd: f64) -> f64 {
        let factor = if cwnd <= self.increase.low_window() { 0.5 } else { self.beta };
        self.increase.whole(cwnd * factor).max(2.0)
    }
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
        self.increase.on_ack(window, signal);
    }

    fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
        let cwnd = in_use(window, signal);
        self.increase.on_loss(cwnd, cwnd * self.beta);
        window.ssthresh = self.after_loss(cwnd);
        window.cwnd = window.ssthresh;
    }

    fn on_recovered(&mut self, _window: &mut Window, _signal: &AckEvent) {
        self.increase.on_recovered();
    }

    fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
        if first {
            let cwnd = in_use(window, signal);
            window.ssthresh = self.after_loss(cwnd);
            self.increase.on_timeout(cwnd, cwnd * self.beta, signal);
        }
        window.cwnd = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Acks, signal};
    use super::*;
    use crate::time::Duration;

    const RTT: Duration = Duration::from_millis(100);

    /// What `count` round trips each add.
    fn climb(bic: &mut Bic, window: &mut Window, count: usize) -> Vec<f64> {
        let mut acks = Acks::default();
        let mut gains = vec![];
        for _ in 0..count {
            let before = window.cwnd;
            acks.feed(bic, window, before as u64, (before as u64, RTT));
            gains.push(window.cwnd - before);
        }
        gains
    }

    /// By hand with B = 4, Smax = 16, smooth_part = 20 and Wmax = 200.
    #[test]
    fn the_increase_by_hand() {
        let mut bic = Bic::new(BicConfig::default());
        bic.increase.max = Some(200.0);
        let table = [
            (100.0, 16.0), // 25 > Smax
            (140.0, 15.0),
            (160.0, 10.0),
            (188.0, 3.0),
            (192.0, 2.0),
            (193.0, 0.2),
            (199.0, 0.2),
            (203.0, 0.2),
            (206.0, 2.0),
            (230.0, 10.0),
            (250.0, 16.0),
            (900.0, 16.0),
        ];
        for (cwnd, gain) in table {
            assert_eq!(bic.increase.per_round_trip(cwnd), gain, "{cwnd}");
        }
        // The textbook: half the distance between Smin and Smax.
        let increase = IncreaseConfig { search: Search::Paper, ..IncreaseConfig::default() };
        let mut bic = Bic::new(BicConfig { increase, ..BicConfig::default() });
        bic.increase.max = Some(200.0);
        let table = [
            (100.0, 16.0),
            (180.0, 10.0),
            (199.99, 0.01),
            (200.0, 1.0),
            (204.0, 4.0),
            (300.0, 16.0),
        ];
        for (cwnd, gain) in table {
            let got = bic.increase.per_round_trip(cwnd);
            assert!((got - gain).abs() < 0.01, "{cwnd}: {got}");
        }
    }

    #[test]
    fn decreases_by_hand() {
        let mut bic = Bic::new(BicConfig::default());
        let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
        bic.on_loss(&mut window, &signal(0, 0.0, 100.0));
        assert_eq!(window.cwnd, 79.0); // 100 * 819 / 1024 = 79.98
        assert_eq!(bic.increase.max, Some(100.0));
        // Below the last one: 90 (1024 + 819) / 2048 = 80.99, whole segments.
        window.cwnd = 90.0;
        bic.on_loss(&mut window, &signal(0, 0.0, 90.0));
        assert_eq!(bic.increase.max, Some(80.0));
        // Up to low_window it is NewReno.
        window.cwnd = 14.0;
        bic.on_loss(&mut window, &signal(0, 0.0, 14.0));
        assert_eq!(window, Window { cwnd: 7.0, ssthresh: 7.0 });
        let gain = climb(&mut bic, &mut window, 1)[0];
        assert!((0.9..=1.0).contains(&gain), "{gain}");
        // A window that the receiver limits counts as far as it is used.
        window.cwnd = 500.0;
        bic.on_loss(&mut window, &signal(0, 0.0, 99.0));
        assert_eq!(window.ssthresh, 79.0);
        // A timeout may keep the target.
        bic.increase.config.after_timeout = Target::Keep;
        window.cwnd = 50.0;
        bic.on_timeout(&mut window, &signal(0, 0.0, 50.0), true);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 39.0 }); // 39.99
        // Wmax is that of the loss which was being repaired.
        assert_eq!(bic.increase.max, Some(100.0));
        window.cwnd = 50.0;
        bic.on_timeout(&mut window, &signal(0, 0.0, 50.0), true);
        assert_eq!(bic.increase.max, Some(44.0)); // 50 * 1843 / 2048
        bic.increase.config.after_timeout = Target::Forget;
        bic.on_timeout(&mut window, &signal(0, 0.0, 50.0), true);
        assert_eq!(bic.increase.max, None);
    }

    /// Wmax = 200, and 31/16 segments per ACK: cwnd / 16 or / d, * 5, or * 3 / (cwnd - Wmax), then
    /// * 16 / 31, rounded down each time. Without Wmax it counts as 0, and the quotient is 20 at most.
    #[test]
    fn segments_per_increase_by_hand() {
        let mut bic = Bic::new(BicConfig::default());
        bic.increase.ratio = 31.0;
        for (max, cwnd, every) in [
            (Some(200.0), 100.0, 3.0),   // 6
            (Some(200.0), 140.0, 4.0),   // 140 / 15 = 9
            (Some(200.0), 193.0, 498.0), // 965
            (Some(200.0), 202.0, 521.0), // 1010
            (Some(200.0), 206.0, 53.0),  // 103
            (Some(200.0), 900.0, 28.0),  // 56
            (None, 30.0, 1.0),           // 3
            (None, 900.0, 10.0),         // 56, 20
            (None, 10.0, 10.0),          // low_window
        ] {
            bic.increase.max = max;
            assert_eq!(bic.increase.segments_per_increase(cwnd), every, "{max:?}, {cwnd}");
        }
    }

    /// With an ACK for each segment 32/16 become 31/16 and stay; with one for every other, 32/16 stay.
    /// Exactly, the mean becomes what it is. A timeout sets 32/16, and its repair does not count.
    #[test]
    fn segments_per_ack_by_hand() {
        for (arithmetic, acked, ratio) in [
            (Arithmetic::Linux, 1.0, 31.0),
            (Arithmetic::Linux, 2.0, 32.0),
            (Arithmetic::Exact, 1.0, 16.0),
            (Arithmetic::Exact, 2.0, 32.0),
        ] {
            let increase = IncreaseConfig { arithmetic, ..IncreaseConfig::default() };
            let mut bic = Bic::new(BicConfig { increase, ..BicConfig::default() });
            let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
            for _ in 0..500 {
                bic.on_ack(&mut window, &signal(0, acked, 100.0));
            }
            let got = bic.increase.ratio;
            assert!((got - ratio).abs() < 1e-6, "{arithmetic}, {acked}: {got}");
            let timeout = AckEvent { snd_nxt: 7, ..signal(0, 0.0, 100.0) };
            bic.on_timeout(&mut window, &timeout, true);
            assert_eq!(bic.increase.ratio, 32.0);
            bic.on_ack(&mut window, &signal(0, 40.0, 100.0));
            assert_eq!(bic.increase.ratio == 32.0, arithmetic.is_whole());
        }
    }

    /// From 80 to 100: steps that are a fourth of the distance, a plateau of 12 segments in 60 round
    /// trips, then ever larger steps up to Smax.
    #[test]
    fn it_climbs_to_a_plateau_and_then_probes() {
        let increase =
            IncreaseConfig { arithmetic: Arithmetic::Exact, ..IncreaseConfig::default() };
        let mut bic = Bic::new(BicConfig { increase, ..BicConfig::default() });
        let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
        bic.increase.ratio = SIXTEENTHS;
        bic.on_loss(&mut window, &signal(0, 0.0, 100.0));
        let gains = climb(&mut bic, &mut window, 120);
        let flat = gains.iter().position(|&gain| gain < 0.25).unwrap();
        // d = 5, 3, 3, 2 (or 4 and 2 as fractions fall): a handful of round trips.
        assert!((3..=6).contains(&flat), "{gains:?}");
        assert!(gains[..flat].windows(2).all(|pair| pair[1] <= pair[0] + 0.5), "{gains:?}");
        let reached = 100.0 * 819.0 / 1024.0 + gains[..flat].iter().sum::<f64>();
        assert!((91.0..95.0).contains(&reached), "the plateau begins at {reached}");
        let length = gains[flat..].iter().position(|&gain| gain > 0.5).unwrap();
        let expected = (104.0 - reached) / 0.2;
        assert!((length as f64 - expected).abs() <= 3.0, "{length}, not {expected}");
        let probing = &gains[flat + length + 1..];
        let at_smax = probing.iter().position(|&gain| gain > 15.0).unwrap();
        assert!(probing[..at_smax].windows(2).all(|pair| pair[1] > pair[0]), "{probing:?}");
        assert!(probing[at_smax + 1..].iter().all(|gain| (15.0..=16.01).contains(gain)));
    }

    /// An ACK for each second segment, without byte counting: the window climbs as fast.
    #[test]
    fn delayed_acks_do_not_slow_it_down() {
        let mut window = Window { cwnd: 100.0, ssthresh: 2.0 };
        let mut bic = Bic::new(BicConfig::default());
        bic.increase.max = Some(140.0);
        for _ in 0..50 {
            bic.on_ack(&mut window, &signal(0, 2.0, 100.0));
        }
        // d = 10 at first, and 9 from 101 on.
        assert!((108.0..110.0).contains(&window.cwnd), "{}", window.cwnd);
    }
}
