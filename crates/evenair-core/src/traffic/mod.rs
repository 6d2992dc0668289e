//! Applications: the traffic sources of flows.
//!
//! An application over TCP produces a stream of bytes ([`Stream`]), one over UDP datagrams
//! ([`Pattern`]). Random sizes and times follow a [`Distribution`], each with its own random
//! stream. To add an application over UDP, add a configuration and a pattern in `datagrams.rs` and
//! a line in its `registry!`.

mod adaptation;
mod arrivals_config;
mod datagrams;
mod distribution;
mod distribution_syntax;
mod frames;
mod offer;
mod opened_by;
mod packet_trace;
mod page_config;
mod receiver;
mod reception;
pub mod session;
mod stream;
pub mod streaming;
mod video;
pub mod voip;

pub use adaptation::{Adaptation, LossController};
pub use arrivals_config::{ArrivalsConfig, Beyond, OpenLoopConfig};
pub use datagrams::{
    CbrConfig, Datagrams, OnOffConfig, Pattern, PingConfig, PoissonConfig, Replies,
};
pub use distribution::{
    DeterministicConfig, Distribution, Draws, ExponentialConfig, Family, LognormalConfig,
    ParetoConfig, TraceConfig, UniformConfig,
};
pub use distribution_syntax::{
    TRACE, distribution_of_factors, distribution_of_sizes, distribution_of_times,
};
pub use frames::{FrameReception, FrameStats};
pub use offer::Offer;
pub use opened_by::OpenedBy;
pub use packet_trace::{
    PacketTraceConfig, Packets, SentAs, Times, TraceDirection, TraceFile, TracePacket,
};
pub use page_config::{Keeping, Objects, PageConfig, PageForm, PageKey, PageObjects};
pub use receiver::{FrameMark, Received, Receiver};
pub use reception::Reception;
pub use session::Session;
pub use stream::{BulkConfig, FileConfig, PaddingConfig, Stream, WebConfig};
pub use video::{Frame, Frames, Resume, VideoCallConfig};

use crate::component::{Component, Parameter, Parameters, Registry, Value};

/// The application of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// Over TCP.
    Stream(Stream),
    /// Over UDP.
    Datagrams(Pattern),
}

impl Application {
    /// Replaces the file of a trace by its packets, and makes transfers of it if it says so.
    ///
    /// # Errors
    /// A message without the name of a field.
    pub fn load(self) -> Result<Self, String> {
        let Self::Datagrams(Pattern::Trace(mut trace)) = self else { return Ok(self) };
        trace.load()?;
        Ok(match trace.sent_as {
            SentAs::Datagrams => Self::Datagrams(Pattern::Trace(trace)),
            SentAs::Transfers => Self::Stream(Stream::Trace(trace)),
        })
    }

    /// Whether the application ends by itself.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Stream(stream) => stream.is_finite(),
            Self::Datagrams(_) => false,
        }
    }

    /// Whether the flow has a rate.
    pub fn has_rate(&self) -> bool {
        matches!(self, Self::Datagrams(pattern) if pattern.has_rate())
    }

    /// Whether the receiver sends back what it receives.
    pub fn is_echoed(&self) -> bool {
        self.replies() == Replies::Echoes
    }

    /// What the receiver of datagrams sends back.
    pub fn replies(&self) -> Replies {
        match self {
            Self::Datagrams(pattern) => pattern.replies(),
            Self::Stream(_) => Replies::None,
        }
    }
}

impl Parameters for Application {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        match self {
            Self::Stream(stream) => stream.visit(visitor),
            Self::Datagrams(pattern) => pattern.visit(visitor),
        }
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        match self {
            Self::Stream(stream) => stream.assign(name, value),
            Self::Datagrams(pattern) => pattern.assign(name, value),
        }
    }
}

impl Registry for Application {
    const KIND: &'static str = Stream::KIND;
    const NOUN: &'static str = Stream::NOUN;
    const PLANNED: &'static [&'static str] =
        &["dash", "dns", "ftp", "http", "http2", "http3", "https", "rtp", "webrtc"];

    fn all() -> Vec<Self> {
        // A trace is in both lists.
        let streams =
            Stream::all().into_iter().filter(|stream| !matches!(stream, Stream::Trace(_)));
        let streams = streams.map(Self::Stream);
        streams.chain(Pattern::all().into_iter().map(Self::Datagrams)).collect()
    }

    fn component(&self) -> &'static Component {
        match self {
            Self::Stream(stream) => stream.component(),
            Self::Datagrams(pattern) => pattern.component(),
        }
    }
}

crate::registry_methods!(Application);
crate::registry_serde!(Application, "Application");
