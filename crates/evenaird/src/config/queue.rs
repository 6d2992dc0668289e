//! The table `[queue]`: the optional downlink queue.

use evenair_core::component::message::unknown_key;
use evenair_core::component::{
    BitRate, Bytes, Parameters, QueueLimit, Reader, Registry, Table, put_kind_first,
};
use evenair_core::control::limiter;
use evenair_core::queue::{Config as Discipline, TbfConfig};
use evenair_core::units::Rate;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::error::{ConfigError, deserialize};

/// The limit of the scenarios' access point, packets.
const LIMIT: u32 = 60;
/// A decision: as many packets of 1,500 bytes are half a second at 100 Mb/s.
const MOST_PACKETS: u32 = 4000;
/// The same in bytes.
const MOST_BYTES: u64 = 6_000_000;
/// Queues of other programs usually start at 0.
const NUMBER: u16 = 100;
/// A decision: 5 % keep the access point's queue empty while the capacity varies.
const SHARE: f64 = 0.95;
/// The value of `rate` that follows the capacity.
const ESTIMATED: &str = "estimated";
/// The keys besides those of the discipline.
const KEYS: [&str; 4] = ["number", "rate", "share", "burst"];

/// The downlink queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueConfig {
    /// The discipline.
    pub discipline: Discipline,
    /// How much it may hold.
    pub limit: QueueLimit,
    /// The number of the netfilter queue.
    pub number: u16,
    /// The rate at which it is emptied.
    pub rate: QueueRate,
    /// What may leave at once after a pause, bytes.
    pub burst: u64,
}

/// The rate of the queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueRate {
    /// Constant.
    Fixed(Rate),
    /// A share of the estimated capacity, less the uplink.
    Estimated {
        /// Above 0 and up to 1.
        share: f64,
        /// The limiter's C_max.
        highest: Rate,
        /// The limiter's R_step.
        lowest: Rate,
    },
}

impl QueueConfig {
    /// Reads the table.
    pub(super) fn parse(value: Value, limiter: &limiter::Config) -> Result<Self, ConfigError> {
        let mut table = match value {
            Value::Object(table) => table,
            name => Map::from_iter([("kind".to_owned(), name)]),
        };
        let mut own = |key: &str| table.remove(key);
        let [number, rate, share, burst] = KEYS.map(&mut own);
        put_kind_first(&mut table);
        let known = |discipline: &Discipline| -> Vec<&'static str> {
            let mut keys = vec!["kind", "limit"];
            discipline.visit(&mut |parameter, _| keys.push(parameter.name));
            keys.extend(KEYS);
            keys
        };
        let kind = table.get("kind").cloned().unwrap_or_else(|| "droptail".into());
        let discipline: Discipline = deserialize("queue.kind", kind)?;
        let keys = known(&discipline);
        if let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) {
            return Err(ConfigError::new(&format!("queue.{key}"), &unknown_key(key, &keys)));
        }
        let WithLimit(table) = deserialize("queue", Value::Object(table))?;
        check(&table.configuration)?;
        Ok(Self {
            discipline: table.configuration,
            limit: limit(table.limit.unwrap_or(QueueLimit::Packets(LIMIT)))?,
            number: number.map_or(Ok(NUMBER), |value| deserialize("queue.number", value))?,
            rate: parse_rate(rate, share, limiter)?,
            burst: parse_burst(burst)?,
        })
    }
}

/// A discipline and its limit.
struct WithLimit(Table<Discipline>);

impl<'de> Deserialize<'de> for WithLimit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Reader { has_limit: true, read_file: None }.read(from).map(Self)
    }
}

fn check(discipline: &Discipline) -> Result<(), ConfigError> {
    if let Some(violation) = discipline.violation() {
        let message = format!("{}; accepted: {}", violation.got, violation.accepted);
        return Err(ConfigError::new(&format!("queue.{}", violation.parameter), &message));
    }
    if let Discipline::Tbf(_) = discipline {
        let message =
            "got \"tbf\"; accepted: another discipline, each of which is shaped to `rate`";
        return Err(ConfigError::new("queue.kind", message));
    }
    Ok(())
}

fn limit(limit: QueueLimit) -> Result<QueueLimit, ConfigError> {
    let got = match limit {
        QueueLimit::Packets(packets) if packets > MOST_PACKETS => packets.to_string(),
        QueueLimit::Bytes(bytes) if bytes > MOST_BYTES => Bytes::new(bytes).to_string(),
        QueueLimit::Unlimited => "\"unlimited\"".to_owned(),
        QueueLimit::Packets(_) | QueueLimit::Bytes(_) => return Ok(limit),
    };
    let most = Bytes::new(MOST_BYTES);
    let message = format!("got {got}; accepted: up to {MOST_PACKETS} packets, or up to {most}");
    Err(ConfigError::new("queue.limit", &message))
}

fn parse_rate(
    rate: Option<Value>,
    share: Option<Value>,
    limiter: &limiter::Config,
) -> Result<QueueRate, ConfigError> {
    let rate = rate.unwrap_or_else(|| ESTIMATED.into());
    if rate != ESTIMATED {
        let rate: BitRate = deserialize("queue.rate", rate)
            .map_err(|err| ConfigError::new("", &format!("{err}, or {ESTIMATED:?}")))?;
        if share.is_some() {
            let message = "given; accepted: nothing, unless rate = \"estimated\"";
            return Err(ConfigError::new("queue.share", message));
        }
        if rate.as_bps() == 0 || rate.rate() == Rate::UNLIMITED {
            let message = format!("got {rate}; accepted: a rate above 0, or {ESTIMATED:?}");
            return Err(ConfigError::new("queue.rate", &message));
        }
        return Ok(QueueRate::Fixed(rate.rate()));
    }
    let limiter::Config::Adaptive(adaptive) = limiter else {
        let message = "got \"estimated\"; accepted: a rate, as only the adaptive limiter estimates \
                       the capacity";
        return Err(ConfigError::new("queue.rate", message));
    };
    let share: f64 = share.map_or(Ok(SHARE), |share| deserialize("queue.share", share))?;
    if !(share > 0.0 && share <= 1.0) {
        let message = format!("got {share}; accepted: a number above 0 and up to 1");
        return Err(ConfigError::new("queue.share", &message));
    }
    let (highest, lowest) = (adaptive.max_rate.rate(), adaptive.step.rate());
    Ok(QueueRate::Estimated { share, highest, lowest })
}

fn parse_burst(burst: Option<Value>) -> Result<u64, ConfigError> {
    let Some(burst) = burst else { return Ok(TbfConfig::default().burst) };
    let burst: Bytes = deserialize("queue.burst", burst)?;
    if burst.as_u64() < 1 || burst.as_u64() > MOST_BYTES {
        let most = Bytes::new(MOST_BYTES);
        let message = format!("got {burst}; accepted: bytes above 0 and up to {most}");
        return Err(ConfigError::new("queue.burst", &message));
    }
    Ok(burst.as_u64())
}

#[cfg(test)]
mod tests {
    use evenair_core::queue::{LasConfig, Service};

    use super::*;
    use crate::config::Config;

    fn parse(text: &str) -> Result<Option<QueueConfig>, String> {
        let signal = "loss_signal = { kind = \"local\", device = \"ap0\" }";
        let text = format!("interface = \"ap0\"\n{signal}\n{text}");
        Config::parse(text.as_bytes(), "f")
            .map(|config| config.queue)
            .map_err(|err| err.to_string())
    }

    #[test]
    fn defaults() {
        assert_eq!(parse(""), Ok(None));
        let expected = QueueConfig {
            discipline: LasConfig::default().into(),
            limit: QueueLimit::Packets(60),
            number: 100,
            // C_max and R_step of the publication.
            rate: QueueRate::Estimated {
                share: 0.95,
                highest: Rate::from_mbps(6),
                lowest: Rate::from_bps(200_000),
            },
            burst: 15_000,
        };
        assert_eq!(parse("queue = \"las\""), Ok(Some(expected.clone())));
        assert_eq!(parse("queue.kind = \"las\""), Ok(Some(expected)));
    }

    #[test]
    fn every_key() {
        let text = "[queue]\nnumber = 7\nservice = \"bytes\"\nlimit = \"150 KB\"\nrate = \"5 Mbps\"\n\
                    burst = \"30 KB\"\nkind = \"las\"";
        let queue = parse(text).unwrap().unwrap();
        let las = LasConfig { service: Service::Bytes, ..LasConfig::default() };
        let expected = QueueConfig {
            discipline: las.into(),
            limit: QueueLimit::Bytes(150_000),
            number: 7,
            rate: QueueRate::Fixed(Rate::from_mbps(5)),
            burst: 30_000,
        };
        assert_eq!(queue, expected);
    }

    #[test]
    fn what_is_not_accepted() {
        for (text, part) in [
            ("queue = 3", "queue.kind: got 3"),
            ("queue = \"lass\"", "queue.kind: got \"lass\"; did you mean \"las\"?"),
            ("queue = \"tbf\"", "queue.kind: got \"tbf\"; accepted: another discipline"),
            (
                "queue = { kind = \"las\", limt = 3 }",
                "queue.limt: unknown key `limt`; did you mean `limit`?",
            ),
            ("queue = { kind = \"droptail\", service = \"bytes\" }", "queue.service: unknown key"),
            ("queue = { kind = \"las\", service = \"bits\" }", "queue.service: got \"bits\""),
            ("queue = { limit = 0 }", "queue.limit: "),
            ("queue = { limit = 4001 }", "queue.limit: got 4001; accepted: up to 4000 packets"),
            ("queue = { limit = \"unlimited\" }", "queue.limit: got \"unlimited\""),
            ("queue = { number = 65536 }", "queue.number: got 65536"),
            ("queue = { number = -1 }", "queue.number: got -1"),
            ("queue = { rate = \"fast\" }", "queue.rate: got \"fast\""),
            ("queue = { rate = 0 }", "queue.rate: got 0"),
            ("queue = { share = 0 }", "queue.share: got 0; accepted: a number above 0 and up to 1"),
            ("queue = { share = 1.1 }", "queue.share: got 1.1"),
            ("queue = { share = 0.5, rate = \"1 Mbps\" }", "queue.share: given"),
            ("queue = { burst = 0 }", "queue.burst: got 0"),
            ("queue = { burst = \"1 s\" }", "queue.burst: got \"1 s\""),
            (
                "limiter = \"fixed\"\nqueue = \"las\"",
                "queue.rate: got \"estimated\"; accepted: a rate",
            ),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(&format!("f: {part}")), "{text}: {message}");
            assert!(message.contains("accepted: ") && !message.contains('\n'), "{message}");
        }
    }
}
