//! Sessions: what an application over TCP does with its connections, without sockets, packets or a clock.
//!
//! A session has slots, each with one connection at a time. It is told when its timer expires, and of a connection
//! when the first data have arrived, when all that was asked for has arrived, and when the sender knows that. It opens
//! connections and asks for more through [`Connections`]. Whoever drives it is a simulator or has sockets.

mod arrivals;
mod connections;
mod files;
mod page;
mod transfer;
mod viewer;

pub use arrivals::Tally;
pub use connections::Connections;
pub use transfer::Transfer;

use crate::packet::End;
use crate::time::Instant;
use crate::traffic::streaming::Viewing;
use crate::traffic::{OpenedBy, Stream, TraceDirection};
use arrivals::Arrivals;
use files::Files;
use page::Pages;
use viewer::Viewer;

/// How the connections of a session are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The end that opens them.
    pub by: End,
    /// Payload of a request of the receiver, bytes, also of one over an open connection.
    pub request: u32,
}

/// The session of an application.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a flow has one")]
pub enum Session {
    /// Files, one after the other.
    Files(Files),
    /// Pages of several objects.
    Pages(Pages),
    /// Transfers that come whether or not others are under way.
    Arrivals(Arrivals),
    /// A video that is streamed.
    Viewer(Viewer),
}

/// Passes a call on to whatever the session is.
macro_rules! each {
    ($session:expr, $inner:ident => $call:expr) => {
        match $session {
            Session::Files($inner) => $call,
            Session::Pages($inner) => $call,
            Session::Arrivals($inner) => $call,
            Session::Viewer($inner) => $call,
        }
    };
}

impl Session {
    /// The session of an application; `None` if it has none, but one connection without an end. `flow` is its
    /// index in the scenario, and `direction` that of the rows of a trace that are its transfers.
    pub fn new(
        application: &Stream,
        direction: TraceDirection,
        seed: u64,
        flow: u32,
    ) -> Option<Self> {
        Some(match application {
            Stream::Bulk(_) => return None,
            Stream::File(file) => Self::Files(Files::once(&file.size, seed, flow)),
            Stream::Web(web) => Self::Files(Files::of_user(web, seed, flow)),
            Stream::Page(page) => Self::Pages(Pages::new(page, seed, flow)),
            Stream::Arrivals(arrivals) => Self::Arrivals(Arrivals::new(arrivals, seed, flow)),
            Stream::Video(video) => Self::Viewer(Viewer::new(video)),
            Stream::Trace(trace) => Self::Arrivals(Arrivals::of_trace(trace, direction)),
        })
    }

    /// Files of these sizes, one after the other, each `pause` seconds after the end of the one before.
    pub fn of_files(sizes: Vec<u64>, pause: f64) -> Self {
        Self::Files(Files::of_sizes(sizes, pause))
    }

    /// How many connections it may have at a time.
    pub fn slots(application: &Stream) -> usize {
        match application {
            Stream::Bulk(_) | Stream::File(_) | Stream::Web(_) | Stream::Video(_) => 1,
            Stream::Page(page) => page.connections as usize,
            Stream::Arrivals(arrivals) => arrivals.open_loop.concurrent as usize,
            Stream::Trace(trace) => trace.open_loop.concurrent as usize,
        }
    }

    /// How an application opens its connections.
    pub fn opening(application: &Stream) -> Opening {
        let (by, request) = match application {
            Stream::Bulk(_) | Stream::File(_) => (OpenedBy::Sender, 0),
            Stream::Web(web) => (web.opened_by, web.request),
            Stream::Page(page) => (OpenedBy::Receiver, page.request),
            Stream::Arrivals(arrivals) => {
                (arrivals.open_loop.opened_by, arrivals.open_loop.request)
            }
            Stream::Trace(trace) => (trace.open_loop.opened_by, trace.open_loop.request),
            Stream::Video(video) => (OpenedBy::Receiver, video.request),
        };
        let by = match by {
            OpenedBy::Receiver => End::Receiver,
            OpenedBy::Sender => End::Sender,
        };
        Opening { by, request: request as u32 }
    }

    /// The application starts.
    pub fn start(&mut self, now: Instant) {
        each!(self, session => session.start(now));
    }

    /// When [`Session::on_timer`] is to be called.
    #[inline]
    pub fn poll_at(&self) -> Instant {
        each!(self, session => session.poll_at())
    }

    /// Does what is due. Nothing is, if the call is early.
    pub fn on_timer(&mut self, now: Instant, connections: &mut impl Connections) {
        if now >= self.poll_at() {
            each!(self, session => session.on_timer(now, connections));
        }
    }

    /// Of the connection of this slot the first data have arrived, or all that was asked for, or the sender knows that.
    /// To be called each time, and as often as one likes.
    pub fn on_progress(&mut self, now: Instant, slot: usize, connections: &mut impl Connections) {
        each!(self, session => session.on_progress(now, slot, connections));
    }

    /// Nothing begins any more; what is under way sends nothing new.
    pub fn stop(&mut self, connections: &mut impl Connections) {
        each!(self, session => session.stop(connections));
    }

    /// Whether there will be an end.
    pub fn is_finite(&self) -> bool {
        each!(self, session => session.is_finite())
    }

    /// Whether it has come.
    pub fn is_done(&self) -> bool {
        each!(self, session => session.is_done())
    }

    /// What is over, in the order of its ends: files, pages, or transfers.
    pub fn finished(&self) -> &[Transfer] {
        each!(self, session => session.finished())
    }

    /// What has become of the transfers that come by themselves, so far; `None` of another session.
    pub fn tally(&self, since: Instant) -> Option<Tally> {
        match self {
            Self::Arrivals(arrivals) => Some(arrivals.tally(since)),
            Self::Files(_) | Self::Pages(_) | Self::Viewer(_) => None,
        }
    }

    /// The measured time begins.
    pub fn measure_from(&mut self, now: Instant) {
        if let Self::Viewer(viewer) = self {
            viewer.measure_from(now);
        }
    }

    /// What the viewer of a video has noticed in the measured time, until `now`; `None` of another session.
    pub fn viewing(&self, now: Instant) -> Option<Viewing> {
        match self {
            Self::Viewer(viewer) => Some(viewer.viewing(now)),
            Self::Files(_) | Self::Pages(_) | Self::Arrivals(_) => None,
        }
    }
}
