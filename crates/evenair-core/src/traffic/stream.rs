//! Applications over TCP: the registry, and the configurations of those without a file of their own.

use super::arrivals_config::ArrivalsConfig;
use super::opened_by::OpenedBy;
use super::packet_trace::PacketTraceConfig;
use super::page_config::{Keeping, PageConfig};
use super::streaming::StreamConfig;
use super::{Distribution, distribution_of_sizes, distribution_of_times};
use crate::component::{Limit, configuration, integer, limit, names, registry, switch};

registry! {
    /// An application over TCP.
    pub enum Stream {
        Bulk(BulkConfig),
        File(FileConfig),
        Web(WebConfig),
        Page(PageConfig),
        Arrivals(ArrivalsConfig),
        Video(StreamConfig),
        Trace(PacketTraceConfig),
    }
    kind "application", noun "application", planned &[]
}

impl Stream {
    /// Whether connections bring one thing after the other, as they are asked.
    pub fn keeps_connections(&self) -> bool {
        match self {
            Self::Page(page) => page.keeping == Keeping::Kept,
            Self::Video(_) => true,
            Self::Bulk(_) | Self::File(_) | Self::Web(_) | Self::Arrivals(_) | Self::Trace(_) => {
                false
            }
        }
    }

    /// Whether the application transfers files instead of unlimited data.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Bulk(_) => false,
            Self::File(_)
            | Self::Web(_)
            | Self::Page(_)
            | Self::Arrivals(_)
            | Self::Video(_)
            | Self::Trace(_) => true,
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
