//! The network device that the data path is attached to.

use std::{
    io,
    net::Ipv6Addr,
    os::fd::{AsRawFd, OwnedFd},
};

use nix::{
    ifaddrs::getifaddrs,
    libc,
    net::if_::{if_indextoname, if_nametoindex},
    sys::socket::{AddressFamily, SockFlag, SockType, socket},
};

use super::{Error, program::failed};

/// A device that the programs can parse.
pub(super) struct Device {
    name: String,
    index: u32,
    /// Bytes before the network header.
    pub(super) mac_header: u32,
}

impl Device {
    pub(super) fn open(name: &str) -> Result<Self, Error> {
        let gone = || Error::NoDevice { device: name.to_owned() };
        let index = if_nametoindex(name).map_err(|_| gone())?;
        // SAFETY: SIOCGIFHWADDR has filled in the address.
        let kind = unsafe { request(name, libc::SIOCGIFHWADDR)?.ifr_ifru.ifru_hwaddr.sa_family };
        let mac_header = match kind {
            libc::ARPHRD_ETHER => 14,
            libc::ARPHRD_NONE => 0,
            _ => {
                return Err(Error::Unsupported {
                    device: name.to_owned(),
                    reason: format!(
                        "got an interface of hardware type {kind}; accepted: Ethernet (1), and \
                         TUN and others without link layer (65534)"
                    ),
                });
            }
        };
        Ok(Self { name: name.to_owned(), index, mac_header })
    }

    /// Its link-local addresses (RFC 4291, section 2.5.6).
    pub(super) fn link_local(&self) -> Vec<Ipv6Addr> {
        // Without the list neighbour discovery to them is charged.
        let all = getifaddrs().into_iter().flatten();
        let name = self.current_name();
        let own = all.filter(|one| Some(&one.interface_name) == name.as_ref());
        own.filter_map(|one| Some(one.address?.as_sockaddr_in6()?.ip()))
            .filter(Ipv6Addr::is_unicast_link_local)
            .collect()
    }

    /// Fails when the device has been removed; another one may have its name by now.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.current_name() {
            Some(_) => Ok(()),
            None => Err(Error::NoDevice { device: self.name.clone() }),
        }
    }

    /// The name that it has now; `None` when it has been removed.
    pub(super) fn current_name(&self) -> Option<String> {
        // nix 0.31 reports an unknown index as an empty name.
        let name = if_indextoname(self.index).ok()?.to_string_lossy().into_owned();
        Some(name).filter(|name| !name.is_empty())
    }
}

/// The most that a packet can be charged on this device, bytes: a bucket below it never passes that
/// packet.
///
/// A GSO or GRO super-packet has up to 65,535 bytes at IP level (the limit of all devices that are
/// not configured for more) and is charged as segments of the device's MTU. Their headers are taken
/// as 72 bytes: IPv6 (RFC 8200), TCP (RFC 9293) and timestamps (RFC 7323).
///
/// # Errors
/// There is no such device.
pub fn largest_charge(device: &str) -> Result<u64, Error> {
    // SAFETY: SIOCGIFMTU has filled in the MTU.
    let mtu = unsafe { request(device, libc::SIOCGIFMTU)?.ifr_ifru.ifru_mtu };
    Ok(segmented(65_535, u64::try_from(mtu).unwrap_or(0)))
}

fn segmented(bytes: u64, mtu: u64) -> u64 {
    const HEADERS: u64 = 72;
    let payload = mtu.saturating_sub(HEADERS).max(1);
    (bytes - HEADERS) + (bytes - HEADERS).div_ceil(payload) * HEADERS
}

/// Asks the kernel about a device, in the thread's network namespace.
fn request(device: &str, operation: libc::c_ulong) -> Result<libc::ifreq, Error> {
    let gone = || Error::NoDevice { device: device.to_owned() };
    // SAFETY: an ifreq of zeros is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if device.is_empty() || device.len() >= request.ifr_name.len() {
        return Err(gone());
    }
    for (to, &from) in request.ifr_name.iter_mut().zip(device.as_bytes()) {
        *to = from.cast_signed();
    }
    let socket: OwnedFd =
        socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
            .map_err(|e| failed("open a socket", e.to_string()))?;
    // SAFETY: the operations read and write one ifreq.
    let status = unsafe { libc::ioctl(socket.as_raw_fd(), operation, &raw mut request) };
    match status {
        0 => Ok(request),
        _ if io::Error::last_os_error().raw_os_error() == Some(libc::ENODEV) => Err(gone()),
        _ => Err(failed(&format!("query {device}"), io::Error::last_os_error().to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_super_packet_is_charged_with_the_headers_of_its_segments() {
        // 65,463 bytes of payload in segments of 1,428: 45 full ones and one of 1,203.
        assert_eq!(segmented(65_535, 1500), 45 * 1500 + 1203 + 72);
        // The MTU of loopback: one segment.
        assert_eq!(segmented(65_535, 65_536), 65_535);
    }

    #[test]
    fn unknown_devices_are_refused() {
        for name in ["", "no-such-dev", "a-name-longer-than-any-device"] {
            let Err(error) = Device::open(name) else { panic!("{name:?} was accepted") };
            assert_eq!(error.to_string(), format!("{name}: no such network interface"));
            assert!(matches!(largest_charge(name), Err(Error::NoDevice { .. })));
        }
    }

    #[test]
    fn devices_of_other_types_are_refused() {
        // Loopback has type 772 (ARPHRD_LOOPBACK).
        let Err(error) = Device::open("lo") else { panic!("lo was accepted") };
        assert!(
            error.to_string().starts_with("lo: got an interface of hardware type 772; accepted")
        );
    }
}
