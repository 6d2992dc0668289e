//! Random numbers: one stream per (seed, purpose, entity), tested against published vectors.
//!
//! Streams are independent, so another station or another queue discipline does not change the
//! draws of the other entities (common random numbers). Sampling functions are implemented here
//! because those of libraries may change between versions.

/// The purpose of a stream. Results depend on the discriminants: do not renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum StreamId {
    /// Backoff slots of one station.
    Backoff = 1,
    /// Losses on the link between one station and the access point.
    FrameErrors = 2,
    /// Times of one application's datagrams.
    Traffic = 3,
    /// Losses of one wired link.
    LinkLoss = 4,
    /// Sizes of one flow's finite transfers.
    FileSizes = 5,
    /// Think times between one flow's finite transfers.
    ThinkTimes = 6,
    /// Random drops and marks of one queue; the caller that creates the queues numbers them.
    Queue = 7,
    /// The clock of the host that opens one flow's connections.
    HostClock = 8,
    /// Backoff opportunities of one station's bandwidth requests.
    BandwidthRequests = 9,
    /// Frames that the channel of one station's link corrupts.
    Channel = 10,
    /// The rates that one direction of a link tries.
    RateControl = 11,
    /// Choices of one flow's congestion control.
    Congestion = 12,
}

/// A xoshiro256++ generator (Blackman and Vigna 2019), seeded by SplitMix64 as its authors
/// recommend.
#[derive(Clone, Debug)]
pub struct RngStream {
    state: [u64; 4],
}

impl RngStream {
    /// The stream of `entity` for `purpose` in the run with `seed`.
    pub fn new(seed: u64, purpose: StreamId, entity: u64) -> Self {
        let mut mix = seed;
        for part in [purpose as u64, entity] {
            mix = split_mix(&mut mix) ^ part.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        Self { state: std::array::from_fn(|_| split_mix(&mut mix)) }
    }

    /// 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A uniform integer in `0..=max`, without bias (multiply and reject: Lemire 2019).
    pub fn up_to(&mut self, max: u32) -> u32 {
        let n = u64::from(max) + 1;
        loop {
            let product = (self.next_u64() >> 32) * n;
            let fraction = product & 0xFFFF_FFFF;
            // The first condition avoids the division in most cases.
            if fraction >= n || fraction >= (1 << 32) % n {
                return (product >> 32) as u32;
            }
        }
    }

    /// A uniform number in [0, 1) with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    pub fn bernoulli(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// An exponential number with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.uniform())
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vector of SplitMix64 for seed 1234567 (Rosetta Code, "Pseudo-random
    /// numbers/Splitmix64").
    #[test]
    fn split_mix_matches_its_published_vector() {
        let mut state = 1_234_567;
        let got: Vec<u64> = (0..5).map(|_| split_mix(&mut state)).collect();
        assert_eq!(
            got,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    /// xoshiro256++ from state 1, 2, 3, 4: the test vector of the `rand_xoshiro` crate, generated
    /// with the authors' C code.
    #[test]
    fn xoshiro_matches_its_published_vector() {
        let mut stream = RngStream { state: [1, 2, 3, 4] };
        let got: Vec<u64> = (0..5).map(|_| stream.next_u64()).collect();
        assert_eq!(
            got,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386,
                9_228_616_714_210_784_205
            ]
        );
    }

    #[test]
    fn draws_are_uniform_and_streams_differ() {
        let mut counts = [0u32; 32];
        let mut stream = RngStream::new(1, StreamId::Backoff, 0);
        for _ in 0..320_000 {
            counts[stream.up_to(31) as usize] += 1;
        }
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 61.1, "chi-square {chi2}, 31 degrees of freedom, 99.9% quantile 61.1");
        let first = |seed, purpose, entity| RngStream::new(seed, purpose, entity).next_u64();
        assert_ne!(first(1, StreamId::Backoff, 0), first(1, StreamId::Backoff, 1));
        assert_ne!(first(1, StreamId::Backoff, 0), first(1, StreamId::FrameErrors, 0));
        assert_ne!(first(1, StreamId::Backoff, 0), first(2, StreamId::Backoff, 0));
    }
}
