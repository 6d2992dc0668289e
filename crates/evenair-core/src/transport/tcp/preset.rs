//! Presets of TCP's options: tables of values, in which a preset differs from the defaults.

use super::config::TcpConfig;
use crate::component::{Component, Parameters, Value, named};
use crate::time::Duration;

use Setting::{Is, OfSegment};

named! {
    /// Which TCP the defaults of the options are those of.
    pub enum TcpPreset {
        /// Linux.
        #[default]
        Linux => "linux",
        /// The RFCs of the standards track.
        Rfc => "rfc",
        /// ns-2.35, and the papers that used it.
        Ns2 => "ns2",
    }
    planned []
}

impl TcpPreset {
    /// The options for segments of so many bytes.
    pub fn config(self, segment: u32) -> TcpConfig {
        let mut config = TcpConfig::default();
        for (name, setting) in self.settings() {
            let value = match setting {
                Is(value) => value.clone(),
                OfSegment(segments) => Value::Integer(segments(segment)),
            };
            let assigned = config.assign(name, value);
            debug_assert!(assigned, "{name}: no such option, or another type");
        }
        config
    }

    /// Name, summary and source.
    pub fn component(self) -> Component {
        let (summary, source) = match self {
            Self::Linux => ("TCP of Linux, with any congestion control", "Linux 6.1 to 6.15"),
            Self::Rfc => (
                "TCP of the standards track, with any congestion control",
                "RFC 5681, RFC 6675, RFC 6298",
            ),
            Self::Ns2 => ("TCP of ns-2 and of papers that used it", "ns-2.35, Gong et al. 2006"),
        };
        Component { name: self.name(), aliases: &[], summary, source, ordered: &[] }
    }

    fn settings(self) -> &'static [(&'static str, Setting)] {
        match self {
            Self::Linux => &LINUX,
            Self::Rfc => &RFC,
            Self::Ns2 => &NS2,
        }
    }
}

/// The value of an option.
enum Setting {
    Is(Value),
    /// So many segments, which depends on the bytes of one.
    OfSegment(fn(u32) -> u64),
}

const fn ms(ms: u64) -> Setting {
    Is(Value::Duration(Duration::from_millis(ms)))
}

static LINUX: [(&str, Setting); 1] = [("window", OfSegment(linux_window))];

static RFC: [(&str, Setting); 12] = [
    // RFCs state no size of buffers; Linux's does not limit what they are used for here.
    ("window", OfSegment(linux_window)),
    ("initial_window", OfSegment(rfc_5681_initial_window)),
    // RFC 5681 section 3.1: the largest advertised window.
    ("initial_ssthresh", Is(Value::Absent)),
    // Section 4.2: within 500 ms.
    ("delayed_ack_timeout", ms(500)),
    ("quick_acks", Is(Value::Integer(0))),
    // Section 3.1: a segment for an ACK, whatever it covers.
    ("byte_counting", Is(Value::Absent)),
    // Section 4.1.
    ("idle_restart", Is(Value::Name("rfc5681"))),
    // RFC 6675, and no more.
    ("rack", Is(Value::Switch(false))),
    ("prr", Is(Value::Switch(false))),
    // RFC 6298, section 2.1 (the initial timeout is the default) and section 2.4.
    ("rto", Is(Value::Name("rfc6298"))),
    ("min_rto", ms(1_000)),
    ("syn_timer", Is(Value::Name("exact"))),
];

static NS2: [(&str, Setting); 13] = [
    // window_ of Agent/TCP, windowInit_ as RFC 2414 had it, and interval_ of the DelAck sink.
    ("window", Is(Value::Integer(20))),
    ("initial_window", Is(Value::Integer(2))),
    ("initial_ssthresh", Is(Value::Absent)),
    ("delayed_ack_timeout", ms(100)),
    ("quick_acks", Is(Value::Integer(0))),
    ("byte_counting", Is(Value::Absent)),
    ("cwnd_validation", Is(Value::Switch(false))),
    ("sack", Is(Value::Switch(false))),
    ("rack", Is(Value::Switch(false))),
    ("prr", Is(Value::Switch(false))),
    ("rto", Is(Value::Name("rfc6298"))),
    // rtxcur_init_; minrto_ is the default.
    ("initial_rto", ms(3_000)),
    ("syn_timer", Is(Value::Name("exact"))),
];

/// Linux's largest receive window, segments: half of `tcp_rmem[2]`, 6 MiB (`tcp_init` before 6.16), because
/// payload counts as half of the memory of packets (`tcp_adv_win_scale` 1, since 6.6
/// `TCP_DEFAULT_SCALING_RATIO`).
fn linux_window(segment: u32) -> u64 {
    const BYTES: u64 = 3 << 20;
    const MOST_SEGMENTS: u64 = 65_535;
    (BYTES / u64::from(segment.max(1))).clamp(1, MOST_SEGMENTS)
}

/// RFC 5681 section 3.1.
fn rfc_5681_initial_window(segment: u32) -> u64 {
    match segment {
        0..=1095 => 4,
        1096..=2190 => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each name is that of an option, and each value is within its bounds.
    #[test]
    fn presets_have_values_of_options() {
        for preset in TcpPreset::NAMES.iter().map(|name| TcpPreset::from_name(name).unwrap()) {
            for segment in [1, 536, 1460, 65_495] {
                for (parameter, value) in preset.config(segment).values() {
                    if value != Value::Absent {
                        let parsed = parameter.parameter_type.parse(&json!(value));
                        assert_eq!(parsed, Ok(value), "{preset}: {}", parameter.name);
                    }
                }
            }
            let mut config = TcpConfig::default();
            for (name, setting) in preset.settings() {
                let Is(value) = setting else { continue };
                assert!(config.assign(name, value.clone()), "{preset}: {name}");
            }
        }
    }

    /// The defaults are those of the default preset with the segments of Ethernet.
    #[test]
    fn the_defaults_are_linux_s() {
        assert_eq!(TcpPreset::default().config(1460), TcpConfig::default());
    }
}
