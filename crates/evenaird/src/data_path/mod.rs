//! The data path: a policer of the uplink, and counters of both directions, on the device towards
//! the access point. The device's ingress is the uplink, its egress the downlink.
//!
//! The policer charges every frame, parsable or not, but for ARP, EAPOL, neighbour discovery of the link
//! and replies of the loss signal's agent to this host: whatever the kernel routes has been charged.
//!
//! All sizes are at IP level: what the packet has on the air without its MAC header. A GSO or GRO
//! super-packet counts as the segments that it stands for, each with its own headers.

mod device;
mod links;
mod program;
mod tcx;

use std::{fmt, net::SocketAddr, time::Duration};

pub use device::largest_charge;
pub use program::{BUILT, MAX_BUCKET_BYTES};
pub use tcx::{Options, Tcx, attached, detach, remove_leftovers, verify_detached};

/// What the policer does with the uplink. TCP and UDP over IPv4 and IPv6 are treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Rate of the token bucket, bit/s at IP level; [`Policy::UNLIMITED`] passes everything.
    pub rate_bps: u64,
    /// Rate of a bucket that only UDP takes from, bit/s. `None`: UDP takes from the bucket of all.
    pub udp_rate_bps: Option<u64>,
    /// Size of each bucket, bytes.
    pub bucket_bytes: u64,
    /// Everything passes when no other policy has been set for this long. `None`: the policy holds
    /// as long as the program is attached.
    pub lease: Option<Duration>,
}

impl Policy {
    /// The rate that limits nothing.
    pub const UNLIMITED: u64 = u64::MAX;
}

/// Packets and bytes since the data path was attached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Packets, after segmentation.
    pub packets: u64,
    /// Their bytes at IP level; frames that do not carry IP count without their MAC header.
    pub bytes: u64,
}

/// Index of a protocol in [`Counters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP over IPv4 or IPv6.
    Tcp,
    /// UDP over IPv4 or IPv6.
    Udp,
    /// Every other packet.
    Other,
}

/// Traffic by [`Protocol`] since the data path was attached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Uplink, passed by the policer.
    pub up: [Traffic; 3],
    /// Downlink.
    pub down: [Traffic; 3],
    /// Uplink, dropped by the policer.
    pub dropped: [Traffic; 3],
}

/// Why the data path failed.
#[derive(Debug)]
pub enum Error {
    /// There is no such device, or it has been removed.
    NoDevice {
        /// Its name.
        device: String,
    },
    /// The device cannot be policed.
    Unsupported {
        /// Its name.
        device: String,
        /// What is not supported, and what is.
        reason: String,
    },
    /// Another instance polices the device.
    InUse {
        /// Its name.
        device: String,
    },
    /// The policy cannot be represented.
    Policy(String),
    /// The operating system refused an operation.
    System {
        /// What was tried.
        operation: String,
        /// What the operating system said.
        cause: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice { device } => write!(f, "{device}: no such network interface"),
            Self::Unsupported { device, reason } => write!(f, "{device}: {reason}"),
            Self::InUse { device } => {
                write!(f, "{device}: another instance of evenaird polices this interface")
            }
            Self::Policy(reason) => f.write_str(reason),
            Self::System { operation, cause } => write!(f, "{operation}: {cause}"),
        }
    }
}

impl std::error::Error for Error {}

/// A policer with counters.
pub trait DataPath {
    /// Sets rates and bucket size. The tokens in the buckets are kept, up to the bucket's size, and
    /// accrue at the former rates until now. It renews the policy's lease.
    ///
    /// # Errors
    /// The policy cannot be represented, or the data path is gone.
    fn set_policy(&mut self, policy: &Policy) -> Result<(), Error>;

    /// Names the SNMP agent whose replies to connected sockets of this host are not charged.
    ///
    /// # Errors
    /// The data path is gone.
    fn set_agent(&mut self, agent: Option<SocketAddr>) -> Result<(), Error>;

    /// The name that the device has now: it may have been renamed. `None`: it is gone.
    fn interface(&self) -> Option<String>;

    /// The counters since the data path was attached.
    ///
    /// # Errors
    /// The data path is gone, for instance with its device.
    fn counters(&mut self) -> Result<Counters, Error>;
}
