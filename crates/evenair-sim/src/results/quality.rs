//! What the users of applications notice.

use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::streaming::Viewing;
use evenair_core::traffic::voip::e_model::{Path, mean_opinion_score, rating};
use evenair_core::traffic::voip::{Heard, VoipConfig};
use evenair_core::traffic::{FrameReception, Reception};
use serde::Serialize;

use crate::results::delay::DelayResult;

/// What the user of a flow's application notices, by application.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Quality {
    /// Of "voip".
    Call(CallResult),
    /// Of "video-call".
    Video(VideoResult),
    /// Of "stream".
    Stream(StreamResult),
}

impl Quality {
    /// When measuring ends at `end`.
    pub(crate) fn new(reception: &Reception, end: Instant) -> Self {
        match reception {
            Reception::Call(call) => Self::Call(CallResult::new(call.config(), &call.heard(end))),
            Reception::Video(video) => Self::Video(VideoResult::new(video, end)),
        }
    }

    /// Of a video of which this was noticed.
    pub(crate) fn of_stream(viewing: &Viewing) -> Self {
        Self::Stream(StreamResult {
            startup_s: viewing.startup.map(Duration::as_secs_f64),
            stalls: viewing.stalls,
            stalls_s: viewing.stalled.as_secs_f64(),
            chunks: viewing.chunks,
            mean_video_rate_bps: viewing.mean_rate_bps,
            switches: viewing.switches,
        })
    }
}

/// How a call is heard, at the end where it is heard. All is of the datagrams that were sent in the measured time and
/// whose fate is known at its end: those that have arrived, that later ones have overtaken, or that were to be played
/// by then. Null where that is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallResult {
    /// Mean opinion score of the conversation, 1 to 4.5 (ITU-T G.107, annex B).
    pub mos: Option<f64>,
    /// The transmission rating factor R of the E-model (ITU-T G.107), by `mouth_to_ear_s`, which the way back takes as
    /// well, `loss_ratio`, `late_ratio` and `burst_ratio`.
    pub r_factor: Option<f64>,
    /// Mean time from speaking to hearing: coding, network and playout buffer, seconds.
    pub mouth_to_ear_s: Option<f64>,
    /// Mean of the interarrival jitter (RFC 3550, section 6.4.1), seconds; null where none arrived.
    pub jitter_s: Option<f64>,
    /// Share of the datagrams that did not arrive.
    pub loss_ratio: Option<f64>,
    /// Share of the datagrams that arrived after they were to be played.
    pub late_ratio: Option<f64>,
    /// Mean length of a burst of lost or late datagrams, as a multiple of that of random ones; 1 at least (BurstR of
    /// ITU-T G.107).
    pub burst_ratio: Option<f64>,
}

impl CallResult {
    /// Of a call of which this was heard.
    pub(crate) fn new(config: &VoipConfig, heard: &Heard) -> Self {
        let known = (heard.datagrams > 0).then_some(heard);
        let share = |part: u64, heard: &Heard| part as f64 / heard.datagrams as f64;
        let path = known.map(|heard| Path {
            delay_s: config.coding_delay().as_secs_f64() + heard.mean_delay_s(),
            loss: heard.loss_ratio(),
            burst_ratio: heard.burst_ratio(),
        });
        let r_factor = path.map(|path| rating(&path, &config.impairment()));
        Self {
            mos: r_factor.map(mean_opinion_score),
            r_factor,
            mouth_to_ear_s: path.map(|path| path.delay_s),
            jitter_s: heard.mean_jitter_s(),
            loss_ratio: known.map(|heard| share(heard.lost, heard)),
            late_ratio: known.map(|heard| share(heard.late, heard)),
            burst_ratio: path.map(|path| path.burst_ratio),
        }
    }
}

/// How a video is seen, at the end where it is shown. Ratios are of the frames that were made in the measured time and
/// have arrived, or of which a packet of a later one has arrived; null where that is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VideoResult {
    /// From when a frame was made until its last packet arrived, of the frames of which all packets have; null where
    /// none has.
    pub frame_delay_s: Option<DelayResult>,
    /// Share of the frames of which a packet is missing.
    pub frames_lost_ratio: Option<f64>,
    /// Share of the frames that arrived and could not be shown, since they refer to a lost one.
    pub frames_undecodable_ratio: Option<f64>,
    /// How often the picture froze (`freezeCount` of W3C's webrtc-stats).
    pub freezes: u64,
    /// For how long altogether, seconds (`totalFreezesDuration`).
    pub frozen_s: f64,
    /// The mean rate with which the frames were made of which a packet has arrived, bit/s; absent without adaptation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_video_rate_bps: Option<f64>,
}

impl VideoResult {
    fn new(video: &FrameReception, end: Instant) -> Self {
        let stats = video.stats(end);
        let frames = stats.complete + stats.lost;
        let share = |part: u64| (frames > 0).then(|| part as f64 / frames as f64);
        Self {
            frame_delay_s: DelayResult::new(&video.delays().buckets()),
            frames_lost_ratio: share(stats.lost),
            frames_undecodable_ratio: share(stats.undecodable),
            freezes: stats.freezes,
            frozen_s: stats.frozen.as_secs_f64(),
            mean_video_rate_bps: stats.mean_rate_bps,
        }
    }
}

/// What the viewer of a video that is streamed notices in the measured time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamResult {
    /// From the start of the flow until the video was played, seconds, be it before the measured time; null where it was
    /// not.
    pub startup_s: Option<f64>,
    /// How often the buffer ran empty.
    pub stalls: u64,
    /// For how long altogether the video stood still after it had begun, seconds.
    pub stalls_s: f64,
    /// Chunks that arrived.
    pub chunks: u64,
    /// The mean of their rates, bit/s; null without any.
    pub mean_video_rate_bps: Option<f64>,
    /// Chunks that had another rate than the one before.
    pub switches: u64,
}
