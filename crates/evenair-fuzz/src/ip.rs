//! The headers of real packets, as queue disciplines read and change them.

use evenair_core::ip::flows::FlowTable;
use evenair_core::ip::headers::{Headers, mark};
use evenair_core::packet::Ecn;
use evenair_core::time::Instant;

/// Whether the checksum of a header is right: with it, the words add up to all ones (RFC 1071).
fn checksum_holds(header: &[u8]) -> bool {
    let mut sum: u64 = header.chunks_exact(2).map(|w| u64::from(w[0]) << 8 | u64::from(w[1])).sum();
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum == 0xffff
}

/// The first two bytes are how much larger the packet is than what is there of it.
pub fn headers(bytes: &[u8]) {
    let Some((beyond, bytes)) = bytes.split_first_chunk::<2>() else { return };
    let size = bytes.len() + usize::from(u16::from_be_bytes(*beyond));
    let Some(headers) = Headers::parse(bytes, size) else { return };
    let (connection, _) =
        FlowTable::default().arrive(Instant::ZERO, &headers, u32::try_from(size).unwrap());
    assert_eq!(connection, FlowTable::default().arrive(Instant::ZERO, &headers, 1).0);
    if let Some(tcp) = &headers.tcp {
        assert!(!tcp.is_pure_ack || (tcp.ack.is_some() && tcp.payload == 0 && !tcp.is_syn));
        assert_eq!(headers.key.protocol, 6);
    }
    let mut marked = bytes.to_vec();
    mark(&mut marked);
    let is_v4 = bytes[0] >> 4 == 4;
    let header = usize::from(bytes[0] & 15) * 4;
    if is_v4 && (header < 20 || header > bytes.len()) {
        // Of a header that is not there whole nothing is changed.
        assert_eq!(marked, bytes);
        return;
    }
    // The mark, the checksum of IPv4, and nothing else. Another mark changes nothing more.
    let after = Headers::parse(&marked, size).unwrap();
    assert_eq!(after, Headers { ecn: Ecn::Ce, ..headers });
    let changed: Vec<usize> = (0..bytes.len()).filter(|&at| marked[at] != bytes[at]).collect();
    let may_change: &[usize] = if is_v4 { &[1, 10, 11] } else { &[1] };
    assert!(changed.iter().all(|at| may_change.contains(at)), "{changed:?}");
    assert!(!is_v4 || checksum_holds(&marked[..header]));
    let once = marked.clone();
    mark(&mut marked);
    assert_eq!(marked, once);
}
