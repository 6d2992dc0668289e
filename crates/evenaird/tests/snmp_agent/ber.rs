//! Basic Encoding Rules (ITU-T X.690), as far as SNMP messages need them.

pub const INTEGER: u8 = 0x02;
pub const OCTET_STRING: u8 = 0x04;
pub const OBJECT_IDENTIFIER: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;
/// RFC 2578 §7.1.
pub const COUNTER32: u8 = 0x41;
pub const GAUGE32: u8 = 0x42;
pub const TIME_TICKS: u8 = 0x43;
pub const COUNTER64: u8 = 0x46;
/// RFC 3416 §3.
pub const NO_SUCH_INSTANCE: u8 = 0x81;
pub const END_OF_MIB_VIEW: u8 = 0x82;
pub const RESPONSE: u8 = 0xa2;
pub const REPORT: u8 = 0xa8;

/// Tag, length, contents.
pub fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let mut bytes = vec![tag];
    match length {
        0..128 => bytes.push(length as u8),
        _ => bytes.extend([0x83, (length >> 16) as u8, (length >> 8) as u8, length as u8]),
    }
    bytes.extend(contents);
    bytes
}

/// A number that is not negative, of any type of number.
pub fn number(tag: u8, value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let skip = bytes.iter().take(7).take_while(|&&byte| byte == 0).count();
    // A set sign bit would make it negative.
    let sign: &[u8] = if bytes[skip] & 0x80 != 0 { &[0] } else { &[] };
    element(tag, &[sign, &bytes[skip..]].concat())
}

pub fn binding(oid: &[u8], value: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[&element(OBJECT_IDENTIFIER, oid), value].concat())
}

/// An SNMPv2c message (RFC 1901, RFC 3416).
pub fn message(community: &[u8], pdu: u8, id: i32, status: u64, bindings: &[Vec<u8>]) -> Vec<u8> {
    let contents = [
        element(INTEGER, &id.to_be_bytes()),
        number(INTEGER, status),
        number(INTEGER, 0),
        element(SEQUENCE, &bindings.concat()),
    ];
    let contents =
        [number(INTEGER, 1), element(OCTET_STRING, community), element(pdu, &contents.concat())];
    element(SEQUENCE, &contents.concat())
}
