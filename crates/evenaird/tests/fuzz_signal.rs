//! Damaged answers through the decoding that the SNMP loss signal uses: no panic, and nothing
//! accepted without authentication where it is asked for.
//!
//! `PROPTEST_CASES` sets the number of answers, e.g. 10000000.

#[allow(dead_code, reason = "the tests with agents use the rest")]
#[path = "snmp_agent/ber.rs"]
mod ber;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use evenair_core::rng::{RngStream, StreamId};
use evenaird::signal::counter::Counter;
use evenaird::signal::snmp::Query;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use snmp2::Pdu;
use snmp2::v3::{Auth, AuthProtocol, Cipher, Security};

use crate::ber::{binding, element, message, number};

const ENGINE: &[u8] = &[0x80, 0, 0x1f, 0x88, 0x80, 1, 2, 3, 4];
const USER: &[u8] = b"gateway";
/// RFC 3412 §6.4.
const AUTHENTICATED: u8 = 1;
const RUNS: u32 = 100_000;

#[test]
fn damaged_answers() {
    let config = evenair_testing::config!(RUNS);
    let runs = u64::from(config.cases);
    let query = Query::of_index(5).unwrap();
    let counter = RefCell::new((Counter::new(Duration::ZERO, Duration::ZERO), Duration::ZERO));

    // The clock of `message_v3`, so that it need not be learnt.
    let user = || Security::new(USER, b"a long password").with_engine_boots_and_time(7, 1000);
    let cipher = Auth::AuthPriv { cipher: Cipher::Aes128, privacy_password: b"another one".into() };
    let private = user()
        .with_auth_protocol(AuthProtocol::Sha256)
        .with_auth(cipher)
        .with_engine_id(ENGINE)
        .unwrap();
    // Without authentication, damage reaches the decoder's end.
    let open = user().with_auth(Auth::NoAuthNoPriv).with_engine_id(ENGINE).unwrap();
    let undiscovered = Security::new(USER, b"").with_auth(Auth::NoAuthNoPriv);

    let (accepted, refused) = (Cell::new(0_u64), Cell::new(0_u64));
    let run = |seed| {
        let mut random = RngStream::new(seed, StreamId::Traffic, 0);
        let bindings = bindings(&query, &mut random);
        let kind = random.up_to(3);
        let mut bytes = match kind {
            0 => message(b"public", ber::RESPONSE, 7, 0, &bindings),
            1 => message_v3(ENGINE, USER, AUTHENTICATED, &[0; 24], ber::RESPONSE, 7, &bindings),
            2 => message_v3(ENGINE, USER, 0, b"", ber::RESPONSE, 7, &bindings),
            _ => message_v3(ENGINE, b"", 0, b"", ber::REPORT, 7, &bindings),
        };
        damage(&mut bytes, &mut random);
        let mut security = match kind {
            1 => private.clone(),
            2 => open.clone(),
            _ => undiscovered.clone(),
        };
        let pdu = match kind {
            0 => Pdu::from_bytes(&bytes),
            _ => Pdu::from_bytes_with_security(&bytes, Some(&mut security)),
        };
        match pdu.map_err(Into::into).and_then(|pdu| query.read(&pdu)) {
            Ok(reading) => {
                assert_ne!(kind, 1, "accepted without a valid digest: {bytes:02x?}");
                let (counter, now) = &mut *counter.borrow_mut();
                *now += Duration::from_millis(random.up_to(2000).into());
                counter.read(*now, reading);
                counter.sample(*now, true);
                accepted.set(accepted.get() + 1);
            }
            Err(_) => refused.set(refused.get() + 1),
        }
        Ok(())
    };
    let result = TestRunner::new(config).run(&any::<u64>().no_shrink(), run);
    result.unwrap_or_else(|error| panic!("{error}"));
    let (accepted, refused) = (accepted.get(), refused.get());
    println!("{accepted} answers accepted, {refused} refused");
    // One in six is not damaged, and two kinds of four can be accepted.
    assert!(accepted > runs / 15, "the damage hides the decoder: {accepted} of {runs}");
    assert!(refused > runs / 2, "there is no damage: {refused} of {runs}");
}

/// What an agent would send, with any numbers.
fn bindings(query: &Query, random: &mut RngStream) -> Vec<Vec<u8>> {
    let types = [ber::TIME_TICKS, ber::COUNTER32, ber::COUNTER64, ber::COUNTER32, ber::TIME_TICKS];
    let objects = query.objects().into_iter().zip(types);
    objects
        .map(|(object, tag)| {
            let value = random.next_u64() >> if tag == ber::COUNTER64 { 0 } else { 32 };
            binding(object.as_bytes(), &number(tag, value))
        })
        .collect()
}

/// An SNMPv3 message (RFC 3412 §6, RFC 3414 §2.4) in clear text, with these flags and this
/// authentication parameter.
fn message_v3(
    engine: &[u8],
    user: &[u8],
    flags: u8,
    digest: &[u8],
    pdu: u8,
    id: i32,
    bindings: &[Vec<u8>],
) -> Vec<u8> {
    let id = element(ber::INTEGER, &id.to_be_bytes());
    let global = [
        id.clone(),
        number(ber::INTEGER, 65_507),
        element(ber::OCTET_STRING, &[flags]),
        number(ber::INTEGER, 3),
    ];
    let security = [
        element(ber::OCTET_STRING, engine),
        number(ber::INTEGER, 7),
        number(ber::INTEGER, 1000),
        element(ber::OCTET_STRING, user),
        element(ber::OCTET_STRING, digest),
        element(ber::OCTET_STRING, &[0; 8]),
    ];
    let contents = [
        id,
        number(ber::INTEGER, 0),
        number(ber::INTEGER, 0),
        element(ber::SEQUENCE, &bindings.concat()),
    ];
    let scoped = [
        element(ber::OCTET_STRING, engine),
        element(ber::OCTET_STRING, b""),
        element(pdu, &contents.concat()),
    ];
    let message = [
        number(ber::INTEGER, 3),
        element(ber::SEQUENCE, &global.concat()),
        element(ber::OCTET_STRING, &element(ber::SEQUENCE, &security.concat())),
        element(ber::SEQUENCE, &scoped.concat()),
    ];
    element(ber::SEQUENCE, &message.concat())
}

/// Up to five changes: bits, octets that mean something in BER, and pieces cut out, doubled, put in.
fn damage(bytes: &mut Vec<u8>, random: &mut RngStream) {
    const TELLING: [u8; 14] = [0, 1, 2, 4, 6, 0x30, 0x41, 0x46, 0x7f, 0x80, 0x81, 0x88, 0xa2, 0xff];
    for _ in 0..random.up_to(5) {
        let end = bytes.len() as u32;
        if end == 0 {
            return;
        }
        let at = random.up_to(end - 1) as usize;
        let to = (at + random.up_to(9) as usize).min(bytes.len());
        match random.up_to(5) {
            0 => bytes[at] ^= 1 << random.up_to(7),
            1 => bytes[at] = TELLING[random.up_to(13) as usize],
            2 => drop(bytes.drain(at..to)),
            3 => {
                let piece = bytes[at..to].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => {
                let number = random.next_u64().to_be_bytes();
                let piece = element(ber::INTEGER, &number[random.up_to(7) as usize..]);
                bytes.splice(at..at, piece);
            }
            // Seldom, as nothing is left to decode then.
            _ if random.up_to(7) == 0 => bytes.truncate(at),
            _ => bytes[at] = random.up_to(255) as u8,
        }
    }
}
