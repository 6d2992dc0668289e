//! The contract of transports, and what their packets have in common.
//!
//! A transport carries the data of one flow from a [`Source`] to a [`Sink`]. Each is an [`Endpoint`]: it
//! takes packets ([`Endpoint::on_packet`]) and the time ([`Endpoint::on_timer`], to be called at
//! [`Endpoint::poll_at`]), and gives the packets that it sends to the [`Output`] of the caller, so that an
//! immediate answer costs no second call. The two meet only through packets, each of which says for which
//! end it is ([`Packet::to`](crate::packet::Packet::to)). [`Ends`] holds both and measures what neither can.
//! A new transport is a line of [`AnyEnds`], a variant of [`Config`], and no branch elsewhere.
//!
//! A packet is small and carries no option itself. An [`Output`] is given the [`PacketOption`] beside the
//! packet, keeps it, and stores its number in [`Packet::option`](crate::packet::Packet::option); whoever delivers the packet passes the
//! option to [`Endpoint::on_packet`] again. This works in both directions.

mod any;
mod config;
mod contract;
pub mod delivery_rate;
mod echoes;
mod ends;
mod header;
mod limits;
mod option;
mod receiver_reports;
pub mod recovery;
mod sack;
pub mod tcp;
pub mod tfrc;
pub mod udp;

pub use any::AnyEnds;
pub use config::{Answers, Config, EcnField, FlowDefaults, FlowSpec, IpProtocol, UdpConfig};
pub use contract::{Counters, Endpoint, Output, RateControl, Sink, Source, Windows};
pub use echoes::Echoes;
pub use ends::Ends;
pub use header::PacketHeader;
pub use limits::{Limit, LimitTimes};
pub use option::{AccEcnCounters, DataHeader, PacketOption, Report, TcpOptions, Timestamps};
pub use sack::{MAX_BLOCKS, SackBlocks};
