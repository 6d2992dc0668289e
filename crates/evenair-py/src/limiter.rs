//! The adaptive rate limiter by itself, for rounds that were recorded elsewhere.

use evenair_core::component::message::readable;
use evenair_core::component::read;
use evenair_core::control::limiter::{
    AdaptiveRateLimiter as Limiter, Config, Decision, Round, Throughput,
};
use evenair_core::units::Rate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

/// A number, or a text with a unit.
#[derive(FromPyObject)]
enum Quantity {
    Number(f64),
    Text(String),
}

/// The rules of Blefari-Melazzi et al. 2007, Tab. 1: from what a control round has seen follows the
/// rate of the uplink.
///
/// `interval` (T_p, seconds), `step` (R_step, bit/s), `max_rate` (C_max, bit/s), `udp` ("shared",
/// "reserved" or "estimated"), `udp_rate` and `min_rate` (bit/s) are the parameters of the limiter of a
/// scenario, as numbers or texts with a unit. The rules do not use `interval`. Raises ValueError.
#[pyclass(module = "evenair._core")]
pub struct AdaptiveRateLimiter {
    limiter: Limiter,
}

#[pymethods]
impl AdaptiveRateLimiter {
    #[new]
    #[pyo3(
        signature = (
            interval = Quantity::Number(1.0),
            step = Quantity::Number(200e3),
            max_rate = Quantity::Number(6e6),
            udp = "shared",
            udp_rate = Quantity::Number(1e6),
            min_rate = Quantity::Number(0.0),
        ),
        text_signature = "(interval=1.0, step=200e3, max_rate=6e6, udp='shared', udp_rate=1e6, \
                          min_rate=0.0)"
    )]
    fn new(
        interval: Quantity,
        step: Quantity,
        max_rate: Quantity,
        udp: &str,
        udp_rate: Quantity,
        min_rate: Quantity,
    ) -> PyResult<Self> {
        let parameters = [
            ("interval", interval.value()),
            ("step", step.value()),
            ("max_rate", max_rate.value()),
            ("udp", Value::from(udp)),
            ("udp_rate", udp_rate.value()),
            ("min_rate", min_rate.value()),
        ];
        let mut table = Map::from_iter([("kind".to_owned(), json!("adaptive"))]);
        for (key, value) in parameters {
            read_config(&json!({ "kind": "adaptive", key: value.clone() }), key)?;
            table.insert(key.to_owned(), value);
        }
        let config = read_config(&Value::Object(table), "limiter")?;
        if let Some(conflict) = config.conflict() {
            let (got, accepted) = (conflict.got, conflict.accepted);
            let problem = format!("{}: {got}; accepted: {accepted}", conflict.parameter);
            return Err(PyValueError::new_err(problem));
        }
        match config {
            Config::Adaptive(config) => Ok(Self { limiter: Limiter::new(&config) }),
            Config::None(_) | Config::Fixed(_) => unreachable!("the kind is \"adaptive\""),
        }
    }

    /// End a control round; return the rate from now on, bit/s.
    ///
    /// `up_bps` and `down_bps` are the throughputs of the round at IP level, that of the uplink with
    /// or without what the policer has dropped (`uplink_count` of a scenario's limiter);
    /// `udp_up_bps` and `udp_down_bps` are UDP's part of them; fractions are dropped. `lost` says
    /// whether the access point's downlink queue has lost packets.
    #[pyo3(signature = (up_bps, down_bps, lost, *, udp_up_bps=0.0, udp_down_bps=0.0))]
    fn round(
        &mut self,
        up_bps: f64,
        down_bps: f64,
        lost: bool,
        udp_up_bps: f64,
        udp_down_bps: f64,
    ) -> PyResult<u64> {
        let up =
            Throughput { total: rate("up_bps", up_bps)?, udp: rate("udp_up_bps", udp_up_bps)? };
        let down = Throughput {
            total: rate("down_bps", down_bps)?,
            udp: rate("udp_down_bps", udp_down_bps)?,
        };
        Ok(self.limiter.round(&Round { up, down, lost }).rate.as_bps())
    }

    /// Forget all losses: the rate is max_rate again.
    fn release(&mut self) {
        self.limiter.release();
    }

    /// R, the rate of the uplink, bit/s.
    #[getter]
    fn rate_bps(&self) -> u64 {
        self.decision().rate.as_bps()
    }

    /// C, the capacity as estimated in the last lossy round, bit/s; None before the first loss.
    #[getter]
    fn capacity_bps(&self) -> Option<u64> {
        self.decision().capacity.map(Rate::as_bps)
    }

    /// The rate of UDP's own bucket, bit/s; None with `udp` "shared".
    #[getter]
    fn udp_rate_bps(&self) -> Option<u64> {
        self.decision().udp_rate.map(Rate::as_bps)
    }

    /// Whether the next lossy round is the first one after a round without a loss.
    #[getter]
    fn first_loss(&self) -> bool {
        self.decision().first_loss
    }

    /// The branch of Tab. 1 of the last round: "no-loss", "first-loss" or "loss".
    #[getter]
    fn reason(&self) -> &'static str {
        self.decision().reason.name()
    }
}

impl AdaptiveRateLimiter {
    fn decision(&self) -> Decision {
        self.limiter.decision()
    }
}

impl Quantity {
    fn value(self) -> Value {
        match self {
            // JSON has no nan and inf: as texts they reach the message.
            Self::Number(number) => serde_json::Number::from_f64(number)
                .map_or_else(|| Value::from(number.to_string()), Value::Number),
            Self::Text(text) => Value::from(text),
        }
    }
}

/// Reads a limiter's table as a scenario does; `key` names what is wrong in errors.
fn read_config(table: &Value, key: &str) -> PyResult<Config> {
    read(table).map_err(|error: serde_json::Error| {
        PyValueError::new_err(format!("{key}: {}", readable(&error.to_string(), key)))
    })
}

fn rate(key: &str, bps: f64) -> PyResult<Rate> {
    if bps >= 0.0 && bps.is_finite() {
        return Ok(Rate::from_bps(bps as u64));
    }
    Err(PyValueError::new_err(format!("{key}: got {bps}; accepted: a throughput from 0, bit/s")))
}
