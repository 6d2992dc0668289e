//! Video calls: the frames of a live encoder, and the packets that they are sent in.
//!
//! The encoder is a statistical one as in RFC 8593, in its simplest form: a constant frame rate, sizes around the
//! mean that follows from the bit rate, and larger frames at intervals. What the receiver makes of the packets is in
//! `frames.rs`.

use super::adaptation::{Adaptation, LossController};
use super::offer::Offer;
use super::receiver::FrameMark;
use super::{Distribution, Draws, distribution_of_factors};
use crate::component::{BitRate, configuration, named, names, number, positive, rate};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

configuration! {
    /// Parameters of one direction of a video call.
    pub struct VideoCallConfig {
        name: "video-call",
        summary: "frames at a constant rate with a key frame at intervals, at the flow's `rate` on \
                  average, in packets of up to `segment` bytes (UDP)",
        source: "RFC 8593 and RFC 8698; WebRTC's fake encoder; W3C webrtc-stats (freezes); \
                 draft-ietf-rmcat-gcc-02 section 6 (adaptation)",
        ordered: [min_rate <= max_rate],
    }
    /// frames per second
    // RFC 8698, FPS among the parameters of NADA.
    frame_rate: f64 = 30.0, number(1.0..=240.0);
    /// time from one key frame to the next, in whole frames
    // Chromium's hardware encoders below 720p (Flashphoner, key frames management).
    key_interval: Duration = Duration::from_secs(2), positive();
    /// size of a key frame, as a multiple of that of another frame
    // WebRTC, test/fake_encoder.cc, kKeyframeSizeFactor.
    key_size: f64 = 5.0, number(1.0..=100.0);
    /// sizes of frames of a kind in relation to each other; scaled so that their mean fits the rate
    variation: Distribution = Distribution::constant(1.0), distribution_of_factors();
    /// share of the frame interval over which the packets of a frame are spread; at 0 they are sent together
    pacing: f64 = 0.0, number(0.0..=1.0);
    /// which frame is shown first after one that was lost: the next "key-frame", as the others refer to the lost
    /// one, or "any-frame", as if the decoder concealed losses
    resume: Resume = Resume::KeyFrame, names();
    /// whether the encoder keeps the flow's rate, or begins with it and follows the losses that receiver reports tell
    adaptation: Adaptation = Adaptation::None, names();
    /// of an adaptation: the lowest rate of payload
    // RFC 8698, RMIN and RMAX among the parameters of NADA.
    min_rate: BitRate = BitRate::from_bps(150_000), rate();
    /// of an adaptation: the highest rate of payload
    max_rate: BitRate = BitRate::from_bps(1_500_000), rate();
}

named! {
    /// The first frame that is shown after one that was lost.
    pub enum Resume {
        /// The next key frame.
        #[default]
        KeyFrame => "key-frame",
        /// The next frame.
        AnyFrame => "any-frame",
    }
    planned []
}

impl VideoCallConfig {
    /// The frames of the call of flow number `flow` in the run.
    pub fn frames(&self, offer: &Offer, start: Instant, seed: u64, flow: u32) -> Frames {
        let stream = RngStream::new(seed, StreamId::Traffic, 2 * u64::from(flow));
        Frames::new(self, offer.bytes_per_second(), start, stream)
    }

    /// What adapts the rate, bit/s, if anything does.
    pub(super) fn controller(&self, offer: &Offer) -> Option<LossController> {
        let bounds = [self.min_rate, self.max_rate].map(|rate| rate.as_bps() as f64);
        match self.adaptation {
            Adaptation::None => None,
            Adaptation::GccLoss => {
                Some(LossController::new(8.0 * offer.bytes_per_second(), bounds))
            }
        }
    }
}

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// When the encoder has made it.
    pub made: Instant,
    /// Its size.
    pub bytes: u32,
    /// Whether it refers to no other frame.
    pub is_key: bool,
}

/// The frames of an encoder, one after the other. A copy makes the same.
#[derive(Clone, Debug)]
pub struct Frames {
    start: Instant,
    frame_rate: f64,
    /// From one key frame to the next.
    key_every: u64,
    key_size: f64,
    /// The mean sizes of a key frame and of another one, bytes.
    means: [f64; 2],
    variation: Draws,
    /// Of the next frame.
    number: u64,
}

impl Frames {
    /// The frames of a call that begins at `start` and has `rate` bytes of payload per second.
    pub fn new(config: &VideoCallConfig, rate: f64, start: Instant, stream: RngStream) -> Self {
        let key_every = libm::round(config.key_interval.as_secs_f64() * config.frame_rate).max(1.0);
        let mut frames = Self {
            start,
            frame_rate: config.frame_rate,
            key_every: key_every as u64,
            key_size: config.key_size,
            means: [0.0; 2],
            variation: Draws::new(config.variation.clone(), stream),
            number: 0,
        };
        frames.set_rate(rate);
        frames
    }

    /// The frames from the next one on have this rate, bytes of payload per second.
    pub fn set_rate(&mut self, rate: f64) {
        let key_every = self.key_every as f64;
        // Of `key_every` frames one is a key frame, and together they have the rate.
        let together = rate / self.frame_rate * key_every;
        let other = together / (key_every - 1.0 + self.key_size);
        self.means = [self.key_size * other, other].map(|mean| mean / self.variation.mean());
    }

    /// The mean size of a key frame, bytes.
    pub fn mean_key_frame(&self) -> f64 {
        self.means[0] * self.variation.mean()
    }
}

impl Iterator for Frames {
    type Item = Frame;

    /// There is always another one.
    fn next(&mut self) -> Option<Frame> {
        let is_key = self.number.is_multiple_of(self.key_every);
        let mean = if is_key { self.means[0] } else { self.means[1] };
        // The conversion ends at the largest integer, which bounds what a heavy tail may give.
        let bytes = libm::round(mean * self.variation.draw()).max(1.0) as u32;
        let since = Duration::from_secs_f64(self.number as f64 / self.frame_rate);
        self.number += 1;
        Some(Frame { made: self.start + since, bytes, is_key })
    }
}

/// The packets of frames: full ones, and what is left.
#[derive(Clone, Debug)]
pub(super) struct VideoPackets {
    frames: Frames,
    segment: u32,
    pacing: f64,
    frame: Frame,
    /// Which packet of the frame is next.
    place: u32,
    /// How many frames were before.
    number: u32,
    controller: Option<LossController>,
    /// Of the frame, bit/s, where it is adapted.
    rate_bps: f64,
}

impl VideoPackets {
    pub(super) fn new(mut frames: Frames, segment: u32, pacing: f64) -> Self {
        let frame = next(&mut frames);
        Self {
            frames,
            segment,
            pacing,
            frame,
            place: 0,
            number: 0,
            controller: None,
            rate_bps: 0.0,
        }
    }

    /// With what adapts the rate.
    pub(super) fn with(self, controller: Option<LossController>) -> Self {
        let rate_bps = controller.as_ref().map_or(0.0, LossController::rate);
        Self { controller, rate_bps, ..self }
    }

    /// What the next packet says of its frame: the receiver of frames whose rate is adapted cannot know it otherwise.
    pub(super) fn mark(&self) -> Option<FrameMark> {
        self.controller.as_ref()?;
        let rate_bps = self.rate_bps as u32;
        Some(FrameMark { frame: self.number, count: self.count(), rate_bps })
    }

    /// The frames after the one that is next, or under way, have the rate that follows.
    pub(super) fn on_report(&mut self, lost: f64) {
        if let Some(controller) = &mut self.controller {
            controller.on_report(lost);
        }
    }

    /// When the next packet is sent, and its payload, bytes.
    pub(super) fn next(&self) -> (Instant, u32) {
        let share = self.pacing * f64::from(self.place) / f64::from(self.count());
        let wait = Duration::from_secs_f64(share / self.frames.frame_rate);
        let sent = self.place * self.segment;
        (self.frame.made + wait, (self.frame.bytes - sent).min(self.segment))
    }

    pub(super) fn advance(&mut self) {
        self.place += 1;
        if self.place == self.count() {
            if let Some(controller) = &self.controller {
                self.rate_bps = controller.rate();
                self.frames.set_rate(self.rate_bps / 8.0);
            }
            self.number += 1;
            self.frame = next(&mut self.frames);
            self.place = 0;
        }
    }

    fn count(&self) -> u32 {
        packets(self.frame, self.segment)
    }
}

/// The number of packets of a frame.
pub(super) fn packets(frame: Frame, segment: u32) -> u32 {
    frame.bytes.div_ceil(segment)
}

/// The next of frames without an end.
pub(super) fn next(frames: &mut Frames) -> Frame {
    frames.next().expect("there is always another frame")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frames(config: &VideoCallConfig, rate: f64) -> Frames {
        let stream = RngStream::new(1, StreamId::Traffic, 0);
        Frames::new(config, rate, Instant::ZERO, stream)
    }

    /// By hand: at 10 frames per second and a key frame each half second, the sizes of five frames are 3 + 4 parts
    /// of half a second at 8 kB/s, 4000 bytes.
    #[test]
    fn sizes_follow_from_the_rate() {
        let config = VideoCallConfig {
            frame_rate: 10.0,
            key_interval: Duration::from_millis(500),
            key_size: 3.0,
            ..VideoCallConfig::default()
        };
        let frames: Vec<Frame> = frames(&config, 8000.0).take(10).collect();
        let sizes: Vec<u32> = frames.iter().map(|frame| frame.bytes).collect();
        assert_eq!(sizes, [1714, 571, 571, 571, 571, 1714, 571, 571, 571, 571]);
        let keys = frames.iter().map(|frame| frame.is_key);
        assert_eq!(keys.filter(|&is_key| is_key).count(), 2);
        assert_eq!(frames[7].made, Instant::ZERO + Duration::from_millis(700));
    }

    /// By hand: 5000 bytes in packets of 1200 are four full ones and 200 bytes; over half of 100 ms, one each 10 ms.
    #[test]
    fn the_packets_of_a_frame_are_spread() {
        let config =
            VideoCallConfig { frame_rate: 10.0, key_size: 1.0, ..VideoCallConfig::default() };
        let mut packets = VideoPackets::new(frames(&config, 50_000.0), 1200, 0.5);
        let mut all = Vec::new();
        for _ in 0..6 {
            let (at, payload) = packets.next();
            all.push((at.as_secs_f64(), payload));
            packets.advance();
        }
        let expected =
            [(0.0, 1200), (0.01, 1200), (0.02, 1200), (0.03, 1200), (0.04, 200), (0.1, 1200)];
        assert_eq!(all, expected);
    }

    /// 1000 s of a lognormal variation with this sigma: the standard deviation of a factor is sqrt(exp(sigma^2) -
    /// 1), and the mean of 30,000 is within 3.3 standard errors (99.9%). (With a key frame each second, key frames
    /// have 5 of 34 parts, so that the error of the sum is at most sqrt(25 + 29) / 34 * sqrt(30) = 1.19 of it.)
    #[test]
    fn the_mean_rate_is_that_of_the_flow() {
        let sigma: f64 = 0.3;
        let variation = Distribution::lognormal(2.0, sigma);
        let key_interval = Duration::from_secs(1);
        let config = VideoCallConfig { variation, key_interval, ..VideoCallConfig::default() };
        let total: f64 = frames(&config, 1e5).take(30_000).map(|f| f64::from(f.bytes)).sum();
        let standard_error = 1.19 * libm::expm1(sigma * sigma).sqrt() / 30_000_f64.sqrt();
        assert!((total / 1e8 - 1.0).abs() < 3.3 * standard_error, "{total}");
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// The packets of each frame have its bytes, none is empty or too large, and all leave in order between the
        /// frame and the next one.
        #[test]
        fn packets_have_the_bytes_of_their_frame(
            mean_packets in 0.001..50.0_f64,
            frame_rate in 1.0..240.0_f64,
            key_size in 1.0..20.0_f64,
            pacing in 0.0..=1.0_f64,
            segment in 1..=1460_u32,
            sigma in 0.0..1.0_f64,
        ) {
            let variation = Distribution::lognormal(1.0, sigma);
            let config =
                VideoCallConfig { frame_rate, key_size, variation, ..VideoCallConfig::default() };
            let frames = frames(&config, mean_packets * f64::from(segment) * frame_rate);
            let mut packets = VideoPackets::new(frames.clone(), segment, pacing);
            let mut last = Instant::ZERO;
            for (frame, next) in frames.clone().zip(frames.skip(1)).take(50) {
                let mut bytes = 0;
                while bytes < frame.bytes {
                    let (at, payload) = packets.next();
                    prop_assert!((1..=segment).contains(&payload));
                    prop_assert!(at >= last && at >= frame.made && at <= next.made);
                    (bytes, last) = (bytes + payload, at);
                    packets.advance();
                }
                prop_assert_eq!(bytes, frame.bytes);
            }
        }
    }
}
