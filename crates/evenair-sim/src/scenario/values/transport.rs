//! Transports: a congestion control of TCP, or TFRC, with its parameters, or UDP.

use std::fmt;

use evenair_core::component::{
    Component, Configuration, Parameter, Parameters, Registry, Value, configuration,
};
use evenair_core::congestion;
use evenair_core::tfrc::TfrcConfig;

/// The transport of a flow: "newreno", `{ kind = "newreno" }`, "tfrc", or "udp".
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// TCP with this congestion control.
    Tcp(congestion::Config),
    /// Datagrams at a rate that follows losses and round-trip times (RFC 5348).
    Tfrc(TfrcConfig),
    /// Datagrams without any control (RFC 768).
    Udp,
}

configuration! {
    /// UDP has no parameters.
    pub struct UdpConfig {
        name: "udp",
        summary: "datagrams without acknowledgement or control",
        source: "RFC 768",
    }
}

/// The component of [`Transport::Udp`].
pub(crate) const UDP: &Component = UdpConfig::COMPONENT;

impl Transport {
    /// Whether the flow runs over TCP.
    pub fn is_tcp(&self) -> bool {
        matches!(self, Self::Tcp(_))
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Parameters for Transport {
    fn visit(&self, visitor: &mut dyn FnMut(&'static Parameter, Value)) {
        match self {
            Self::Tcp(control) => control.visit(visitor),
            Self::Tfrc(config) => config.visit(visitor),
            Self::Udp => {}
        }
    }

    fn assign(&mut self, name: &str, value: Value) -> bool {
        match self {
            Self::Tcp(control) => control.assign(name, value),
            Self::Tfrc(config) => config.assign(name, value),
            Self::Udp => false,
        }
    }
}

impl Registry for Transport {
    const KIND: &'static str = "transport";
    const NOUN: &'static str = "transport";
    const PLANNED: &'static [&'static str] = &[];

    fn all() -> Vec<Self> {
        let others = [Self::Tfrc(TfrcConfig::default()), Self::Udp];
        congestion::Config::all().into_iter().map(Self::Tcp).chain(others).collect()
    }

    fn component(&self) -> &'static Component {
        match self {
            Self::Tcp(control) => control.component(),
            Self::Tfrc(_) => TfrcConfig::COMPONENT,
            Self::Udp => UDP,
        }
    }
}

evenair_core::registry_methods!(Transport);
evenair_core::registry_serde!(Transport, "Transport");
