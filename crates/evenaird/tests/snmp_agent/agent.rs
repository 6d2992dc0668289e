//! An SNMPv2c agent on loopback that answers as a test wants.

use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Instant;

use snmp2::{MessageType, Oid, Pdu};

use crate::ber::{self, element, message, number};

pub const COMMUNITY: &str = "hostile";

/// A request as it came.
#[derive(Clone)]
pub struct Request {
    pub id: i32,
    pub is_get_next: bool,
    pub objects: Vec<Vec<u8>>,
}

/// The interface of an access point, as an agent sees it.
#[derive(Clone)]
pub struct Interface {
    pub index: u8,
    pub name: &'static str,
    pub description: &'static str,
    pub discards: u32,
    pub octets: u64,
}

/// The datagrams that answer a request.
pub type Answer = Box<dyn FnMut(&Request, &Interface) -> Vec<Vec<u8>> + Send>;

pub struct Agent {
    pub address: SocketAddr,
    pub interface: Arc<Mutex<Interface>>,
    answer: Arc<Mutex<Answer>>,
}

impl Agent {
    pub fn start(interface: Interface) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let interface = Arc::new(Mutex::new(interface));
        let answer: Arc<Mutex<Answer>> = Arc::new(Mutex::new(honest()));
        let (seen_interface, seen_answer) = (Arc::clone(&interface), Arc::clone(&answer));
        // It ends with the test's process.
        thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).unwrap();
                let interface = seen_interface.lock().unwrap().clone();
                let request = parse(&buffer[..length]);
                for datagram in seen_answer.lock().unwrap()(&request, &interface) {
                    socket.send_to(&datagram, from).unwrap();
                }
            }
        });
        Agent { address, interface, answer }
    }

    pub fn answer_by(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }
}

/// Answers as the standards say.
pub fn honest() -> Answer {
    Box::new(|request, interface| vec![respond(request, &bindings(request, &mib(interface)))])
}

pub fn respond(request: &Request, bindings: &[Vec<u8>]) -> Vec<u8> {
    message(COMMUNITY.as_bytes(), ber::RESPONSE, request.id, 0, bindings)
}

/// The objects of the agent in lexicographic order, which is that of their encodings here.
pub fn mib(interface: &Interface) -> Vec<(Vec<u8>, Vec<u8>)> {
    // All agents of the tests have been up for more than an hour.
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ticks = 500_000 + STARTED.elapsed().as_millis() as u64 / 10;
    let if_table = |column| vec![43, 6, 1, 2, 1, 2, 2, 1, column, interface.index];
    let ifx_table = |column| vec![43, 6, 1, 2, 1, 31, 1, 1, 1, column, interface.index];
    let text = |text: &str| element(ber::OCTET_STRING, text.as_bytes());
    vec![
        (vec![43, 6, 1, 2, 1, 1, 3, 0], number(ber::TIME_TICKS, ticks)),
        (if_table(2), text(interface.description)),
        (if_table(16), number(ber::COUNTER32, interface.octets & 0xffff_ffff)),
        (if_table(19), number(ber::COUNTER32, interface.discards.into())),
        (ifx_table(1), text(interface.name)),
        // RFC 2863: ifHCInOctets, which stands still, and ifHCOutOctets.
        (ifx_table(6), number(ber::COUNTER64, 7)),
        (ifx_table(10), number(ber::COUNTER64, interface.octets)),
        (ifx_table(19), number(ber::TIME_TICKS, 0)),
    ]
}

/// The variable bindings of a response.
pub fn bindings(request: &Request, mib: &[(Vec<u8>, Vec<u8>)]) -> Vec<Vec<u8>> {
    let bind = |object: &Vec<u8>| {
        let found = mib.iter().find(|(oid, _)| match request.is_get_next {
            true => oid > object,
            false => oid == object,
        });
        match found {
            Some((oid, value)) => ber::binding(oid, value),
            None if request.is_get_next => {
                ber::binding(object, &element(ber::END_OF_MIB_VIEW, &[]))
            }
            None => ber::binding(object, &element(ber::NO_SUCH_INSTANCE, &[])),
        }
    };
    request.objects.iter().map(bind).collect()
}

fn parse(datagram: &[u8]) -> Request {
    let pdu = Pdu::from_bytes(datagram).unwrap();
    assert_eq!(pdu.community, COMMUNITY.as_bytes());
    Request {
        id: pdu.req_id,
        is_get_next: pdu.message_type == MessageType::GetNextRequest,
        objects: pdu.varbinds.map(|(oid, _): (Oid<'_>, _)| oid.as_bytes().to_vec()).collect(),
    }
}
