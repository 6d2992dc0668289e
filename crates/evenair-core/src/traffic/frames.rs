//! What the receiver of a video call notices: delays of frames, lost frames, and freezes of the picture.

use std::collections::VecDeque;

use super::receiver::{FrameMark, Received, Receiver};
use super::video::{Frame, Frames, Resume, next, packets};
use crate::delays::Delays;
use crate::time::{Duration, Instant};

/// The receiver of a video call. It knows which packets belong to a frame as the timestamps and markers of RTP
/// would tell it (RFC 3550 section 5.1): a copy of the encoder says so here. Where the rate is adapted the packets do.
///
/// A frame is shown as soon as its last packet has arrived: there is no jitter buffer. It is lost when a packet of a
/// later frame arrives before its own are complete, as flows keep their order and nothing is sent again.
#[derive(Clone, Debug)]
pub struct FrameReception {
    frames: Frames,
    segment: u32,
    resume: Resume,
    /// From when on nothing is sent.
    stop: Instant,
    /// The frame whose packets are expected, the number of its first one, and how many have arrived.
    frame: Frame,
    first: u64,
    arrived: u32,
    /// Whether a frame was lost that the next one refers to.
    is_broken: bool,
    /// Frames that were made before are not counted.
    measured_from: Instant,
    picture: Picture,
    delays: Delays,
    lost: u64,
    undecodable: u64,
    /// Of frames whose packets say what they belong to; none of others.
    marked: Option<Marked>,
}

/// What packets have said of their frames.
#[derive(Clone, Debug, Default)]
struct Marked {
    /// Number of the frame that is expected.
    expected: u32,
    /// Of the frames in which a packet has arrived: how many, and the sum of their rates, bit/s.
    frames: u64,
    rates: u64,
}

/// What has been measured.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameStats {
    /// Frames whose packets have all arrived.
    pub complete: u64,
    /// Frames of which a packet is missing.
    pub lost: u64,
    /// Complete ones that could not be shown, as they refer to a lost one.
    pub undecodable: u64,
    /// How often the picture stood still, and for how long altogether.
    pub freezes: u64,
    /// The sum of these times.
    pub frozen: Duration,
    /// Of an adapted rate: the mean rate with which the frames were made of which a packet has arrived, bit/s.
    pub mean_rate_bps: Option<f64>,
}

impl FrameReception {
    /// The receiver of these frames, in packets of up to `segment` bytes, of which none is sent from `stop` on.
    pub fn new(mut frames: Frames, segment: u32, resume: Resume, stop: Instant) -> Self {
        let frame = next(&mut frames);
        Self {
            frames,
            segment,
            resume,
            stop,
            frame,
            first: 0,
            arrived: 0,
            is_broken: false,
            measured_from: frame.made,
            picture: Picture::default(),
            delays: Delays::default(),
            lost: 0,
            undecodable: 0,
            marked: None,
        }
    }

    /// The same of frames whose packets say what they belong to.
    #[must_use]
    pub fn of_marked_frames(self) -> Self {
        Self { marked: Some(Marked::default()), ..self }
    }

    fn receive_marked(&mut self, now: Instant, mark: &FrameMark) {
        while self.marked.as_ref().is_some_and(|marked| marked.expected < mark.frame) {
            self.lose();
            self.move_on(0);
        }
        let is_measured = self.is_measured();
        let Some(marked) = &mut self.marked else { return };
        if marked.expected > mark.frame {
            return;
        }
        if self.arrived == 0 && is_measured {
            marked.frames += 1;
            marked.rates += u64::from(mark.rate_bps);
        }
        self.arrived += 1;
        if self.arrived == mark.count {
            self.complete(now);
            self.move_on(0);
        }
    }

    /// The packet with this number, counted from 0, arrives.
    fn receive(&mut self, now: Instant, number: u64) {
        if number < self.first {
            return;
        }
        let mut count = packets(self.frame, self.segment);
        while number >= self.first + u64::from(count) {
            self.lose();
            self.move_on(count);
            count = packets(self.frame, self.segment);
        }
        self.arrived += 1;
        if self.arrived == count {
            self.complete(now);
            self.move_on(count);
        }
    }

    /// From when a frame was made until its last packet arrived.
    pub fn delays(&self) -> &Delays {
        &self.delays
    }

    /// What has been measured until `now`.
    pub fn stats(&self, now: Instant) -> FrameStats {
        // The picture has to change when the expected frame is made, if that is before the end.
        let end = now.min(self.stop);
        let mut picture = self.picture.clone();
        if self.frame.made < end {
            picture.stand_until(end, self.measured_from);
        }
        FrameStats {
            complete: self.delays.count(),
            lost: self.lost,
            undecodable: self.undecodable,
            freezes: picture.freezes,
            frozen: picture.frozen,
            mean_rate_bps: self.marked.as_ref().and_then(|marked| {
                (marked.frames > 0).then(|| marked.rates as f64 / marked.frames as f64)
            }),
        }
    }

    fn is_measured(&self) -> bool {
        self.frame.made >= self.measured_from
    }

    fn lose(&mut self) {
        self.lost += u64::from(self.is_measured());
        self.is_broken = self.resume == Resume::KeyFrame;
    }

    fn complete(&mut self, now: Instant) {
        self.is_broken &= !self.frame.is_key;
        if self.is_measured() {
            self.delays.record(now.since(self.frame.made));
            self.undecodable += u64::from(self.is_broken);
        }
        if !self.is_broken {
            self.picture.show(now);
        }
    }

    fn move_on(&mut self, count: u32) {
        self.first += u64::from(count);
        self.frame = next(&mut self.frames);
        self.arrived = 0;
        if let Some(marked) = &mut self.marked {
            marked.expected += 1;
        }
    }
}

impl Receiver for FrameReception {
    fn on_datagram(&mut self, datagram: &Received) {
        if self.marked.is_none() {
            self.receive(datagram.now, datagram.number);
        }
    }

    fn on_mark(&mut self, now: Instant, mark: &FrameMark) {
        self.receive_marked(now, mark);
    }

    fn measure_from(&mut self, now: Instant) {
        self.measured_from = self.measured_from.max(now);
        self.picture.measure_from(now);
        self.delays.reset();
        (self.lost, self.undecodable) = (0, 0);
        if let Some(marked) = &mut self.marked {
            (marked.frames, marked.rates) = (0, 0);
        }
    }
}

/// Frames of which the mean interval is taken (libwebrtc, `VideoQualityObserver`, as webrtc-stats refers to).
const WINDOW: usize = 30;

/// Intervals that must be known before a freeze is noticed (ditto).
const LEAST: usize = 5;

/// The least increase over the mean interval that is a freeze (W3C webrtc-stats, `freezeCount`).
const LEAST_INCREASE: Duration = Duration::from_millis(150);

/// The picture, which changes when a frame is shown.
///
/// It freezes when the next frame comes after an interval of at least three times the mean of the last 30, and of
/// at least the mean plus 150 ms: `freezeCount` of W3C's webrtc-stats. As in libwebrtc the interval is one of the 30.
/// The time frozen is the whole interval.
#[derive(Clone, Debug, Default)]
struct Picture {
    /// When the last frame was shown.
    shown: Option<Instant>,
    /// The last intervals.
    intervals: VecDeque<Duration>,
    /// What is before is not counted.
    measured_from: Instant,
    freezes: u64,
    frozen: Duration,
}

impl Picture {
    fn show(&mut self, now: Instant) {
        if let Some(shown) = self.shown {
            self.add(shown, now);
        }
        self.shown = Some(now);
    }

    /// It does not change until the end; `since` holds without a frame.
    fn stand_until(&mut self, end: Instant, since: Instant) {
        match self.shown {
            Some(shown) => self.add(shown, end),
            None => self.freeze(since, end),
        }
    }

    fn add(&mut self, from: Instant, to: Instant) {
        let interval = to.since(from);
        if self.intervals.len() == WINDOW {
            self.intervals.pop_front();
        }
        self.intervals.push_back(interval);
        let sum: u64 = self.intervals.iter().map(|interval| interval.as_nanos()).sum();
        let mean = Duration::from_nanos(sum / self.intervals.len() as u64);
        if self.intervals.len() >= LEAST && interval >= (mean * 3).max(mean + LEAST_INCREASE) {
            self.freeze(from, to);
        }
    }

    fn freeze(&mut self, from: Instant, to: Instant) {
        self.freezes += 1;
        self.frozen += to.since(from.max(self.measured_from));
    }

    fn measure_from(&mut self, now: Instant) {
        self.measured_from = now;
        (self.freezes, self.frozen) = (0, Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::{RngStream, StreamId};
    use crate::traffic::VideoCallConfig;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + MS(ms)
    }

    /// A call of 10 frames per second, each of 250 bytes in packets of 100, a key frame every 500 ms.
    fn reception(resume: Resume, stop: Instant) -> FrameReception {
        let config = VideoCallConfig {
            frame_rate: 10.0,
            key_interval: MS(500),
            key_size: 1.0,
            ..VideoCallConfig::default()
        };
        let stream = RngStream::new(1, StreamId::Traffic, 0);
        let frames = Frames::new(&config, 2500.0, Instant::ZERO, stream);
        FrameReception::new(frames, 100, resume, stop)
    }

    /// By hand: frame 0 in two packets is complete at 30 ms; of frame 1, made at 100 ms, one of three arrives, of frame 2
    /// none; frame 3, made at 300 ms, takes 5 ms. Frames 0, 1 and 3 are known: rates of 10, 20 and 60 kb/s.
    #[test]
    fn packets_say_what_frame_they_belong_to() {
        let mut video = reception(Resume::AnyFrame, Instant::NEVER).of_marked_frames();
        let mut receive = |ms, frame, count, rate_bps| {
            video.on_mark(at(ms), &FrameMark { frame, count, rate_bps });
        };
        receive(10, 0, 2, 10_000);
        receive(30, 0, 2, 10_000);
        receive(130, 1, 3, 20_000);
        receive(305, 3, 1, 60_000);
        // A copy, of a frame that is over.
        receive(306, 3, 1, 60_000);
        let stats = video.stats(at(310));
        assert_eq!((stats.complete, stats.lost), (2, 2));
        assert_eq!((video.delays().max(), video.delays().sum()), (MS(30), MS(35)));
        assert_eq!(stats.mean_rate_bps, Some(30_000.0));
        video.measure_from(at(310));
        assert_eq!(video.stats(at(320)).mean_rate_bps, None);
    }

    /// By hand: packets 0 to 2 are the first frame, made at 0; 3 to 5 the second, made at 100 ms.
    #[test]
    fn a_frame_lasts_until_its_last_packet() {
        let mut reception = reception(Resume::KeyFrame, Instant::NEVER);
        for (ms, number) in [(10, 0), (11, 1), (30, 2), (120, 3), (121, 4), (125, 5)] {
            reception.receive(at(ms), number);
        }
        let delays = reception.delays();
        assert_eq!((delays.count(), delays.sum(), delays.max()), (2, MS(30 + 25), MS(30)));
    }

    /// By hand: frame 1 lacks its second packet. Frames 2 to 4 are complete and refer to it; frame 5 is a key frame.
    #[test]
    fn frames_after_a_lost_one_wait_for_a_key_frame() {
        let run = |resume| {
            let mut reception = reception(resume, Instant::NEVER);
            for number in (0..18).filter(|&number| number != 4) {
                reception.receive(at(100 * (number / 3) + 10), number);
            }
            let FrameStats { complete, lost, undecodable, .. } = reception.stats(at(511));
            (complete, lost, undecodable)
        };
        assert_eq!(run(Resume::KeyFrame), (5, 1, 3));
        assert_eq!(run(Resume::AnyFrame), (5, 1, 0));
    }

    /// By hand: nothing arrives of frames 10 to 12. Frame 13 comes 400 ms after frame 9. The mean of the 10 intervals
    /// then is (9 * 100 + 400) / 10 = 130 ms, three times of which is more than 130 + 150 ms and less than 400 ms.
    #[test]
    fn a_freeze_is_an_interval_of_three_times_the_mean() {
        let run = |missing: std::ops::Range<u64>| {
            let mut reception = reception(Resume::AnyFrame, Instant::NEVER);
            for number in (0..60).filter(|number| !missing.contains(&(number / 3))) {
                reception.receive(at(100 * (number / 3) + 10), number);
            }
            let stats = reception.stats(at(1911));
            (stats.lost, stats.freezes, stats.frozen)
        };
        assert_eq!(run(10..13), (3, 1, MS(400)));
        // 300 ms are less than three times (9 * 100 + 300) / 10 ms.
        assert_eq!(run(10..12), (2, 0, Duration::ZERO));
        // Four intervals are too few: 100, 100, 100, 400 ms.
        assert_eq!(run(4..7), (3, 0, Duration::ZERO));
    }

    /// By hand: of frame 10, made at 1 s, and of all later ones nothing arrives. The picture of frame 9, shown at 910
    /// ms, stands until the run ends at 2 s, or until the call ends at 1.5 s.
    #[test]
    fn a_picture_may_stand_until_the_end() {
        let run = |stop| {
            let mut reception = reception(Resume::KeyFrame, stop);
            for number in 0..30 {
                reception.receive(at(100 * (number / 3) + 10), number);
            }
            let stats = reception.stats(at(2000));
            (stats.freezes, stats.frozen)
        };
        assert_eq!(run(Instant::NEVER), (1, MS(1090)));
        assert_eq!(run(at(1500)), (1, MS(590)));
        assert_eq!(run(at(1000)), (0, Duration::ZERO));
    }

    /// A picture that never comes is frozen all the time that is measured.
    #[test]
    fn without_a_frame_everything_is_frozen() {
        let mut reception = reception(Resume::KeyFrame, Instant::NEVER);
        reception.measure_from(at(300));
        let stats = reception.stats(at(1000));
        assert_eq!((stats.freezes, stats.frozen, stats.lost), (1, MS(700), 0));
    }

    /// By hand: the freeze from 910 to 1310 ms began before the measurement.
    #[test]
    fn what_is_before_the_measurement_does_not_count() {
        let mut reception = reception(Resume::AnyFrame, Instant::NEVER);
        for number in (0..60).filter(|number| !(10..13).contains(&(number / 3))) {
            let now = 100 * (number / 3) + 10;
            if number == 39 {
                reception.measure_from(at(1250));
            }
            reception.receive(at(now), number);
        }
        let stats = reception.stats(at(1911));
        assert_eq!((stats.freezes, stats.frozen), (1, MS(60)));
        // Frames 13 to 19.
        assert_eq!((stats.complete, stats.lost), (7, 0));
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// Whatever is lost, each frame up to the last that is complete is either complete or lost, and the picture
        /// is not frozen for longer than the run.
        #[test]
        fn every_frame_is_complete_or_lost(lost in prop::collection::vec(any::<bool>(), 90)) {
            let mut reception = reception(Resume::KeyFrame, Instant::NEVER);
            for number in (0..90_u64).filter(|&number| !lost[number as usize]) {
                reception.receive(at(100 * (number / 3) + 10), number);
            }
            let complete: Vec<u64> =
                (0..30).filter(|&frame| (0..3).all(|n| !lost[3 * frame + n])).map(|f| f as u64).collect();
            let last = (0..90).rev().find(|&number| !lost[number]).map_or(0, |number| number as u64 / 3);
            let stats = reception.stats(at(3000));
            prop_assert_eq!(stats.complete, complete.len() as u64);
            let before = complete.iter().filter(|&&frame| frame < last).count() as u64;
            prop_assert_eq!(stats.lost, last - before);
            prop_assert!(stats.undecodable <= stats.complete && stats.frozen <= MS(3000));
        }
    }
}
