//! What receivers make of the datagrams of an application.
//!
//! An application over UDP whose user notices more than what arrives has a receiver here: a [`Receiver`], and a
//! variant of [`Reception`]. It is told of each datagram that arrives, in the order in which they were sent, since
//! flows keep their order. What it cannot learn from datagrams (when those were sent that do not arrive, or what they
//! belong to) follows from the application's configuration, of which it is made.

use super::adaptation::Adaptation;
use super::datagrams::Pattern;
use super::frames::FrameReception;
use super::offer::Offer;
use super::receiver::Receiver;
use super::voip::CallReceiver;
use crate::time::Instant;

/// The receivers of all applications that have one, each with results of its own.
#[derive(Clone, Debug)]
pub enum Reception {
    /// Of "voip".
    Call(CallReceiver),
    /// Of "video-call".
    Video(FrameReception),
}

impl Reception {
    /// That of an application from `start` to `stop`, of flow number `flow` in the run; none if nothing is made of its
    /// datagrams.
    pub fn new(
        application: &Pattern,
        offer: &Offer,
        (start, stop): (Instant, Instant),
        seed: u64,
        flow: u32,
    ) -> Option<Self> {
        match application {
            Pattern::Cbr(_)
            | Pattern::Poisson(_)
            | Pattern::OnOff(_)
            | Pattern::Trace(_)
            | Pattern::Ping(_) => None,
            Pattern::Voip(config) => {
                Some(Self::Call(CallReceiver::new(config.clone(), start, stop)))
            }
            Pattern::VideoCall(config) => {
                let frames = config.frames(offer, start, seed, flow);
                let (segment, resume) = (offer.segment, config.resume);
                let video = FrameReception::new(frames, segment, resume, stop);
                Some(Self::Video(match config.adaptation {
                    Adaptation::None => video,
                    Adaptation::GccLoss => video.of_marked_frames(),
                }))
            }
        }
    }

    /// The receiver itself.
    pub fn receiver(&mut self) -> &mut dyn Receiver {
        match self {
            Self::Call(call) => call,
            Self::Video(video) => video,
        }
    }
}
