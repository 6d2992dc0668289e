//! Requests in BER (ITU-T X.690): the library builds them for sessions of its own only.

use snmp2::asn1::{
    TYPE_INTEGER, TYPE_NULL, TYPE_OBJECTIDENTIFIER, TYPE_OCTETSTRING, TYPE_SEQUENCE,
};
use snmp2::snmp::{V3_MSG_FLAGS_AUTH, V3_MSG_FLAGS_REPORTABLE};
use snmp2::v3::{Auth, Security};
use snmp2::{AsnReader, Error, Oid, Pdu, Version};

/// msgSecurityModel of the user-based one (RFC 3411 §5).
const USM: i32 = 3;
/// The largest UDP datagram over IPv4, msgMaxSize.
pub(super) const MAX_SIZE: u16 = 65_507;

/// A request of SNMPv2c (RFC 1901).
pub(super) fn v2c(community: &str, kind: u8, id: i32, objects: &[&Oid<'_>]) -> Vec<u8> {
    let version = integer(Version::V2C as i32);
    let community = element(TYPE_OCTETSTRING, community.as_bytes());
    element(TYPE_SEQUENCE, &[version, community, pdu(kind, id, objects)].concat())
}

/// A request of SNMPv3, authenticated and encrypted as `security` says.
///
/// # Errors
/// The engine is not known yet, or there is no key for it.
pub(super) fn v3(
    security: &Security,
    kind: u8,
    id: i32,
    objects: &[&Oid<'_>],
) -> Result<Vec<u8>, Error> {
    let engine = security.engine_id();
    let plain = plain_v3(engine, kind, id, objects);
    let mut nobody =
        Security::new(b"", b"").with_auth(Auth::NoAuthNoPriv).with_engine_id(engine)?;
    let pdu = Pdu::from_bytes_with_security(&plain, Some(&mut nobody))?;
    pdu.to_bytes_with_security(Some(security))
}

/// A message without user: for an empty `engine`, the discovery of an agent's (RFC 3414 §4).
pub(super) fn plain_v3(engine: &[u8], kind: u8, id: i32, objects: &[&Oid<'_>]) -> Vec<u8> {
    let empty = || element(TYPE_OCTETSTRING, &[]);
    let engine = || element(TYPE_OCTETSTRING, engine);
    // RFC 3412 §6: msgGlobalData.
    let flags = element(TYPE_OCTETSTRING, &[V3_MSG_FLAGS_REPORTABLE]);
    let header = [integer(id), integer(MAX_SIZE.into()), flags, integer(USM)].concat();
    // RFC 3414 §2.4: boots and time of the engine, user, authentication, privacy.
    let parameters = [engine(), integer(0), integer(0), empty(), empty(), empty()].concat();
    // RFC 3412 §6: contextEngineID, contextName.
    let scoped = [engine(), empty(), pdu(kind, id, objects)].concat();
    let message = [
        integer(Version::V3 as i32),
        element(TYPE_SEQUENCE, &header),
        element(TYPE_OCTETSTRING, &element(TYPE_SEQUENCE, &parameters)),
        element(TYPE_SEQUENCE, &scoped),
    ];
    element(TYPE_SEQUENCE, &message.concat())
}

/// Whether a message of SNMPv3 says that it is authenticated.
pub(super) fn is_authenticated(message: &[u8]) -> bool {
    let flags = || -> Result<u8, Error> {
        let mut message =
            AsnReader::from_bytes(AsnReader::from_bytes(message).read_raw(TYPE_SEQUENCE)?);
        let _version = message.read_asn_integer()?;
        let mut header = AsnReader::from_bytes(message.read_raw(TYPE_SEQUENCE)?);
        let (_id, _size) = (header.read_asn_integer()?, header.read_asn_integer()?);
        Ok(header.read_asn_octetstring()?.first().copied().unwrap_or(0))
    };
    flags().is_ok_and(|flags| flags & V3_MSG_FLAGS_AUTH != 0)
}

fn pdu(kind: u8, id: i32, objects: &[&Oid<'_>]) -> Vec<u8> {
    let binding = |object: &&Oid<'_>| {
        let name = element(TYPE_OBJECTIDENTIFIER, object.as_bytes());
        element(TYPE_SEQUENCE, &[name, element(TYPE_NULL, &[])].concat())
    };
    let bindings: Vec<u8> = objects.iter().flat_map(binding).collect();
    // error-status, error-index
    let parts = [integer(id), integer(0), integer(0), element(TYPE_SEQUENCE, &bindings)];
    element(kind, &parts.concat())
}

fn integer(value: i32) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    // The first nine bits of an integer are not alike (X.690 §8.3.2); none here is negative.
    let is_spare = |at: usize| bytes[at] == 0 && bytes[at + 1] & 0x80 == 0;
    let first = (0..3).find(|&at| !is_spare(at)).unwrap_or(3);
    element(TYPE_INTEGER, &bytes[first..])
}

/// Of up to 65,535 bytes: requests have some hundreds.
fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let [high, low] = [(length >> 8) as u8, length as u8];
    // X.690 §8.1.3: the short form up to 127.
    let mut bytes = match length {
        0..=0x7f => vec![tag, low],
        0x80..=0xff => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    bytes.extend_from_slice(contents);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand from X.690: 127 has one octet, 128 two, as the first bit is the sign.
    #[test]
    fn integers_and_lengths_are_minimal() {
        assert_eq!(integer(0), [2, 1, 0]);
        assert_eq!(integer(127), [2, 1, 127]);
        assert_eq!(integer(128), [2, 2, 0, 128]);
        assert_eq!(integer(65_507), [2, 3, 0, 0xff, 0xe3]);
        assert_eq!(integer(i32::MAX), [2, 4, 0x7f, 0xff, 0xff, 0xff]);
        assert_eq!(element(4, &[0; 127])[..2], [4, 127]);
        assert_eq!(element(4, &[0; 128])[..3], [4, 0x81, 128]);
        assert_eq!(element(4, &[0; 300])[..4], [4, 0x82, 1, 44]);
    }

    /// The library's decoder reads back what was asked.
    #[test]
    fn requests_are_read_back() {
        let objects = [[1, 3, 6, 1, 2, 1, 1, 3, 0], [1, 3, 6, 1, 2, 1, 1, 5, 0]];
        let objects = objects.map(|ids: [u64; 9]| Oid::from(&ids).unwrap());
        let bytes = v2c("c", snmp2::snmp::MSG_GET_NEXT, 70_000, &[&objects[0], &objects[1]]);
        let pdu = Pdu::from_bytes(&bytes).unwrap();
        assert_eq!((pdu.req_id, pdu.community), (70_000, &b"c"[..]));
        assert_eq!(pdu.message_type, snmp2::MessageType::GetNextRequest);
        assert_eq!(pdu.varbinds.map(|(oid, _)| oid).collect::<Vec<_>>(), objects);
    }
}
