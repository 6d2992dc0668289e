//! `evenaird replay`: the controller on recorded rounds.

use std::io::{self, BufRead, Write};

use evenair_core::control::limiter::{self, Throughput};
use evenair_core::time::Duration;
use evenair_core::units::Rate;
use serde::Serialize;

use crate::control::controller::{Controller, Observation};
use crate::records::record::{Line, ReadError, next_line};

/// The state after a round.
#[derive(Serialize)]
struct State<'a> {
    t_s: &'a serde_json::Number,
    rate_bps: u64,
    capacity_bps: Option<u64>,
    first_loss: bool,
}

/// Why a replay ended early.
#[derive(Debug)]
pub enum ReplayError {
    /// The input has a line that is not accepted.
    Input(String),
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
}

/// Reads rounds and writes the controller's state after each. Time that goes back is a restart of
/// the daemon: the controller starts anew, too.
///
/// # Errors
/// See [`ReplayError`].
pub fn replay(
    config: &limiter::Config,
    hold: Duration,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), ReplayError> {
    let mut controller = Controller::new(config, hold);
    let (mut number, mut last) = (0, None);
    loop {
        let line = match next_line(&mut input, &mut number) {
            Ok(Some(line)) => line,
            Ok(None) => return output.flush().map_err(ReplayError::Write),
            Err(ReadError::Line(problem)) => return Err(ReplayError::Input(problem)),
            Err(ReadError::Io(err)) => return Err(ReplayError::Read(err)),
        };
        if last.is_some_and(|last| line.at() < last) {
            controller = Controller::new(config, hold);
        }
        last = Some(line.at());
        let decision = controller.round(&observation(&line)).decision;
        let state = State {
            t_s: &line.t_s,
            rate_bps: decision.rate.as_bps(),
            capacity_bps: decision.capacity.map(Rate::as_bps),
            first_loss: decision.first_loss,
        };
        serde_json::to_writer(&mut output, &state).map_err(|err| ReplayError::Write(err.into()))?;
        output.write_all(b"\n").map_err(ReplayError::Write)?;
    }
}

fn observation(line: &Line) -> Observation {
    let throughput =
        |total, udp| Throughput { total: Rate::from_bps(total), udp: Rate::from_bps(udp) };
    Observation {
        at: line.at(),
        up: throughput(line.up_bps, line.up_udp_bps),
        down: throughput(line.down_bps, line.down_udp_bps),
        lost: line.lost,
        signal_works: line.signal.as_deref() == Some("ok"),
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::control::limiter::AdaptiveConfig;
    use serde_json::{Value, json};

    use super::*;

    fn states(input: &str) -> Result<Vec<Value>, ReplayError> {
        let mut output = Vec::new();
        let (config, hold) = (AdaptiveConfig::default().into(), Duration::from_secs(30));
        replay(&config, hold, input.as_bytes(), &mut output)?;
        let text = String::from_utf8(output).unwrap();
        Ok(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    /// By hand from Tab. 1: a step up is cut at 6 Mb/s; C = 5 Mb/s and R = min(5.8, 3.8); R = 3.6;
    /// R = 3.8. Time goes back: R is 6 Mb/s again, C not known.
    #[test]
    fn rounds_are_those_of_tab_1() {
        let input = r#"{"t_s": 1, "up_bps": 3000000, "down_bps": 0, "lost": false}
            {"t_s": 2.5, "up_bps": 4000000, "down_bps": 1000000, "lost": true}
            {"t_s": 3, "up_bps": 4000000, "down_bps": 1000000, "lost": true}
            {"t_s": 4, "up_bps": 0, "down_bps": 0, "lost": false}
            {"t_s": 0, "up_bps": 0, "down_bps": 0, "lost": false}"#;
        let expected = [
            json!({"t_s": 1, "rate_bps": 6_000_000, "capacity_bps": null, "first_loss": true}),
            json!({"t_s": 2.5, "rate_bps": 3_800_000, "capacity_bps": 5_000_000, "first_loss": false}),
            json!({"t_s": 3, "rate_bps": 3_600_000, "capacity_bps": 5_000_000, "first_loss": false}),
            json!({"t_s": 4, "rate_bps": 3_800_000, "capacity_bps": 5_000_000, "first_loss": true}),
            json!({"t_s": 0, "rate_bps": 6_000_000, "capacity_bps": null, "first_loss": true}),
        ];
        assert_eq!(states(input).unwrap(), expected);
    }

    #[test]
    fn a_bad_line_ends_the_replay_with_its_number() {
        let error = states("{\"t_s\": 1, \"up_bps\": 1, \"down_bps\": 1, \"lost\": true}\nx");
        assert!(matches!(error, Err(ReplayError::Input(text)) if text.starts_with("line 2: ")));
    }
}
