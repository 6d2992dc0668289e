use proptest::prelude::*;
use serde_json::{Value, json};

use super::broken_tests::error_of;
use super::*;
use evenair_core::loss::{IndependentConfig, LossRateConfig};
use evenair_core::medium::{PhyFormat, TxVector};
use evenair_core::queue::{Config, Filtering, LasConfig, Service, SpmAfConfig};
use evenair_core::time::Duration;
use evenair_core::traffic::{Distribution, OnOffConfig, Pattern};
use evenair_core::units::Rate;

/// Five stations upload and five download.
const EXAMPLE: &str = r#"
name = "five up, five down"
duration = "300 s"          # measured time, after warmup
warmup = "0 s"

[cell]
kind = "wlan"               # "wlan" | "wimax"
phy = "802.11b"             # 802.11b | 802.11a | 802.11g | ...
data_rate = "11 Mbps"
control_rate = "2 Mbps"
preamble = "short"          # 802.11b: short | long
rts_threshold = "off"       # or bytes; 0 = always
queue = { kind = "droptail", limit = 60 }   # the AP's (or base station's) downlink queue, packets or bytes

[wired]
rate = "100 Mbps"
delay = "2 ms"

[[station]]
count = 5
flows = [{ direction = "up", transport = "newreno", application = "bulk", window = 20, segment = 1460 }]

[[station]]
count = 5
flows = [{ direction = "down", transport = "newreno", application = "bulk", window = 20, segment = 1460 }]
"#;

fn document(toml: &str) -> Value {
    document_from_toml(toml.as_bytes(), "test.toml").unwrap()
}

fn resolved(toml: &str) -> Scenario {
    resolve(document(toml), "test.toml").unwrap_or_else(|err| panic!("{err}"))
}

fn wlan(scenario: &Scenario) -> &WlanCell {
    match &scenario.cell {
        Cell::Wlan(cell) => cell,
        Cell::Wimax(_) => panic!("the cell is no WLAN"),
    }
}

/// The shortest scenario, with more keys of its flow.
fn with_flow(keys: &str) -> Scenario {
    resolved(&format!("[[station]]\nflows = [{{ direction = \"up\"{keys} }}]"))
}

fn overridden(toml: &str, sets: &[(&str, &str)]) -> Scenario {
    let mut document = document(toml);
    for (key, value) in sets {
        set(&mut document, key, value, "--set").unwrap_or_else(|err| panic!("{err}"));
    }
    resolve(document, "test.toml").unwrap_or_else(|err| panic!("{err}"))
}

#[test]
fn the_example_of_the_interface_resolves() {
    let scenario = resolved(EXAMPLE);
    assert_eq!(scenario.name, "five up, five down");
    assert_eq!(scenario.duration.duration(), Duration::from_secs(300));
    assert_eq!(wlan(&scenario).data_rate.unwrap().rate(), Rate::from_mbps(11));
    assert_eq!(wlan(&scenario).preamble, Some(Preamble::Short));
    assert_eq!(scenario.cell.queue().limit, QueueLimit::Packets(60));
    assert_eq!(scenario.wired.delay.map(Seconds::duration), Some(Duration::from_millis(2)));
    assert_eq!(scenario.station.len(), 2);
    assert_eq!(scenario.station[0].count, 5);
    assert_eq!(scenario.station[1].flows[0].direction, Some(Direction::Down));
}

#[test]
fn every_default_is_the_interfaces() {
    let scenario = with_flow("");
    let expected = json!({
        "name": "unnamed",
        "duration": 300.0,
        "warmup": 0.0,
        "cell": {
            "kind": "wlan",
            "phy": "802.11b",
            "data_rate": 11_000_000,
            "basic_rates": [1_000_000, 2_000_000, 5_500_000, 11_000_000],
            "control_rate": "basic",
            "preamble": "long",
            "rts_threshold": "off",
            "mac_overhead": 36,
            "immediate_access": true,
            "short_retry_limit": 7,
            "long_retry_limit": 4,
            "scheduler": "fifo",
            "beacon_interval": "off",
            "controller": "none",
            "queue": { "kind": "droptail", "limit": 60 },
        },
        "wired": { "rate": 100_000_000, "delay": 0.002, "queue": { "kind": "droptail", "limit": 1000 } },
        "gateway": { "limiter": "none" },
        "station": [{
            "count": 1,
            "queue": { "kind": "droptail", "limit": 1000 },
            "extra_header": 0,
            "flows": [{
                "direction": "up",
                "transport": "newreno",
                "application": "bulk",
                "segment": 1460,
                "header": 40,
                "tcp": "linux",
                "window": 2154,
                "initial_window": 10,
                "initial_ssthresh": 0x7FFF_FFFF,
                "delayed_ack": 2,
                "delayed_ack_timeout": 0.04,
                "quick_acks": 16,
                "byte_counting": true,
                "cwnd_validation": true,
                "spm_marking": false,
                "limited_transmit": "new",
                "sack": true,
                "rack": true,
                "prr": true,
                "pacing": false,
                "tso": false,
                "rto": "linux",
                "min_rto": 0.2,
                "initial_rto": 1.0,
                "syn_timer": "linux",
            }],
        }],
    });
    assert_eq!(serde_json::to_value(&scenario).unwrap(), expected);
}

#[test]
fn resolving_twice_changes_nothing() {
    let full = r#"
        name = "all"
        duration = 1.5
        warmup = "250 ms"
        trace = { interval = "10 ms" }
        [cell]
        preamble = "120 us"
        basic_rates = ["2 Mbps", 1e6]
        control_rate = "5.5 Mbps"
        rts_threshold = 0
        queue = { kind = "las", limit = "150 KB", service = "bytes", flow_timeout = "1 min" }
        [wired]
        rate = "unlimited"
        delay = "0 s"
        [[station]]
        name = "old laptop"
        count = 2
        data_rate = "5.5 Mbps"
        error = { kind = "independent", rate = 0.01 }
        queue = "spm-af"
        flows = [
            { direction = "up", name = "backup", group = "bulk", start = "0.1 s", stop = 1 },
            { direction = "down", transport = "udp", application = "cbr", rate = "250 kbit/s" },
        ]
    "#;
    let a = "[cell]\nphy = \"802.11a\"\nqueue = \"spm-af\"\n[[station]]\nflows = [{ direction = \"down\" }]";
    for toml in [EXAMPLE, full, a] {
        let once = resolved(toml);
        let json = serde_json::to_string(&once).unwrap();
        let twice = resolve(serde_json::from_str(&json).unwrap(), "json").unwrap();
        assert_eq!(once, twice);
        assert_eq!(json, serde_json::to_string(&twice).unwrap());
    }
}

#[test]
fn rates_follow_the_phy() {
    for phy in ["802.11a", "802.11g"] {
        let scenario = overridden(EXAMPLE_WITHOUT_CELL, &[("cell.phy", phy)]);
        assert_eq!(wlan(&scenario).data_rate.unwrap().as_bps(), 54_000_000);
        let basic = wlan(&scenario).basic_rates.iter().map(|rate| rate.as_bps() / 1_000_000);
        assert_eq!(basic.collect::<Vec<_>>(), [6, 12, 24]);
        assert_eq!(wlan(&scenario).control_rate, ControlRate::Basic);
        assert_eq!(wlan(&scenario).preamble, None);
    }
}

/// A station has the keys of its own PHY, and what of the cell's an older PHY can have.
#[test]
fn modes_follow_the_phys_of_stations() {
    let scenario = overridden(
        r#"[[station]]
        flows = [{ direction = "up" }]
        [[station]]
        phy = "802.11ac"
        flows = [{ direction = "up" }]
        [[station]]
        phy = "802.11n"
        flows = [{ direction = "up" }]
        [[station]]
        phy = "802.11n"
        streams = 1
        channel_width = "20 MHz"
        mcs = 3
        flows = [{ direction = "up" }]
        [[station]]
        phy = "802.11a"
        flows = [{ direction = "up" }]"#,
        &[("cell", "{phy='802.11ax',streams=6,channel_width='160 MHz',guard_interval='1.6 us'}")],
    );
    let modes = scenario.station.iter().map(|station| {
        let node = wlan(&scenario).edca_node(Some(station)).unwrap();
        let TxVector { format, width_hz, streams, mcs, guard_interval, .. } = node.mode;
        let mcs = mcs.map(|mcs| mcs.0);
        (format, width_hz / 1_000_000, streams, mcs, guard_interval.as_nanos(), node.has_qos)
    });
    let expected = [
        (PhyFormat::He, 160, 6, Some(11), 1600, true),
        (PhyFormat::Vht, 160, 6, Some(9), 800, true),
        (PhyFormat::Ht, 40, 4, Some(7), 800, true),
        (PhyFormat::Ht, 20, 1, Some(3), 800, true),
        (PhyFormat::Ofdm, 20, 1, None, 800, false),
    ];
    assert_eq!(modes.collect::<Vec<_>>(), expected);
}

const EXAMPLE_WITHOUT_CELL: &str = "[[station]]\nflows = [{ direction = \"down\" }]";

#[test]
fn marking_and_counting_follow_the_queue() {
    let scenario = overridden(
        r#"[[station]]
        flows = [
            { direction = "down", tcp = "ns2" },
            { direction = "up", tcp = "rfc" },
            { direction = "up", tcp = "ns2", byte_counting = false },
            { direction = "up", tcp = "ns2", transport = "udp", rate = 1e6 },
        ]"#,
        &[("cell.queue", "spm-af")],
    );
    let flags: Vec<_> = scenario.station[0]
        .flows
        .iter()
        .map(|flow| (flow.tcp.spm_marking, flow.tcp.byte_counting))
        .collect();
    let yes = Some(true);
    let no = Some(false);
    assert_eq!(flags, [(yes, yes), (yes, yes), (yes, no), (no, no)]);
    let tail = SpmAfConfig { filtering: Filtering::Tail };
    assert_eq!(scenario.cell.queue().discipline, tail.into());
    // "spm-af" as a plain string takes the place's limit.
    assert_eq!(scenario.cell.queue().limit, QueueLimit::Packets(60));
}

#[test]
fn values_that_depend_on_others_follow_them() {
    let udp = with_flow(", transport = \"udp\", rate = \"1 Mbps\"").station.remove(0);
    assert_eq!(udp.flows[0].application.name(), "cbr");
    let one = with_flow(", window = 1, tcp = \"ns2\"").station.remove(0);
    assert_eq!(one.flows[0].tcp.initial_window, 1);
    assert_eq!(one.flows[0].tcp.initial_ssthresh, Some(1));
}

#[test]
fn udp_is_a_name_unless_its_datagrams_have_ecn() {
    let named = ("\"udp\"", json!("udp"));
    let with_ecn = ("{ kind = \"udp\", ecn = \"ect1\" }", json!({ "kind": "udp", "ecn": "ect1" }));
    for (transport, written) in [named, with_ecn] {
        let scenario = with_flow(&format!(", transport = {transport}, rate = \"1 Mbps\""));
        let document = serde_json::to_value(&scenario).unwrap();
        assert_eq!(document["station"][0]["flows"][0]["transport"], written);
        assert_eq!(resolve(document, "json").unwrap(), scenario);
    }
}

#[test]
fn overrides_reach_every_place() {
    let scenario = overridden(
        EXAMPLE,
        &[
            ("cell.queue.kind", "las"),
            ("cell.queue.service", "bytes"),
            ("cell.queue.limit", "30"),
            ("cell.data_rate", "5.5 Mbps"),
            ("wired.delay", "0.01"),
            ("station.0.count", "3"),
            ("station.1.flows.0.window", "42"),
            ("station.1.error.rate", "0.25"),
            ("station.1.queue", "{ kind = 'spm-af', filtering = 'head' }"),
            ("trace.interval", "\"1 s\""),
            ("name", "802.11b"),
            ("cell.immediate_access", "false"),
        ],
    );
    let las = LasConfig { service: Service::Bytes, ..LasConfig::default() };
    let discipline = Config::from(las);
    assert_eq!(*scenario.cell.queue(), Queue { discipline, limit: QueueLimit::Packets(30) });
    assert_eq!(wlan(&scenario).data_rate.unwrap().as_bps(), 5_500_000);
    assert_eq!(scenario.wired.delay.map(Seconds::duration), Some(Duration::from_millis(10)));
    assert_eq!(scenario.station[0].count, 3);
    assert_eq!(scenario.station[1].flows[0].tcp.window, 42);
    let loss = LossRateConfig { rate: 0.25 };
    let error = IndependentConfig { loss, ..IndependentConfig::default() };
    assert_eq!(scenario.station[1].error, Some(error.into()));
    let discipline = Config::from(SpmAfConfig { filtering: Filtering::Head });
    assert_eq!(scenario.station[1].queue, Queue { discipline, limit: QueueLimit::Packets(1000) });
    assert!(!wlan(&scenario).immediate_access);
    assert_eq!(scenario.trace.unwrap().interval.duration(), Duration::from_secs(1));
    assert_eq!(scenario.name, "802.11b");
}

#[test]
fn another_queue_kind_keeps_the_limit_alone() {
    let las = "[cell]\nqueue = { kind = \"las\", limit = 10, service = \"bytes\" }\n\
               [[station]]\nflows = [{ direction = \"up\" }]";
    let limit = QueueLimit::Packets(10);
    let other = overridden(las, &[("cell.queue.kind", "droptail")]);
    assert_eq!(*other.cell.queue(), Queue { discipline: Config::default(), limit });
    assert_eq!(overridden(las, &[("cell.queue", "droptail")]), other);
    let same = overridden(las, &[("cell.queue.kind", "las")]);
    assert_eq!(same, resolved(las));
    let named = "[cell]\nqueue = \"las\"\n[[station]]\nflows = [{ direction = \"up\" }]";
    let named = overridden(named, &[("cell.queue.limit", "10")]);
    assert_eq!(named.cell.queue().limit, limit);
    assert_eq!(named.cell.queue().discipline.name(), "las");
}

#[test]
fn a_failed_override_leaves_the_document_alone() {
    let before = document(EXAMPLE);
    for key in ["station.2.count", "station.0.flows.1.window", "new.0.x", "a..b", "name.x.y"] {
        let mut after = before.clone();
        assert!(set(&mut after, key, "1", "--set").is_err(), "{key}");
        assert_eq!(after, before, "{key}");
    }
}

#[test]
fn units_are_what_they_say() {
    let bps = |text: &str| text.parse::<BitRate>().map(BitRate::as_bps);
    for text in ["11 Mbps", "11Mb/s", "11 Mbit/s", "11000 kbps", "0.011 Gbps", "1.1e7 bit/s"] {
        assert_eq!(bps(text), Ok(11_000_000), "{text}");
    }
    assert_eq!(bps("unlimited"), Ok(u64::MAX));
    let ns = |text: &str| text.parse::<Seconds>().map(|time| time.duration().as_nanos());
    for text in ["120 us", "120 \u{b5}s", "120\u{3bc}s", "0.12 ms", "120000 ns", "1.2e-4 s"] {
        assert_eq!(ns(text), Ok(120_000), "{text}");
    }
    assert_eq!(ns("2 min"), ns("120 s"));
    assert_eq!(ns("1 h"), ns("60 min"));
    let bytes = |text: &str| text.parse::<Bytes>().map(Bytes::as_u64);
    assert_eq!(bytes("30 KB"), Ok(30_000));
    assert_eq!(bytes("30 kB"), Ok(30_000));
    assert_eq!(bytes("30 KiB"), Ok(30_720));
    assert_eq!(bytes("1.5 MB"), Ok(1_500_000));
    assert_eq!(bytes("1 GiB"), Ok(1 << 30));
}

#[test]
fn the_schema_knows_every_key() {
    let schema = json_schema().to_string();
    for key in ["duration", "rts_threshold", "flow_timeout", "initial_ssthresh", "interval"] {
        assert!(schema.contains(&format!("\"{key}\"")), "{key} in {schema}");
    }
    let schema = json_schema();
    assert_eq!(schema["additionalProperties"], false);
    // Only what has no default is required.
    assert_eq!(schema["required"], json!(["station"]));
    assert_eq!(schema["$defs"]["Station"]["required"], json!(["flows"]));
    assert_eq!(schema["$defs"]["WiredLink"]["required"], json!(["between"]));
}

#[test]
fn the_schemas_defaults_are_accepted() {
    // A form that is filled from the schema must be valid.
    let schema = json_schema();
    let mut document = json!({ "station": [{ "flows": [{ "direction": "up" }] }] });
    for (key, property) in schema["properties"].as_object().unwrap() {
        if key != "station" && property.get("default").is_some() {
            document[key] = property["default"].clone();
        }
    }
    assert_eq!(resolve(document, "schema").unwrap(), with_flow(""));
}

fn round_trip<T>(value: &T) -> T
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(evenair_testing::config!())]

    #[test]
    fn quantities_survive_serialising(bps in 1..=1_000_000_000_000u64, ns in 0..=1_000_000_000_000_000u64,
                                      bytes in 0..=1_000_000_000_000u64) {
        let rate = BitRate::from_bps(bps);
        prop_assert_eq!(round_trip(&rate), rate);
        let time = Seconds::from(Duration::from_nanos(ns));
        prop_assert_eq!(round_trip(&time), time);
        let size = Bytes::new(bytes);
        prop_assert_eq!(round_trip(&size), size);
        let limit = QueueLimit::Bytes(bytes.max(1));
        prop_assert_eq!(round_trip(&limit), limit);
        prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        prop_assert_eq!(time.to_string().parse(), Ok(time));
        prop_assert_eq!(size.to_string().parse(), Ok(size));
    }

    #[test]
    fn no_text_breaks_the_parser(text in "\\PC*") {
        let _ = text.parse::<BitRate>();
        let _ = text.parse::<Seconds>();
        let _ = text.parse::<Bytes>();
    }

    #[test]
    fn any_bytes_give_a_document_or_one_line(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(err) = document_from_toml(&bytes, "noise") {
            prop_assert!(!err.to_string().contains('\n'));
        }
    }

    #[test]
    fn any_override_gives_a_scenario_or_one_line(key in "[a-z0-9._]{0,30}", value in "\\PC{0,20}") {
        let mut document = document(EXAMPLE);
        let outcome = set(&mut document, &key, &value, "--set")
            .and_then(|()| resolve(document, "test.toml"));
        if let Err(err) = outcome {
            prop_assert!(!err.to_string().contains('\n'));
        }
    }

    #[test]
    fn any_value_anywhere_is_resolved_the_same_twice_or_refused_in_one_line(
        key in prop::sample::select(KEYS),
        value in prop_oneof![
            "-?[0-9]{1,12}", "-?[0-9]{1,5}\\.[0-9]{1,3}", "[0-9]{1,4} (s|ms|us|Mbps|kbps|KB|B|x)",
            "las|spm-af|droptail|short|long|off|linux|rfc|ns2|udp|cbr|bulk|true|false|802\\.11a|unlimited|\\[\\]|\\{\\}|nan|inf",
        ],
    ) {
        let mut document = document(EXAMPLE);
        set(&mut document, key, &value, "--set").unwrap();
        match resolve(document, "test.toml") {
            Ok(once) => {
                let twice = resolve(serde_json::to_value(&once).unwrap(), "json");
                prop_assert_eq!(twice, Ok(once));
            }
            Err(err) => error_of(&err),
        }
    }
}

const KEYS: &[&str] = &[
    "name",
    "duration",
    "warmup",
    "cell",
    "cell.kind",
    "cell.phy",
    "cell.data_rate",
    "cell.basic_rates",
    "cell.control_rate",
    "cell.protection",
    "cell.preamble",
    "cell.rts_threshold",
    "cell.mac_overhead",
    "cell.immediate_access",
    "cell.short_retry_limit",
    "cell.beacon_interval",
    "cell.queue",
    "cell.queue.kind",
    "cell.queue.limit",
    "cell.queue.service",
    "wired",
    "wired.rate",
    "wired.delay",
    "station",
    "station.0",
    "station.0.name",
    "station.0.count",
    "station.0.phy",
    "station.0.data_rate",
    "station.0.rate_control",
    "station.0.channel",
    "station.0.channel.rates",
    "station.0.queue",
    "station.0.error",
    "station.0.error.rate",
    "station.0.extra_header",
    "station.0.flows",
    "station.0.flows.0",
    "station.0.flows.0.name",
    "station.0.flows.0.group",
    "station.0.flows.0.direction",
    "station.0.flows.0.transport",
    "station.0.flows.0.application",
    "station.0.flows.0.segment",
    "station.0.flows.0.header",
    "station.0.flows.0.tcp",
    "station.0.flows.0.window",
    "station.0.flows.0.initial_window",
    "station.0.flows.0.initial_ssthresh",
    "station.0.flows.0.delayed_ack",
    "station.0.flows.0.delayed_ack_timeout",
    "station.0.flows.0.quick_acks",
    "station.0.flows.0.byte_counting",
    "station.0.flows.0.cwnd_validation",
    "station.0.flows.0.idle_restart",
    "station.0.flows.0.spm_marking",
    "station.0.flows.0.sack",
    "station.0.flows.0.rack",
    "station.0.flows.0.prr",
    "station.0.flows.0.timestamps",
    "station.0.flows.0.rto",
    "station.0.flows.0.min_rto",
    "station.0.flows.0.syn_timer",
    "station.0.flows.0.start",
    "station.0.flows.0.stop",
    "station.0.flows.0.rate",
    "trace",
    "trace.interval",
];

/// A flow over UDP in the only station, with that application.
fn application(text: &str) -> Result<Scenario, ScenarioError> {
    let text = format!(
        r#"station = [{{ flows = [{{ direction = "up", transport = "udp", rate = "1 Mbps", application = {text} }}] }}]"#
    );
    resolve(document_from_toml(text.as_bytes(), "test")?, "test")
}

#[test]
fn a_call_has_the_size_of_its_codec_and_both_directions() {
    let flow = |keys: &str| {
        let text = format!(r#"station = [{{ flows = [{{ transport = "udp", {keys} }}] }}]"#);
        let document = document_from_toml(text.as_bytes(), "test").unwrap();
        resolve(document, "test").unwrap().station[0].flows[0].clone()
    };
    let call = flow(r#"application = "voip""#);
    assert_eq!((call.segment, call.header), (160, 40));
    assert_eq!((call.direction, call.rate), (Some(Direction::Both), None));
    let opus = flow(r#"application = { codec = "opus", kind = "voip" }, direction = "up""#);
    assert_eq!((opus.segment, opus.direction), (80, Some(Direction::Up)));
}

fn periods(text: &str) -> [Distribution; 2] {
    let scenario = application(text).unwrap();
    on_and_off(&scenario)
}

/// The distributions of the first flow's application.
fn on_and_off(scenario: &Scenario) -> [Distribution; 2] {
    match scenario.station[0].flows[0].application.clone() {
        Application::Datagrams(Pattern::OnOff(OnOffConfig { on, off })) => [on, off],
        other => panic!("{other:?} is another application"),
    }
}

#[test]
fn what_a_distribution_leaves_out_is_as_in_the_default() {
    let default = Distribution::pareto(0.5, 1.5);
    assert_eq!(periods(r#""on-off""#), [default.clone(), default]);
    assert_eq!(
        periods(r#"{ kind = "on-off", on = "2 s", off = { distribution = "exponential" } }"#),
        [Distribution::constant(2.0), Distribution::exponential(0.5)]
    );
    assert_eq!(
        periods(
            r#"{ on = { shape = 3, mean = "20 ms", distribution = "pareto" }, off = { mean = 1 }, kind = "on-off" }"#
        ),
        [Distribution::pareto(0.02, 3.0), Distribution::pareto(1.0, 1.5),]
    );
}

#[test]
fn a_resolved_application_resolves_to_itself() {
    for text in [
        r#""poisson""#,
        r#""on-off""#,
        r#"{ kind = "on-off", on = { distribution = "lognormal", sigma = 0.5 }, off = 0 }"#,
        r#"{ kind = "on-off", on = { distribution = "trace", values = ["1 s", 2.5] } }"#,
    ] {
        let once = application(text).unwrap();
        let twice = resolve(serde_json::to_value(&once).unwrap(), "again").unwrap();
        assert_eq!(once, twice);
    }
}

#[test]
fn overriding_a_family_drops_its_parameter_and_keeps_the_mean() {
    let mut document = serde_json::to_value(application(r#""on-off""#).unwrap()).unwrap();
    let key = "station.0.flows.0.application.on";
    set(&mut document, &format!("{key}.mean"), "1 s", "--set").unwrap();
    set(&mut document, &format!("{key}.distribution"), "exponential", "--set").unwrap();
    let scenario = resolve(document.clone(), "test").unwrap();
    let [on, _] = on_and_off(&scenario);
    assert_eq!(on, Distribution::exponential(1.0));
    set(&mut document, "station.0.flows.0.application", "cbr", "--set").unwrap();
    assert_eq!(resolve(document, "test").unwrap().station[0].flows[0].application.name(), "cbr");
}

/// The file is looked for beside the scenario, its heading is no value, and its values become part
/// of the resolved scenario.
#[test]
fn a_trace_comes_from_a_file() {
    let folder = std::env::temp_dir().join(format!("evenair-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let scenario = folder.join("scenario.toml");
    let source = scenario.to_str().unwrap();
    let text = r#"station = [{ flows = [{ direction = "up", transport = "udp", rate = "1 Mbps",
        application = { kind = "on-off", off = { file = "off.csv", distribution = "trace" } } }] }]"#;
    let read = |file: &str| {
        std::fs::write(folder.join("off.csv"), file).unwrap();
        resolve(document_from_toml(text.as_bytes(), source).unwrap(), source)
    };
    let scenario = read("seconds\r\n0.25\r\n\r\n3 ms\n").unwrap();
    let [_, off] = on_and_off(&scenario);
    assert_eq!(off, Distribution::trace([0.25, 0.003].into()));
    for (file, part) in [
        ("", "it is empty; accepted: a text file of values"),
        ("\n", "got 0 values; accepted: from 1 to"),
        ("nan\n1\n", "line 1: got \"nan\": it does not start with a number"),
        ("Infinity s\n1\n", "line 1: got \"Infinity s\": it does not start with a number"),
        ("seconds\n", "got 0 values"),
        ("1\n2\nmany\n", "line 3: got \"many\""),
        ("1\n-2\n", "line 2: got -2: it is negative"),
        ("1,2\n", "line 1: got \"1,2\""),
        ("-1\n2\n", "line 1: got -1: it is negative"),
        ("1\nnan\n", "line 2: got \"nan\": it does not start with a number"),
    ] {
        let error = read(file).unwrap_err();
        error_of(&error);
        assert_eq!(error.field, "station.0.flows.0.application.off.file");
        assert!(error.to_string().contains(part), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Files that never end, or wait for an event, are not read.
#[test]
#[cfg(target_os = "linux")]
fn traces_are_read_from_files_of_limited_size() {
    let large = std::env::temp_dir().join(format!("evenair-large-{}", std::process::id()));
    std::fs::File::create(&large).unwrap().set_len(10_000_001).unwrap();
    for (path, part) in [
        ("/dev/zero", "it is no file"),
        ("/proc/self/pagemap", "it is empty"),
        ("/proc/kmsg", "it is empty"),
        (large.to_str().unwrap(), "it is larger than 10 MB"),
    ] {
        let on = format!("{{ distribution = \"trace\", file = {path:?} }}");
        let error = application(&format!("{{ kind = \"on-off\", on = {on} }}")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    std::fs::remove_file(&large).unwrap();
}
