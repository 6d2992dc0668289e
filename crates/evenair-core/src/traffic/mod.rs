//! Applications: the traffic sources of flows.
//!
//! An application over TCP produces a stream of bytes ([`Stream`]), one over UDP datagrams
//! ([`Pattern`]). Random sizes and times follow a [`Distribution`], each with its own random
//! stream. To add an application over UDP, add a configuration and a pattern in `datagrams.rs` and
//! a line in its `registry!`.

mod datagrams;
mod distribution;
mod distribution_syntax;
mod frames;
mod offer;
mod packet_trace;
mod receiver;
mod reception;
pub mod session;
mod video;
pub mod voip;

pub use datagrams::{CbrConfig, Datagrams, OnOffConfig, Pattern, PingConfig, PoissonConfig};
pub use distribution::{
    DeterministicConfig, Distribution, Draws, ExponentialConfig, Family, LognormalConfig,
    ParetoConfig, TraceConfig, UniformConfig,
};
pub use distribution_syntax::{
    TRACE, distribution_of_factors, distribution_of_sizes, distribution_of_times,
};
pub use frames::{FrameReception, FrameStats};
pub use offer::Offer;
pub use packet_trace::{PacketTraceConfig, Packets, Times, TraceDirection, TraceFile, TracePacket};
pub use receiver::{Received, Receiver};
pub use reception::Reception;
pub use session::{ArrivalsConfig, PageConfig, Session};
pub use video::{Frame, Frames, Resume, VideoCallConfig};

use crate::component::{
    Component, Limit, Parameter, Parameters, Registry, Value, configuration, integer, limit, named,
    names, registry, switch,
};

registry! {
    /// An application over TCP.
    pub enum Stream {
        Bulk(BulkConfig),
        File(FileConfig),
        Web(WebConfig),
        Page(PageConfig),
        Arrivals(ArrivalsConfig),
    }
    kind "application", noun "application", planned &[]
}

impl Stream {
    /// Whether connections bring one thing after the other, as they are asked.
    pub fn keeps_connections(&self) -> bool {
        matches!(self, Self::Page(page) if page.keeping == session::Keeping::Kept)
    }

    /// Whether the application transfers files instead of unlimited data.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Bulk(_) => false,
            Self::File(_) | Self::Web(_) | Self::Page(_) | Self::Arrivals(_) => true,
        }
    }
}

configuration! {
    /// Unlimited data.
    pub struct BulkConfig {
        name: "bulk",
        summary: "always has data to send (TCP)",
        source: "ns-2's Application/FTP",
    }
}

configuration! {
    /// Parameters of a single file transfer.
    pub struct FileConfig {
        name: "file",
        summary: "one file over one connection, which its sender opens at once (TCP)",
        source: "ns-2's Agent/TCP, `send`",
    }
    /// payload of the file, bytes
    size: Distribution = Distribution::constant(1e6), distribution_of_sizes();
    /// Common to both applications that transfer files.
    padding: PaddingConfig = PaddingConfig::default();
}

configuration! {
    /// Parameters of a web user.
    pub struct WebConfig {
        name: "web",
        summary: "a user who thinks, fetches a file over a new connection, thinks again, ... (TCP)",
        source: "Miorandi, Kherani and Altman 2006, section 4",
    }
    /// payload of a file, bytes
    size: Distribution = Distribution::pareto(30_000.0, 1.5), distribution_of_sizes();
    /// time before the first transfer, and from the end of one to the next
    think: Distribution = Distribution::exponential(10.0), distribution_of_times();
    /// transfers after which the user stops
    sessions: Limit = Limit::Unlimited, limit(1_000_000);
    /// who opens the connections: the receiver of the file, which sends its request in
    /// the third packet of the handshake, or the sender, whose first data are in that
    /// packet (ns-2; Miorandi et al. 2006, equation 13)
    opened_by: OpenedBy = OpenedBy::Receiver, names();
    /// payload of the request for a file, bytes, up to a segment
    request: u64 = 0, integer(0..=65_495);
    /// Common to both applications that transfer files.
    padding: PaddingConfig = PaddingConfig::default();
}

configuration! {
    /// Parameter of the applications that transfer files.
    pub group PaddingConfig;
    /// whether the last segment of a file is padded to full size, as in ns-2
    pad: bool = false, switch();
}

named! {
    /// The end of a flow that opens its connections.
    pub enum OpenedBy {
        /// The end that receives the file.
        #[default]
        Receiver => "receiver",
        /// The end that sends the file.
        Sender => "sender",
    }
    planned []
}

/// The application of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// Over TCP.
    Stream(Stream),
    /// Over UDP.
    Datagrams(Pattern),
}

impl Application {
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
        matches!(self, Self::Datagrams(pattern) if pattern.is_echoed())
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
    const PLANNED: &'static [&'static str] = &[];

    fn all() -> Vec<Self> {
        let streams = Stream::all().into_iter().map(Self::Stream);
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
