//! What the engine is told: a JSON document.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use evenair_sim::emulation::Places;
use evenair_sim::scenario::{self, Scenario};
use serde::Deserialize;

use crate::Error;
use crate::device::ports::Site;

/// A run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The scenario, as TOML or JSON text.
    pub scenario: String,
    /// The seed of all random draws of the network.
    pub seed: u64,
    /// The namespace of each host by its name: `gateway`, `sta-1` and so on, wired hosts.
    pub namespaces: BTreeMap<String, PathBuf>,
    /// The flows that are counted.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// The addresses of each host.
    pub addresses: BTreeMap<String, Vec<IpAddr>>,
    /// Time from the start to the beginning of the measurement, s.
    #[serde(default)]
    pub warmup_s: f64,
    /// Measured time, s, above 0.
    pub duration_s: f64,
    /// What is done later than this is late, s, above 0. A run is not to be trusted if more than 1%
    /// of its packets or of its time are late, or if the engine stands still for more than 200 ms
    /// and this.
    pub max_lateness_s: f64,
    /// Whether the thread asks for a real-time priority and locked memory.
    pub realtime: bool,
    /// The capture file of all devices; none without.
    #[serde(default)]
    pub pcap: Option<PathBuf>,
    /// The SNMP agent of the access point; none without.
    #[serde(default)]
    pub snmp: Option<SnmpSpec>,
}

/// A flow whose packets are counted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Its index in the result.
    pub index: u32,
    /// The station, of a flow that crosses the cell.
    #[serde(default)]
    pub station: Option<String>,
    /// The wired host of such a flow.
    #[serde(default)]
    pub host: Option<String>,
    /// Whether its data go from the station to the host.
    #[serde(default)]
    pub up: bool,
    /// The host that sends the data, of a flow between hosts.
    #[serde(default)]
    pub from: Option<String>,
    /// The host that receives them.
    #[serde(default)]
    pub to: Option<String>,
    /// The transport protocol.
    pub protocol: Protocol,
    /// The port at one end of the data connections, which tells the flow from others.
    pub port: u16,
}

/// A transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl Protocol {
    /// Its number in the IP header (IANA, Protocol Numbers).
    pub fn number(self) -> u8 {
        match self {
            Self::Tcp => 6,
            Self::Udp => 17,
        }
    }
}

/// The SNMP agent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnmpSpec {
    /// Its address in the namespace of the gateway.
    pub listen: SocketAddr,
    /// The community of SNMPv2c.
    pub community: String,
    /// Time between two refreshes of its counters, s; 0: they are always those of now.
    #[serde(default)]
    pub refresh_s: f64,
}

/// The host between the access point and the wired links.
pub const GATEWAY: &str = "gateway";

impl Spec {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        let spec: Self = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| Error::Invalid(format!("specification: {error}")))?;
        spec.check()?;
        Ok(spec)
    }

    /// The resolved scenario.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn resolved(&self) -> Result<Scenario, Error> {
        let invalid = |error: scenario::ScenarioError| Error::Invalid(error.to_string());
        let document = match serde_json::from_str(&self.scenario) {
            Ok(document) => document,
            Err(_) => scenario::document_from_toml(self.scenario.as_bytes(), "scenario")
                .map_err(invalid)?,
        };
        scenario::resolve(document, "scenario").map_err(invalid)
    }

    /// The devices, their names and the namespaces that they are in.
    ///
    /// # Errors
    /// A namespace is of no host.
    pub fn devices(&self, places: &Places) -> Result<Vec<(Site, String, &Path)>, Error> {
        let mut devices = Vec::new();
        for (name, path) in &self.namespaces {
            let mut add =
                |site, device| devices.push((site, format!("{device} of {name}"), &**path));
            match Host::find(name, places) {
                Some(Host::Station(number)) => add(Site::Station(number), "wlan0"),
                Some(Host::Wired(number)) => add(Site::Host(number), "eth0"),
                Some(Host::Gateway) => {
                    add(Site::ApRadio, "ap0");
                    add(Site::ApWire, "wan0");
                }
                None => return Err(no_host("namespaces", name, places)),
            }
        }
        Ok(devices)
    }

    fn check(&self) -> Result<(), Error> {
        let time = |field: &str, value: f64, least: &str, is_good: bool| match is_good {
            true => Ok(()),
            false => Err(Error::Invalid(format!(
                "specification: {field}: got {value}; accepted: seconds, {least}, at most {LONGEST_S}"
            ))),
        };
        let above = |value: f64| value > 0.0 && value <= LONGEST_S;
        let from = |value: f64| (0.0..=LONGEST_S).contains(&value);
        time("warmup_s", self.warmup_s, "0 or more", from(self.warmup_s))?;
        time("duration_s", self.duration_s, "above 0", above(self.duration_s))?;
        time("max_lateness_s", self.max_lateness_s, "above 0", above(self.max_lateness_s))?;
        if let Some(snmp) = &self.snmp {
            time("snmp.refresh_s", snmp.refresh_s, "0 or more", from(snmp.refresh_s))?;
        }
        Ok(())
    }
}

/// A year: far below the range of the clock.
const LONGEST_S: f64 = 365.0 * 86_400.0;

/// A host of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// By its number from 1.
    Station(u32),
    /// By its number in [`Places::wired`].
    Wired(usize),
    /// Between both.
    Gateway,
}

impl Host {
    /// The host called `name`.
    pub fn find(name: &str, places: &Places) -> Option<Self> {
        if name == GATEWAY {
            return Some(Self::Gateway);
        }
        if let Some(number) = name.strip_prefix("sta-").and_then(|digits| digits.parse().ok())
            && (1..=places.extra_headers.len() as u32).contains(&number)
        {
            return Some(Self::Station(number));
        }
        // The first is the access point itself.
        let wired = places.wired.iter().skip(1).position(|host| host == name)?;
        Some(Self::Wired(wired + 1))
    }
}

/// The error of a name that no host has.
pub fn no_host(field: &str, name: &str, places: &Places) -> Error {
    let wired: Vec<String> = places.wired[1..].iter().map(|host| format!("{host:?}")).collect();
    Error::Invalid(format!(
        "specification: {field}: got {name:?}; accepted: {GATEWAY:?}, \"sta-1\" to \"sta-{}\", {}",
        places.extra_headers.len(),
        wired.join(", ")
    ))
}
