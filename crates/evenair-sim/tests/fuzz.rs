//! The parser of scenarios and overrides with mutated texts, from a stored corpus: it never panics, a
//! refusal is one line, and what it accepts stays the same when it is written and read again.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p evenair-sim --test all fuzz` tries more. A text that fails
//! belongs into `tests/corpus`, of which every file is tried, whole and mutated.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

mod check;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use check::check;

/// The corpus and the built-in scenarios.
fn corpus() -> &'static [Vec<u8>] {
    static CORPUS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = [root.join("tests/corpus"), root.join("../../python/evenair/scenarios")];
        let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|path| fs::read(path).unwrap()).collect()
    })
}

/// What a text becomes step by step.
#[derive(Clone, Debug)]
enum Mutation {
    Replace(Index, u8),
    Remove(Index, usize),
    Insert(Index, Vec<u8>),
    /// A line is copied to another place.
    CopyLine(Index, Index),
    RemoveLine(Index),
    /// The value of a line becomes another one.
    SetValue(Index, &'static str),
    /// A piece of another text of the corpus is inserted.
    Splice(Index, Index, Index, usize),
}

/// Values at the bounds of their kinds, and of the wrong kind.
const VALUES: [&str; 48] = [
    "0",
    "1",
    "-1",
    "2",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "-0.0",
    "1e-300",
    "nan",
    "inf",
    "true",
    "\"\"",
    "\"unlimited\"",
    "\"0 s\"",
    "\"1 ns\"",
    "\"1000000 s\"",
    "\"1 Mbps\"",
    "\"1000 Gbps\"",
    "\"1 B\"",
    "\"1 TB\"",
    "\"wimax\"",
    "\"7 MHz\"",
    "\"3:1\"",
    "\"64qam-3/4\"",
    "\"las\"",
    "\"udp\"",
    "\"web\"",
    "[]",
    "{}",
    "[[]]",
    "[1, 2]",
    "[{}]",
    "{ kind = \"las\" }",
    "{ kind = \"web\", sessions = 1 }",
    "{ kind = \"page\", pages = 1 }",
    "{ kind = \"arrivals\", concurrent = 1 }",
    "{ kind = \"trace\", sent_as = \"transfers\", packets = [[0, 1000]] }",
    "{ kind = \"video-call\", adaptation = \"gcc-loss\" }",
    "{ distribution = \"pareto\" }",
    "1979-05-27",
    "\"\\u0000\"",
];

/// Keys of overrides, and others.
const KEYS: [&str; 26] = [
    "name",
    "duration",
    "warmup",
    "cell",
    "cell.kind",
    "cell.bandwidth",
    "cell.dl_ratio",
    "cell.scheduler.quantum",
    "cell.phy",
    "cell.data_rate",
    "cell.queue",
    "cell.queue.kind",
    "cell.queue.limit",
    "cell.queue.service",
    "wired",
    "wired.rate",
    "wired.link",
    "station",
    "station.0.count",
    "station.0.flows",
    "station.0.flows.0.window",
    "station.0.flows.0.application",
    "station.0.flows.0.transport.kind",
    "station.0.error.rate",
    "trace.interval",
    "station.18446744073709551616.count",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        1 => (at(), 1_usize..30).prop_map(|(at, bytes)| Mutation::Remove(at, bytes)),
        1 => (at(), prop::collection::vec(any::<u8>(), 1..8))
            .prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        1 => (at(), at()).prop_map(|(from, to)| Mutation::CopyLine(from, to)),
        1 => at().prop_map(Mutation::RemoveLine),
        3 => (at(), select(&VALUES[..])).prop_map(|(at, value)| Mutation::SetValue(at, value)),
        1 => (at(), at(), at(), 1_usize..200)
            .prop_map(|(text, from, to, bytes)| Mutation::Splice(text, from, to, bytes)),
    ]
}

impl Mutation {
    fn apply(&self, text: &mut Vec<u8>) {
        let lines = || text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec);
        match self {
            Self::Replace(at, byte) if !text.is_empty() => {
                let at = at.index(text.len());
                text[at] = *byte;
            }
            Self::Remove(at, bytes) if !text.is_empty() => {
                let at = at.index(text.len());
                text.drain(at..(at + bytes).min(text.len()));
            }
            Self::Insert(at, bytes) => insert(text, at, bytes),
            Self::CopyLine(from, to) if !text.is_empty() => {
                let mut lines: Vec<_> = lines().collect();
                let copy = lines[from.index(lines.len())].clone();
                lines.insert(to.index(lines.len()), copy);
                *text = lines.concat();
            }
            Self::RemoveLine(at) if !text.is_empty() => {
                let mut lines: Vec<_> = lines().collect();
                lines.remove(at.index(lines.len()));
                *text = lines.concat();
            }
            Self::SetValue(at, value) if !text.is_empty() => {
                let mut lines: Vec<_> = lines().collect();
                let line = at.index(lines.len());
                if let Some(equals) = lines[line].iter().position(|&byte| byte == b'=') {
                    lines[line].truncate(equals + 1);
                    lines[line].extend(value.bytes().chain([b'\n']));
                }
                *text = lines.concat();
            }
            Self::Splice(other, from, to, bytes) => {
                let other = &corpus()[other.index(corpus().len())];
                let from = from.index(other.len() + 1);
                insert(text, to, &other[from..(from + bytes).min(other.len())]);
            }
            _ => {}
        }
    }
}

fn insert(text: &mut Vec<u8>, at: &Index, bytes: &[u8]) {
    let at = at.index(text.len() + 1);
    text.splice(at..at, bytes.iter().copied());
}

proptest! {
    #![proptest_config(evenair_testing::config!())]

    #[test]
    fn mutated_scenarios_are_read_or_refused(
        text in any::<Index>(), mutations in prop::collection::vec(mutation(), 0..6),
    ) {
        let mut text = corpus()[text.index(corpus().len())].clone();
        mutations.iter().for_each(|mutation| mutation.apply(&mut text));
        check(&text, &[]);
    }

    #[test]
    fn overrides_are_taken_or_refused(
        text in any::<Index>(),
        known in prop::collection::vec((select(&KEYS[..]), select(&VALUES[..])), 0..4),
        key in "[a-z0-9_. \\PC]{0,30}",
        value in "\\PC{0,30}",
    ) {
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let mut overrides: Vec<_> = known.into_iter().map(owned).collect();
        overrides.push((key, value));
        check(&corpus()[text.index(corpus().len())], &overrides);
    }

    #[test]
    fn any_bytes_are_refused_in_a_line(text in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&text, &[]);
    }
}

#[test]
fn the_corpus_is_read_or_refused() {
    assert!(corpus().len() > 10);
    corpus().iter().for_each(|text| check(text, &[]));
}
