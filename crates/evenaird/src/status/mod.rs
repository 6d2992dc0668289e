//! What a running daemon says about itself: as JSON over its control socket, as text for people.

pub mod control_socket;
pub mod metrics;

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::data_path::{Counters, Traffic};
use crate::records::record::Record;

/// The answer to `evenaird status --json`. Counts are since the start of the daemon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Version of the daemon.
    pub version: String,
    /// The interface towards the access point.
    pub interface: String,
    /// What the daemon does now: "off", "observe" or "enforce".
    pub mode: String,
    /// The mode in the configuration file; another one than `mode` after `evenaird off`.
    pub configured_mode: String,
    /// Whether the data path is attached to the interface.
    pub attached: bool,
    /// The name that the policed interface has now: another one than `interface` after it was
    /// renamed; null: none is policed.
    pub policed: Option<String>,
    /// Why it is not, although it should be.
    pub data_path_error: Option<String>,
    /// Seconds since the daemon started.
    pub uptime_s: f64,
    /// The limiter: "adaptive" or "fixed".
    pub limiter: String,
    /// The control interval, seconds.
    pub interval_s: f64,
    /// Control rounds.
    pub rounds: Rounds,
    /// The loss signal, if there is one.
    pub signal: Option<SignalStatus>,
    /// The downlink queue, if there is one.
    pub queue: Option<QueueStatus>,
    /// Traffic of the interface, up to the end of the last round.
    pub traffic: Vec<ProtocolTraffic>,
    /// Decision records that could not be written.
    pub record_failures: u64,
    /// Why the last one could not be written.
    pub record_error: Option<String>,
    /// Configurations taken over on SIGHUP.
    pub reloads: u64,
    /// Configurations refused on SIGHUP.
    pub failed_reloads: u64,
    /// The last decision.
    pub last: Option<Record>,
}

/// Control rounds by their result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// All of them.
    pub total: u64,
    /// With a loss.
    pub lossy: u64,
    /// Without news of losses: the rate is held, or released.
    pub blind: u64,
    /// Scheduled, but left out because the one before was late.
    pub skipped: u64,
}

/// The loss signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalStatus {
    /// "ok", "stale", "unreachable", "reset" or "wrapped".
    pub state: String,
    /// Age of the last fresh reading, seconds.
    pub age_s: f64,
    /// Packets lost in all rounds.
    pub lost_packets: u64,
    /// How often the source refreshes its counters, seconds; null: not known.
    pub refresh_s: Option<f64>,
    /// Rounds without load whose losses are known, since the signal was opened.
    pub idle_rounds: u64,
    /// Of them, those with losses.
    pub idle_lossy_rounds: u64,
    /// Whether losses come with load: false when too many rounds without load have some.
    pub follows_load: bool,
    /// Why the last reading failed.
    pub error: Option<String>,
}

/// The downlink queue. Counts are since the start of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueStatus {
    /// The discipline.
    pub discipline: String,
    /// Whether packets go through it now.
    pub open: bool,
    /// The rate at which it is emptied, bit/s; null while it is not open.
    pub rate_bps: Option<u64>,
    /// The estimate of the capacity that the rate follows, bit/s; null if it is constant.
    pub capacity_bps: Option<u64>,
    /// Packets that wait now.
    pub backlog_packets: u64,
    /// Their bytes at IP level.
    pub backlog_bytes: u64,
    /// Packets that have left.
    pub packets: u64,
    /// Their bytes at IP level.
    pub bytes: u64,
    /// Of them, those that had to wait.
    pub delayed_packets: u64,
    /// Packets that the discipline has dropped.
    pub dropped_packets: u64,
    /// Packets whose ECN field it has set to CE.
    pub marked_packets: u64,
    /// Why it is not open, although it should be.
    pub error: Option<String>,
}

/// Traffic of one protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtocolTraffic {
    /// "tcp", "udp" or "other".
    pub protocol: String,
    /// Uplink packets that passed.
    pub up_packets: u64,
    /// Their bytes at IP level.
    pub up_bytes: u64,
    /// Downlink packets.
    pub down_packets: u64,
    /// Their bytes at IP level.
    pub down_bytes: u64,
    /// Uplink packets that the policer dropped.
    pub dropped_packets: u64,
    /// Their bytes at IP level.
    pub dropped_bytes: u64,
}

impl ProtocolTraffic {
    /// The traffic of each protocol.
    pub fn all(counters: &Counters) -> Vec<Self> {
        let row = |(index, name): (usize, &str)| {
            let [up, down, dropped]: [Traffic; 3] =
                [counters.up[index], counters.down[index], counters.dropped[index]];
            Self {
                protocol: name.to_owned(),
                up_packets: up.packets,
                up_bytes: up.bytes,
                down_packets: down.packets,
                down_bytes: down.bytes,
                dropped_packets: dropped.packets,
                dropped_bytes: dropped.bytes,
            }
        };
        ["tcp", "udp", "other"].into_iter().enumerate().map(row).collect()
    }
}

impl Status {
    /// The text of `evenaird status`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            // Writing to a String does not fail.
            let _ = writeln!(text, "{name:<12}{value}");
        };
        let by_command = if self.mode == self.configured_mode { "" } else { ", by `evenaird off`" };
        match &self.policed {
            Some(name) if *name != self.interface => {
                line("interface", format!("{name}, {} in the configuration", self.interface));
            }
            _ => line("interface", self.interface.clone()),
        }
        line("mode", format!("{}{by_command}", self.mode));
        line("attached", if self.attached { "yes" } else { "no" }.to_owned());
        if let Some(error) = &self.data_path_error {
            line("data path", error.clone());
        }
        let rounds = &self.rounds;
        let every = self.interval_s;
        line(
            "rounds",
            format!(
                "{}, every {every} s: {} lossy, {} without news of losses, {} skipped",
                rounds.total, rounds.lossy, rounds.blind, rounds.skipped
            ),
        );
        if let Some(signal) = &self.signal {
            line("signal", signal.text());
            if !signal.follows_load {
                let (lossy, idle) = (signal.idle_lossy_rounds, signal.idle_rounds);
                line(
                    "warning",
                    format!(
                        "losses do not follow the load: {lossy} of {idle} rounds without load have some"
                    ),
                );
            }
        }
        if let Some(last) = &self.last {
            let would = if last.mode == "enforce" { "" } else { ", not enforced" };
            line("rate R", format!("{} ({}{would})", shown(last.rate_bps), last.reason));
            line("capacity C", last.capacity_bps.map_or("not known".to_owned(), shown));
            if let Some(rate) = last.udp_rate_bps {
                line("UDP rate", shown(rate));
            }
            line(
                "uplink",
                format!("{}, of which UDP {}", shown(last.up_bps), shown(last.up_udp_bps)),
            );
            line(
                "downlink",
                format!("{}, of which UDP {}", shown(last.down_bps), shown(last.down_udp_bps)),
            );
        }
        if let Some(queue) = &self.queue {
            line("queue", queue.text());
        }
        let sum = |count: fn(&ProtocolTraffic) -> u64| self.traffic.iter().map(count).sum::<u64>();
        let (packets, bytes) = (sum(|t| t.dropped_packets), sum(|t| t.dropped_bytes));
        line("dropped", format!("{packets} packets, {bytes} bytes"));
        if let Some(error) = &self.record_error {
            line("records", format!("{} lost: {error}", self.record_failures));
        }
        if self.failed_reloads > 0 {
            line("reloads", format!("{} and {} refused", self.reloads, self.failed_reloads));
        }
        text
    }
}

impl SignalStatus {
    fn text(&self) -> String {
        let refresh = match self.refresh_s {
            None => String::new(),
            Some(0.0) => ", live".to_owned(),
            Some(seconds) => format!(", refreshed every {seconds:.1} s"),
        };
        let error = self.error.as_ref().map_or(String::new(), |error| format!(": {error}"));
        let Self { state, age_s, lost_packets, .. } = self;
        format!("{state}, {age_s:.1} s old, {lost_packets} packets lost{refresh}{error}")
    }
}

impl QueueStatus {
    fn text(&self) -> String {
        let Self { discipline, backlog_packets, backlog_bytes, dropped_packets, .. } = self;
        match (self.rate_bps, &self.error) {
            (None, Some(error)) => format!("{discipline}, not open: {error}"),
            (None, None) => format!("{discipline}, not open"),
            (Some(rate), _) => format!(
                "{discipline} at {}: {backlog_packets} packets ({backlog_bytes} bytes) wait, \
                 {dropped_packets} dropped, {} marked",
                shown(rate),
                self.marked_packets
            ),
        }
    }
}

fn shown(bps: u64) -> String {
    format!("{:.3} Mb/s", bps as f64 / 1e6)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::records::record::SCHEMA;

    /// A status in which every member has a value.
    pub(crate) fn example() -> Status {
        let mut counters = Counters::default();
        counters.up[1] = Traffic { packets: 10, bytes: 1000 };
        counters.dropped[1] = Traffic { packets: 7, bytes: 9000 };
        Status {
            version: "0.1.0".to_owned(),
            interface: "eth\"1\\".to_owned(),
            mode: "off".to_owned(),
            configured_mode: "enforce".to_owned(),
            attached: false,
            policed: Some("eth9".to_owned()),
            data_path_error: Some("gone".to_owned()),
            uptime_s: 12.5,
            limiter: "adaptive".to_owned(),
            interval_s: 0.5,
            rounds: Rounds { total: 12, lossy: 3, blind: 2, skipped: 1 },
            signal: Some(SignalStatus {
                state: "stale".to_owned(),
                age_s: 4.25,
                lost_packets: 77,
                refresh_s: Some(3.0),
                idle_rounds: 40,
                idle_lossy_rounds: 12,
                follows_load: false,
                error: Some("no answer".to_owned()),
            }),
            queue: Some(QueueStatus {
                discipline: "las".to_owned(),
                open: true,
                rate_bps: Some(4_500_000),
                capacity_bps: Some(5_000_000),
                backlog_packets: 6,
                backlog_bytes: 8000,
                packets: 100,
                bytes: 90_000,
                delayed_packets: 50,
                dropped_packets: 9,
                marked_packets: 3,
                error: None,
            }),
            traffic: ProtocolTraffic::all(&counters),
            record_failures: 5,
            record_error: Some("disk full".to_owned()),
            reloads: 2,
            failed_reloads: 1,
            last: Some(Record {
                schema: SCHEMA,
                time: "2026-01-31T08:00:00.000Z".to_owned(),
                t_s: 12.0,
                round_s: 0.5,
                mode: "observe".to_owned(),
                up_bps: 3_100_000,
                down_bps: 1_400_000,
                up_udp_bps: 200_000,
                down_udp_bps: 100_000,
                lost: Some(true),
                lost_packets: Some(4),
                signal: Some("ok".to_owned()),
                signal_age_s: Some(0.25),
                rate_bps: 2_900_000,
                capacity_bps: Some(4_500_000),
                first_loss: false,
                udp_rate_bps: Some(300_000),
                reason: "first-loss".to_owned(),
                dropped_packets: 1,
                dropped_bytes: 1500,
            }),
        }
    }

    #[test]
    fn a_status_survives_the_socket_and_is_shown_in_words() {
        let status = example();
        let json = serde_json::to_string(&status).unwrap();
        assert_eq!(serde_json::from_str::<Status>(&json).unwrap(), status);
        let text = status.text();
        for line in [
            "interface   eth9, eth\"1\\ in the configuration",
            "mode        off, by `evenaird off`",
            "attached    no",
            "data path   gone",
            "rounds      12, every 0.5 s: 3 lossy, 2 without news of losses, 1 skipped",
            "signal      stale, 4.2 s old, 77 packets lost, refreshed every 3.0 s: no answer",
            "warning     losses do not follow the load: 12 of 40 rounds without load have some",
            "rate R      2.900 Mb/s (first-loss, not enforced)",
            "capacity C  4.500 Mb/s",
            "UDP rate    0.300 Mb/s",
            "uplink      3.100 Mb/s, of which UDP 0.200 Mb/s",
            "downlink    1.400 Mb/s, of which UDP 0.100 Mb/s",
            "queue       las at 4.500 Mb/s: 6 packets (8000 bytes) wait, 9 dropped, 3 marked",
            "dropped     7 packets, 9000 bytes",
            "records     5 lost: disk full",
            "reloads     2 and 1 refused",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
        }
    }
}
