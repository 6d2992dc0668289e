//! The configurations of the stored fingerprints, for tests of every build of the engine.
#![allow(clippy::unwrap_used, reason = "what cannot be read here is a mistake here")]

/// What all of them change.
pub const BASE: &str = r#"
    duration = "3 s"
    warmup = "1 s"
    [[station]]
    count = 3
    flows = [{ direction = "up", tcp = "ns2" }]
    [[station]]
    count = 3
    flows = [{ direction = "down", tcp = "ns2" }]
"#;

const QUEUES: [&str; 11] = [
    r#"{ kind = "droptail", limit = 20 }"#,
    r#"{ kind = "droptail", limit = "30 KB" }"#,
    r#"{ kind = "spm-af", filtering = "tail", limit = 20 }"#,
    r#"{ kind = "spm-af", filtering = "head", limit = 20 }"#,
    r#"{ kind = "las", limit = 20 }"#,
    r#"{ kind = "codel", limit = 100 }"#,
    r#"{ kind = "fq-codel", limit = 100 }"#,
    r#"{ kind = "pie", limit = 100 }"#,
    r#"{ kind = "pie", delay = "rate", derandomize = true, limit = 100 }"#,
    r#"{ kind = "pie", form = "linux", limit = 100 }"#,
    r#"{ kind = "dualpi2", limit = 100 }"#,
];
const PHYS: [&str; 3] = ["802.11b", "802.11a", "802.11g"];
const VARIANTS: [&str; 22] = [
    "cell.control_rate=basic",
    "cell.control_rate=basic cell.phy=802.11a",
    "cell.control_rate=basic cell.rts_threshold=0",
    "cell.preamble=short",
    "cell.preamble=120 us",
    "cell.rts_threshold=0",
    "cell.rts_threshold=500",
    "cell.immediate_access=false",
    "cell.scheduler=airtime-drr",
    "cell.short_retry_limit=1",
    "station.0.data_rate=1 Mbps",
    "station.0.error={ rate = 0.2 }",
    "station.0.error={ rate = 0.2, level = \"mac\" }",
    "station.0.error={ kind = \"gilbert-elliott\", rate = 0.1 }",
    "station.1.error={ kind = \"gilbert-elliott\", level = \"mac\", direction = \"down\" }",
    "wired.rate=unlimited wired.delay=0",
    "station.1.count=30",
    "station.0.flows.0.stop=2 s",
    "trace.interval=0.1 s",
    "gateway.limiter={ kind = \"fixed\", rate = \"1 Mbps\", bucket = \"20 KB\" }",
    "gateway.limiter={ kind = \"adaptive\", interval = \"0.2 s\", bucket = \"20 KB\" }",
    "gateway.limiter={ kind = \"adaptive\", interval = \"0.2 s\", bucket = \"20 KB\", loss_signal = { kind = \"polled\", refresh = \"0.3 s\" } }",
];
const FLOWS: [&str; 14] = [
    "delayed_ack=1",
    "delayed_ack=4",
    "delayed_ack=dynamic",
    "application={ kind = \"web\", think = \"0.1 s\", request = 300 }",
    "application={ kind = \"web\", think = \"0.1 s\", opened_by = \"sender\", pad = true }",
    "window=1",
    "window=1000",
    "limited_transmit=off",
    "limited_transmit=any",
    "byte_counting=true",
    "segment=536",
    "start=1.5 s",
    "tcp=linux",
    "tcp=rfc",
];

/// Switches of flows, where errors lose segments and repairs.
const RECOVERIES: [&str; 4] = ["sack", "sack rack", "sack prr", "sack rack prr"];

/// The same where a queue marks.
const RESPONSES: [&str; 3] = ["ecn", "ecn sack prr", "ecn sack rack prr"];

/// Congestion controls with rates or shares of marks, behind DualPI2.
const MODERN: [&str; 4] = ["bbr", "bbr1", "dctcp", "prague"];

/// Keys of the WiMAX cell.
const WIMAX: [&str; 13] = [
    "dl_ratio=1:1",
    "dl_ratio=6:1",
    "dl_ratio=0.4 scheduler=drr",
    "maps=actual",
    "piggyback=true",
    "crc=true modulation=16qam-1/2",
    "contention_slots=1 request_backoff=[0, 2] t16=10 ms",
    "request_retries=0 request_backoff=[0, 0] contention_slots=2",
    "request_size=current contention_slots=1 t16=10 ms",
    "bandwidth=10 MHz frame=2.5 ms cyclic_prefix=1/4",
    "queue=las",
    "station.0.modulation=qpsk-1/2",
    "station.1.error={ rate = 0.05, level = \"mac\" }",
];

/// Stations at different rates, and what makes rates change or limits flows.
const RATES: [&[(&str, &str)]; 12] = [
    &[("station.0.flows.0.transport", "tfrc")],
    &[("station.1.flows.0.transport", "tfrc"), ("station.1.error", "{ rate = 0.05 }")],
    &[("cell.phy", "802.11a"), ("cell.beacon_interval", "100 ms")],
    &[A, SLOW, ("cell.controller", "cot")],
    &[A, SLOW, TFRC, ("cell.controller", "{ kind = \"cot\", slots = \"sliding\", beacons = 2 }")],
    &[A, SLOW, ("cell.scheduler", "airtime-drr")],
    &[A, SNR, ("station.1.rate_control", "arf")],
    &[A, SNR, ("station.1.rate_control", "aarf")],
    &[A, SNR, ("station.1.rate_control", "minstrel")],
    &[A, SNR, ("station.1.rate_control", "ideal")],
    &[G, ("cell.control_rate", "basic"), ("station.0.phy", "802.11b")],
    &[
        G,
        ("cell.control_rate", "basic"),
        ("station.0.phy", "802.11b"),
        ("cell.protection", "rts-cts"),
    ],
];
const A: (&str, &str) = ("cell.phy", "802.11a");
const G: (&str, &str) = ("cell.phy", "802.11g");
const SLOW: (&str, &str) = ("station.0.data_rate", "6 Mbps");
const TFRC: (&str, &str) = ("station.1.flows.0.transport", "tfrc");
const SNR: (&str, &str) = ("station.1.channel", "{ kind = \"snr\", snr_db = 15 }");

const APPLICATIONS: [&str; 3] = ["cbr", "poisson", "on-off"];

/// A configuration.
pub struct Case {
    /// As fingerprints.txt has it.
    pub name: String,
    /// Keys and values that are set in [`BASE`], one after the other.
    pub changes: Vec<(String, String)>,
}

/// All of them.
pub fn all() -> Vec<Case> {
    named()
        .into_iter()
        .map(|(name, overrides)| Case { name, changes: with_control_rate(overrides) })
        .collect()
}

/// Name and overrides of each case.
fn named() -> Vec<(String, Vec<(String, String)>)> {
    let mut cases = Vec::new();
    for queue in QUEUES {
        for phy in PHYS {
            cases.push(vec![("cell.queue", queue), ("cell.phy", phy)]);
        }
    }
    for variant in VARIANTS {
        // Values have spaces, too: the second override begins at its key.
        let second = [" wired.delay=", " cell.phy=", " cell.rts_threshold="];
        let at = second.iter().find_map(|key| variant.find(key)).unwrap_or(variant.len());
        let (first, second) = variant.split_at(at);
        let overrides = [first, second.trim_start()].into_iter().filter(|text| !text.is_empty());
        cases.push(overrides.map(|text| text.split_once('=').unwrap()).collect());
    }
    cases.extend(RATES.iter().map(|case| case.to_vec()));
    let mut cases: Vec<Vec<(String, String)>> = cases
        .into_iter()
        .map(|case| case.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
        .collect();
    for flow in FLOWS {
        let (key, value) = flow.split_once('=').unwrap();
        let both = [0, 1].map(|i| (format!("station.{i}.flows.0.{key}"), value.to_owned()));
        cases.push(both.into());
    }
    for recovery in RECOVERIES {
        let mut case = vec![("station.1.error".to_owned(), "{ rate = 0.05 }".to_owned())];
        for key in recovery.split(' ') {
            case.push((format!("station.1.flows.0.{key}"), "true".to_owned()));
        }
        cases.push(case);
    }
    for response in RESPONSES {
        let queue = "{ kind = \"codel\", ecn = true, limit = 50 }";
        let mut case = vec![("cell.queue".to_owned(), queue.to_owned())];
        for (key, station) in response.split(' ').flat_map(|key| [(key, 0), (key, 1)]) {
            case.push((format!("station.{station}.flows.0.{key}"), "true".to_owned()));
        }
        cases.push(case);
    }
    for control in MODERN {
        let mut case = vec![("cell.queue".to_owned(), "dualpi2".to_owned())];
        for flow in [0, 1].map(|station| format!("station.{station}.flows.0")) {
            case.push((format!("{flow}.tcp"), "linux".to_owned()));
            case.push((format!("{flow}.transport"), control.to_owned()));
            case.push((format!("{flow}.ecn"), "accecn".to_owned()));
        }
        cases.push(case);
    }
    for keys in WIMAX {
        let mut case = vec![("cell.kind".to_owned(), "wimax".to_owned())];
        let mut starts: Vec<usize> = keys
            .match_indices('=')
            .map(|(equals, _)| keys[..equals].rfind(' ').map_or(0, |space| space + 1))
            .filter(|&start| !keys[..start].contains('{'))
            .collect();
        starts.push(keys.len());
        for bounds in starts.windows(2) {
            let (key, value) = keys[bounds[0]..bounds[1]].trim().split_once('=').unwrap();
            let of_station = key.starts_with("station.");
            let key = if of_station { key.to_owned() } else { format!("cell.{key}") };
            case.push((key, value.to_owned()));
        }
        cases.push(case);
    }
    for application in APPLICATIONS {
        let flow = format!(
            r#"[{{ direction = "up", transport = "udp", application = "{application}", rate = "3 Mbps" }}]"#
        );
        cases.push(vec![("station.0.flows".to_owned(), flow)]);
    }
    cases
        .into_iter()
        .map(|case| {
            let name: Vec<String> = case.iter().map(|(k, v)| format!("{k}={v}")).collect();
            (name.join(" "), case)
        })
        .collect()
}

/// The overrides of a WLAN after the control rate that these cases were recorded with, unless they name
/// another one.
fn with_control_rate(overrides: Vec<(String, String)>) -> Vec<(String, String)> {
    let is_wlan = overrides.iter().all(|(key, _)| key != "cell.kind");
    let is_dsss = overrides.iter().all(|(key, value)| key != "cell.phy" || value == "802.11b");
    let rate = if is_dsss { "2 Mbps" } else { "24 Mbps" };
    let first = is_wlan.then(|| ("cell.control_rate".to_owned(), rate.to_owned()));
    first.into_iter().chain(overrides).collect()
}
