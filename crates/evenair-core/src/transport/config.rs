//! The registry of transports: what a configuration may name, and the ends that follow from it.

use std::fmt;

use super::any::AnyEnds;
use super::ends::Ends;
use super::header::PacketHeader;
use super::receiver_reports::REPORT_BYTES;
use super::tcp::{ConnectionConfig, ReceivingEnd, SendingEnd};
use super::tfrc::{TfrcConfig, TfrcSink, TfrcSource};
use super::udp::{UdpSink, UdpSource};
use crate::component::{
    Component, Configuration, Parameter, Parameters, Registry, Value, configuration, named, names,
    optional,
};
use crate::congestion::{self, CongestionControl, Controller, EcnFeedback, EcnResponse};
use crate::packet::Ecn;
use crate::time::Instant;
use crate::traffic::{
    Application, BulkConfig, CbrConfig, Datagrams, PacketTraceConfig, PingConfig, Reception,
    Replies, Stream,
};

/// The transport of a flow: "newreno", `{ kind = "newreno" }`, "tfrc", or "udp".
#[derive(Clone, Debug, PartialEq)]
pub enum Config {
    /// TCP with this congestion control.
    Tcp(congestion::Config),
    /// Datagrams at a rate that follows losses and round-trip times (RFC 5348).
    Tfrc(TfrcConfig),
    /// Datagrams without any control (RFC 768).
    Udp(UdpConfig),
}

configuration! {
    /// Parameters of UDP.
    pub struct UdpConfig {
        name: "udp",
        summary: "datagrams without acknowledgement or control",
        source: "RFC 768",
    }
    /// ECN field of the datagrams; what sends them does not react to marks
    ecn: Option<EcnField> = None, optional(names(), "not-ECT");
}

named! {
    /// The ECN field of datagrams (RFC 3168 section 5).
    pub enum EcnField {
        /// ECT(0).
        #[default]
        Ect0 => "ect0",
        /// ECT(1), for queues the identifier of L4S (RFC 9331).
        Ect1 => "ect1",
    }
    planned []
}

impl From<EcnField> for Ecn {
    fn from(field: EcnField) -> Self {
        match field {
            EcnField::Ect0 => Self::Ect0,
            EcnField::Ect1 => Self::Ect1,
        }
    }
}

/// What a flow's ends are made of beside the parameters of their transport.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Of data and of what answers them.
    pub headers: [PacketHeader; 2],
    /// Bytes of the IP and transport headers in `headers`, without what a station adds.
    pub header_bytes: u32,
    /// Payload of a data packet, bytes.
    pub payload: u32,
    /// What its connections are made of, over TCP.
    pub connection: ConnectionConfig,
    /// When an application that makes datagrams makes them.
    pub datagrams: Option<Datagrams>,
    /// What its receiver makes of them.
    pub reception: Option<Reception>,
    /// What its receiver sends back, of an application that makes datagrams.
    pub replies: Replies,
    /// From when on no datagram is sent.
    pub stop: Instant,
}

/// What a flow has where its configuration does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowDefaults {
    /// The name of the application.
    pub application: &'static str,
    /// Bytes of the IP and transport headers.
    pub header: u32,
    /// Payload of a data packet, bytes: with the headers an Ethernet MTU of 1500, but for "ping".
    pub payload: u32,
}

/// The packets that answer a flow's data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answers {
    /// There are none.
    None,
    /// One of `bytes` at IP level, without options, for so many data packets.
    PerPackets {
        /// Its size.
        bytes: u32,
        /// Data packets for each, on average.
        packets: f64,
    },
    /// One of `bytes` at IP level in each round-trip time, or more seldom.
    PerRtt {
        /// Its size.
        bytes: u32,
    },
}

/// The protocol in the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IpProtocol {
    /// Number 6.
    Tcp,
    /// Number 17.
    Udp,
}

impl Config {
    /// Whether the flow runs over TCP.
    pub fn is_tcp(&self) -> bool {
        self.ip_protocol() == IpProtocol::Tcp
    }

    /// What IP sees.
    pub fn ip_protocol(&self) -> IpProtocol {
        match self {
            Self::Tcp(_) => IpProtocol::Tcp,
            Self::Tfrc(_) | Self::Udp(_) => IpProtocol::Udp,
        }
    }

    /// What the sender supports of ECN where its configuration does not say: AccECN with a congestion control of L4S.
    pub fn default_ecn(&self) -> EcnFeedback {
        match self {
            Self::Tcp(control) if !control.is_prototype() => {
                let response = Controller::new(control).use_ecn(EcnFeedback::AccEcn);
                if response == EcnResponse::L4s { EcnFeedback::AccEcn } else { EcnFeedback::None }
            }
            Self::Tcp(_) | Self::Tfrc(_) | Self::Udp(_) => EcnFeedback::None,
        }
    }

    /// Whether something answers the data.
    pub fn has_feedback(&self) -> bool {
        !matches!(self, Self::Udp(_))
    }

    /// Whether the application can run over it.
    pub fn carries(&self, application: &Application) -> bool {
        match self {
            Self::Tcp(_) => matches!(application, Application::Stream(_)),
            Self::Tfrc(_) => matches!(application, Application::Stream(Stream::Bulk(_))),
            Self::Udp(_) => matches!(application, Application::Datagrams(_)),
        }
    }

    /// What a flow of this application has where its configuration does not say.
    pub fn flow_defaults(&self, application: Option<&str>) -> FlowDefaults {
        let (application, header) = match self {
            Self::Tcp(_) => (BulkConfig::COMPONENT, 40),
            // RTP 12 and a header extension of 12, which has the round-trip time and the time of sending
            // (draft-ietf-avt-tfrc-profile-10, RFC 8285).
            Self::Tfrc(_) => (BulkConfig::COMPONENT, 20 + 8 + 12 + 12),
            // The 56 bytes behind a header of 8 that iputils' ping sends.
            Self::Udp(_) if application == Some(PingConfig::COMPONENT.name) => {
                let application = PingConfig::COMPONENT.name;
                return FlowDefaults { application, header: 20 + 8, payload: 56 };
            }
            // Plain packets of UDP in an Ethernet MTU of 1500.
            Self::Udp(_) if application == Some(PacketTraceConfig::COMPONENT.name) => {
                (PacketTraceConfig::COMPONENT, 20 + 8)
            }
            // As TCP's, so that its datagrams have the size of segments.
            Self::Udp(_) => (CbrConfig::COMPONENT, 40),
        };
        FlowDefaults { application: application.name, header, payload: 1500 - header }
    }

    /// Data packets, and packets that answer them, which may be under way; `window` is the receiver's,
    /// segments. Of TFRC more than 6 s at 30 Mb/s: of older ones the header is lost, and they with it.
    pub fn packets_under_way(&self, window: u32) -> u32 {
        match self {
            Self::Tfrc(_) => 1 << 14,
            // What is under way is seldom more than a window.
            Self::Tcp(_) => 4 * window,
            // Of datagrams with options no sender limits what is under way.
            Self::Udp(_) => 1 << 14,
        }
    }

    /// Both ends of a flow, and what answers its data. Without an application that makes datagrams, a flow
    /// over UDP sends none.
    pub fn ends(&self, spec: FlowSpec) -> (AnyEnds, Answers) {
        let [mut data, mut answer] = spec.headers;
        match self {
            Self::Tcp(control) => {
                let packets = spec.connection.tcp.delayed_ack.segments_per_ack();
                let mut control = Controller::new(control);
                let counts_echoes = control.use_ecn(EcnFeedback::Rfc3168) == EcnResponse::Scalable;
                let source = SendingEnd::new(&spec.connection, control, data);
                let sink = ReceivingEnd::new(&spec.connection, answer).echoing_each(counts_echoes);
                let answers = Answers::PerPackets { bytes: answer.bytes, packets };
                (AnyEnds::Tcp(Ends::new(source, sink)), answers)
            }
            Self::Tfrc(config) => {
                // What a station adds to its packets is in both.
                answer.bytes = answer.bytes - spec.header_bytes + config.report_size as u32;
                let source = TfrcSource::new(config.clone(), spec.payload, data);
                let sink = TfrcSink::new(config, spec.payload, answer);
                let answers = Answers::PerRtt { bytes: answer.bytes };
                (AnyEnds::Tfrc(Ends::new(source, sink)), answers)
            }
            Self::Udp(config) => {
                data.ecn = config.ecn.map_or(Ecn::NotEct, Ecn::from);
                let source = UdpSource::new(data, spec.payload, spec.datagrams, spec.stop);
                let sink = UdpSink::new(spec.payload, spec.reception);
                let (ends, answers) = match spec.replies {
                    Replies::None => (Ends::new(source, sink), Answers::None),
                    Replies::Echoes => {
                        let bytes = answer.bytes + spec.payload;
                        let ends = Ends::new(source.with_echoes(), sink.with_echoes(answer));
                        (ends, Answers::PerPackets { bytes, packets: 1.0 })
                    }
                    Replies::Reports => {
                        let bytes = answer.bytes + REPORT_BYTES;
                        (Ends::new(source, sink.with_reports(answer)), Answers::PerRtt { bytes })
                    }
                };
                (AnyEnds::Udp(ends), answers)
            }
        }
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Parameters for Config {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        match self {
            Self::Tcp(control) => control.visit(visitor),
            Self::Tfrc(config) => config.visit(visitor),
            Self::Udp(config) => config.visit(visitor),
        }
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        match self {
            Self::Tcp(control) => control.assign(name, value),
            Self::Tfrc(config) => config.assign(name, value),
            Self::Udp(config) => config.assign(name, value),
        }
    }
}

impl Registry for Config {
    const KIND: &'static str = "transport";
    const NOUN: &'static str = "transport";
    const PLANNED: &'static [&'static str] = congestion::Config::PLANNED;

    fn all() -> Vec<Self> {
        let others = [Self::Tfrc(TfrcConfig::default()), Self::Udp(UdpConfig::default())];
        congestion::Config::all().into_iter().map(Self::Tcp).chain(others).collect()
    }

    fn component(&self) -> &'static Component {
        match self {
            Self::Tcp(control) => control.component(),
            Self::Tfrc(_) => TfrcConfig::COMPONENT,
            Self::Udp(_) => UdpConfig::COMPONENT,
        }
    }

    fn is_prototype(&self) -> bool {
        match self {
            Self::Tcp(control) => control.is_prototype(),
            Self::Tfrc(_) | Self::Udp(_) => false,
        }
    }
}

crate::registry_methods!(Config);
crate::registry_serde!(Config, "Transport");
