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
const NO_SUCH_INSTANCE: u8 = 0x81;
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

/// RFC 3416 section 4.2.1: the value of an object.
fn get(mib: &Mib, name: &[u32]) -> Vec<u8> {
    let missing = if mib.has_type(name) { NO_SUCH_INSTANCE } else { NO_SUCH_OBJECT };
    binding(name, mib.get(name).unwrap_or(&element(missing, &[])))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::snmp::{Counters, mib};

    const COMMUNITY: &[u8] = b"public";
    const LARGEST: usize = 1472;

    /// sysUpTime.0 and ifOutDiscards.1, encoded by hand (X.690 section 8.19).
    const SYS_UPTIME: [u8; 8] = [43, 6, 1, 2, 1, 1, 3, 0];
    const IF_OUT_DISCARDS: [u8; 10] = [43, 6, 1, 2, 1, 2, 2, 1, 19, 1];

    /// An element of fewer than 128 bytes.
    fn short(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
        let contents = contents.concat();
        [&[tag, contents.len() as u8][..], &contents].concat()
    }

    /// A message with these values of both objects (RFC 3416 section 3).
    fn message(version: u8, pdu: u8, id: &[u8], values: [&[u8]; 2]) -> Vec<u8> {
        let bind = |name: &[u8], value: &[u8]| short(0x30, &[&short(0x06, &[name]), value]);
        let list =
            short(0x30, &[&bind(&SYS_UPTIME, values[0]), &bind(&IF_OUT_DISCARDS, values[1])]);
        let pdu = short(pdu, &[&short(0x02, &[id]), &[0x02, 1, 0, 0x02, 1, 0], &list]);
        short(0x30, &[&[0x02, 1, version], &short(0x04, &[COMMUNITY]), &pdu])
    }

    fn request(version: u8, pdu: u8) -> Vec<u8> {
        message(version, pdu, &[0x12, 0x34], [&[0x05, 0]; 2])
    }

    fn mib() -> mib::Mib {
        mib::Mib::new(300, Counters { discards: 0x1_8000_0001, ..Counters::default() })
    }

    /// By hand: 300 is 0x012c, and Counter32 has 0x80000001 of 0x180000001.
    #[test]
    fn a_request_is_answered_with_its_objects() {
        let values: [&[u8]; 2] = [&[0x43, 2, 0x01, 0x2c], &[0x41, 5, 0, 0x80, 0, 0, 1]];
        let expected = message(1, 0xa2, &[0, 0, 0x12, 0x34], values);
        assert_eq!(answer(&request(1, 0xa0), COMMUNITY, &mib(), LARGEST), Some(expected));
        assert_eq!(answer(&request(1, 0xa0), b"private", &mib(), LARGEST), None);
        assert_eq!(answer(&request(0, 0xa0), COMMUNITY, &mib(), LARGEST), None, "SNMPv1");
        assert_eq!(answer(&request(1, 0xa2), COMMUNITY, &mib(), LARGEST), None, "a response");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let if_entry = [1, 3, 6, 1, 2, 1, 2, 2, 1];
        let asked = |column, row: &[u32]| get(&mib(), &[&if_entry[..], &[column], row].concat());
        // ifOutDiscards of another interface, and of none; ifOutQLen.
        assert!(asked(19, &[2]).ends_with(&[0x81, 0]));
        assert!(asked(19, &[]).ends_with(&[0x81, 0]));
        assert!(asked(21, &[1]).ends_with(&[0x80, 0]));
    }

    #[test]
    fn a_response_that_does_not_fit_is_an_error() {
        let response = answer(&request(1, 0xa0), COMMUNITY, &mib(), 50).unwrap();
        // error-status tooBig, and no bindings.
        assert_eq!(response[response.len() - 8..], [0x02, 1, 1, 0x02, 1, 0, 0x30, 0]);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!(20_000))]

        /// No panic and no long answer, whatever arrives.
        #[test]
        fn damaged_requests_do_no_harm(
            kind in prop::sample::select(vec![0xa0_u8, 0xa1, 0xa3, 0xa5]),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut request = request(1, kind);
            for (place, byte) in changes {
                let place = place.index(request.len());
                request[place] = byte;
            }
            let whole = request.len();
            request.truncate(cut.index(4 * whole).max(1));
            if let Some(response) = answer(&request, COMMUNITY, &mib(), LARGEST) {
                prop_assert!(response.len() <= LARGEST);
            }
        }
    }
}
