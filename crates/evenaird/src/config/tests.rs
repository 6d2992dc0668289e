//! Tests of the configuration.

use evenair_core::component::BitRate;
use evenair_core::control::limiter::{AdaptiveConfig, FixedConfig};

use super::*;

const SNMP: &str = r#"
interface = "eth1"
[loss_signal]
kind = "snmp"
host = "10.0.0.2"
community_file = "/etc/evenaird/community"
interface = "Dot11Radio0"
"#;

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text.as_bytes(), "gw.toml").map_err(|err| err.to_string())
}

/// But for the floor: 5% of `max_rate`.
#[test]
fn defaults_are_those_of_the_publication() {
    let config = parse(SNMP).unwrap();
    let min_rate = BitRate::from_bps(300_000);
    assert_eq!(config.limiter, AdaptiveConfig { min_rate, ..AdaptiveConfig::default() }.into());
    assert_eq!((config.mode, config.pinned), (Mode::Observe, false));
    assert_eq!((config.interval(), config.hold), (Duration::from_secs(1), Duration::from_secs(30)));
    assert_eq!((config.records, config.metrics), (None, None));
    let snmp = Snmp {
        host: "10.0.0.2".to_owned(),
        port: 161,
        version: Version::V2c,
        community_file: Some("/etc/evenaird/community".into()),
        user: None,
        authentication: Authentication::Sha256,
        authentication_file: None,
        privacy: Privacy::Aes128,
        privacy_file: None,
        interface: SnmpInterface::Name("Dot11Radio0".to_owned()),
        counter: None,
        refresh: None,
    };
    assert_eq!(config.signal, Some(Signal::Snmp(snmp)));
}

#[test]
fn the_floor_follows_the_highest_rate_unless_it_is_given() {
    let floor = |text: &str| {
        let document = format!("{text}\n{SNMP}");
        let (limiter, _) = limiter_and_hold(document.as_bytes(), "gw.toml").unwrap();
        match limiter {
            limiter::Config::Adaptive(adaptive) => Some(adaptive.min_rate.as_bps()),
            _ => None,
        }
    };
    assert_eq!(floor("limiter = \"adaptive\""), Some(300_000));
    assert_eq!(floor("limiter = { max_rate = \"50 Mbps\" }"), Some(2_500_000));
    assert_eq!(floor("limiter = { min_rate = 0 }"), Some(0));
    assert_eq!(floor("limiter = { min_rate = \"0 kbps\" }"), Some(0));
    assert_eq!(
        floor("limiter = { max_rate = \"50 Mbps\", min_rate = \"1 Mbps\" }"),
        Some(1_000_000)
    );
    assert_eq!(floor("limiter = \"fixed\""), None);
}

#[test]
fn every_key_is_read() {
    let text = r#"
version = 1
interface = "wlan0"
mode = "enforce"
pinned = true
runtime_directory = "/tmp/run"
[limiter]
bucket = "1 s"
kind = "adaptive"
interval = "2 s"
step = "100 kbps"
max_rate = "8 Mbps"
udp = "estimated"
[loss_signal]
kind = "snmp"
host = "ap.example"
port = 1161
version = "3"
user = "evenair"
authentication = "sha-512"
authentication_file = "/a"
privacy = "aes-256"
privacy_file = "/p"
interface = 7
counter = "1.3.6.1.2.1.2.2.1.19.7"
refresh = "2 s"
hold = "1 min"
[records]
file = "/var/log/r"
max_size = "1 MB"
keep = 0
[metrics]
listen = "[::1]:9723"
"#;
    let config = parse(text).unwrap();
    let limiter::Config::Adaptive(adaptive) = &config.limiter else { panic!("{config:?}") };
    assert_eq!(adaptive.bucket_bytes(), 1_000_000);
    assert_eq!(
        (adaptive.step, adaptive.udp),
        (BitRate::from_bps(100_000), limiter::Udp::Estimated)
    );
    assert_eq!((config.mode, config.pinned), (Mode::Enforce, true));
    assert_eq!((config.interval(), config.hold), (Duration::from_secs(2), Duration::from_secs(60)));
    let Some(Signal::Snmp(snmp)) = &config.signal else { panic!("{config:?}") };
    assert_eq!((snmp.authentication, snmp.privacy), (Authentication::Sha512, Privacy::Aes256));
    assert_eq!((snmp.port, &snmp.interface), (1161, &SnmpInterface::Index(7)));
    let rotation = Rotation { file: "/var/log/r".into(), max_size: 1_000_000, keep: 0 };
    assert_eq!(config.records, Some(rotation));
    assert_eq!(config.metrics, Some(Listen::Tcp("[::1]:9723".parse().unwrap())));
    assert_eq!(config.control_socket(), PathBuf::from("/tmp/run/wlan0.sock"));
}

#[test]
fn the_fixed_limiter_needs_no_signal() {
    let config = parse("interface = \"eth1\"\nlimiter = \"fixed\"").unwrap();
    assert_eq!((config.limiter, config.signal), (FixedConfig::default().into(), None));
    let text = "interface = \"e\"\nloss_signal = { kind = \"local\", device = \"w\", counter = \"qdisc\" }";
    let local = Local { device: "w".to_owned(), counter: Counter::Qdisc };
    assert_eq!(parse(text).unwrap().signal, Some(Signal::Local(local)));
}

/// One wrong value for each key: lines that are added to a good file or replace one, and the start of
/// the error.
#[test]
fn a_wrong_value_is_one_line_that_names_the_key() {
    let cases = [
        ("version = 2", "version: got 2; accepted: 1"),
        ("mode = \"on\"", "mode: got \"on\"; accepted: \"off\", \"observe\", \"enforce\""),
        ("pinned = 1", "pinned: got 1; accepted: true or false"),
        ("runtime_directory = 1", "runtime_directory: got 1; accepted: "),
        ("intreface = \"x\"", "intreface: unknown key `intreface`; did you mean `interface`? "),
        (
            "limiter.kind = \"adaptve\"",
            "limiter.kind: got \"adaptve\"; did you mean \"adaptive\"? ",
        ),
        (
            "limiter.kind = \"none\"",
            "limiter.kind: got \"none\"; accepted: \"adaptive\", \"fixed\"",
        ),
        ("limiter.interval = \"0 s\"", "limiter.interval: got \"0 s\"; accepted: a time above 0"),
        ("limiter.interval = \"9 ms\"", "limiter.interval: got 0.009 s; accepted: at least 0.01 s"),
        ("limiter.step = \"fast\"", "limiter.step: got \"fast\"; accepted: a rate"),
        ("limiter.stpe = 1", "limiter.stpe: unknown key `stpe`; did you mean `step`? "),
        ("limiter.bucket = \"2 GB\"", "limiter.bucket: got 2000000000 bytes; accepted: at most"),
        ("limiter.max_rate = \"unlimited\"", "limiter.max_rate: got \"unlimited\"; accepted: "),
        (
            "limiter = { udp = \"reserved\", udp_rate = \"6 Mbps\" }",
            "limiter.udp_rate: got 6 Mbps; accepted: less than max_rate, 6 Mbps",
        ),
        ("limiter.udp = 1", "limiter.udp: got 1; accepted: "),
        (
            "limiter.uplink_count = \"received\"",
            "limiter.uplink_count: got \"received\"; accepted: \"air\", \"passed\"",
        ),
        ("limiter.loss_signal = \"exact\"", "limiter.loss_signal: given; accepted: nothing"),
        ("records = { file = 1 }", "records.file: got 1; accepted: "),
        ("records = { max_size = 1000 }", "records.file: missing; accepted: "),
        ("records = { file = \"r\", max_size = \"1 B\" }", "records.max_size: got 1 bytes; "),
        ("records = { file = \"r\", keep = 1001 }", "records.keep: got 1001; accepted: "),
        ("records = { file = \"r\", kepe = 1 }", "records.kepe: unknown key `kepe`; did you mean"),
        (
            "metrics = { listen = \"0.0.0.0:80\" }",
            "metrics.listen: got \"0.0.0.0:80\"; accepted: a loop",
        ),
        (
            "metrics = { listen = \"unix:x\" }",
            "metrics.listen: got \"unix:x\"; accepted: a loopback",
        ),
    ];
    for (line, expected) in cases {
        let error = parse(&format!("{line}\n{SNMP}")).unwrap_err();
        assert!(error.starts_with(&format!("gw.toml: {expected}")), "{line}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_wrong_value_of_the_signal_is_one_line() {
    let v3 = "version = \"3\"\n";
    let cases = [
        ("kind = \"snmp\"", "kind = \"http\"", "kind: got \"http\"; accepted: \"snmp\", \"local\""),
        ("kind = \"snmp\"\n", "", "kind: missing; accepted: \"snmp\", \"local\""),
        ("host = \"10.0.0.2\"\n", "", "host: missing; accepted: "),
        ("host = \"10.0.0.2\"", "host = 10", "host: got 10; accepted: a text"),
        ("[loss_signal]", "[loss_signal]\nport = 65536", "port: got 65536; accepted: u16"),
        ("[loss_signal]", "[loss_signal]\nversion = \"1\"", "version: got \"1\"; accepted: "),
        ("[loss_signal]", "[loss_signal]\nhold = \"x\"", "hold: got \"x\""),
        ("[loss_signal]", "[loss_signal]\nrefresh = \"x\"", "refresh: got \"x\""),
        ("[loss_signal]", "[loss_signal]\nuser = \"x\"", "user: given; accepted: nothing"),
        ("[loss_signal]", "[loss_signal]\nprivacy_file = \"x\"", "privacy_file: given; accepted: "),
        ("[loss_signal]", "[loss_signal]\nprivacy = \"des\"", "privacy: got \"des\"; accepted: "),
        ("[loss_signal]", "[loss_signal]\nauthentication = \"md5\"", "authentication: got \"md5\""),
        (
            "[loss_signal]",
            "[loss_signal]\ncommunity = \"public\"",
            "community: unknown key `community`",
        ),
        ("\"Dot11Radio0\"", "0", "interface: got \"0\"; accepted: an ifIndex"),
        ("\"Dot11Radio0\"", "-1", "interface: got \"-1\"; accepted: an ifIndex"),
        (
            "community_file = \"/etc/evenaird/community\"\n",
            "",
            "community_file: missing; accepted: ",
        ),
        ("community_file = \"/etc/evenaird/community\"\n", v3, "user: missing; accepted: "),
        (
            "[loss_signal]",
            "[loss_signal]\nversion = \"3\"",
            "community_file: given; accepted: nothing",
        ),
    ];
    for (line, replacement, expected) in cases {
        assert!(SNMP.contains(line));
        let error = parse(&SNMP.replacen(line, replacement, 1)).unwrap_err();
        assert!(error.starts_with(&format!("gw.toml: loss_signal.{expected}")), "{error}");
        assert!(error.contains("accepted: ") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn an_interval_below_the_stated_refresh_interval_is_refused() {
    let text = SNMP.replace("[loss_signal]", "[loss_signal]\nrefresh = \"3 s\"");
    let error = parse(&text).unwrap_err();
    let expected = "limiter.interval: got 1 s; accepted: at least the refresh interval of the loss \
                    signal, 3 s";
    assert_eq!(error, format!("gw.toml: {expected}"));
    assert!(parse(&format!("limiter.interval = \"3 s\"\n{text}")).is_ok());
}

#[test]
fn what_is_missing_is_named() {
    assert!(parse("").unwrap_err().starts_with("gw.toml: interface: missing; accepted: "));
    let error = parse("interface = \"eth1\"").unwrap_err();
    assert!(error.starts_with("gw.toml: loss_signal: missing; accepted: "), "{error}");
}

#[test]
fn a_syntax_error_has_its_place() {
    let error = parse("interface = \"eth1\"\nmode = = 1\n").unwrap_err();
    assert!(error.starts_with("gw.toml: line 2, column 8: got \"mode = = 1\": "), "{error}");
    let error = Config::parse(b"a = \"\xff\"", "gw.toml").unwrap_err().to_string();
    assert!(error.starts_with("gw.toml: line 1, column 6: got "), "{error}");
    for text in ["interface = nan", "interface = 2020-01-01", "interface = [1]"] {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with("gw.toml: interface: "), "{error}");
    }
}

#[test]
fn a_replay_needs_the_limiter_alone() {
    let (limiter, hold) = limiter_and_hold(b"[limiter]\nstep = \"1 Mbps\"", "x").unwrap();
    let limiter::Config::Adaptive(adaptive) = limiter else { panic!("{limiter:?}") };
    assert_eq!((adaptive.step, hold), (BitRate::from_bps(1_000_000), HOLD.duration()));
    let text = format!("{SNMP}hold = \"5 s\"");
    assert_eq!(limiter_and_hold(text.as_bytes(), "x").unwrap().1, Duration::from_secs(5));
    assert!(limiter_and_hold(b"[limiter]\nx = 1", "x").is_err());
}
