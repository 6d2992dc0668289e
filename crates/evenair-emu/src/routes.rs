//! Where a packet goes: by its addresses, and by the device at which it was read.

use std::collections::BTreeMap;
use std::net::IpAddr;

use evenair_core::ip::headers::FlowKey;
use evenair_core::packet::NodeId;
use evenair_sim::emulation::Places;

use crate::Error;
use crate::device::ports::Site;
use crate::spec::{FlowSpec, Host, Spec, no_host};

/// The access point among the wired nodes.
const ACCESS_POINT: usize = 0;

/// The addresses of all hosts, and the flows that are counted.
#[derive(Debug)]
pub struct Routes {
    hosts: BTreeMap<IpAddr, Host>,
    /// By the addresses of the ends, protocol and port: the flow by its place in the specification,
    /// and whether its data go from the first end to the second.
    flows: BTreeMap<(IpAddr, IpAddr, u8, u16), (usize, bool)>,
    /// Bytes that each station adds to its packets.
    extra_headers: Vec<u32>,
}

/// The way of a packet through the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Over the air, from this node.
    Air {
        /// The transmitting node.
        from: NodeId,
        /// The node that is not the access point.
        station: NodeId,
    },
    /// Over wired links, by the numbers of [`Places::wired`].
    Wired {
        /// Where it enters.
        from: usize,
        /// Where it leaves.
        to: usize,
    },
}

impl Routes {
    /// Those of a specification.
    ///
    /// # Errors
    /// One line: a name that no host has, or an address that two have.
    pub fn new(spec: &Spec, places: &Places) -> Result<Self, Error> {
        let mut hosts = BTreeMap::new();
        for (name, addresses) in &spec.addresses {
            let host = find(name, &format!("addresses.{name}"), places)?;
            for address in addresses {
                if hosts.insert(*address, host).is_some() {
                    return Err(Error::Invalid(format!(
                        "specification: addresses.{name}: got {address}, which another host has"
                    )));
                }
            }
        }
        let mut flows = BTreeMap::new();
        for (number, flow) in spec.flows.iter().enumerate() {
            let field = |key: &str| format!("flows.{number}.{key}");
            let [a, b] = ends(flow).ok_or_else(|| {
                let message = "got neither station and host nor from and to";
                Error::Invalid(format!("specification: {}: {message}", field("station")))
            })?;
            for (key, name) in [a, b] {
                find(name, &field(key), places)?;
            }
            let of = |name: &str| spec.addresses.get(name).into_iter().flatten().copied();
            let from_first = flow.station.is_none() || flow.up;
            for (first, second) in of(a.1).flat_map(|first| of(b.1).map(move |b| (first, b))) {
                let (protocol, port) = (flow.protocol.number(), flow.port);
                flows.insert((first, second, protocol, port), (number, from_first));
                flows.insert((second, first, protocol, port), (number, !from_first));
            }
        }
        Ok(Self { hosts, flows, extra_headers: places.extra_headers.clone() })
    }

    /// The way of a packet to `to` that was read at `site`; `None` if nobody there has this
    /// address.
    pub fn way(&self, site: Site, to: IpAddr) -> Option<Way> {
        let to = *self.hosts.get(&to)?;
        let ap = NodeId::ACCESS_POINT;
        Some(match (site, to) {
            // The gateway sends it on, whoever it is for.
            (Site::Station(number), _) => {
                Way::Air { from: NodeId(number), station: NodeId(number) }
            }
            (Site::ApRadio, Host::Station(number)) => {
                Way::Air { from: ap, station: NodeId(number) }
            }
            (Site::ApWire, Host::Wired(to)) => Way::Wired { from: ACCESS_POINT, to },
            (Site::Host(from), Host::Wired(to)) if to != from => Way::Wired { from, to },
            (Site::Host(from), Host::Station(_) | Host::Gateway) => {
                Way::Wired { from, to: ACCESS_POINT }
            }
            (Site::ApRadio | Site::ApWire | Site::Host(_), _) => return None,
        })
    }

    /// The flow of a packet by its place in the specification, and whether it goes the way of its
    /// data.
    pub fn flow(&self, key: &FlowKey) -> Option<(usize, bool)> {
        let [from, to] = key.addresses;
        let find = |port: u16| self.flows.get(&(from, to, key.protocol, port)).copied();
        find(key.ports[1]).or_else(|| find(key.ports[0]))
    }

    /// Bytes that the sender of a packet adds to it.
    pub fn extra_header(&self, from: IpAddr) -> u32 {
        match self.hosts.get(&from) {
            Some(Host::Station(number)) => self.extra_headers[*number as usize - 1],
            _ => 0,
        }
    }
}

/// Keys and names of the ends of a flow.
fn ends(flow: &FlowSpec) -> Option<[(&'static str, &str); 2]> {
    match (&flow.station, &flow.host, &flow.from, &flow.to) {
        (Some(station), Some(host), None, None) => Some([("station", station), ("host", host)]),
        (None, None, Some(from), Some(to)) => Some([("from", from), ("to", to)]),
        _ => None,
    }
}

fn find(name: &str, field: &str, places: &Places) -> Result<Host, Error> {
    Host::find(name, places).ok_or_else(|| no_host(field, name, places))
}
