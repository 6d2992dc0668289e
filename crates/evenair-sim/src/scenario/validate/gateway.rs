//! Checks of the rate limiter at the gateway.

use evenair_core::control::limiter::{Config, LossSignal};
use evenair_core::time::Duration;

use super::checks::refuse;
use crate::scenario::problem::{Checked, fail};

/// Where it stands.
const FIELD: &str = "gateway.limiter";
/// More rounds than anybody looks at; they are kept in memory with a trace.
const MAX_ROUNDS: u64 = 1_000_000;

/// Checks the parameters of the limiter of a run that ends at `end`.
pub(super) fn check_limiter(limiter: &Config, end: Duration) -> Checked {
    refuse(FIELD, limiter.conflict())?;
    let Config::Adaptive(adaptive) = limiter else { return Ok(()) };
    check_period("interval", adaptive.interval, end)?;
    match &adaptive.loss_signal {
        LossSignal::Exact(_) => Ok(()),
        LossSignal::Polled(polled) => check_period("loss_signal.refresh", polled.refresh, end),
    }
}

fn check_period(key: &str, period: Duration, end: Duration) -> Checked {
    let rounds = end.as_nanos() / period.as_nanos();
    if rounds <= MAX_ROUNDS {
        return Ok(());
    }
    let got = format!("got {} s, of which the run has {rounds}", period.as_secs_f64());
    let accepted = format!("a time of which the run has up to {MAX_ROUNDS}");
    Err(fail(&format!("{FIELD}.{key}"), &got, &accepted))
}

/// The bucket must hold the largest packet from a station, which would never pass otherwise.
pub(super) fn check_bucket(limiter: &Config, largest: u64) -> Checked {
    match limiter.bucket_bytes() {
        Some(bucket) if bucket < largest => {
            let accepted = format!("at least {largest} B, the largest packet of an upload");
            Err(fail(&format!("{FIELD}.bucket"), &format!("got {bucket} B"), &accepted))
        }
        _ => Ok(()),
    }
}
