//! Where packets come from and go to: the devices of the hosts.

use evenair_core::time::Instant;

use crate::device::payload::{Buffer, Pool};
use crate::timing::clock::Clock;

/// A device, by its place in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// `wlan0` of a station, by its number from 1.
    Station(u32),
    /// `ap0` of the gateway, towards the stations.
    ApRadio,
    /// `wan0` of the gateway, towards the hosts.
    ApWire,
    /// `eth0` of a wired host, by its number in [`evenair_sim::emulation::Places::wired`].
    Host(usize),
}

/// A packet that a host has sent.
#[derive(Debug)]
pub struct Arriving {
    /// When it enters the network.
    pub at: Instant,
    /// Its device.
    pub site: Site,
    /// The IP packet.
    pub buffer: Buffer,
}

/// The devices of all hosts.
pub trait Ports {
    /// Waits until packets arrive, or until `until`.
    ///
    /// # Errors
    /// One line: a device is gone.
    fn wait(&mut self, clock: &Clock, pool: &Pool, until: Instant) -> Result<(), String>;

    /// When the next packet arrives, as far as that is known; [`Instant::NEVER`] otherwise.
    fn next_arrival(&self) -> Instant;

    /// That packet.
    fn receive(&mut self) -> Option<Arriving>;

    /// A packet comes out of the network at `site`, at the time `at` of the medium. Returns whether
    /// the device takes it.
    fn deliver(&mut self, at: Instant, site: Site, packet: &[u8]) -> bool;

    /// How many packets that devices have taken were dropped before their hosts received them.
    fn lost(&mut self) -> u64 {
        0
    }
}
