//! Capture files: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng). The bytes come from
//! elsewhere; none of them is trusted.

mod pcap;
mod pcapng;
mod record;

use std::net::IpAddr;

use self::record::{Record, array};
use crate::component::Seconds;
use crate::ip::headers::{FlowKey, Headers};
use crate::time::Duration;

/// An IP packet of a capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Captured {
    /// Which one of the file it is, counted from 1.
    pub(super) number: usize,
    /// Time since the first.
    pub(super) at: Duration,
    /// Size with IP header, bytes.
    pub(super) bytes: u32,
    pub(super) key: FlowKey,
    /// Of a segment of TCP: whether it opens a connection, and its payload, bytes.
    pub(super) tcp: Option<(bool, u32)>,
}

impl Captured {
    pub(super) fn from(&self) -> IpAddr {
        self.key.addresses[0]
    }

    pub(super) fn to(&self) -> IpAddr {
        self.key.addresses[1]
    }
}

/// The largest IP packet (RFC 791 section 3.1).
const MAX_SIZE: u64 = 65_535;

/// The IP packets of a capture; `None` if the file is none.
///
/// # Errors
/// Where something is wrong, and what.
pub(super) fn read(bytes: &[u8]) -> Result<Option<Vec<Captured>>, String> {
    let mut packets = Vec::new();
    let mut add = |record: &Record<'_>| add(&mut packets, record);
    if let Some(reader) = pcap::Reader::new(bytes) {
        reader.read(&mut add)?;
    } else if pcapng::is_one(bytes) {
        pcapng::read(bytes, &mut add)?;
    } else {
        return Ok(None);
    }
    let Some(&(_, first)) = packets.first() else { return Ok(Some(Vec::new())) };
    let packets = packets.into_iter().map(|(packet, time)| {
        let number = packet.number;
        let since = time.checked_sub(first).and_then(|since| u64::try_from(since).ok());
        match since.map(Duration::from_nanos) {
            Some(at) if at <= LONGEST => Ok(Captured { at, ..packet }),
            Some(_) => {
                let longest = Seconds::from(LONGEST);
                Err(format!(
                    "packet {number}: got a time too late; accepted: {longest} after the first"
                ))
            }
            None => Err(format!(
                "packet {number}: got a time before the first; accepted: times in order"
            )),
        }
    });
    packets.collect::<Result<_, _>>().map(Some)
}

/// The longest capture: as far as times in a configuration go.
const LONGEST: Duration = Duration::from_secs(1_000_000);

/// Adds the IP packet of a record, and its time, if there is one.
fn add(packets: &mut Vec<(Captured, u128)>, record: &Record<'_>) -> Result<(), String> {
    let Record { number, time, data, length, .. } = *record;
    let at = record.link.ip_at(data).map_err(|error| format!("packet {number}: {error}"))?;
    let ip = at.and_then(|at| Some((data.get(at..)?, (length as usize).checked_sub(at)?)));
    let Some((ip, on_link)) = ip else { return Ok(()) };
    let Some(headers) = Headers::parse(ip, on_link) else { return Ok(()) };
    let stated = match ip[0] >> 4 {
        4 => array(ip, 2).map(u16::from_be_bytes).map_or(0, usize::from),
        _ => array(ip, 4).map(u16::from_be_bytes).map_or(0, |payload| 40 + usize::from(payload)),
    };
    // A packet that the interface is to segment has no length in its header.
    let bytes = if stated == 0 { on_link } else { stated };
    if bytes == 0 || bytes as u64 > MAX_SIZE {
        return Err(format!(
            "packet {number}: got an IP packet of {bytes} bytes; accepted: from 1 to {MAX_SIZE}"
        ));
    }
    // What a link adds to short packets is no payload.
    let padding = on_link.saturating_sub(bytes) as u32;
    let tcp = headers.tcp.map(|tcp| (tcp.is_syn, tcp.payload.saturating_sub(padding)));
    let packet =
        Captured { number, at: Duration::ZERO, bytes: bytes as u32, key: headers.key, tcp };
    packets.push((packet, time));
    Ok(())
}
