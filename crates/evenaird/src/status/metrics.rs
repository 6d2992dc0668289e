//! The status as OpenMetrics text (version 1.0.0), for Prometheus and the like.

use std::fmt::{Display, Write};

use crate::status::{ProtocolTraffic, QueueStatus, Status};

/// The media type of the text.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The answer to an HTTP request of which `head` is everything before the blank line. `status` is
/// called for a good request only.
pub fn answer(head: &str, status: impl FnOnce() -> Status) -> String {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let (code, kind, body) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", CONTENT_TYPE, text(&status())),
        ("GET" | "HEAD", _) => ("404 Not Found", "text/plain", "see /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "text/plain", "GET /metrics\n".to_owned()),
    };
    let length = body.len();
    let body = if method == "HEAD" { String::new() } else { body };
    format!(
        "HTTP/1.1 {code}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

/// The metrics of a daemon.
pub fn text(status: &Status) -> String {
    let mut out = Text { text: String::new(), interface: &status.interface };
    out.family("evenaird_build", "info", "Version of the daemon.");
    out.sample("evenaird_build_info", &[("version", &status.version)], 1);
    out.states(
        "evenaird_mode",
        "What the daemon does.",
        &["off", "observe", "enforce"],
        &status.mode,
    );
    out.gauge("evenaird_attached", "Whether the data path is attached.", u8::from(status.attached));
    out.gauge("evenaird_interval_seconds", "Control interval.", status.interval_s);
    if let Some(last) = &status.last {
        out.gauge("evenaird_rate_bps", "Rate of the uplink R, bit/s.", last.rate_bps);
        if let Some(capacity) = last.capacity_bps {
            out.gauge("evenaird_capacity_bps", "Estimated capacity C, bit/s.", capacity);
        }
        if let Some(rate) = last.udp_rate_bps {
            out.gauge("evenaird_udp_rate_bps", "Rate of UDP's own bucket, bit/s.", rate);
        }
        let name = "evenaird_throughput_bps";
        out.family(name, "gauge", "Throughput in the last round, bit/s at IP level.");
        out.sample(name, &[("direction", "up"), ("traffic", "all")], last.up_bps);
        out.sample(name, &[("direction", "up"), ("traffic", "udp")], last.up_udp_bps);
        out.sample(name, &[("direction", "down"), ("traffic", "all")], last.down_bps);
        out.sample(name, &[("direction", "down"), ("traffic", "udp")], last.down_udp_bps);
    }
    let rounds = &status.rounds;
    out.counter("evenaird_rounds", "Control rounds.", rounds.total);
    out.counter("evenaird_lossy_rounds", "Control rounds with a loss.", rounds.lossy);
    out.counter("evenaird_blind_rounds", "Control rounds without news of losses.", rounds.blind);
    out.counter("evenaird_skipped_rounds", "Control rounds left out.", rounds.skipped);
    if let Some(signal) = &status.signal {
        let states = ["ok", "stale", "unreachable", "reset", "wrapped"];
        out.states("evenaird_signal", "State of the loss signal.", &states, &signal.state);
        out.gauge("evenaird_signal_age_seconds", "Age of the last fresh reading.", signal.age_s);
        if let Some(refresh) = signal.refresh_s {
            let help = "How often the source refreshes its counters.";
            out.gauge("evenaird_signal_refresh_seconds", help, refresh);
        }
        let help = "Rounds without load whose losses are known.";
        out.counter("evenaird_idle_rounds", help, signal.idle_rounds);
        let help = "Of them, those with losses.";
        out.counter("evenaird_idle_lossy_rounds", help, signal.idle_lossy_rounds);
        let help = "Whether losses come with load.";
        out.gauge("evenaird_signal_follows_load", help, u8::from(signal.follows_load));
        let help = "Packets lost in the access point's downlink queue.";
        out.counter("evenaird_lost_packets", help, signal.lost_packets);
    }
    if let Some(queue) = &status.queue {
        out.queue(queue);
    }
    out.traffic("evenaird_packets", "Packets that passed.", &status.traffic, |t| {
        [t.up_packets, t.down_packets]
    });
    out.traffic("evenaird_bytes", "Bytes at IP level that passed.", &status.traffic, |t| {
        [t.up_bytes, t.down_bytes]
    });
    for (name, help, count) in [
        (
            "evenaird_dropped_packets",
            "Uplink packets dropped by the policer.",
            (|t| t.dropped_packets) as fn(&ProtocolTraffic) -> u64,
        ),
        ("evenaird_dropped_bytes", "Their bytes at IP level.", |t| t.dropped_bytes),
    ] {
        out.family(name, "counter", help);
        for protocol in &status.traffic {
            let labels = [("protocol", protocol.protocol.as_str())];
            out.sample(&format!("{name}_total"), &labels, count(protocol));
        }
    }
    let help = "Decision records that could not be written.";
    out.counter("evenaird_record_failures", help, status.record_failures);
    out.counter("evenaird_reloads", "Configurations taken over.", status.reloads);
    out.counter("evenaird_failed_reloads", "Configurations refused.", status.failed_reloads);
    out.text.push_str("# EOF\n");
    out.text
}

struct Text<'a> {
    text: String,
    interface: &'a str,
}

impl Text<'_> {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a String does not fail.
        let _ = write!(self.text, "# TYPE {name} {kind}\n# HELP {name} {help}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let _ = write!(self.text, "{name}{{interface=\"{}\"", escaped(self.interface));
        for (label, value) in labels {
            let _ = write!(self.text, ",{label}=\"{}\"", escaped(value));
        }
        let _ = writeln!(self.text, "}} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, &[], value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "counter", help);
        self.sample(&format!("{name}_total"), &[], value);
    }

    fn states(&mut self, name: &str, help: &str, states: &[&str], current: &str) {
        self.family(name, "stateset", help);
        for state in states {
            self.sample(name, &[(name, state)], u8::from(*state == current));
        }
    }

    fn queue(&mut self, queue: &QueueStatus) {
        let name = "evenaird_queue";
        self.family(name, "info", "Discipline of the downlink queue.");
        self.sample("evenaird_queue_info", &[("discipline", &queue.discipline)], 1);
        let is_open = u8::from(queue.open);
        self.gauge(
            "evenaird_queue_open",
            "Whether packets go through the downlink queue.",
            is_open,
        );
        if let Some(rate) = queue.rate_bps {
            self.gauge("evenaird_queue_rate_bps", "Rate of the downlink queue, bit/s.", rate);
        }
        if let Some(capacity) = queue.capacity_bps {
            let help = "Estimate of the capacity that its rate follows, bit/s.";
            self.gauge("evenaird_queue_capacity_bps", help, capacity);
        }
        let help = "Packets that wait in the downlink queue.";
        self.gauge("evenaird_queue_backlog_packets", help, queue.backlog_packets);
        self.gauge("evenaird_queue_backlog_bytes", "Their bytes at IP level.", queue.backlog_bytes);
        for (name, help, count) in [
            ("evenaird_queue_packets", "Packets that have left it.", queue.packets),
            ("evenaird_queue_bytes", "Their bytes at IP level.", queue.bytes),
            (
                "evenaird_queue_delayed_packets",
                "Of them, those that waited.",
                queue.delayed_packets,
            ),
            ("evenaird_queue_dropped_packets", "Packets that it dropped.", queue.dropped_packets),
            ("evenaird_queue_marked_packets", "Packets marked CE.", queue.marked_packets),
        ] {
            self.counter(name, help, count);
        }
    }

    fn traffic(
        &mut self,
        name: &str,
        help: &str,
        protocols: &[ProtocolTraffic],
        counts: impl Fn(&ProtocolTraffic) -> [u64; 2],
    ) {
        self.family(name, "counter", help);
        for protocol in protocols {
            for (direction, count) in ["up", "down"].into_iter().zip(counts(protocol)) {
                let labels = [("direction", direction), ("protocol", &protocol.protocol)];
                self.sample(&format!("{name}_total"), &labels, count);
            }
        }
    }
}

/// A label's value: backslash, line feed and double quote are escaped.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"")
}

#[cfg(test)]
mod tests;
