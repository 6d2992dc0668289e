//! Which counter of which agent, and how to log in.

use std::fmt;
use std::str::FromStr;

use snmp2::Oid;
use snmp2::v3::{Auth, AuthProtocol, Cipher, KeyExtension, Security};

/// An agent, and the counter to read there.
#[derive(Debug)]
pub struct Target {
    /// Name or address of the agent.
    pub host: String,
    /// Its UDP port, commonly 161.
    pub port: u16,
    /// Version and secrets.
    pub credentials: Credentials,
    /// The interface whose transmit queue loses packets: the radio.
    pub interface: Interface,
    /// The counter of losses (Counter32 or Counter64); `None`: ifOutDiscards of `interface`.
    pub counter: Option<ObjectId>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SNMP agent {} port {}", self.host, self.port)
    }
}

/// An interface of an agent (RFC 2863).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interface {
    /// Its ifIndex.
    Index(u32),
    /// Its ifName or, where no ifName is equal, its ifDescr. Found again after it was renumbered.
    Name(String),
}

/// What a request is authorised by. Its `Debug` shows no secret.
pub struct Credentials(pub(super) Login);

pub(super) enum Login {
    V2c { community: String },
    V3 { security: Box<Security> },
}

/// RFC 3414 §11.2: a password is at least 8 octets long.
const MIN_PASSWORD: usize = 8;

impl Credentials {
    /// SNMPv2c (RFC 1901). The error says what is accepted.
    pub fn community(community: &str) -> Result<Self, &'static str> {
        if community.is_empty() {
            return Err("a community that is not empty");
        }
        Ok(Credentials(Login::V2c { community: community.into() }))
    }

    /// SNMPv3 with the user-based security model (RFC 3414, RFC 7860), each secret as a password.
    /// Without privacy, requests are authenticated and not encrypted. Where the authentication's
    /// digest is shorter than the cipher's key, the key is extended as by
    /// draft-blumenthal-aes-usm-04. The error says what is accepted.
    pub fn user(
        user: &str,
        (authentication, password): (AuthProtocol, &str),
        privacy: Option<(Cipher, &str)>,
    ) -> Result<Self, &'static str> {
        // RFC 3414 §5: SnmpAdminString of usmUserName.
        if !(1..=32).contains(&user.len()) {
            return Err("a user name of 1 to 32 octets");
        }
        let passwords = [Some(password), privacy.map(|(_, password)| password)];
        if passwords.iter().flatten().any(|password| password.len() < MIN_PASSWORD) {
            return Err("passwords of at least 8 octets");
        }
        let auth = match privacy {
            None => Auth::AuthNoPriv,
            Some((cipher, password)) => {
                Auth::AuthPriv { cipher, privacy_password: password.into() }
            }
        };
        let security = Security::new(user.as_bytes(), password.as_bytes())
            .with_auth(auth)
            .with_auth_protocol(authentication)
            .with_key_extension_method(KeyExtension::Blumenthal);
        Ok(Credentials(Login::V3 { security: Box::new(security) }))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Login::V2c { .. } => "v2c",
            Login::V3 { .. } => "v3",
        })
    }
}

/// An object identifier with its instance, as `1.3.6.1.2.1.2.2.1.19.3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectId(pub(super) Oid<'static>);

impl FromStr for ObjectId {
    type Err = &'static str;

    /// RFC 2578 §3.5: up to 128 sub-identifiers of up to 2^32 - 1. The error says what is accepted.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const ACCEPTED: &str = "an object identifier in numbers, as 1.3.6.1.2.1.2.2.1.19.3";
        let text = text.strip_prefix('.').unwrap_or(text);
        let ids: Result<Vec<u64>, _> =
            text.split('.').map(|id| id.parse::<u32>().map(u64::from)).collect();
        match ids {
            Ok(ids) if (3..=128).contains(&ids.len()) && ids[0] <= 2 && !text.contains('+') => {
                Oid::from(&ids).map(ObjectId).map_err(|_| ACCEPTED)
            }
            _ => Err(ACCEPTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_named_by_host_and_port() {
        let credentials = Credentials::community("public").unwrap();
        let interface = Interface::Index(3);
        let host = "192.0.2.1".to_owned();
        let target = Target { host, port: 161, credentials, interface, counter: None };
        assert_eq!(target.to_string(), "SNMP agent 192.0.2.1 port 161");
    }

    #[test]
    fn object_identifiers() {
        let oid: ObjectId = "1.3.6.1.2.1.2.2.1.19.3".parse().unwrap();
        // BER by hand: 43 = 1 * 40 + 3.
        assert_eq!(oid.0.as_bytes(), [43, 6, 1, 2, 1, 2, 2, 1, 19, 3]);
        assert_eq!(".1.3.6.1.2.1.2.2.1.19.3".parse(), Ok(oid));
        let wide: ObjectId = "1.3.4294967295.128".parse().unwrap();
        assert_eq!(wide.0.as_bytes(), [43, 0x8f, 0xff, 0xff, 0xff, 0x7f, 0x81, 0]);
        for wrong in ["", "1", "1.3", "1.3.", "1..3", "ifOutDiscards.3", "1.3.4294967296", "3.1.1"]
        {
            assert!(wrong.parse::<ObjectId>().is_err(), "{wrong}");
        }
        for wrong in ["1.40.1", "1.3.-1", "1.3.+1", "1.3.6 ", "..1.3.6"] {
            assert!(wrong.parse::<ObjectId>().is_err(), "{wrong}");
        }
        assert!(["1"; 129].join(".").parse::<ObjectId>().is_err());
    }

    #[test]
    fn secrets_are_checked_and_not_shown() {
        assert!(Credentials::community("").is_err());
        let authentication = (AuthProtocol::Sha256, "longenough");
        let user = |name, authentication, privacy| {
            Credentials::user(name, authentication, privacy).map(|user| format!("{user:?}"))
        };
        assert_eq!(user("u", authentication, None).unwrap(), "v3");
        assert!(user("", authentication, None).is_err());
        assert!(user("u", (AuthProtocol::Sha256, "7octets"), None).is_err());
        assert!(user("u", authentication, Some((Cipher::Aes128, "7octets"))).is_err());
        assert_eq!(format!("{:?}", Credentials::community("secret").unwrap()), "v2c");
    }
}
