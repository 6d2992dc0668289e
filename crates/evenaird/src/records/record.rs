//! Decision records: one JSON line per control round. Each is also a line that `evenaird replay`
//! reads, so last night's records are an input for other parameters.

use std::io::{self, BufRead};

use evenair_core::component::message::{one_line, shown};
use serde::{Deserialize, Deserializer, Serialize};

/// The schema of [`Record`], in its member `schema`. It is raised when a member changes its meaning
/// or is removed; a new member leaves it.
pub const SCHEMA: u32 = 1;

/// What was observed in a round, and what followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Wall-clock time of the decision, RFC 3339.
    pub time: String,
    /// Seconds since the daemon started, of a clock that nobody sets.
    pub t_s: f64,
    /// The length of the round, seconds.
    pub round_s: f64,
    /// What the daemon does with the decision: "observe" or "enforce".
    pub mode: String,
    /// Uplink throughput, bit/s at IP level.
    pub up_bps: u64,
    /// Downlink throughput, bit/s at IP level.
    pub down_bps: u64,
    /// UDP's part of the uplink throughput, bit/s.
    pub up_udp_bps: u64,
    /// UDP's part of the downlink throughput, bit/s.
    pub down_udp_bps: u64,
    /// Whether the access point's downlink queue has lost packets; null: not known.
    pub lost: Option<bool>,
    /// Packets that it has lost; null: not known.
    pub lost_packets: Option<u64>,
    /// State of the loss signal; null without one.
    pub signal: Option<String>,
    /// Age of the last fresh reading, seconds.
    pub signal_age_s: Option<f64>,
    /// The rate of the uplink after the round, R, bit/s.
    pub rate_bps: u64,
    /// The estimate of the capacity, C, bit/s; null before the first loss.
    pub capacity_bps: Option<u64>,
    /// Whether the next loss is the first of its series.
    pub first_loss: bool,
    /// The rate of UDP's own bucket, bit/s; null without one.
    pub udp_rate_bps: Option<u64>,
    /// Why the rate is what it is: "no-loss", "first-loss", "loss", "held", "released", "fixed".
    pub reason: String,
    /// Packets that the policer has dropped in the round.
    pub dropped_packets: u64,
    /// Their bytes at IP level.
    pub dropped_bytes: u64,
}

/// The members of a line that the controller needs; others are ignored.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Line {
    /// Time of the decision, seconds.
    pub t_s: serde_json::Number,
    /// Uplink throughput, bit/s at IP level.
    #[serde(deserialize_with = "rate")]
    pub up_bps: u64,
    /// Downlink throughput, bit/s at IP level.
    #[serde(deserialize_with = "rate")]
    pub down_bps: u64,
    /// UDP's part of the uplink throughput, bit/s.
    #[serde(default, deserialize_with = "rate")]
    pub up_udp_bps: u64,
    /// UDP's part of the downlink throughput, bit/s.
    #[serde(default, deserialize_with = "rate")]
    pub down_udp_bps: u64,
    /// Whether packets were lost; null: not known.
    #[serde(deserialize_with = "known")]
    pub lost: Option<bool>,
    /// State of the loss signal, where it was recorded.
    #[serde(default)]
    pub signal: Option<String>,
}

/// The largest throughput, bit/s: that of the fastest rate in a configuration.
const FASTEST: f64 = 1e12;
/// The latest time, seconds; a u64 holds it in nanoseconds.
const LATEST: f64 = 1e10;
/// The longest line, bytes.
const LONGEST: u64 = 65_536;

/// A rate in bit/s; a fraction is rounded.
fn rate<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = f64::deserialize(from)?;
    if (0.0..=FASTEST).contains(&number) {
        return Ok(number.round() as u64);
    }
    let message = format!("got {number}; accepted: a rate from 0 to {FASTEST:e} bit/s");
    Err(serde::de::Error::custom(message))
}

/// Without this function, serde would take a missing member for null.
fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    Option::deserialize(from)
}

impl Line {
    /// Reads a line of JSON.
    ///
    /// # Errors
    /// What is wrong with it and what is accepted, in one line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line: Self = serde_json::from_str(text).map_err(|err| {
            let accepted = "{\"t_s\": number, \"up_bps\": number, \"down_bps\": number, \"lost\": \
                            true, false or null}";
            one_line(&format!("got {}: {err}; accepted: {accepted}", shown(text)))
        })?;
        match line.seconds() {
            Some(_) => Ok(line),
            None => Err(format!(
                "t_s: got {}; accepted: seconds from 0 to {LATEST:e}",
                shown(&line.t_s.to_string())
            )),
        }
    }

    /// Time of the decision; `None` if it is out of range.
    fn seconds(&self) -> Option<f64> {
        self.t_s.as_f64().filter(|seconds| (0.0..=LATEST).contains(seconds))
    }

    /// Time of the decision.
    pub fn at(&self) -> evenair_core::time::Instant {
        let seconds = self.seconds().unwrap_or_default();
        evenair_core::time::Instant::ZERO + evenair_core::time::Duration::from_secs_f64(seconds)
    }
}

/// Reads the next line that is not blank, with its number; `None` at the end.
///
/// # Errors
/// The line cannot be read or is not accepted, in one line that begins with its number.
pub fn next_line(input: &mut impl BufRead, number: &mut u64) -> Result<Option<Line>, ReadError> {
    loop {
        *number += 1;
        let mut bytes = Vec::new();
        io::Read::take(&mut *input, LONGEST)
            .read_until(b'\n', &mut bytes)
            .map_err(ReadError::Io)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let bad = |problem: &str| ReadError::Line(format!("line {number}: {problem}"));
        if bytes.len() as u64 == LONGEST && bytes.last() != Some(&b'\n') {
            return Err(bad(&format!("got more than {LONGEST} bytes; accepted: a shorter line")));
        }
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| bad("got bytes that are not UTF-8; accepted: JSON text"))?;
        if !text.trim().is_empty() {
            return Line::parse(text.trim()).map(Some).map_err(|problem| bad(&problem));
        }
    }
}

/// Why there is no next line.
#[derive(Debug)]
pub enum ReadError {
    /// The file failed.
    Io(io::Error),
    /// The line is not accepted, and why.
    Line(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Result<Vec<Line>, String> {
        let (mut input, mut number) = (text, 0);
        let mut all = Vec::new();
        loop {
            match next_line(&mut input, &mut number) {
                Ok(Some(line)) => all.push(line),
                Ok(None) => return Ok(all),
                Err(ReadError::Line(message)) => return Err(message),
                Err(ReadError::Io(err)) => panic!("{err}"),
            }
        }
    }

    #[test]
    fn members_that_replay_does_not_know_are_ignored() {
        let text = br#"{"t_s": 1.5, "up_bps": 2e6, "down_bps": 10.5, "lost": null, "x": [1]}

            {"lost": true, "t_s": 2, "up_bps": 0, "down_bps": 1000000000000, "up_udp_bps": 7}"#;
        let read = lines(text).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].up_bps, read[0].down_bps, read[0].lost), (2_000_000, 11, None));
        assert_eq!(read[0].at().as_nanos(), 1_500_000_000);
        assert_eq!((read[1].up_udp_bps, read[1].lost), (7, Some(true)));
    }

    #[test]
    fn a_line_that_is_not_accepted_has_its_number() {
        let good = r#"{"t_s": 1, "up_bps": 1, "down_bps": 1, "lost": false}"#;
        for (bad, part) in [
            ("{", "EOF"),
            (r#"{"t_s": 1, "up_bps": 1, "down_bps": 1}"#, "missing field `lost`"),
            (r#"{"t_s": 1, "up_bps": -1, "down_bps": 1, "lost": true}"#, "got -1"),
            (r#"{"t_s": 1, "up_bps": 1e13, "down_bps": 1, "lost": true}"#, "a rate from 0"),
            (r#"{"t_s": 1, "up_bps": "1", "down_bps": 1, "lost": true}"#, "invalid type"),
            (r#"{"t_s": 1, "up_bps": 1, "down_bps": 1, "lost": 1}"#, "invalid type"),
            (r#"{"t_s": -1, "up_bps": 1, "down_bps": 1, "lost": true}"#, "t_s: got"),
            (r#"{"t_s": 1e11, "up_bps": 1, "down_bps": 1, "lost": true}"#, "t_s: got"),
        ] {
            let message = lines(format!("{good}\n\n{bad}\n{good}\n").as_bytes()).unwrap_err();
            assert!(message.starts_with("line 3: ") && message.contains(part), "{message}");
            assert!(message.contains("accepted: ") && !message.contains('\n'), "{message}");
        }
        assert!(lines(b"\xff\n").unwrap_err().starts_with("line 1: got bytes"));
        let long = format!("{{\"x\": \"{}\"}}", "y".repeat(70_000));
        assert!(lines(long.as_bytes()).unwrap_err().starts_with("line 1: got more than"));
    }
}
