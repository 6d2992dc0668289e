//! Congestion control: how the window grows with acknowledgements and shrinks with losses.
//!
//! Detecting losses and repairing them is the sender's work, the same for all; a congestion
//! control holds only what is its own. There is one method per signal, because variants differ in
//! which of them they listen to (Westwood counts duplicate ACKs, Vegas does not), and because a
//! method that stands for several signals is how windows go wrong. To add one: a file
//! here, and a line in `controls!` below.

mod alpha;
mod bandwidth;
mod bbr;
mod bbr1;
mod biad;
mod bic;
pub mod boxed;
mod control;
mod cubic;
mod dctcp;
mod ecn;
mod hystart;
mod linux;
mod newreno;
mod prague;
mod round;
mod vegas;
mod veno;
mod westwood;
mod westwood_plus;
mod window_control;

pub use bbr::EcnRule as BbrEcnRule;
pub use bic::{IncreaseConfig, Search, Target};
pub use control::{
    AckEvent, CongestionControl, LossDetection, LostSegment, Observed, OpenEvent, RateSample,
    Repair, SentEvent, Window, grow, in_use, slow_start,
};
pub use cubic::{AfterTimeout, RenoFriendly};
pub use ecn::{EcnFeedback, EcnResponse};
pub use hystart::{Form as HyStartForm, HyStartConfig};
pub use linux::Arithmetic;
pub use prague::RttScaling;
pub use vegas::{Form, FormConfig};
pub use veno::{BaseRtt, QueueRtt, TimeoutLoss};
pub use westwood::FilterConfig;
pub use window_control::WindowControl;

use crate::component::{Prototype, registry};
use crate::rng::RngStream;
use crate::units::Rate;

/// Generates the registry of all congestion controls, the enum of them, and its dispatch.
macro_rules! controls {
    ($($type:ident($config:ident) in $module:ident,)+) => {
        $(pub use $module::{$config, $type};)+

        registry! {
            /// The configuration of a congestion control.
            pub enum Config {
                $($type($config),)+
            }
            kind "congestion control", noun "transport", schema "CongestionControl",
            planned &[
                "cdg", "compound", "copa", "ctcp", "dccp", "highspeed", "htcp", "hybla", "illinois", "ledbat", "lp",
                "mptcp", "nv", "pcc", "quic", "scalable", "sctp", "vivace", "yeah",
            ],
            prototypes Prototype(Prototype<boxed::NewControl>) in boxed::PROTOTYPES
        }

        /// One of the congestion controls. The set is closed, so an ACK costs no virtual call.
        #[derive(Clone, Debug)]
        pub enum Controller {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
            #[doc = "One that is registered at run time."]
            Prototype(Box<boxed::Boxed>),
        }

        impl Controller {
            /// The configured congestion control, before anything has been sent.
            pub fn new(config: &Config) -> Self {
                match config {
                    $(Config::$type(config) => Self::$type($type::new(config.clone())),)+
                    Config::Prototype(config) => {
                        Self::Prototype(Box::new(boxed::Boxed::new(config.clone())))
                    }
                }
            }
        }

        impl CongestionControl for Controller {
            fn loss_detection(&self) -> LossDetection {
                match self {
                    $(Self::$type(cc) => cc.loss_detection(),)+
                    Self::Prototype(cc) => cc.loss_detection(),
                }
            }

            fn use_ecn(&mut self, agreed: EcnFeedback) -> EcnResponse {
                match self {
                    $(Self::$type(cc) => cc.use_ecn(agreed),)+
                    Self::Prototype(cc) => cc.use_ecn(agreed),
                }
            }

            fn is_rate_based(&self) -> bool {
                match self {
                    $(Self::$type(cc) => cc.is_rate_based(),)+
                    Self::Prototype(cc) => cc.is_rate_based(),
                }
            }

            fn limits_itself(&self) -> bool {
                match self {
                    $(Self::$type(cc) => cc.limits_itself(),)+
                    Self::Prototype(cc) => cc.limits_itself(),
                }
            }

            fn use_random(&mut self, random: RngStream) {
                match self {
                    $(Self::$type(cc) => cc.use_random(random),)+
                    Self::Prototype(cc) => cc.use_random(random),
                }
            }

            fn on_open(&mut self, window: &mut Window, event: &OpenEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_open(window, event),)+
                    Self::Prototype(cc) => cc.on_open(window, event),
                }
            }

            fn paces(&self) -> bool {
                match self {
                    $(Self::$type(cc) => cc.paces(),)+
                    Self::Prototype(cc) => cc.paces(),
                }
            }

            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$type(cc) => cc.pacing_rate(),)+
                    Self::Prototype(cc) => cc.pacing_rate(),
                }
            }

            fn burst(&self) -> Option<u64> {
                match self {
                    $(Self::$type(cc) => cc.burst(),)+
                    Self::Prototype(cc) => cc.burst(),
                }
            }

            fn on_sent(&mut self, window: &mut Window, event: &SentEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_sent(window, event),)+
                    Self::Prototype(cc) => cc.on_sent(window, event),
                }
            }

            fn on_rate_sample(&mut self, window: &mut Window, sample: &RateSample) {
                match self {
                    $(Self::$type(cc) => cc.on_rate_sample(window, sample),)+
                    Self::Prototype(cc) => cc.on_rate_sample(window, sample),
                }
            }

            fn on_segment_lost(&mut self, window: &mut Window, segment: &LostSegment) {
                match self {
                    $(Self::$type(cc) => cc.on_segment_lost(window, segment),)+
                    Self::Prototype(cc) => cc.on_segment_lost(window, segment),
                }
            }

            fn lowers_rate(&self) -> bool {
                match self {
                    $(Self::$type(cc) => cc.lowers_rate(),)+
                    Self::Prototype(cc) => cc.lowers_rate(),
                }
            }

            fn is_probing(&self) -> Option<bool> {
                match self {
                    $(Self::$type(cc) => cc.is_probing(),)+
                    Self::Prototype(cc) => cc.is_probing(),
                }
            }

            fn observe(&self, see: &mut dyn FnMut(&str, Observed<'_>)) {
                match self {
                    $(Self::$type(cc) => cc.observe(see),)+
                    Self::Prototype(cc) => cc.observe(see),
                }
            }

            #[inline(always)]
            fn on_ack(&mut self, window: &mut Window, signal: &AckEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_ack(window, signal),)+
                    Self::Prototype(cc) => cc.on_ack(window, signal),
                }
            }

            fn on_duplicate_ack(&mut self, window: &mut Window, signal: &AckEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_duplicate_ack(window, signal),)+
                    Self::Prototype(cc) => cc.on_duplicate_ack(window, signal),
                }
            }

            fn on_loss(&mut self, window: &mut Window, signal: &AckEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_loss(window, signal),)+
                    Self::Prototype(cc) => cc.on_loss(window, signal),
                }
            }

            fn on_congestion_mark(&mut self, window: &mut Window, signal: &AckEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_congestion_mark(window, signal),)+
                    Self::Prototype(cc) => cc.on_congestion_mark(window, signal),
                }
            }

            fn on_partial_ack(&mut self, window: &mut Window, signal: &AckEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_partial_ack(window, signal),)+
                    Self::Prototype(cc) => cc.on_partial_ack(window, signal),
                }
            }

            fn on_recovered(&mut self, window: &mut Window, signal: &AckEvent) {
                match self {
                    $(Self::$type(cc) => cc.on_recovered(window, signal),)+
                    Self::Prototype(cc) => cc.on_recovered(window, signal),
                }
            }

            fn on_timeout(&mut self, window: &mut Window, signal: &AckEvent, first: bool) {
                match self {
                    $(Self::$type(cc) => cc.on_timeout(window, signal, first),)+
                    Self::Prototype(cc) => cc.on_timeout(window, signal, first),
                }
            }
        }
    };
}

controls! {
    NewReno(NewRenoConfig) in newreno,
    Vegas(VegasConfig) in vegas,
    Veno(VenoConfig) in veno,
    Westwood(WestwoodConfig) in westwood,
    WestwoodPlus(WestwoodPlusConfig) in westwood_plus,
    Bic(BicConfig) in bic,
    Cubic(CubicConfig) in cubic,
    Biad(BiadConfig) in biad,
    Bbr1(Bbr1Config) in bbr1,
    Bbr(BbrConfig) in bbr,
    Dctcp(DctcpConfig) in dctcp,
    Prague(PragueConfig) in prague,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::component::{ParameterType, Parameters, Registry, Value};
    use crate::time::{Duration, Instant};

    pub(super) fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// An ACK of `acked` segments of `flight`, a duplicate if 0, with an RTT of 100 ms.
    pub(super) fn signal(ms: u64, acked: f64, flight: f64) -> AckEvent {
        let rtt = (acked > 0.0).then_some(Duration::from_millis(100));
        AckEvent {
            now: at_ms(ms),
            acked,
            credit: 1.0,
            may_grow: true,
            marked: 0.0,
            flight,
            rtt,
            snd_una: 0,
            snd_nxt: 0,
            segment: 1,
        }
    }

    /// What it tells of itself: states as text, numbers in the order of their names.
    pub(super) fn observed(control: &impl CongestionControl) -> (Vec<String>, Vec<Option<f64>>) {
        let (mut states, mut numbers) = (vec![], vec![]);
        control.observe(&mut |_, value| match value {
            Observed::State(name) => states.push(name.to_owned()),
            Observed::Number(number) => numbers.push(number),
        });
        (states, numbers)
    }

    /// ACKs of one segment each, `flight` of which are always outstanding.
    #[derive(Debug, Default)]
    pub(super) struct Acks {
        pub(super) now: Instant,
        pub(super) snd_una: u64,
    }

    impl Acks {
        /// The next `count`, evenly spread over round trips of `rtt`.
        pub(super) fn feed(
            &mut self,
            cc: &mut impl CongestionControl,
            window: &mut Window,
            count: u64,
            (flight, rtt): (u64, Duration),
        ) {
            for _ in 0..count {
                self.now += rtt / flight;
                let signal = AckEvent {
                    now: self.now,
                    acked: 1.0,
                    credit: 1.0,
                    may_grow: true,
                    marked: 0.0,
                    flight: flight as f64,
                    rtt: Some(rtt),
                    snd_una: self.snd_una,
                    snd_nxt: self.snd_una + flight,
                    segment: 1,
                };
                self.snd_una += 1;
                cc.on_ack(window, &signal);
            }
        }
    }

    /// RFC 5681 section 3.1 by hand: 8 -> 10 in slow start, then 1/10 and no more.
    #[test]
    fn growth_crosses_the_threshold_within_one_ack() {
        let mut window = Window { cwnd: 8.0, ssthresh: 10.0 };
        grow(&mut window, 3.0);
        assert_eq!(window.cwnd, 10.1);
        grow(&mut window, 1.0);
        assert_eq!(window.cwnd, 10.1 + 1.0 / 10.1);
    }

    /// RFC 5681 section 3.1: a segment that times out again leaves ssthresh. The window is the loss
    /// window, which is 2 in one form of Vegas: see there.
    #[test]
    fn a_second_timeout_leaves_ssthresh() {
        for config in Config::all() {
            let name = config.name();
            let mut control = Controller::new(&config);
            let mut window = Window { cwnd: 40.0, ssthresh: 20.0 };
            let mut acks = Acks::default();
            acks.feed(&mut control, &mut window, 200, (40, Duration::from_millis(100)));
            let signal =
                AckEvent { now: acks.now + Duration::from_secs(1), ..signal(0, 0.0, 40.0) };
            control.on_timeout(&mut window, &signal, true);
            assert_eq!(window.cwnd, 1.0, "{name}");
            let ssthresh = window.ssthresh;
            assert!((2.0..41.0).contains(&ssthresh), "{name}: {ssthresh}");
            let signal =
                AckEvent { now: signal.now + Duration::from_secs(2), flight: 1.0, ..signal };
            control.on_timeout(&mut window, &signal, false);
            assert_eq!(window, Window { cwnd: 1.0, ssthresh }, "{name}");
        }
    }

    /// Those of which a series has more than the window, and the names of what it has.
    #[test]
    fn controls_name_what_is_observed() {
        const MODEL: [&str; 4] = ["state", "bandwidth_bps", "min_rtt_s", "pacing_gain"];
        for config in Config::all() {
            let mut names = vec![];
            Controller::new(&config).observe(&mut |name, _| names.push(name.to_owned()));
            let expected: &[&str] = match config.name() {
                "bbr" | "bbr1" => &MODEL,
                "dctcp" | "prague" => &["alpha"],
                _ => &[],
            };
            assert_eq!(names, expected, "{}", config.name());
        }
    }

    /// A configuration with each parameter at one end of its range or at the default.
    fn any_config(mut config: Config, picks: &[u8]) -> Config {
        for ((parameter, default), pick) in config.values().into_iter().zip(picks) {
            let value = match (parameter.parameter_type, pick % 4) {
                (ParameterType::Number(min, _), 0) => Value::Number(min),
                (ParameterType::Number(_, max), 1) => Value::Number(max),
                (ParameterType::Names(names), n) => {
                    Value::Name(names[usize::from(n) % names.len()])
                }
                (ParameterType::Switch, n) => Value::Switch(n % 2 == 0),
                (ParameterType::Duration(_), 0) => Value::Duration(Duration::from_nanos(1)),
                (ParameterType::Duration(max), 1) => Value::Duration(max),
                _ => default,
            };
            assert!(config.assign(parameter.name, value), "{}", parameter.name);
        }
        config
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(2000))]

        /// Whatever comes, in whatever order.
        #[test]
        fn the_window_stays_a_window(
            config in prop::sample::select(Config::all()),
            picks in prop::collection::vec(any::<u8>(), 10),
            signals in prop::collection::vec(
                (0..8_u8, 0..3_000_000_000_u64, 0..50_u32, 0..2000_u32, 0..2_000_000_000_u64),
                0..300,
            ),
            byte_counting in any::<bool>(),
            feedback in prop::sample::select(vec![EcnFeedback::None, EcnFeedback::Rfc3168, EcnFeedback::AccEcn]),
        ) {
            let name = config.name();
            let mut control = Controller::new(&any_config(config, &picks));
            control.use_ecn(feedback);
            let mut window = Window { cwnd: 2.0, ssthresh: 64.0 };
            let (mut now, mut snd_una) = (Instant::ZERO, 0);
            for (kind, wait, acked, flight, rtt) in signals {
                // Half of them in the same instant.
                now += Duration::from_nanos(if wait % 2 == 0 { 0 } else { wait / 100 });
                let acked = if kind == 1 || kind == 2 { 0.0 } else { f64::from(acked.max(1)) };
                let signal = AckEvent {
                    now,
                    acked,
                    credit: if byte_counting { acked } else { 1.0 },
                    may_grow: true,
                    marked: if feedback != EcnFeedback::None && wait % 3 == 0 { acked } else { 0.0 },
                    flight: f64::from(flight),
                    rtt: (rtt % 3 > 0).then_some(Duration::from_nanos(rtt)),
                    snd_una,
                    snd_nxt: snd_una + u64::from(flight),
                    segment: 1,
                };
                snd_una += acked as u64;
                match kind {
                    1 => control.on_duplicate_ack(&mut window, &signal),
                    2 => control.on_loss(&mut window, &signal),
                    3 => control.on_partial_ack(&mut window, &signal),
                    4 => control.on_recovered(&mut window, &signal),
                    6 => control.on_congestion_mark(&mut window, &signal),
                    5 => control.on_timeout(&mut window, &signal, flight % 2 == 0),
                    _ => control.on_ack(&mut window, &signal),
                }
                let Window { cwnd, ssthresh } = window;
                prop_assert!(cwnd.is_finite() && cwnd >= 1.0, "{name}: cwnd {cwnd}");
                prop_assert!(ssthresh.is_finite() && ssthresh >= 2.0, "{name}: ssthresh {ssthresh}");
            }
        }
    }
}
