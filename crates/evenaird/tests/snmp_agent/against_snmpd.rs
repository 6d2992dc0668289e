//! net-snmp's agent as the access point, a TUN device as its radio.

use std::net::UdpSocket;
use std::thread::sleep;
use std::time::{Duration, Instant};

use evenaird::signal::snmp::{AuthProtocol, Cipher, Credentials, Interface, SnmpSignal, Target};
use evenaird::signal::{Health, LossSignal, Sample};
use snmp2::AsnReader;

use crate::ber;
use crate::support::in_namespace;
use crate::support::radio::{self, Radio};
use crate::support::snmpd::{self, SHA_256_AES, Snmpd};

const ROUND: Duration = Duration::from_millis(500);

/// More than the tolerance of sysUpTime, below which a short restart is not noticed.
const NOTICEABLE_UPTIME: Duration = Duration::from_millis(5500);

fn start(credentials: Result<Credentials, &str>, interface: Interface) -> SnmpSignal {
    let target = Target {
        host: "127.0.0.1".into(),
        port: snmpd::PORT,
        credentials: credentials.unwrap(),
        interface,
        counter: None,
    };
    SnmpSignal::start(target).unwrap()
}

fn v2c() -> SnmpSignal {
    start(Credentials::community(snmpd::COMMUNITY), Interface::Name(radio::NAME.into()))
}

fn v3(password: &str, privacy: Option<(Cipher, &str)>) -> SnmpSignal {
    let user = snmpd::user(SHA_256_AES);
    let credentials = Credentials::user(&user, (AuthProtocol::Sha256, password), privacy);
    start(credentials, Interface::Name(radio::NAME.into()))
}

/// Waits for a sample of this health, for at most 5 s.
fn wait_for(signal: &mut SnmpSignal, health: Health) -> Sample {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let sample = signal.poll(true);
        if sample.health == health {
            return sample;
        }
        assert!(Instant::now() < deadline, "{sample:?}, {:?}", signal.error());
        sleep(Duration::from_millis(50));
    }
}

/// Rounds with losses, beginning with a first reading: all are fresh, and each signal sees each loss once.
fn count_losses(signals: &mut [SnmpSignal], radio: &mut Radio) {
    for signal in &mut *signals {
        wait_for(signal, Health::Ok);
    }
    let (mut lost, mut seen) = (0, vec![0; signals.len()]);
    for losses in [1, 0, 300, 2] {
        radio.lose(losses);
        lost += losses;
        sleep(ROUND);
        for (signal, seen) in signals.iter_mut().zip(&mut seen) {
            let sample = signal.poll(true);
            assert_eq!(sample.health, Health::Ok, "{:?}", signal.error());
            // Known only by a fresh reading.
            *seen += sample.lost.unwrap();
        }
    }
    for (signal, seen) in signals.iter().zip(seen) {
        assert_eq!(seen, lost);
        assert_eq!(signal.error(), None);
        // Each round had a fresh reading.
        assert!(signal.refresh().unwrap() <= 2 * ROUND);
    }
}

#[test]
#[ignore = "long, in real time"]
fn fresh_with_v2c() {
    in_namespace(&["snmpd"], || {
        let (mut radio, snmpd) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        snmpd.set_cache_timeout(0);
        // The loopback device is 1, the radio the next.
        let credentials = Credentials::community(snmpd::COMMUNITY);
        let by_index = start(credentials, Interface::Index(2));
        count_losses(&mut [v2c(), by_index], &mut radio);
    });
}

#[test]
fn fresh_with_v3() {
    in_namespace(&["snmpd"], || {
        let (mut radio, snmpd) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        snmpd.set_cache_timeout(0);
        let privacy = Some((Cipher::Aes128, snmpd::PRIVACY));
        let mut signals = [privacy, None].map(|privacy| v3(snmpd::AUTHENTICATION, privacy));
        count_losses(&mut signals, &mut radio);
    });
}

/// A network that delivers these datagrams for each reply of the agent: each reading is right.
fn readings_through(replies: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) {
    in_namespace(&["snmpd"], || {
        let (_radio, _agent) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        let front = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = front.local_addr().unwrap().port();
        let back = UdpSocket::bind("127.0.0.1:0").unwrap();
        back.connect(("127.0.0.1", snmpd::PORT)).unwrap();
        back.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        // It ends with the test's process.
        std::thread::spawn(move || {
            let mut buffer = [0; 65_536];
            loop {
                let (length, from) = front.recv_from(&mut buffer).unwrap();
                back.send(&buffer[..length]).unwrap();
                let Ok(length) = back.recv(&mut buffer) else { continue };
                for reply in replies(&buffer[..length]) {
                    front.send_to(&reply, from).unwrap();
                }
            }
        });
        let user = snmpd::user(SHA_256_AES);
        let authentication = (AuthProtocol::Sha256, snmpd::AUTHENTICATION);
        let privacy = Some((Cipher::Aes128, snmpd::PRIVACY));
        let target = Target {
            host: "127.0.0.1".into(),
            port,
            credentials: Credentials::user(&user, authentication, privacy).unwrap(),
            interface: Interface::Name(radio::NAME.into()),
            counter: None,
        };
        let mut signal = SnmpSignal::start(target).unwrap();
        wait_for(&mut signal, Health::Ok);
        // It is asked five times a second.
        for _ in 0..10 {
            sleep(Duration::from_millis(100));
            assert_eq!((signal.poll(false).health, signal.error()), (Health::Ok, None));
        }
    });
}

/// Discovery's replies included.
#[test]
fn duplicates_with_v3() {
    readings_through(|reply| vec![reply.to_vec(); 2]);
}

/// Before each authenticated reply come forged ones, by one who cannot authenticate them: a wrong digest, a
/// clock that is ahead with and without a digest, and no SNMP at all.
#[test]
fn forged_replies_with_v3_are_skipped() {
    readings_through(|reply| {
        // RFC 3412 §6, RFC 3414 §2.4: where msgFlags and, after the engine's id, its boots are.
        let position = |part: &[u8]| part.as_ptr() as usize - reply.as_ptr() as usize;
        let mut message = AsnReader::from_bytes(reply);
        let mut message = AsnReader::from_bytes(message.read_raw(ber::SEQUENCE).unwrap());
        message.read_asn_integer().unwrap();
        let mut header = AsnReader::from_bytes(message.read_raw(ber::SEQUENCE).unwrap());
        header.read_asn_integer().unwrap();
        header.read_asn_integer().unwrap();
        let flags = position(header.read_asn_octetstring().unwrap());
        let mut parameters = AsnReader::from_bytes(message.read_asn_octetstring().unwrap());
        let mut parameters = AsnReader::from_bytes(parameters.read_raw(ber::SEQUENCE).unwrap());
        let engine = parameters.read_asn_octetstring().unwrap();
        let boots = position(engine) + engine.len();
        if reply[flags] & 1 == 0 {
            return vec![reply.to_vec()];
        }
        assert_eq!(reply[boots..boots + 2], [ber::INTEGER, 1]);
        let (mut wrong, mut ahead) = (reply.to_vec(), reply.to_vec());
        *wrong.last_mut().unwrap() ^= 1;
        ahead[boots + 2] = 0x7f;
        let mut open = ahead.clone();
        open[flags] = 0;
        vec![wrong, ahead, open, b"none".to_vec(), reply.to_vec()]
    });
}

/// Keys that are longer than the digest included.
#[test]
fn every_pair_of_protocols_of_v3() {
    in_namespace(&["snmpd"], || {
        let protocols: Vec<_> = snmpd::protocols().collect();
        let (_radio, _snmpd) = (Radio::new(), Snmpd::start(&protocols));
        let signals: Vec<_> = protocols
            .into_iter()
            .map(|(authentication, cipher)| {
                let protocol = match authentication {
                    "SHA" => AuthProtocol::Sha1,
                    "SHA-224" => AuthProtocol::Sha224,
                    "SHA-256" => AuthProtocol::Sha256,
                    "SHA-384" => AuthProtocol::Sha384,
                    _ => AuthProtocol::Sha512,
                };
                let key = match cipher {
                    "AES" => Cipher::Aes128,
                    "AES-192" => Cipher::Aes192,
                    _ => Cipher::Aes256,
                };
                let credentials = Credentials::user(
                    &snmpd::user((authentication, cipher)),
                    (protocol, snmpd::AUTHENTICATION),
                    Some((key, snmpd::PRIVACY)),
                );
                start(credentials, Interface::Name(radio::NAME.into()))
            })
            .collect();
        for mut signal in signals {
            wait_for(&mut signal, Health::Ok);
        }
    });
}

#[test]
fn what_the_agent_refuses_is_unreachable() {
    in_namespace(&["snmpd"], || {
        let (_radio, _snmpd) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        let name = || Interface::Name(radio::NAME.into());
        let privacy = Some((Cipher::Aes128, "not the privacy password"));
        let mut cases = [
            (start(Credentials::community("wrong"), name()), "no answer"),
            (v3("not the authentication password", None), "Authentication failure"),
            (v3(snmpd::AUTHENTICATION, privacy), "no answer"),
            (
                start(Credentials::community(snmpd::COMMUNITY), Interface::Name("radio1".into())),
                "it has no interface with ifName or ifDescr \"radio1\"",
            ),
            (start(Credentials::community(snmpd::COMMUNITY), Interface::Index(77)), "not there"),
        ];
        let deadline = Instant::now() + Duration::from_secs(5);
        for (signal, reason) in &mut cases {
            let is_told = |signal: &SnmpSignal| signal.error().is_some_and(|e| e.contains(*reason));
            while !is_told(signal) && Instant::now() < deadline {
                sleep(Duration::from_millis(50));
            }
            assert_eq!(wait_for(signal, Health::Unreachable).lost, None);
            let error = signal.error().unwrap();
            assert!(error.starts_with("SNMP agent 127.0.0.1 port 10161: "), "{error}");
            assert!(error.contains(*reason), "{error}");
            assert!(!error.contains("password") && !error.contains('\n'), "{error}");
        }
    });
}

#[test]
#[ignore = "long, in real time"]
fn counters_cached_for_3_s() {
    in_namespace(&["snmpd"], || {
        let (mut radio, _snmpd) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        let mut signal = v2c();
        wait_for(&mut signal, Health::Ok);
        let (mut lost, mut seen) = (0, 0);
        let mut health = Vec::new();
        let mut last_sample = Instant::now();
        for round in 0..17 {
            // None in the last rounds, so that all losses have been seen in the end.
            let losses = if round < 9 { round % 3 } else { 0 };
            radio.lose(losses);
            lost += losses;
            sleep(ROUND);
            let sample = signal.poll(true);
            health.push(sample.health);
            seen += sample.lost.unwrap_or(0);
            assert_eq!(sample.lost.is_some(), sample.age < last_sample.elapsed(), "{sample:?}");
            last_sample = Instant::now();
        }
        assert_eq!(seen, lost);
        // Of six rounds one is fresh, and the one after it does not tell yet: 11.3 of 17 are stale.
        let stale = health.iter().filter(|&&health| health == Health::Stale).count();
        assert!((9..=13).contains(&stale), "{health:?}");
        assert!(health.iter().all(|health| matches!(health, Health::Ok | Health::Stale)));
        // Net-snmp's DEFAULT_CACHE_TIMEOUT of 3 s for ifTable, and up to two readings more.
        let refresh = signal.refresh().unwrap().as_secs_f64();
        assert!((3.0..3.6).contains(&refresh), "{refresh}");
    });
}

#[test]
#[ignore = "long, in real time"]
fn stopped_and_restarted() {
    in_namespace(&["snmpd"], || {
        let (mut radio, mut snmpd) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        snmpd.set_cache_timeout(0);
        let mut signal = v2c();
        radio.lose(3);
        wait_for(&mut signal, Health::Ok);
        sleep(NOTICEABLE_UPTIME);
        snmpd.stop();
        let stopped = Instant::now();
        signal.poll(true);
        assert_eq!(wait_for(&mut signal, Health::Unreachable).lost, None);
        assert!(stopped.elapsed() < Duration::from_millis(1200), "{:?}", stopped.elapsed());
        assert!(signal.error().unwrap().contains("no answer"));
        // Lost while nobody can see it: known to nobody.
        radio.lose(5);
        let snmpd = snmpd.restart();
        snmpd.set_cache_timeout(0);
        assert_eq!(wait_for(&mut signal, Health::Reset).lost, None);
        sleep(ROUND);
        assert_eq!(signal.poll(true).lost, None);
        count_losses(&mut [signal], &mut radio);
    });
}

#[test]
#[ignore = "long, in real time"]
fn the_v3_agent_restarts() {
    in_namespace(&["snmpd"], || {
        let (mut radio, snmpd) = (Radio::new(), Snmpd::start(&[SHA_256_AES]));
        let mut signal = v3(snmpd::AUTHENTICATION, Some((Cipher::Aes128, snmpd::PRIVACY)));
        wait_for(&mut signal, Health::Ok);
        sleep(NOTICEABLE_UPTIME);
        let snmpd = snmpd.restart();
        snmpd.set_cache_timeout(0);
        wait_for(&mut signal, Health::Reset);
        count_losses(&mut [signal], &mut radio);
    });
}
