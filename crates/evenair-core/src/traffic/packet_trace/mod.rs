//! Traces: times and sizes from a CSV file or a capture, replayed as datagrams or as transfers.
//!
//! The driver reads the file; its packets become part of the configuration, so that it means the same without the
//! file.

mod capture;
mod csv;
mod file;
mod packets;
mod replay;
#[cfg(test)]
mod tests;

pub use file::TraceFile;
pub use packets::{Packets, SentAs, TraceDirection, TracePacket};
pub(super) use replay::Replay;

use std::net::IpAddr;

use super::arrivals_config::OpenLoopConfig;
use crate::component::{configuration, named, names, optional, positive};
use crate::time::Duration;

configuration! {
    /// Parameters of a replayed trace. Either `file` or `packets` is given.
    pub struct PacketTraceConfig {
        name: "trace",
        summary: "datagrams (UDP) or transfers (TCP) at the times and with the sizes in a file",
        source: "draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng (captures)",
    }
    /// a CSV file with the columns time, size and perhaps direction, or a capture (pcap, pcapng)
    file: Option<TraceFile> = None, optional(file::trace_file(), "packets");
    /// of a capture: the address of the station, whose packets go up, while those to it go down
    address: Option<IpAddr> = None, optional(file::address(), "the source of the first packet");
    /// the packets or transfers themselves: `[time, size]`, or `[time, size, "up"]`; sizes of datagrams with IP and
    /// UDP header, those of transfers without any
    packets: Option<Packets> = None, optional(packets::packets(), "file");
    /// whether the first packet is sent at the `start` of the flow, or each at its time after that
    times: Times = Times::FromFirst, names();
    /// time after which the trace begins anew
    repeat: Option<Duration> = None, optional(positive(), "never");
    /// what each row is: a datagram, or a transfer over a new connection; of a capture each direction of a
    /// connection over TCP is a transfer
    sent_as: SentAs = SentAs::Datagrams, names();
    /// Of transfers.
    open_loop: OpenLoopConfig = OpenLoopConfig::default();
}

named! {
    /// What times of a trace count from.
    pub enum Times {
        /// The first packet of the trace, whatever its direction.
        #[default]
        FromFirst => "from-first",
        /// The times are as they are given.
        AsGiven => "as-given",
    }
    planned []
}

impl PacketTraceConfig {
    /// Replaces the file by its packets.
    ///
    /// # Errors
    /// What is missing, or given in vain: a message without the name of a field.
    pub fn load(&mut self) -> Result<(), String> {
        const ACCEPTED: &str = "accepted: file or packets";
        match (self.file.take(), &self.packets) {
            (None, None) => return Err(format!("got a trace of nothing; {ACCEPTED}")),
            (Some(_), Some(_)) => return Err(format!("got both; {ACCEPTED}")),
            (None, Some(_)) if self.address.is_some() => {
                return Err("got address without a capture; accepted: address with file".to_owned());
            }
            (None, Some(_)) => {}
            (Some(file), None) => {
                self.packets = Some(file.packets(self.address.take(), self.sent_as)?)
            }
        }
        Ok(())
    }

    /// Time from the beginning of a round to its last packet; none without packets.
    pub fn length(&self) -> Option<Duration> {
        let last = self.packets.as_ref()?.last()?.at;
        Some(last - self.origin())
    }

    /// What the times of the packets count from.
    fn origin(&self) -> Duration {
        let first = self.packets.as_ref().and_then(|packets| packets.first());
        match self.times {
            Times::FromFirst => first.map_or(Duration::ZERO, |first| first.at),
            Times::AsGiven => Duration::ZERO,
        }
    }
}
