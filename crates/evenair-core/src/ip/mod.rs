//! IP packets of real hosts in queue disciplines: what a discipline needs of their headers
//! ([`headers`]), and to which flow they belong ([`flows`]). The bytes stay with the driver.

pub mod flows;
pub mod headers;
mod packet;

pub use packet::IpPacket;
