//! The parsers of configurations and of records with mutated texts: they never panic, and a refusal
//! is one line that says what is accepted.
//!
//! `PROPTEST_CASES=1000000 cargo test --release -p evenaird --test fuzz` tries more, and prints how
//! many per second.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use std::time::Instant;

use evenair_core::time::Duration;
use evenaird::config::Config;
use evenaird::record::{Line, ReadError, Record, next_line};
use evenaird::replay::{ReplayError, replay};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;

/// Configurations with every key.
const CONFIGS: [&str; 3] = [
    include_str!("../../../packaging/example.toml"),
    "interface = \"eth1\"\nmode = \"enforce\"\npinned = true\nversion = 1\nruntime_directory = \"/run\"\n\
     [limiter]\nkind = \"adaptive\"\nudp = \"reserved\"\nudp_rate = \"1 Mbps\"\nbucket = \"1 s\"\n\
     [loss_signal]\nkind = \"snmp\"\nhost = \"a\"\nport = 1\nversion = \"3\"\nuser = \"u\"\ninterface = 7\n\
     authentication = \"sha-512\"\nauthentication_file = \"/a\"\nprivacy = \"aes-256\"\nprivacy_file = \"/p\"\n\
     counter = \"1.3.6.1\"\nrefresh = \"1 s\"\nhold = \"1 min\"\n[metrics]\nlisten = \"unix:/m\"\n",
    "interface = \"w\"\nlimiter = { kind = \"fixed\", rate = \"2 Mbps\", bucket = \"300 KB\" }\n\
     loss_signal = { kind = \"local\", device = \"w\", counter = \"qdisc\" }\n\
     records = { file = \"/r\", max_size = \"1 MB\", keep = 0 }\n",
];

const RECORDS: [&str; 3] = [
    "{\"t_s\": 1, \"up_bps\": 5000000, \"down_bps\": 1e6, \"lost\": false}\n\
     {\"t_s\": 2.5, \"up_bps\": 4000000, \"down_bps\": 800000, \"lost\": true, \"up_udp_bps\": 7}\n",
    "{\"schema\":1,\"time\":\"2026-01-01T00:00:00.000Z\",\"t_s\":6.5,\"round_s\":1.0,\"mode\":\"enforce\",\
     \"up_bps\":1,\"down_bps\":447,\"up_udp_bps\":1,\"down_udp_bps\":0,\"lost\":null,\"lost_packets\":null,\
     \"signal\":\"stale\",\"signal_age_s\":3.9e-6,\"rate_bps\":5000000,\"capacity_bps\":null,\
     \"first_loss\":true,\"udp_rate_bps\":null,\"reason\":\"held\",\"dropped_packets\":4,\"dropped_bytes\":6}\n",
    "\n{\"lost\":true,\"t_s\":1e9,\"up_bps\":1e12,\"down_bps\":0}\n{\"t_s\":0,\"up_bps\":0,\"down_bps\":0,\"lost\":null}\n",
];

/// Pieces that mean something to one of the parsers.
const PIECES: [&str; 30] = [
    "0",
    "-1",
    "1e308",
    "-0.0",
    "nan",
    "inf",
    "9223372036854775807",
    "18446744073709551616",
    "true",
    "null",
    "\"\"",
    "\"unlimited\"",
    "\"0 s\"",
    "\"1 ns\"",
    "\"1000000 s\"",
    "\"1000 Gbps\"",
    "\"1 B\"",
    "\"none\"",
    "\"adaptive\"",
    "[]",
    "{}",
    "{ kind = \"fixed\" }",
    "2020-01-01",
    "'''",
    "\\u0000",
    "\u{feff}",
    "\r\n",
    "[[limiter]]",
    "kind = \"local\"\n",
    "{\"t_s\":",
];

#[derive(Clone, Debug)]
enum Mutation {
    Replace(Index, u8),
    Remove(Index, usize),
    Insert(Index, &'static str),
    InsertBytes(Index, Vec<u8>),
    CopyLine(Index, Index),
    RemoveLine(Index),
    /// The value after `=` or `:` becomes another one.
    SetValue(Index, &'static str),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<Index>;
    prop_oneof![
        (index(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        (index(), 1..20_usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (index(), select(&PIECES[..])).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        (index(), prop::collection::vec(any::<u8>(), 1..8))
            .prop_map(|(at, bytes)| Mutation::InsertBytes(at, bytes)),
        (index(), index()).prop_map(|(from, to)| Mutation::CopyLine(from, to)),
        index().prop_map(Mutation::RemoveLine),
        (index(), select(&PIECES[..])).prop_map(|(at, piece)| Mutation::SetValue(at, piece)),
    ]
}

impl Mutation {
    fn apply(&self, text: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> =
            text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        match self {
            Self::Replace(at, byte) if !text.is_empty() => *at.get_mut(text) = *byte,
            Self::Remove(at, length) => {
                let start = at.index(text.len() + 1);
                text.drain(start..(start + length).min(text.len()));
            }
            Self::Insert(at, piece) => {
                let at = at.index(text.len() + 1);
                text.splice(at..at, piece.bytes());
            }
            Self::InsertBytes(at, bytes) => {
                let at = at.index(text.len() + 1);
                text.splice(at..at, bytes.iter().copied());
            }
            Self::CopyLine(from, to) => {
                let line = from.get(&lines).clone();
                lines.insert(to.index(lines.len() + 1), line);
                *text = lines.join(&b'\n');
            }
            Self::RemoveLine(at) => {
                lines.remove(at.index(lines.len()));
                *text = lines.join(&b'\n');
            }
            Self::SetValue(at, piece) => {
                let ends: Vec<usize> =
                    (0..text.len()).filter(|&at| matches!(text[at], b'=' | b':')).collect();
                if !ends.is_empty() {
                    let start = at.get(&ends) + 1;
                    let rest = &text[start..];
                    let end = rest.iter().position(|byte| b"\n,}".contains(byte));
                    text.splice(start..start + end.unwrap_or(rest.len()), piece.bytes());
                }
            }
            Self::Replace(..) => {}
        }
    }
}

/// A text of the corpus with some mutations.
fn mutated(corpus: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    (select(corpus), prop::collection::vec(mutation(), 0..6)).prop_map(|(text, mutations)| {
        let mut text = text.as_bytes().to_vec();
        mutations.iter().for_each(|mutation| mutation.apply(&mut text));
        text
    })
}

/// Runs a property on the configured number of cases, and prints how many per second.
fn fuzz(
    name: &str,
    corpus: &'static [&'static str],
    property: impl Fn(&[u8]) -> Result<(), TestCaseError>,
) {
    let config = evenair_testing::config!();
    let (cases, start) = (config.cases, Instant::now());
    let result = TestRunner::new(config).run(&mutated(corpus), |text| property(&text));
    result.unwrap_or_else(|err| panic!("{err}"));
    let per_second = f64::from(cases) / start.elapsed().as_secs_f64();
    println!("{name}: {cases} executions, {per_second:.0} per second");
}

fn assert_line(message: &str, start: &str) -> Result<(), TestCaseError> {
    prop_assert!(message.starts_with(start), "{message}");
    prop_assert!(message.contains("accepted: "), "{message}");
    prop_assert!(!message.chars().any(char::is_control), "{message:?}");
    Ok(())
}

#[test]
fn the_corpus_is_accepted() {
    for text in CONFIGS {
        Config::parse(text.as_bytes(), "file").unwrap();
    }
    for text in RECORDS {
        for line in text.lines().filter(|line| !line.is_empty()) {
            Line::parse(line).unwrap();
        }
    }
    serde_json::from_str::<Record>(RECORDS[1]).unwrap();
}

#[test]
fn configurations() {
    fuzz("configurations", &CONFIGS, |text| match Config::parse(text, "file") {
        Ok(config) => {
            let report = evenaird::report::text(&config);
            prop_assert!(report.contains("interface") && config.interval().as_nanos() > 0);
            Ok(())
        }
        Err(err) => assert_line(&err.to_string(), "file: "),
    });
}

#[test]
fn records() {
    fuzz("records", &RECORDS, |text| {
        let (mut input, mut number) = (text, 0);
        loop {
            match next_line(&mut input, &mut number) {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(ReadError::Line(message)) => return assert_line(&message, "line "),
                Err(ReadError::Io(err)) => panic!("{err}"),
            }
        }
    });
}

/// Whatever is read is replayed, and R is at most C_max.
#[test]
fn replays() {
    let limiter = evenair_core::control::limiter::AdaptiveConfig::default().into();
    fuzz("replays", &RECORDS, |text| {
        let mut output = Vec::new();
        let result = replay(&limiter, Duration::from_secs(30), text, &mut output);
        prop_assert!(matches!(result, Ok(()) | Err(ReplayError::Input(_))));
        for line in output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let state: serde_json::Value = serde_json::from_slice(line).unwrap();
            prop_assert!(state["rate_bps"].as_u64().unwrap() <= 6_000_000);
        }
        Ok(())
    });
}
