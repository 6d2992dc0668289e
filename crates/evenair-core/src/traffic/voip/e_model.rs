//! The E-model (ITU-T G.107): what users think of a call with some delay and loss.
//!
//! R = Ro - Is - Id - Ie,eff (equation 7-1, without an advantage factor). All parameters that a packet network does
//! not change have the default values of table 3, so that Ro and Is are constants.

/// The basic signal-to-noise ratio (7.2) with the default values: No = -61.1792 dBm0p.
const RO: f64 = 94.768_821_6;
/// The simultaneous impairment factor (7.3) with the default values.
const IS: f64 = 1.413_568_1;
/// Talker echo loudness rating, dB (table 3).
const TELR: f64 = 65.0;
/// Weighted echo path loss, dB (table 3).
const WEPL: f64 = 110.0;
/// The minimum delay that is noticed, mT, ms (table 3); sT is 1.
const NOTICED_MS: f64 = 100.0;

/// What a codec does to speech (ITU-T G.113).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impairment {
    /// The equipment impairment factor Ie.
    pub ie: f64,
    /// The packet-loss robustness factor Bpl.
    pub bpl: f64,
}

/// What happens to speech on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// From mouth to ear, seconds. The way back takes as long.
    pub delay_s: f64,
    /// Packets that are not heard, as a share: 0 to 1. G.107 is made for up to 0.2.
    pub loss: f64,
    /// The mean length of a burst of losses, as a multiple of that of random losses; 1: they are random.
    pub burst_ratio: f64,
}

/// The transmission rating factor R.
pub fn rating(path: &Path, codec: &Impairment) -> f64 {
    RO - IS - delay_impairment(path.delay_s * 1e3) - loss_impairment(path, codec)
}

/// The mean opinion score of a conversation (MOS-CQE) with this rating (annex B). Below a rating of 6.5 the cubic of
/// the annex leaves the scale, which begins at 1.
pub fn mean_opinion_score(rating: f64) -> f64 {
    let r = rating.clamp(0.0, 100.0);
    (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0)
}

/// Id (7.4) of a connection with this delay in each direction, ms: talker echo, listener echo, and a delay that is too
/// long even without echo.
fn delay_impairment(ms: f64) -> f64 {
    talker_echo(ms) + listener_echo(2.0 * ms) + pure_delay(ms)
}

/// Idte. An echo after less than 1 ms is heard as sidetone.
fn talker_echo(ms: f64) -> f64 {
    if ms < 1.0 {
        return 0.0;
    }
    let spread = (1.0 + ms / 10.0) / (1.0 + ms / 150.0);
    let terv = TELR - 40.0 * libm::log10(spread) + 6.0 * libm::exp(-0.3 * ms * ms);
    let re = 80.0 + 2.5 * (terv - 14.0);
    // Roe = -1.5 (No - RLR) equals Ro, since SLR is 8 dB and RLR 2 dB.
    let half = (RO - re) / 2.0;
    (half + (half * half + 100.0).sqrt() - 1.0) * (1.0 - libm::exp(-ms))
}

/// Idle, by the round-trip delay.
fn listener_echo(ms: f64) -> f64 {
    let rle = 10.5 * (WEPL + 7.0) * libm::pow(ms + 1.0, -0.25);
    let half = (RO - rle) / 2.0;
    half + (half * half + 169.0).sqrt()
}

/// Idd.
fn pure_delay(ms: f64) -> f64 {
    if ms <= NOTICED_MS {
        return 0.0;
    }
    let x = libm::log2(ms / NOTICED_MS);
    let term = |x: f64| libm::pow(1.0 + libm::pow(x, 6.0), 1.0 / 6.0);
    25.0 * (term(x) - 3.0 * term(x / 3.0) + 2.0)
}

/// Ie,eff (7.5).
fn loss_impairment(path: &Path, codec: &Impairment) -> f64 {
    let percent = 100.0 * path.loss;
    codec.ie + (95.0 - codec.ie) * percent / (percent / path.burst_ratio + codec.bpl)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// G.711 with packet loss concealment (G.113 appendix I).
    const G711: Impairment = Impairment { ie: 0.0, bpl: 25.1 };

    fn path(delay_ms: f64, percent: f64, burst_ratio: f64) -> Path {
        Path { delay_s: delay_ms / 1e3, loss: percent / 100.0, burst_ratio }
    }

    /// Delay (ms), loss (%), BurstR, Bpl; R and MOS. Calculated with 30 digits from the equations of G.107 apart from
    /// this code, with No, Ro and Is from all parameters of table 3.
    const BY_HAND: [[f64; 6]; 15] = [
        [0.0, 0.0, 1.0, 25.1, 93.206_208, 4.409_406],
        [20.0, 0.0, 1.0, 25.1, 92.531_344, 4.395_970],
        [50.0, 0.0, 1.0, 25.1, 91.756_161, 4.379_613],
        [100.0, 0.0, 1.0, 25.1, 90.663_730, 4.354_920],
        [150.0, 0.0, 1.0, 25.1, 89.539_132, 4.327_546],
        [177.3, 0.0, 1.0, 25.1, 88.051_877, 4.288_400],
        [200.0, 0.0, 1.0, 25.1, 85.804_718, 4.223_180],
        [250.0, 0.0, 1.0, 25.1, 79.177_101, 3.992_519],
        [400.0, 0.0, 1.0, 25.1, 62.246_827, 3.215_599],
        [600.0, 0.0, 1.0, 25.1, 49.483_798, 2.547_919],
        [150.0, 1.0, 1.0, 25.1, 85.899_285, 4.226_067],
        [150.0, 2.0, 1.0, 25.1, 82.528_062, 4.115_869],
        [85.0, 5.0, 1.0, 25.1, 75.194_626, 3.830_202],
        [50.0, 2.0, 1.0, 4.3, 61.597_431, 3.182_361],
        [100.0, 5.0, 2.0, 25.1, 73.453_585, 3.754_510],
    ];

    #[test]
    fn ratings_and_scores_by_hand() {
        for [delay, percent, burst_ratio, bpl, rating_by_hand, score] in BY_HAND {
            let codec = Impairment { bpl, ..G711 };
            let r = rating(&path(delay, percent, burst_ratio), &codec);
            assert!((r - rating_by_hand).abs() < 1e-4, "{delay} ms, {percent} %: R {r}");
            let mos = mean_opinion_score(r);
            assert!((mos - score).abs() < 1e-5, "{delay} ms, {percent} %: MOS {mos}");
        }
    }

    /// G.107: all defaults give R = 93.2. Table B.1 has a MOS for ratings, with two digits.
    #[test]
    fn published_ratings_and_scores() {
        let r = rating(&path(0.0, 0.0, 1.0), &G711);
        assert!((r - 93.2).abs() < 0.05, "{r}");
        for (r, mos) in [(93.2, 4.41), (90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10)] {
            let score = mean_opinion_score(r);
            assert!((score - mos).abs() < 0.01, "{r}: {score}");
        }
        assert_eq!((mean_opinion_score(-5.0), mean_opinion_score(100.0)), (1.0, 4.5));
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// From 5 ms on: the talker echo of the equations is slightly below 0 before.
        #[test]
        fn delay_and_loss_only_make_it_worse(
            delay in 5.0..5000.0, more in 0.1..1000.0, loss in 0.0..99.0, further in 0.0..1.0,
            burst_ratio in 1.0..8.0,
        ) {
            let r = |delay, percent| rating(&path(delay, percent, burst_ratio), &G711);
            prop_assert!(r(delay + more, loss) < r(delay, loss));
            prop_assert!(r(delay, loss + further) <= r(delay, loss));
            let scores = [r(delay + more, loss + further), r(delay, loss)].map(mean_opinion_score);
            prop_assert!(scores[0] <= scores[1] && 1.0 <= scores[0] && scores[1] <= 4.5);
        }
    }
}
