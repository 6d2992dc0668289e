//! Agents that wrap, renumber, or answer what no agent should.

use std::thread::sleep;
use std::time::{Duration, Instant};

use evenaird::signal::snmp::{Credentials, Interface as Name, SnmpSignal, Target};
use evenaird::signal::{Health, LossSignal, Sample};

use crate::agent::{self, Agent, Answer, Interface, Request, bindings, honest, mib, respond};
use crate::ber::{self, element, message, number};

const RADIO: Interface =
    Interface { index: 5, name: "radio", description: "wifi0", discards: 10, octets: 1000 };

fn start(agent: &Agent, name: &str, counter: Option<&str>) -> SnmpSignal {
    let target = Target {
        host: agent.address.ip().to_string(),
        port: agent.address.port(),
        credentials: Credentials::community(agent::COMMUNITY).unwrap(),
        interface: Name::Name(name.into()),
        counter: counter.map(|counter| counter.parse().unwrap()),
    };
    SnmpSignal::start(target).unwrap()
}

fn wait_for(signal: &mut SnmpSignal, health: Health) -> Sample {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let sample = signal.poll(false);
        if sample.health == health {
            return sample;
        }
        assert!(Instant::now() < deadline, "{sample:?}, {:?}", signal.error());
        sleep(Duration::from_millis(50));
    }
}

/// A round of 700 ms, in which the agent is asked three times or more.
fn round(signal: &mut SnmpSignal) -> Sample {
    sleep(Duration::from_millis(700));
    signal.poll(true)
}

fn change(agent: &Agent, change: impl Fn(&mut Interface)) {
    change(&mut agent.interface.lock().unwrap());
}

#[test]
fn a_counter32_wraps() {
    let agent = Agent::start(Interface { discards: u32::MAX - 4, ..RADIO });
    let mut signal = start(&agent, "radio", None);
    wait_for(&mut signal, Health::Ok);
    // 4 steps to 2^32 - 1, 1 to 0, 2 to 2.
    change(&agent, |radio| radio.discards = 2);
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Wrapped, Some(7)));
    change(&agent, |radio| radio.discards = 3);
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Ok, Some(1)));
}

#[test]
fn interfaces_are_found_by_description_and_after_they_were_renumbered() {
    let agent = Agent::start(RADIO);
    let mut signal = start(&agent, "wifi0", None);
    wait_for(&mut signal, Health::Ok);
    change(&agent, |radio| radio.discards = 13);
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Ok, Some(3)));
    // The counters of another interface do not continue those of the first.
    change(&agent, |radio| (radio.index, radio.discards) = (6, 20));
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Reset, None), "{:?}", signal.error());
    change(&agent, |radio| radio.discards = 21);
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Ok, Some(1)));
}

#[test]
fn another_counter_of_losses() {
    let agent = Agent::start(RADIO);
    // ifHCOutOctets stands for a counter of 64 bits of some vendor.
    let mut signal = start(&agent, "radio", Some("1.3.6.1.2.1.31.1.1.1.10.5"));
    wait_for(&mut signal, Health::Ok);
    change(&agent, |radio| radio.octets = 1040);
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Ok, Some(40)));

    let mut signal = start(&agent, "radio", Some("1.3.6.1.2.1.31.1.1.1.10.7"));
    sleep(Duration::from_millis(700));
    assert_eq!(signal.poll(true).health, Health::Unreachable);
    let error = signal.error().unwrap();
    assert!(error.ends_with("counter of losses 1.3.6.1.2.1.31.1.1.1.10.7: not there"), "{error}");
}

#[test]
fn a_late_answer_is_not_taken_for_the_next() {
    let agent = Agent::start(RADIO);
    let mut signal = start(&agent, "radio", None);
    wait_for(&mut signal, Health::Ok);
    // The answer to the last request, each time, although it has another count.
    let mut answer = honest();
    let mut late = Vec::new();
    agent.answer_by(Box::new(move |request, radio| {
        let next = answer(request, &Interface { discards: 1000, ..radio.clone() });
        std::mem::replace(&mut late, next)
    }));
    sleep(Duration::from_secs(1));
    agent.answer_by(honest());
    sleep(Duration::from_secs(1));
    let sample = round(&mut signal);
    assert!(sample.lost.unwrap_or(0) == 0, "{sample:?}");
}

/// Each reply comes twice, or after the one before it: the losses of each round are known nevertheless.
#[test]
#[ignore = "long, in real time"]
fn duplicates_and_late_answers_are_skipped() {
    for is_late in [false, true] {
        let agent = Agent::start(RADIO);
        let mut answer = honest();
        let mut last = Vec::new();
        agent.answer_by(Box::new(move |request, radio| {
            let next = answer(request, radio);
            let before = std::mem::replace(&mut last, next.clone());
            if is_late { [before, next].concat() } else { [next.clone(), next].concat() }
        }));
        let mut signal = start(&agent, "radio", None);
        wait_for(&mut signal, Health::Ok);
        for discards in 11..=14 {
            change(&agent, |radio| {
                (radio.discards, radio.octets) = (discards, radio.octets + 1500);
            });
            let sample = round(&mut signal);
            assert_eq!((sample.health, sample.lost), (Health::Ok, Some(1)), "{:?}", signal.error());
            assert_eq!(signal.error(), None);
        }
    }
}

#[test]
fn implausible_counts_are_resets() {
    let agent = Agent::start(RADIO);
    let mut signal = start(&agent, "radio", None);
    wait_for(&mut signal, Health::Ok);
    change(&agent, |radio| radio.discards = 2_000_000_000);
    let sample = round(&mut signal);
    assert_eq!((sample.health, sample.lost), (Health::Reset, None));
}

/// An answer with other bindings than an honest agent's.
fn altered(alter: impl Fn(&mut Vec<Vec<u8>>) + Send + 'static) -> Answer {
    Box::new(move |request, radio| {
        let mut bindings = bindings(request, &mib(radio));
        if !request.is_get_next {
            alter(&mut bindings);
        }
        vec![respond(request, &bindings)]
    })
}

/// An honest agent, but for the value of one object of the query.
fn with_value(position: usize, value: Vec<u8>) -> Answer {
    Box::new(move |request, radio| {
        let mut bindings = bindings(request, &mib(radio));
        if !request.is_get_next && position < bindings.len() {
            bindings[position] = ber::binding(&request.objects[position], &value);
        }
        vec![respond(request, &bindings)]
    })
}

/// Bytes instead of an answer.
fn bytes(bytes: impl Fn(&Request, Vec<u8>) -> Vec<u8> + Send + 'static) -> Answer {
    Box::new(move |request, radio| {
        let honest = respond(request, &bindings(request, &mib(radio)));
        vec![bytes(request, honest)]
    })
}

fn hostile_answers() -> Vec<(&'static str, Answer)> {
    let no_answer = || element(ber::NO_SUCH_INSTANCE, &[]);
    let other_pdu =
        |pdu, status| move |request: &Request, _| message(b"hostile", pdu, request.id, status, &[]);
    vec![
        ("nothing", Box::new(|_: &Request, _: &Interface| Vec::new()) as Answer),
        ("an empty datagram", bytes(|_, _| Vec::new())),
        ("text", bytes(|_, _| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())),
        ("zeros", bytes(|_, _| vec![0; 1400])),
        ("ones", bytes(|_, _| vec![0xff; 65_000])),
        ("half of an answer", bytes(|_, answer| answer[..answer.len() / 2].to_vec())),
        (
            "a length beyond the end",
            bytes(|_, mut answer| {
                answer[2] ^= 0x40;
                answer
            }),
        ),
        (
            "deep nesting",
            bytes(|_, _| (0..8000).fold(Vec::new(), |inner, _| element(ber::SEQUENCE, &inner))),
        ),
        (
            "the request's id off by one",
            Box::new(|request: &Request, radio: &Interface| {
                let request = Request { id: request.id.wrapping_add(1), ..request.clone() };
                vec![respond(&request, &bindings(&request, &mib(radio)))]
            }),
        ),
        (
            "another community",
            bytes(|request, _| message(b"other", ber::RESPONSE, request.id, 0, &[])),
        ),
        ("genErr", bytes(other_pdu(ber::RESPONSE, 5))),
        ("a huge error-status", bytes(other_pdu(ber::RESPONSE, u64::MAX))),
        ("a report", bytes(other_pdu(ber::REPORT, 0))),
        ("no bindings", altered(Vec::clear)),
        ("too few bindings", altered(|bindings| drop(bindings.pop()))),
        ("reversed bindings", altered(|bindings| bindings.reverse())),
        (
            "one object for all",
            altered(|bindings| {
                let first = bindings[0].clone();
                bindings.fill(first);
            }),
        ),
        ("a binding that is none", altered(|bindings| bindings[1] = number(ber::INTEGER, 5))),
        ("no sysUpTime", with_value(0, no_answer())),
        ("sysUpTime as text", with_value(0, element(ber::OCTET_STRING, b"12 days"))),
        ("no count", with_value(1, no_answer())),
        ("a gauge", with_value(1, number(ber::GAUGE32, 10))),
        ("a count of 9 bytes", with_value(1, element(ber::COUNTER64, &[1; 9]))),
        ("a count without bytes", with_value(1, element(ber::COUNTER32, &[]))),
        ("ifHCOutOctets as a Counter32", with_value(2, number(ber::COUNTER32, 1))),
        ("ifOutOctets as a Counter64", with_value(3, number(ber::COUNTER64, 1))),
        ("ifCounterDiscontinuityTime as text", with_value(4, element(ber::OCTET_STRING, b""))),
        ("another name", with_value(5, element(ber::OCTET_STRING, b"wlan1"))),
        (
            "a table in a circle",
            Box::new(|request: &Request, radio: &Interface| {
                let first = Request { objects: vec![vec![43]], ..request.clone() };
                let mib = mib(radio);
                match request.is_get_next {
                    true => vec![respond(request, &bindings(&first, &mib[4..]))],
                    false => vec![respond(request, &[])],
                }
            }),
        ),
    ]
}

/// Each answer makes the signal unreachable, with a reason; then the agent becomes honest, and
/// losses are seen again.
#[test]
#[ignore = "long, in real time"]
fn hostile_answers_are_no_answers() {
    let tests: Vec<_> = hostile_answers()
        .into_iter()
        .map(|(what, answer)| {
            let agent = Agent::start(RADIO);
            let signal = start(&agent, "radio", None);
            (what, answer, agent, signal)
        })
        .collect();
    sleep(Duration::from_millis(500));
    let mut tests: Vec<_> = tests
        .into_iter()
        .map(|(what, answer, agent, mut signal)| {
            let sample = signal.poll(true);
            assert_eq!((sample.health, signal.error()), (Health::Ok, None), "before {what}");
            agent.answer_by(answer);
            (what, agent, signal)
        })
        .collect();
    sleep(Duration::from_millis(400));
    for (_, _, signal) in &mut tests {
        signal.poll(true);
    }
    sleep(Duration::from_millis(2200));
    for (what, agent, signal) in &mut tests {
        let sample = signal.poll(true);
        assert_eq!((sample.health, sample.lost), (Health::Unreachable, None), "{what}");
        let error = signal.error().expect(what);
        assert!(!error.contains('\n') && error.is_ascii() && error.len() < 200, "{what}: {error}");
        agent.answer_by(honest());
        change(agent, |radio| radio.discards += 4);
    }
    sleep(Duration::from_millis(1500));
    for (what, _, signal) in &mut tests {
        let sample = signal.poll(true);
        assert_eq!((sample.health, sample.lost), (Health::Ok, Some(4)), "after {what}");
        assert_eq!(signal.error(), None, "after {what}");
    }
}
