//! `evenaird check`: a configuration in words, with units.

use std::fmt::Write;

use evenair_core::component::{BitRate, Bytes, Parameters, Registry, Seconds};
use evenair_core::control::limiter;
use evenair_core::queue::QueueLimit;
use evenair_core::time::Duration;

use crate::config::{Config, Listen, Mode, QueueConfig, QueueRate, Signal, Version};

/// Of the column of names, with a space after the longest one.
pub const WIDTH: usize = 15;

/// What the daemon would do.
pub fn text(config: &Config) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{name:<WIDTH$}{value}");
    };
    let mode = match config.mode {
        Mode::Off => "nothing is attached",
        Mode::Observe => "counts and decides, limits nothing",
        Mode::Enforce => "limits the uplink",
    };
    line("interface", config.interface.clone());
    line("mode", format!("{}: {mode}", config.mode));
    if config.pinned {
        line("pinned", "stays attached for five rounds when the daemon dies".to_owned());
    }
    line("limiter", format!("{}: {}", config.limiter.name(), config.limiter.component().summary));
    for (name, value) in limiter_values(&config.limiter) {
        line(name, value);
    }
    if let Some(signal) = &config.signal {
        line("loss signal", signal_text(signal));
        line("hold", format!("{}, then the limit is lifted", seconds(config.hold)));
    }
    if let Some(queue) = &config.queue {
        line("queue", queue_text(queue));
    }
    match &config.records {
        Some(records) => {
            let size = Bytes::new(records.max_size);
            let file = records.file.display();
            line("records", format!("{file}, up to {size}, and {} older files", records.keep));
        }
        None => line("records", "none".to_owned()),
    }
    match &config.metrics {
        Some(Listen::Tcp(address)) => line("metrics", format!("http://{address}/metrics")),
        Some(Listen::Unix(path)) => line("metrics", format!("/metrics at {}", path.display())),
        None => line("metrics", "none".to_owned()),
    }
    line("control", config.control_socket().display().to_string());
    text
}

fn limiter_values(config: &limiter::Config) -> Vec<(&'static str, String)> {
    match config {
        limiter::Config::Adaptive(adaptive) => {
            let mut values = vec![
                ("  interval", seconds(adaptive.interval)),
                ("  step", adaptive.step.to_string()),
                ("  bucket", Bytes::new(adaptive.bucket_bytes()).to_string()),
                ("  max_rate", adaptive.max_rate.to_string()),
                ("  min_rate", adaptive.min_rate.to_string()),
                ("  udp", adaptive.udp.to_string()),
            ];
            if adaptive.udp == limiter::Udp::Reserved {
                values.push(("  udp_rate", adaptive.udp_rate.to_string()));
            }
            values.push(("  uplink_count", adaptive.uplink_count.to_string()));
            values
        }
        limiter::Config::Fixed(fixed) => vec![
            ("  rate", fixed.rate.to_string()),
            ("  bucket", Bytes::new(fixed.bucket_bytes()).to_string()),
        ],
        limiter::Config::None(none) => {
            debug_assert!(none.values().is_empty());
            Vec::new()
        }
    }
}

fn queue_text(queue: &QueueConfig) -> String {
    let limit = match queue.limit {
        QueueLimit::Packets(packets) => format!("{packets} packets"),
        QueueLimit::Bytes(bytes) => Bytes::new(bytes).to_string(),
        QueueLimit::Unlimited => "no limit".to_owned(),
    };
    let rate = match &queue.rate {
        QueueRate::Fixed(rate) => BitRate::from_bps(rate.as_bps()).to_string(),
        QueueRate::Estimated { share, .. } => {
            format!("{share} of the estimated capacity, less the uplink")
        }
    };
    let (name, number, burst) = (queue.discipline.name(), queue.number, Bytes::new(queue.burst));
    format!("{name}, up to {limit}, at {rate}, burst {burst}, netfilter queue {number}")
}

fn signal_text(signal: &Signal) -> String {
    match signal {
        Signal::Local(local) => format!("drops of the {} {}", local.counter, local.device),
        Signal::Snmp(snmp) => {
            let secrecy = match (snmp.version, &snmp.privacy_file) {
                (Version::V2c, _) => "community in clear text".to_owned(),
                (Version::V3, None) => format!("{}, not encrypted", snmp.authentication),
                (Version::V3, Some(_)) => format!("{}, {}", snmp.authentication, snmp.privacy),
            };
            let counter = snmp.counter.as_deref().unwrap_or("ifOutDiscards");
            let (host, port, version) = (&snmp.host, snmp.port, snmp.version);
            let refresh = snmp.refresh.map_or("measured".to_owned(), |refresh| refresh.to_string());
            let interface = &snmp.interface;
            format!(
                "SNMP version {version} ({secrecy}) to {host} port {port}: {counter} of {interface}, \
                 refresh interval {refresh}"
            )
        }
    }
}

fn seconds(duration: Duration) -> String {
    Seconds::from(duration).to_string()
}
