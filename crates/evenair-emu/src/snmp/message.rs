//! Messages of SNMPv2c (RFC 1901) with the PDUs of RFC 3416.

use super::ber::{
    INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE, element, identifier, number,
    object_identifier,
};
use super::mib::Mib;

/// RFC 1901 section 3.
const VERSION_2C: i32 = 1;

/// PDUs and exceptions (RFC 3416 section 3).
const GET: u8 = 0xa0;
const GET_NEXT: u8 = 0xa1;
const RESPONSE: u8 = 0xa2;
const SET: u8 = 0xa3;
const GET_BULK: u8 = 0xa5;
const NO_SUCH_OBJECT: u8 = 0x80;
const END_OF_MIB_VIEW: u8 = 0x82;

/// Values of error-status (RFC 3416 section 3).
const TOO_BIG: u64 = 1;
const NOT_WRITABLE: u64 = 17;

/// The largest number of bindings in a response to GetBulk. RFC 3416 section 4.2.3 lets an agent
/// return fewer than were asked for.
const MOST_BINDINGS: usize = 256;

/// The response to a request; `None` if it deserves none.
pub fn answer(datagram: &[u8], community: &[u8], mib: &Mib, largest: usize) -> Option<Vec<u8>> {
    let mut message = Reader(Reader(datagram).expect(SEQUENCE)?);
    let is_known = message.integer()? == VERSION_2C && message.expect(OCTET_STRING)? == community;
    let (kind, contents) = message.element().filter(|_| is_known)?;
    let mut pdu = Reader(contents);
    // In GetBulk these are non-repeaters and max-repetitions.
    let (id, first, second) = (pdu.integer()?, pdu.integer()?, pdu.integer()?);
    let asked = pdu.expect(SEQUENCE)?;
    let names = names(asked)?;
    let respond = |status: u64, index: u64, bindings: &[u8]| {
        let contents = [
            &element(INTEGER, &id.to_be_bytes())[..],
            &number(INTEGER, status),
            &number(INTEGER, index),
            &element(SEQUENCE, bindings),
        ];
        let pdu = element(RESPONSE, &contents.concat());
        let version = number(INTEGER, VERSION_2C as u64);
        element(SEQUENCE, &[&version[..], &element(OCTET_STRING, community), &pdu].concat())
    };
    let bindings = match kind {
        GET => names.iter().flat_map(|name| get(mib, name)).collect(),
        GET_NEXT => names.iter().flat_map(|name| next(mib, name).1).collect(),
        GET_BULK => bulk(mib, &names, first, second),
        SET => return Some(respond(NOT_WRITABLE, 1, asked)),
        _ => return None,
    };
    let response = respond(0, 0, &bindings);
    Some(if response.len() <= largest { response } else { respond(TOO_BIG, 0, &[]) })
}

/// The names of a list of bindings; their values are not looked at.
fn names(bindings: &[u8]) -> Option<Vec<Vec<u32>>> {
    let mut bindings = Reader(bindings);
    let mut names = Vec::new();
    while !bindings.0.is_empty() {
        let mut binding = Reader(bindings.expect(SEQUENCE)?);
        names.push(object_identifier(binding.expect(OBJECT_IDENTIFIER)?)?);
        binding.element()?;
    }
    Some(names)
}

fn binding(name: &[u32], value: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[&identifier(name)[..], value].concat())
}

fn get(mib: &Mib, name: &[u32]) -> Vec<u8> {
    let missing = element(NO_SUCH_OBJECT, &[]);
    binding(name, mib.get(name).unwrap_or(&missing))
}

/// The next object, and its binding.
fn next(mib: &Mib, name: &[u32]) -> (Option<Vec<u32>>, Vec<u8>) {
    match mib.next(name) {
        Some((next, value)) => (Some(next.to_vec()), binding(next, value)),
        None => (None, binding(name, &element(END_OF_MIB_VIEW, &[]))),
    }
}

/// RFC 3416 section 4.2.3: the next object of the first names, and several of each other name.
fn bulk(mib: &Mib, names: &[Vec<u32>], non_repeaters: i32, repetitions: i32) -> Vec<u8> {
    let non_repeaters = usize::try_from(non_repeaters).unwrap_or(0).min(names.len());
    let (once, repeated) = names.split_at(non_repeaters);
    let mut bindings: Vec<u8> = once.iter().flat_map(|name| next(mib, name).1).collect();
    let mut repeated: Vec<Vec<u32>> = repeated.to_vec();
    let most = MOST_BINDINGS.checked_div(repeated.len()).unwrap_or(0).max(1);
    for _ in 0..usize::try_from(repetitions).unwrap_or(0).min(most) {
        let mut is_over = true;
        for name in &mut repeated {
            let (following, encoded) = next(mib, name);
            bindings.extend(encoded);
            if let Some(following) = following {
                (*name, is_over) = (following, false);
            }
        }
        if is_over {
            break;
        }
    }
    bindings
}
