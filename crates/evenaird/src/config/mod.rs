//! The configuration: one TOML file. Reading it checks every key and value; [`check()`] then looks at
//! the machine, which a replay of records does not need.

mod error;
mod machine;
mod queue;
pub mod report;
mod signal;
#[cfg(test)]
mod tests;
pub mod unit;

pub use error::ConfigError;
pub use machine::{check, prepare_runtime_directory, read_secret};
pub use queue::{QueueConfig, QueueRate};
pub use signal::{Authentication, Counter, Local, Privacy, Signal, Snmp, SnmpInterface, Version};

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::SystemTime;

use evenair_core::component::{BitRate, Bytes, Seconds, named, put_kind_first};
use evenair_core::control::limiter;
use evenair_core::time::Duration;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::data_path::MAX_BUCKET_BYTES;
use crate::records::file::Rotation;

/// Where sockets and locks of running daemons are.
pub const RUNTIME_DIRECTORY: &str = "/run/evenaird";

/// The user of the systemd unit.
pub const UNIT_USER: &str = "evenaird";

named! {
    /// What the daemon does.
    pub enum Mode {
        /// Nothing: no program is attached.
        Off => "off",
        /// Counts and decides, and limits nothing.
        #[default]
        Observe => "observe",
        /// Limits the uplink to the rate decided on.
        Enforce => "enforce",
    }
    planned []
}

/// A configuration whose values are valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The network interface towards the access point.
    pub interface: String,
    /// What the daemon does.
    pub mode: Mode,
    /// Whether the program stays attached when the daemon dies, for five control rounds.
    pub pinned: bool,
    /// The limiter; never "none".
    pub limiter: limiter::Config,
    /// Where losses are read; `None` with the fixed limiter only.
    pub signal: Option<Signal>,
    /// When the files with the signal's secrets were changed; empty before [`check()`].
    pub secrets_changed: Vec<Option<SystemTime>>,
    /// The downlink queue, if there is one.
    pub queue: Option<QueueConfig>,
    /// For how long the rate is held without news of losses, before the limit is lifted.
    pub hold: Duration,
    /// Where decision records go.
    pub records: Option<Rotation>,
    /// Where metrics are served.
    pub metrics: Option<Listen>,
    /// The folder of control sockets and locks.
    pub runtime_directory: PathBuf,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A loopback address and port.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// Without news of losses the rate is held for this long by default. It is longer than what
/// agents cache (3 s in net-snmp), and shorter than what a user at C/2 would call an outage.
pub const HOLD: Seconds = Seconds::from_millis(30_000);

/// The default of `limiter.min_rate` is one part in this many of `max_rate`, 5%: uploads go on, and
/// the default R_step brings R back in (6 - 0.3) / 0.2 = 29 rounds. A decision; Tab. 1 has no floor.
const MIN_RATE_SHARE: u64 = 20;

/// A decision: 100 rounds per second.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// The limiter where a configuration names none.
const ADAPTIVE: &str = "adaptive";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Option<u64>,
    interface: Option<String>,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    pinned: bool,
    #[serde(default = "default_limiter")]
    limiter: limiter::Config,
    loss_signal: Option<Map<String, Value>>,
    queue: Option<Value>,
    records: Option<Records>,
    metrics: Option<Metrics>,
    runtime_directory: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Records {
    file: PathBuf,
    max_size: Option<Bytes>,
    keep: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metrics {
    listen: String,
}

fn default_limiter() -> limiter::Config {
    limiter::AdaptiveConfig::default().into()
}

impl Config {
    /// Reads the text of a configuration file. `source` names it in errors.
    ///
    /// # Errors
    /// The first syntax error, or key or value that is not accepted.
    pub fn parse(text: &[u8], source: &str) -> Result<Self, ConfigError> {
        Self::from_document(document(text, source)?).map_err(|err| err.in_source(source))
    }

    fn from_document(mut document: Map<String, Value>) -> Result<Self, ConfigError> {
        let limiter = document.get_mut("limiter").and_then(Value::as_object_mut);
        let [has_loss_signal, has_min_rate] = limiter.map_or([false; 2], |limiter| {
            limiter.entry("kind").or_insert_with(|| ADAPTIVE.into());
            put_kind_first(limiter);
            ["loss_signal", "min_rate"].map(|key| limiter.contains_key(key))
        });
        let mut file: File = error::deserialize("", Value::Object(document))?;
        if file.version.is_some_and(|version| version != 1) {
            let got = format!("got {}; accepted: 1", file.version.unwrap_or_default());
            return Err(ConfigError::new("version", &got));
        }
        if has_loss_signal {
            let message = "given; accepted: nothing, as [loss_signal] says where losses are read";
            return Err(ConfigError::new("limiter.loss_signal", message));
        }
        let Some(interface) = file.interface else {
            let message = "missing; accepted: the network interface towards the access point";
            return Err(ConfigError::new("interface", message));
        };
        if let limiter::Config::Adaptive(adaptive) = &mut file.limiter
            && !has_min_rate
        {
            adaptive.min_rate = BitRate::from_bps(adaptive.max_rate.as_bps() / MIN_RATE_SHARE);
        }
        check_limiter(&file.limiter)?;
        let (signal, hold) = match file.loss_signal {
            Some(table) => {
                let (signal, hold) = Signal::parse(table)?;
                (Some(signal), hold.unwrap_or(HOLD))
            }
            None => (None, HOLD),
        };
        if let Some(Signal::Snmp(Snmp { refresh: Some(refresh), .. })) = &signal {
            check_interval(&file.limiter, refresh.duration())?;
        }
        if signal.is_none() && matches!(file.limiter, limiter::Config::Adaptive(_)) {
            let message = "missing; accepted: a table such as { kind = \"snmp\", ... }, which the \
                           adaptive limiter needs";
            return Err(ConfigError::new("loss_signal", message));
        }
        let queue = file.queue.map(|queue| QueueConfig::parse(queue, &file.limiter)).transpose()?;
        Ok(Self {
            interface,
            mode: file.mode,
            pinned: file.pinned,
            limiter: file.limiter,
            signal,
            secrets_changed: Vec::new(),
            queue,
            hold: hold.duration(),
            records: file.records.map(Records::rotation).transpose()?,
            metrics: file.metrics.map(|metrics| listen(&metrics.listen)).transpose()?,
            runtime_directory: file.runtime_directory.unwrap_or(RUNTIME_DIRECTORY.into()),
        })
    }

    /// The time between two decisions.
    pub fn interval(&self) -> Duration {
        match &self.limiter {
            limiter::Config::Adaptive(adaptive) => adaptive.interval,
            // A fixed rate needs no rounds; its throughput is recorded as often as the adaptive one's.
            _ => limiter::AdaptiveConfig::default().interval,
        }
    }

    /// Whether this configuration has another loss signal than `other`, or other secrets.
    pub fn has_other_signal(&self, other: &Self) -> bool {
        self.signal != other.signal || self.secrets_changed != other.secrets_changed
    }

    /// The path of this interface's control socket.
    pub fn control_socket(&self) -> PathBuf {
        self.runtime_directory.join(format!("{}.sock", self.interface))
    }
}

/// Checks that a round is at least as long as the time between two updates of the loss signal's
/// counters.
///
/// # Errors
/// It is shorter: such rounds have no news.
pub fn check_interval(config: &limiter::Config, refresh: Duration) -> Result<(), ConfigError> {
    let limiter::Config::Adaptive(adaptive) = config else { return Ok(()) };
    if adaptive.interval >= refresh {
        return Ok(());
    }
    let [interval, refresh] = [adaptive.interval, refresh].map(Seconds::from);
    let accepted = format!("at least the refresh interval of the loss signal, {refresh}");
    Err(ConfigError::new("limiter.interval", &format!("got {interval}; accepted: {accepted}")))
}

/// Reads the `[limiter]` of a configuration file, which may lack what a deployment needs.
///
/// # Errors
/// The first syntax error, or key or value that is not accepted.
pub fn limiter_and_hold(
    text: &[u8],
    source: &str,
) -> Result<(limiter::Config, Duration), ConfigError> {
    let mut document = document(text, source)?;
    if document.get("interface").is_none() {
        document.insert("interface".to_owned(), "unused".into());
    }
    if document.get("loss_signal").is_none() {
        let unused = serde_json::json!({ "kind": "local", "device": "unused" });
        document.insert("loss_signal".to_owned(), unused);
    }
    let config = Config::from_document(document).map_err(|err| err.in_source(source))?;
    Ok((config.limiter, config.hold))
}

/// TOML text as a tree.
fn document(text: &[u8], source: &str) -> Result<Map<String, Value>, ConfigError> {
    let syntax = |at: usize, problem: &str| error::syntax(text, at, problem).in_source(source);
    let readable = std::str::from_utf8(text)
        .map_err(|err| syntax(err.valid_up_to(), "bytes that are not UTF-8 text"))?;
    let table: toml::Table = toml::from_str(readable).map_err(|err| {
        let at = err.span().map_or(0, |span| span.start);
        syntax(at, &err.message().replace('\n', ", "))
    })?;
    match serde_json::to_value(table) {
        Ok(Value::Object(document)) => Ok(document),
        _ => Err(syntax(0, "a value that is no text, number, switch, list or table")),
    }
}

fn check_limiter(config: &limiter::Config) -> Result<(), ConfigError> {
    if let Some(violation) = config.conflict() {
        let field = format!("limiter.{}", violation.parameter);
        let message = format!("{}; accepted: {}", violation.got, violation.accepted);
        return Err(ConfigError::new(&field, &message));
    }
    if let limiter::Config::None(_) = config {
        let message =
            "got \"none\"; accepted: \"adaptive\", \"fixed\"; mode = \"off\" limits nothing";
        return Err(ConfigError::new("limiter.kind", message));
    }
    if let limiter::Config::Adaptive(adaptive) = config
        && adaptive.interval < SHORTEST_INTERVAL
    {
        let [got, least] = [adaptive.interval, SHORTEST_INTERVAL].map(Seconds::from);
        let message = format!("got {got}; accepted: at least {least}");
        return Err(ConfigError::new("limiter.interval", &message));
    }
    if let Some(bucket) = config.bucket_bytes().filter(|bytes| *bytes > MAX_BUCKET_BYTES) {
        let message = format!("got {bucket} bytes; accepted: at most {MAX_BUCKET_BYTES} bytes");
        return Err(ConfigError::new("limiter.bucket", &message));
    }
    Ok(())
}

impl Records {
    fn rotation(self) -> Result<Rotation, ConfigError> {
        /// A record has about 500 bytes: four hours at one per second, two days with the old files.
        const MAX_SIZE: u64 = 10_000_000;
        const KEEP: u32 = 9;
        let max_size = self.max_size.map_or(MAX_SIZE, Bytes::as_u64);
        let keep = self.keep.unwrap_or(KEEP);
        if max_size < 1000 {
            let message = format!("got {max_size} bytes; accepted: at least 1000 bytes");
            return Err(ConfigError::new("records.max_size", &message));
        }
        if keep > 1000 {
            let message = format!("got {keep}; accepted: a whole number from 0 to 1000");
            return Err(ConfigError::new("records.keep", &message));
        }
        Ok(Rotation { file: self.file, max_size, keep })
    }
}

fn listen(text: &str) -> Result<Listen, ConfigError> {
    if let Some(path) = text.strip_prefix("unix:").filter(|path| path.starts_with('/')) {
        return Ok(Listen::Unix(path.into()));
    }
    match text.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(Listen::Tcp(address)),
        _ => {
            let shown = evenair_core::component::message::shown(text);
            let accepted = "a loopback address and port, such as \"127.0.0.1:9723\" or \
                            \"[::1]:9723\", or \"unix:/PATH\"";
            let message = format!("got {shown}; accepted: {accepted}");
            Err(ConfigError::new("metrics.listen", &message))
        }
    }
}
