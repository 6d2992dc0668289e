//! Errors of the air: which packets are lost though nobody else was sending.
//!
//! A loss process is asked of each packet on one link in one direction, and told the time. Whether
//! it is asked for every transmission of the MAC, which then retransmits, or for every packet that
//! the MAC has delivered, is the scenario's choice (`level`). To add one: a type with its `PART`
//! here, and a line in `loss_processes!` below.

use crate::component::{Accepts, Choice, Parameter, Part, Value};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// A process that loses packets.
pub trait LossModel {
    /// Whether the packet that is received at `now` is lost. Never called with an earlier time.
    fn loses(&mut self, now: Instant) -> bool;
}

/// Makes the enum, its dispatch and the registry from the list of processes.
macro_rules! loss_processes {
    ($($type:ident is $part:ident,)+) => {
        /// Every loss process, by the name that scenarios use.
        pub static REGISTRY: &[&Part] = &[$(&$part),+];

        /// One of the loss processes.
        #[derive(Clone, Debug)]
        pub enum Losses {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
        }

        impl Losses {
            /// The chosen process, drawing from `stream`.
            ///
            /// # Panics
            /// If the choice is not from [`REGISTRY`].
            pub fn new(choice: &Choice, stream: RngStream) -> Self {
                match choice.name() {
                    $(name if name == $part.name => Self::$type($type::new(choice, stream)),)+
                    other => panic!("no loss process is called {other}"),
                }
            }
        }

        impl LossModel for Losses {
            fn loses(&mut self, now: Instant) -> bool {
                match self { $(Self::$type(process) => process.loses(now),)+ }
            }
        }
    };
}

loss_processes! {
    Independent is INDEPENDENT,
    GilbertElliott is GILBERT_ELLIOTT,
}

/// Where errors strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Each transmission: the MAC does not answer, and sends again up to its retry limit.
    Mac,
    /// Each packet that the MAC has delivered: what TCP sees as residual loss.
    Ip,
}

/// The losses of one link in each direction, at one level.
#[derive(Clone, Debug)]
pub struct LinkLoss {
    /// Where they strike.
    pub level: Level,
    /// From the access point to the station; on a wired link towards the access point.
    pub down: Option<Losses>,
    /// The other way.
    pub up: Option<Losses>,
}

impl LinkLoss {
    /// The chosen errors of a link, by its number among those of `purpose`; each direction has a
    /// random stream of its own.
    ///
    /// # Panics
    /// If the choice is not from [`REGISTRY`].
    pub fn new(choice: &Choice, seed: u64, purpose: StreamId, link: u32) -> Self {
        let stream = |direction| RngStream::new(seed, purpose, 2 * u64::from(link) + direction);
        let direction = choice.named("direction");
        Self {
            level: if choice.named("level") == "mac" { Level::Mac } else { Level::Ip },
            down: (direction != "up").then(|| Losses::new(choice, stream(0))),
            up: (direction != "down").then(|| Losses::new(choice, stream(1))),
        }
    }

    /// Whether what is received at `now` is lost at `level`.
    pub fn lose(&mut self, level: Level, up: bool, now: Instant) -> bool {
        let losses = if up { &mut self.up } else { &mut self.down };
        self.level == level && losses.as_mut().is_some_and(|losses| losses.loses(now))
    }
}

const RATE: Parameter = Parameter {
    name: "rate",
    default: Value::Number(0.01),
    accepts: Accepts::Probability,
    meaning: "share of the packets that are lost in the long run",
};
const LEVEL: Parameter = Parameter {
    name: "level",
    default: Value::Name("ip"),
    accepts: Accepts::Names(&["ip", "mac"]),
    meaning: "what is lost: packets that the MAC has delivered, so that TCP sees each loss (ip), \
              or single transmissions, which the MAC repeats (mac)",
};
const DIRECTION: Parameter = Parameter {
    name: "direction",
    default: Value::Name("both"),
    accepts: Accepts::Names(&["both", "down", "up"]),
    meaning: "whose packets: from the access point to the station (down), the other way (up)",
};

static INDEPENDENT: Part = Part {
    name: "independent",
    summary: "each packet is lost with the same probability, whatever happened to others",
    source: "Bernoulli trials",
    ordered: &[],
    parameters: &[RATE, LEVEL, DIRECTION],
};

/// Independent losses.
#[derive(Clone, Debug)]
pub struct Independent {
    rate: f64,
    stream: RngStream,
}

impl Independent {
    fn new(choice: &Choice, stream: RngStream) -> Self {
        Self { rate: choice.number("rate"), stream }
    }
}

impl LossModel for Independent {
    fn loses(&mut self, _now: Instant) -> bool {
        self.stream.bernoulli(self.rate)
    }
}

static GILBERT_ELLIOTT: Part = Part {
    name: "gilbert-elliott",
    summary: "a good state without losses and a bad one in which every packet is lost",
    source: "Gilbert 1960, Elliott 1963; Tsiknas and Stamatelos 2012, equation (1)",
    ordered: &[],
    parameters: &[
        RATE,
        Parameter {
            name: "bad_state",
            default: Value::Time(Duration::from_millis(5)),
            accepts: Accepts::Time,
            meaning: "mean duration of the bad state; that of the good one follows from the rate",
        },
        LEVEL,
        DIRECTION,
    ],
};

/// A two-state Markov chain in continuous time. Sojourns are exponential, with means T_B in the
/// bad state and T_G = T_B (1 - p) / p in the good one, so that the share of the bad state, and of
/// the packets lost, is p (Tsiknas and Stamatelos 2012, equation (1)). The chain runs by the clock
/// and not by packets: a sender that waits does not make a bad state last.
///
/// It is looked at when a packet comes. From a look at which it was bad (b = 1) or good (b = 0) to
/// the next, d later, it is bad with probability p + (b - p) exp(-d (1/T_B + 1/T_G)): the same law
/// as drawing every sojourn, at one draw for each packet.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    rate: f64,
    /// 1/T_B + 1/T_G, per second.
    relaxation: f64,
    relaxation_per_nano: f64,
    bad: bool,
    looked_at: Instant,
    stream: RngStream,
}

impl GilbertElliott {
    fn new(choice: &Choice, mut stream: RngStream) -> Self {
        let rate = choice.number("rate");
        // 1/T_B + 1/T_G = 1/T_B (1 + p / (1 - p)) = 1 / (T_B (1 - p))
        let relaxation = 1.0 / (choice.time("bad_state").as_secs_f64() * (1.0 - rate));
        let bad = stream.bernoulli(rate);
        Self {
            rate,
            relaxation,
            relaxation_per_nano: relaxation / 1e9,
            bad,
            looked_at: Instant::ZERO,
            stream,
        }
    }
}

impl LossModel for GilbertElliott {
    fn loses(&mut self, now: Instant) -> bool {
        let elapsed = now.since(self.looked_at);
        self.looked_at = now;
        let draw = self.stream.uniform();
        // Coming from the good state, the probability is p (1 - exp(-x)), at most p x. Most draws are
        // above that (the margin covers rounding), and need no exponential.
        let bound = self.rate * self.relaxation_per_nano * elapsed.as_nanos() as f64;
        if !self.bad && draw > bound * 1.000_001 + 1e-15 {
            return false;
        }
        let start = if self.bad { 1.0 } else { 0.0 };
        let memory = libm::exp(-elapsed.as_secs_f64() * self.relaxation);
        self.bad = draw < self.rate + (start - self.rate) * memory;
        self.bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(name: &str, rate: f64, bad_state: Duration, seed: u64) -> Losses {
        let mut choice = Choice::by_name(REGISTRY, name).unwrap();
        choice = choice.with("rate", Value::Number(rate));
        if name == "gilbert-elliott" {
            choice = choice.with("bad_state", Value::Time(bad_state));
        }
        Losses::new(&choice, RngStream::new(seed, StreamId::FrameErrors, 0))
    }

    /// Whether each of a million packets, `spacing` apart, is lost.
    fn million(losses: &mut Losses, spacing: Duration) -> Vec<bool> {
        (1..=1_000_000).map(|i| losses.loses(Instant::ZERO + spacing * i)).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|&&lost| lost).count() as f64 / lost.len() as f64
    }

    /// Lengths of the runs of losses.
    fn bursts(lost: &[bool]) -> Vec<usize> {
        lost.split(|&lost| !lost).map(<[bool]>::len).filter(|&length| length > 0).collect()
    }

    /// Within 2% over a million packets. The standard error is sqrt(p (1-p) / n) for independent
    /// losses; for the chain sqrt(2 p T_B / (n d)) with packets d apart, d = 10 T_B here: at
    /// p = 0.1 both are below 0.5% of p, so the bar is beyond four standard errors.
    #[test]
    fn the_rate_is_met() {
        for rate in [0.1, 0.3] {
            for name in ["independent", "gilbert-elliott"] {
                let mut process = losses(name, rate, Duration::from_micros(100), 1);
                let measured = share(&million(&mut process, Duration::from_millis(1)));
                assert!((measured / rate - 1.0).abs() < 0.02, "{name}: {measured} for {rate}");
            }
        }
    }

    /// Seen at packets d apart the chain is a discrete one with loss-to-loss probability
    /// r = p + (1-p) exp(-d (1/T_B + 1/T_G)), so bursts are geometric with mean 1/(1-r). A
    /// chi-square test on their lengths 1 to 20 and beyond: 20 degrees of freedom, 99.9%
    /// quantile 45.3.
    #[test]
    fn bursts_are_geometric() {
        let (p, bad, spacing) = (0.05, 0.005, 0.001);
        let good = bad * (1.0 - p) / p;
        let r = p + (1.0 - p) * libm::exp(-spacing * (1.0 / bad + 1.0 / good));
        let mut process = losses("gilbert-elliott", p, Duration::from_millis(5), 1);
        let bursts = bursts(&million(&mut process, Duration::from_millis(1)));
        let n = bursts.len() as f64;
        let mean = bursts.iter().sum::<usize>() as f64 / n;
        let standard_error = r.sqrt() / (1.0 - r) / n.sqrt();
        let expected = 1.0 / (1.0 - r);
        assert!((mean - expected).abs() < 3.3 * standard_error, "{mean}, not {expected}");
        let mut chi2 = 0.0;
        for k in 1..=21_usize {
            let observed = bursts.iter().filter(|&&b| b == k || (k == 21 && b > 20)).count() as f64;
            let tail = libm::pow(r, (k - 1) as f64);
            let probability = if k == 21 { tail } else { tail * (1.0 - r) };
            chi2 += (observed - n * probability).powi(2) / (n * probability);
        }
        assert!(chi2 < 45.3, "chi-square {chi2}");
    }

    #[test]
    fn directions_are_independent_and_levels_apart() {
        let choice = Choice::by_name(REGISTRY, "independent").unwrap();
        let choice = choice.with("rate", Value::Number(0.5)).with("level", Value::Name("mac"));
        let mut errors = LinkLoss::new(&choice, 1, StreamId::FrameErrors, 3);
        let mut differ = 0;
        for i in 0..1000 {
            let now = Instant::from_nanos(i);
            differ += u32::from(
                errors.lose(Level::Mac, true, now) != errors.lose(Level::Mac, false, now),
            );
            assert!(!errors.lose(Level::Ip, true, now));
        }
        // Binomial(1000, 1/2): 5 standard deviations are 79.
        assert!((421..=579).contains(&differ), "{differ}");
        let up = choice.with("direction", Value::Name("up"));
        let mut errors = LinkLoss::new(&up, 1, StreamId::FrameErrors, 3);
        assert!((0..100).all(|i| !errors.lose(Level::Mac, false, Instant::from_nanos(i))));
    }
}
