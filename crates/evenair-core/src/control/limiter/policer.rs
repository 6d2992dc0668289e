//! What a limiter does with packets: they pass, or are dropped.

use super::{Config, Decision, Udp};
use crate::time::Instant;
use crate::token_bucket::TokenBucket;
use crate::units::Rate;

/// A policer without queue: a packet for which the bucket has not enough tokens is dropped.
#[derive(Clone, Debug)]
pub struct Policer {
    bucket: TokenBucket,
    /// That of UDP, where it has one.
    udp: Option<TokenBucket>,
}

impl Policer {
    /// The policer of a limiter before its first decision; `None` without a limiter.
    pub fn new(config: &Config) -> Option<Self> {
        match config {
            Config::None(_) => None,
            Config::Fixed(fixed) => {
                let bucket = TokenBucket::new(fixed.rate.rate(), fixed.bucket_bytes());
                Some(Self { bucket, udp: None })
            }
            Config::Adaptive(adaptive) => {
                let bytes = adaptive.bucket_bytes();
                let bucket = TokenBucket::new(adaptive.max_rate.rate(), bytes);
                let has_udp = adaptive.udp != Udp::Shared;
                let udp = has_udp.then(|| TokenBucket::new(adaptive.max_rate.rate(), bytes));
                Some(Self { bucket, udp })
            }
        }
    }

    /// Takes the decision of a round. The buckets keep their tokens.
    pub fn apply(&mut self, now: Instant, decision: &Decision) {
        self.bucket.set_rate(now, decision.rate);
        if let (Some(bucket), Some(rate)) = (&mut self.udp, decision.udp_rate) {
            bucket.set_rate(now, rate);
        }
    }

    /// Whether a packet of `bytes` at IP level passes.
    pub fn admits(&mut self, now: Instant, bytes: u32, is_udp: bool) -> bool {
        let bucket = match &mut self.udp {
            Some(bucket) if is_udp => bucket,
            _ => &mut self.bucket,
        };
        bucket.take(now, bytes.into())
    }

    /// The rate at present.
    pub fn rate(&self) -> Rate {
        self.bucket.rate()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AdaptiveConfig, FixedConfig, NoneConfig};
    use super::*;
    use crate::component::{BitRate, BucketSize, Bytes};
    use crate::time::Duration;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand: 2 packets of 1500 bytes fit in 3000, and 8 Mb/s yields 1000 bytes per millisecond.
    #[test]
    fn a_packet_without_tokens_is_dropped() {
        let bucket = BucketSize::Bytes(Bytes::new(3000));
        let config = FixedConfig { rate: BitRate::from_bps(8_000_000), bucket };
        let mut policer = Policer::new(&config.into()).unwrap();
        let mut sent = |ms| policer.admits(at(ms), 1500, false);
        assert_eq!([sent(0), sent(0), sent(0), sent(1), sent(2)], [true, true, false, false, true]);
        assert!(Policer::new(&NoneConfig {}.into()).is_none());
    }

    /// UDP that has taken all of its own tokens takes none of TCP's, unless both share them.
    #[test]
    fn udp_has_a_bucket_of_its_own() {
        for (udp, tcp_passes) in
            [(Udp::Shared, false), (Udp::Reserved, true), (Udp::Estimated, true)]
        {
            let bucket = BucketSize::Bytes(Bytes::new(3000));
            let config = AdaptiveConfig { bucket, udp, ..AdaptiveConfig::default() };
            let mut policer = Policer::new(&config.into()).unwrap();
            assert!(policer.admits(at(0), 3000, true) && !policer.admits(at(0), 1, true));
            assert_eq!(policer.admits(at(0), 3000, false), tcp_passes, "{udp}");
        }
    }

    #[test]
    fn a_decision_sets_both_rates() {
        let config = AdaptiveConfig { udp: Udp::Reserved, ..AdaptiveConfig::default() };
        let bytes = config.bucket_bytes() as u32;
        let mut policer = Policer::new(&config.into()).unwrap();
        assert!(policer.admits(at(0), bytes, false) && policer.admits(at(0), bytes, true));
        let decision = Decision {
            rate: Rate::from_mbps(1),
            udp_rate: Some(Rate::from_mbps(2)),
            capacity: None,
            first_loss: true,
            reason: super::super::Branch::NoLoss,
        };
        policer.apply(at(0), &decision);
        assert_eq!(policer.rate(), Rate::from_mbps(1));
        // By hand: 125 and 250 bytes per millisecond.
        assert!(!policer.admits(at(1), 126, false) && policer.admits(at(1), 125, false));
        assert!(!policer.admits(at(1), 251, true) && policer.admits(at(1), 250, true));
    }
}
