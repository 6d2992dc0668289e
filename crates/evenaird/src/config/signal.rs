//! The table `[loss_signal]`: where the losses of the access point's downlink queue are read.

use std::path::PathBuf;

use evenair_core::component::message::shown;
use evenair_core::component::{Seconds, named};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::{ConfigError, deserialize};

/// A source of losses.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// The counters of an access point's SNMP agent.
    Snmp(Snmp),
    /// The counters of this host, which is the access point.
    Local(Local),
}

named! {
    /// The kind of source.
    pub enum Kind {
        /// SNMP.
        #[default]
        Snmp => "snmp",
        /// This host.
        Local => "local",
    }
    planned []
}

named! {
    /// Version of SNMP.
    pub enum Version {
        /// SNMPv2c (RFC 1901): a community in clear text.
        #[default]
        V2c => "2c",
        /// SNMPv3 with the user-based security model (RFC 3414).
        V3 => "3",
    }
    planned []
}

named! {
    /// Authentication of SNMPv3 (RFC 3414, RFC 7860).
    pub enum Authentication {
        /// HMAC-SHA-96.
        Sha1 => "sha-1",
        /// HMAC-128-SHA-224.
        Sha224 => "sha-224",
        /// HMAC-192-SHA-256.
        #[default]
        Sha256 => "sha-256",
        /// HMAC-256-SHA-384.
        Sha384 => "sha-384",
        /// HMAC-384-SHA-512.
        Sha512 => "sha-512",
    }
    planned []
}

named! {
    /// Encryption of SNMPv3 (RFC 3826, and its extension to longer keys that agents have).
    pub enum Privacy {
        /// AES-128 in CFB mode.
        #[default]
        Aes128 => "aes-128",
        /// AES-192 in CFB mode.
        Aes192 => "aes-192",
        /// AES-256 in CFB mode.
        Aes256 => "aes-256",
    }
    planned []
}

/// `{ kind = "snmp", ... }`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snmp {
    /// Name or address of the access point.
    pub host: String,
    /// UDP port of its agent.
    #[serde(default = "snmp_port")]
    pub port: u16,
    /// Version of SNMP.
    #[serde(default)]
    pub version: Version,
    /// The file that contains the community (version 2c).
    pub community_file: Option<PathBuf>,
    /// The user (version 3).
    pub user: Option<String>,
    /// Authentication (version 3).
    #[serde(default)]
    pub authentication: Authentication,
    /// The file that contains the authentication password (version 3).
    pub authentication_file: Option<PathBuf>,
    /// Encryption (version 3).
    #[serde(default)]
    pub privacy: Privacy,
    /// The file that contains the privacy password (version 3); without it nothing is encrypted.
    pub privacy_file: Option<PathBuf>,
    /// The access point's radio interface: ifIndex, ifName or ifDescr.
    pub interface: SnmpInterface,
    /// Object identifier of another counter of losses than ifOutDiscards, in full.
    pub counter: Option<String>,
    /// How often the agent refreshes its counters, where measuring it is not wanted.
    pub refresh: Option<Seconds>,
}

/// An interface of the access point.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub enum SnmpInterface {
    /// Its ifIndex.
    Index(u32),
    /// Its ifName or ifDescr.
    Name(String),
}

impl TryFrom<Value> for SnmpInterface {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        // InterfaceIndex of RFC 2863.
        let index = value.as_u64().filter(|index| (1..=0x7fff_ffff).contains(index));
        match (index, value) {
            (Some(index), _) => Ok(Self::Index(index as u32)),
            (None, Value::String(name)) => Ok(Self::Name(name)),
            (None, other) => {
                let got = shown(&other.to_string());
                Err(format!("got {got}; accepted: an ifIndex from 1 on, or an ifName or ifDescr"))
            }
        }
    }
}

impl std::fmt::Display for SnmpInterface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(index) => write!(f, "ifIndex {index}"),
            Self::Name(name) => write!(f, "{name:?}"),
        }
    }
}

named! {
    /// Which counter of a device of this host.
    pub enum Counter {
        /// tx_dropped of the device: a driver's or a TUN device's own queue.
        #[default]
        Device => "device",
        /// Drops of the device's queueing disciplines, which tx_dropped does not count.
        Qdisc => "qdisc",
    }
    planned []
}

/// `{ kind = "local", ... }`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Local {
    /// The radio's network interface on this host.
    pub device: String,
    /// Which of its counters.
    #[serde(default)]
    pub counter: Counter,
}

impl Signal {
    /// Reads the table; the second value is its `hold`.
    pub(super) fn parse(
        mut table: Map<String, Value>,
    ) -> Result<(Self, Option<Seconds>), ConfigError> {
        let Some(kind) = table.shift_remove("kind") else {
            let message = "missing; accepted: \"snmp\", \"local\"";
            return Err(ConfigError::new("loss_signal.kind", message));
        };
        let kind = deserialize("loss_signal.kind", kind)?;
        let hold = table.shift_remove("hold");
        let hold = hold.map(|hold| deserialize("loss_signal.hold", hold)).transpose()?;
        let table = Value::Object(table);
        let signal = match kind {
            Kind::Local => Self::Local(deserialize("loss_signal", table)?),
            Kind::Snmp => {
                let snmp: Snmp = deserialize("loss_signal", table)?;
                snmp.check()?;
                Self::Snmp(snmp)
            }
        };
        Ok((signal, hold))
    }

    /// The files that contain secrets, with their keys.
    pub(crate) fn secret_files(&self) -> Vec<(&'static str, &PathBuf)> {
        let Self::Snmp(snmp) = self else { return Vec::new() };
        let files = [
            ("loss_signal.community_file", &snmp.community_file),
            ("loss_signal.authentication_file", &snmp.authentication_file),
            ("loss_signal.privacy_file", &snmp.privacy_file),
        ];
        files.into_iter().filter_map(|(key, file)| Some((key, file.as_ref()?))).collect()
    }
}

impl Snmp {
    /// Each version has keys of its own.
    fn check(&self) -> Result<(), ConfigError> {
        let is_v3 = self.version == Version::V3;
        let keys = [
            ("community_file", self.community_file.is_some(), !is_v3, !is_v3),
            ("user", self.user.is_some(), is_v3, is_v3),
            ("authentication_file", self.authentication_file.is_some(), is_v3, is_v3),
            ("privacy_file", self.privacy_file.is_some(), false, is_v3),
        ];
        for (key, is_given, is_needed, is_accepted) in keys {
            let version = self.version;
            let message = match (is_given, is_needed, is_accepted) {
                (false, true, _) => {
                    format!("missing; accepted: a value for it, with version {version}")
                }
                (true, _, false) => format!("given; accepted: nothing, with version {version}"),
                _ => continue,
            };
            return Err(ConfigError::new(&format!("loss_signal.{key}"), &message));
        }
        Ok(())
    }
}

const fn snmp_port() -> u16 {
    161
}
