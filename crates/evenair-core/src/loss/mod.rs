//! Loss models: losses that are not caused by collisions or full queues.
//!
//! A loss model decides for each packet of one link in one direction, given the time of its
//! reception, whether it is lost. With `level = "mac"` it decides on each frame that the MAC
//! transmits, RTS, CTS and ACK included; the MAC retransmits what is not acknowledged. With
//! `level = "ip"` it decides on each packet that the MAC has delivered. To add a loss model, add a
//! file and a line in `loss_models!` below.

mod bit_error;
mod common;
mod gilbert_elliott;
mod independent;
mod model;

pub use bit_error::{BitError, BitErrorConfig};
pub use common::{Level, LossDirection, LossRateConfig, LossyFrames, ScopeConfig};
pub use gilbert_elliott::{GilbertElliott, GilbertElliottConfig};
pub use independent::{Independent, IndependentConfig};
pub use model::{Frame, FrameKind, LossModel};

use crate::component::registry;
use crate::packet::Direction;
use crate::rng::{RngStream, StreamId};
use crate::time::Instant;

/// Generates the registry of all loss models, and an enum that dispatches to them.
macro_rules! loss_models {
    ($($type:ident($config:ident),)+) => {
        registry! {
            /// The configuration of a loss model.
            pub enum Config {
                $($type($config),)+
            }
            kind "error", noun "error", schema "AirErrors", planned &[]
        }

        impl Config {
            /// The packets to which the model applies.
            pub fn scope(&self) -> &ScopeConfig {
                match self { $(Self::$type(config) => &config.scope,)+ }
            }
        }

        /// Any of the loss models.
        #[derive(Clone, Debug)]
        pub enum Losses {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
        }

        impl Losses {
            /// Creates the configured model. `stream` is its random stream.
            pub fn new(config: &Config, stream: RngStream) -> Self {
                match config {
                    $(Config::$type(config) => Self::$type($type::new(config.clone(), stream)),)+
                }
            }
        }

        impl LossModel for Losses {
            fn loses(&mut self, now: Instant, frame: Frame) -> bool {
                match self { $(Self::$type(model) => model.loses(now, frame),)+ }
            }

            fn no_loss_before(&self) -> Instant {
                match self { $(Self::$type(model) => model.no_loss_before(),)+ }
            }
        }
    };
}

loss_models! {
    Independent(IndependentConfig),
    GilbertElliott(GilbertElliottConfig),
    BitError(BitErrorConfig),
}

/// The loss models of one link, one for each direction.
#[derive(Clone, Debug)]
pub struct LinkLoss {
    /// The layer at which losses occur.
    pub level: Level,
    /// The frames that are lost at [`Level::Mac`].
    pub frames: LossyFrames,
    /// From the access point to the station; on a wired link towards the access point.
    pub down: Option<Losses>,
    /// The opposite direction.
    pub up: Option<Losses>,
}

impl LinkLoss {
    /// Creates the configured models of a link. `link` is its index among the links with the same
    /// `purpose`. Each direction has its own random stream.
    pub fn new(config: &Config, seed: u64, purpose: StreamId, link: u32) -> Self {
        let stream = |direction| RngStream::new(seed, purpose, 2 * u64::from(link) + direction);
        let ScopeConfig { level, frames, direction } = *config.scope();
        let model = |number| Losses::new(config, stream(number));
        Self {
            level,
            frames,
            down: (direction != LossDirection::Up).then(|| model(0)),
            up: (direction != LossDirection::Down).then(|| model(1)),
        }
    }

    /// Whether the packet or frame received at `now` is lost at `level`.
    pub fn lose(&mut self, level: Level, direction: Direction, now: Instant, frame: Frame) -> bool {
        let losses = match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        };
        let covered = self.frames == LossyFrames::All || frame.kind == FrameKind::Data;
        self.level == level
            && covered
            && losses.as_mut().is_some_and(|losses| losses.loses(now, frame))
    }

    /// No packet or frame that is received before this time is lost at `level`.
    pub fn no_loss_before(&self, level: Level) -> Instant {
        if self.level != level {
            return Instant::NEVER;
        }
        let models = [&self.down, &self.up].into_iter().flatten();
        models.map(LossModel::no_loss_before).min().unwrap_or(Instant::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;
    use crate::units::Rate;

    const FRAME: Frame = Frame { kind: FrameKind::Data, rate: Rate::from_mbps(11), bytes: 1536 };

    fn losses(name: &str, rate: f64, bad_state: Duration, seed: u64) -> Losses {
        let loss = LossRateConfig { rate };
        let config: Config = match name {
            "independent" => IndependentConfig { loss, ..Default::default() }.into(),
            _ => GilbertElliottConfig { loss, bad_state, ..Default::default() }.into(),
        };
        Losses::new(&config, RngStream::new(seed, StreamId::FrameErrors, 0))
    }

    /// Whether each of a million packets, `spacing` apart, is lost.
    fn million(losses: &mut Losses, spacing: Duration) -> Vec<bool> {
        (1..=1_000_000).map(|i| losses.loses(Instant::ZERO + spacing * i, FRAME)).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|&&lost| lost).count() as f64 / lost.len() as f64
    }

    /// Lengths of the bursts of losses.
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

    /// Sampled at intervals d, the chain is a discrete one with loss-to-loss probability
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

    /// The model gives the same answers for all other frames whether or not it is asked about frames
    /// that are received before `no_loss_before`; those are not lost.
    #[test]
    fn exempt_frames_are_not_lost() {
        for (rate, seed) in [(0.0, 1), (1e-300, 2), (0.01, 3), (0.3, 4), (0.99, 5)] {
            let mut asked = losses("gilbert-elliott", rate, Duration::from_millis(5), seed);
            let mut exempted = asked.clone();
            let mut exempt = 0;
            for i in 1..=100_000 {
                let now = Instant::ZERO + Duration::from_micros(700) * i;
                let lost = asked.loses(now, FRAME);
                if now < exempted.no_loss_before() {
                    exempt += 1;
                    assert!(!lost);
                } else {
                    assert_eq!(exempted.loses(now, FRAME), lost);
                }
            }
            // A good state of mean T_G = 5 ms (1 - p) / p has begun before most frames if it is
            // longer than 0.7 ms.
            assert_eq!(exempt > 50_000, rate < 0.5, "{exempt} at {rate}");
        }
    }

    /// Asked every 10 us, the chain shows its sojourns. Their means are T_B and T_G and, as they are
    /// exponential, so are their standard deviations: a mean of n sojourns is within 4 T / sqrt(n), and
    /// the share of those that exceed twice the mean within 4 standard errors of exp(-2).
    #[test]
    fn sojourns_are_exponential() {
        let (rate, step) = (0.2, 10e-6);
        let mut chain = losses("gilbert-elliott", rate, Duration::from_millis(5), 6);
        let mut sojourns = [Vec::new(), Vec::new()];
        let (mut state, mut length) = (false, 0.0);
        for i in 1..=20_000_000_u64 {
            let lost = chain.loses(Instant::from_nanos(10_000 * i), FRAME);
            if lost != state {
                sojourns[usize::from(state)].push(length);
                (state, length) = (lost, 0.0);
            }
            length += step;
        }
        for (lengths, mean) in sojourns.iter().zip([0.02, 0.005]) {
            let n = lengths.len() as f64;
            let measured = lengths.iter().sum::<f64>() / n;
            assert!((measured - mean).abs() < 4.0 * mean / n.sqrt(), "{measured}, not {mean}");
            let long = lengths.iter().filter(|&&length| length > 2.0 * mean).count() as f64 / n;
            let p = libm::exp(-2.0);
            assert!((long - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt(), "{long}, not {p}");
        }
    }

    /// A frame of n bytes is lost with probability 1 - (1 - b)^(8 n). Five standard errors of the share
    /// of 200,000 frames.
    #[test]
    fn long_frames_have_more_bit_errors() {
        let config = BitErrorConfig { data: 1e-4, control: 1e-3, ..BitErrorConfig::default() };
        let stream = RngStream::new(1, StreamId::FrameErrors, 0);
        let mut losses = Losses::new(&config.into(), stream);
        for (kind, bytes, rate) in [
            (FrameKind::Data, 1536, 1e-4),
            (FrameKind::Data, 14, 1e-4),
            (FrameKind::Control, 14, 1e-3),
        ] {
            let frame = Frame { kind, bytes, ..FRAME };
            let n = 200_000;
            let lost = (0..n).filter(|_| losses.loses(Instant::ZERO, frame)).count();
            let expected = 1.0 - libm::pow(1.0 - rate, 8.0 * f64::from(bytes));
            let error = lost as f64 / f64::from(n) - expected;
            let standard_error = (expected * (1.0 - expected) / f64::from(n)).sqrt();
            assert!(error.abs() < 5.0 * standard_error, "{kind:?} {bytes}: {error} off {expected}");
        }
    }

    #[test]
    fn frames_that_are_not_covered_are_not_lost() {
        let loss = LossRateConfig { rate: 1.0_f64.next_down() };
        let control = Frame { kind: FrameKind::Control, ..FRAME };
        for (frames, lost) in [(LossyFrames::All, true), (LossyFrames::Data, false)] {
            let scope = ScopeConfig { level: Level::Mac, frames, ..ScopeConfig::default() };
            let config: Config = IndependentConfig { loss: loss.clone(), scope }.into();
            let mut link = LinkLoss::new(&config, 1, StreamId::FrameErrors, 0);
            let mut lose = |frame| link.lose(Level::Mac, Direction::Up, Instant::ZERO, frame);
            assert_eq!([lose(control), lose(FRAME)], [lost, true]);
        }
    }

    #[test]
    fn directions_are_independent_and_levels_apart() {
        let config = |direction| -> Config {
            let scope = ScopeConfig { level: Level::Mac, direction, ..ScopeConfig::default() };
            IndependentConfig { loss: LossRateConfig { rate: 0.5 }, scope }.into()
        };
        let both = config(LossDirection::Both);
        let mut errors = LinkLoss::new(&both, 1, StreamId::FrameErrors, 3);
        let mut differ = 0;
        for i in 0..1000 {
            let now = Instant::from_nanos(i);
            differ += u32::from(
                errors.lose(Level::Mac, Direction::Up, now, FRAME)
                    != errors.lose(Level::Mac, Direction::Down, now, FRAME),
            );
            assert!(!errors.lose(Level::Ip, Direction::Up, now, FRAME));
        }
        // Binomial(1000, 1/2): 5 standard deviations are 79.
        assert!((421..=579).contains(&differ), "{differ}");
        let up = config(LossDirection::Up);
        let mut errors = LinkLoss::new(&up, 1, StreamId::FrameErrors, 3);
        assert!((0..100).all(|i| !errors.lose(
            Level::Mac,
            Direction::Down,
            Instant::from_nanos(i),
            FRAME
        )));
    }
}
