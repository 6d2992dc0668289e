//! The data path on the device `ap0` of a gateway, to which a station is connected.

use std::net::UdpSocket;

use evenaird::data_path::{Counters, DataPath, Error, Options, Policy, Protocol, Tcx, Traffic};
use tempfile::TempDir;

use super::namespace::{Addresses, Namespace, connect};
use super::udp;

/// A station and a gateway, and the data path on the gateway's `ap0`.
pub struct Cell {
    pub station: Namespace,
    pub gateway: Namespace,
    /// First the station's address, then the gateway's.
    pub addresses: Addresses,
    pub directory: TempDir,
}

impl Cell {
    pub fn new() -> Self {
        let (station, gateway) = (Namespace::new(), Namespace::new());
        let addresses = connect((&station, "sta0"), (&gateway, "ap0"), 1);
        Self { station, gateway, addresses, directory: tempfile::tempdir().unwrap() }
    }

    pub fn options(&self) -> Options {
        Options { runtime_directory: self.directory.path().join("run"), ..Default::default() }
    }

    pub fn attach(&self, policy: &Policy) -> Tcx {
        self.try_attach(policy, &self.options()).unwrap()
    }

    pub fn try_attach(&self, policy: &Policy, options: &Options) -> Result<Tcx, Error> {
        self.gateway.enter(|| Tcx::attach("ap0", policy, options))
    }

    pub fn counters(&self, data_path: &mut Tcx) -> Counters {
        self.gateway.enter(|| data_path.counters()).unwrap()
    }

    /// A sender on the station and a receiver on the gateway.
    pub fn uplink(&self) -> (UdpSocket, UdpSocket) {
        let address = &self.addresses.v4[1];
        let receiver = self.gateway.enter(|| udp::receiver(address));
        (self.station.enter(|| udp::sender(address)), receiver)
    }
}

/// A policy without a bucket of UDP's own and without end.
pub fn policy(rate_bps: u64, bucket_bytes: u64) -> Policy {
    Policy { rate_bps, udp_rate_bps: None, bucket_bytes, lease: None }
}

/// The traffic of a protocol.
pub fn of(traffic: &[Traffic; 3], protocol: Protocol) -> Traffic {
    traffic[protocol as usize]
}
