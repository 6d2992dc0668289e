//! SNMP: the daemon reads responses, the emulated access point answers requests.

use std::time::Duration;

use evenaird::signal::counter::Counter;
use evenaird::signal::snmp::Query;
use snmp2::Pdu;
use snmp2::v3::{Auth, Security};

/// A response to the daemon's request, of SNMPv2c or, without authentication, of SNMPv3; then others,
/// each with its length before it. The counter takes whatever is accepted.
pub fn reply(bytes: &[u8]) {
    let Some((&version, mut rest)) = bytes.split_first() else { return };
    let query = Query::of_index(5).unwrap();
    let user = Security::new(b"gateway", b"").with_engine_boots_and_time(7, 1000);
    let mut security = user
        .with_auth(Auth::NoAuthNoPriv)
        .with_engine_id(&[0x80, 0, 0x1f, 0x88, 0x80, 1, 2, 3, 4])
        .unwrap();
    let mut counter = Counter::new(Duration::ZERO, Duration::ZERO);
    let mut now = Duration::ZERO;
    while let Some((length, datagrams)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*length)).min(datagrams.len());
        let (datagram, following) = datagrams.split_at(length);
        rest = following;
        let pdu = match version & 1 {
            0 => Pdu::from_bytes(datagram),
            _ => Pdu::from_bytes_with_security(datagram, Some(&mut security)),
        };
        now += Duration::from_millis(u64::from(version) * 10);
        if let Ok(reading) = pdu.map_err(Into::into).and_then(|pdu| query.read(&pdu)) {
            counter.read(now, reading);
        }
        counter.sample(now, version & 2 != 0);
    }
}

/// The largest response over Ethernet.
const LARGEST: usize = 1472;

/// A request is answered within the largest size, or not at all. The answer is one that the daemon's
/// library can read, with the number of the request.
pub fn request(bytes: &[u8]) {
    let Some(response) = evenair_emu::snmp_answer(bytes, LARGEST) else { return };
    assert!(response.len() <= LARGEST, "{} bytes", response.len());
    let pdu = Pdu::from_bytes(&response).unwrap();
    assert_eq!(pdu.message_type, snmp2::MessageType::Response);
    // Bindings are read as they are asked for. Those of a SET are the request's own.
    if pdu.error_status == 0 {
        let mut bindings = pdu.varbinds.clone();
        while bindings.next().is_some() {}
    }
}
