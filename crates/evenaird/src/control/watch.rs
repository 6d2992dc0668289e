//! Whether the loss signal can be relied on: how often its source refreshes its counters, and whether
//! losses follow the load. It says so, and changes no decision.

use std::time::Duration;

use evenair_core::control::limiter;
use evenair_core::units::Rate;

use crate::config::{Config, Signal};
use crate::journal;

/// How far the refresh interval that a signal has observed may be above the true one: two periods
/// of its polling.
pub const REFRESH_ERROR: Duration = Duration::from_millis(400);

/// The refresh interval while it is not known: without traffic it cannot be measured. net-snmp's.
const REFRESH: Duration = Duration::from_secs(3);

/// A round has no load below one part in this many of C_max, both directions together: a queue that
/// overflows serves more. Of stations at 1 Mb/s in a cell of 802.11g, C_max 25 Mb/s, 3% are left. A
/// decision.
const LOAD_SHARE: u64 = 100;

/// Rounds without load that have losses before they are reported, and their least share of all
/// rounds without load, one in so many. Traffic between stations, which the gateway does not see,
/// can cause some. A decision.
const MOST_LOSSY: u64 = 2;
const LOSSY_SHARE: u64 = 100;

/// What the rounds of a signal have shown.
#[derive(Debug, Default)]
pub(super) struct Watch {
    warned_of_refresh: bool,
    warned_of_load: bool,
    /// Rounds in a row with little traffic.
    quiet: u64,
    /// Rounds since the last news of losses.
    without_news: u64,
    /// Rounds whose losses, if there were any, came without load.
    pub(super) idle_rounds: u64,
    /// Of them, those with losses.
    pub(super) idle_lossy_rounds: u64,
}

impl Watch {
    /// Whether losses come with load, as far as it is known.
    pub(super) fn follows_load(&self) -> bool {
        self.idle_lossy_rounds <= MOST_LOSSY.max(self.idle_rounds / LOSSY_SHARE)
    }

    /// A round is over. Losses that became known now can be older by the source's `refresh` interval,
    /// or by the rounds without news: all of these must have been quiet.
    pub(super) fn round(
        &mut self,
        config: &Config,
        refresh: Option<Duration>,
        throughput: Rate,
        lost: Option<u64>,
    ) {
        let is_quiet = throughput.as_bps() < highest(&config.limiter) / LOAD_SHARE;
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        self.without_news += 1;
        let Some(lost) = lost else { return };
        let configured = match &config.signal {
            Some(Signal::Snmp(snmp)) => snmp.refresh,
            _ => None,
        };
        let configured = configured.map(|refresh| nanoseconds(refresh.duration()));
        let refresh = configured.or(refresh).unwrap_or(REFRESH).as_nanos();
        let interval = nanoseconds(config.interval()).as_nanos();
        let older = u64::try_from(refresh.div_ceil(interval)).unwrap_or(u64::MAX);
        let news_of = std::mem::take(&mut self.without_news);
        if self.quiet < news_of.saturating_add(older) {
            return;
        }
        self.idle_rounds += 1;
        self.idle_lossy_rounds += u64::from(lost > 0);
        if !self.follows_load() && !std::mem::replace(&mut self.warned_of_load, true) {
            let (lossy, idle) = (self.idle_lossy_rounds, self.idle_rounds);
            journal::warning(format_args!(
                "loss signal: losses in {lossy} of {idle} rounds without load: its counter may count \
                 other things than the downlink queue's losses"
            ));
        }
    }

    /// Warns once of a source that refreshes less often than once per round.
    pub(super) fn refresh(&mut self, refresh: Option<Duration>, interval: f64) {
        if let Some(refresh) = refresh
            && refresh.saturating_sub(REFRESH_ERROR).as_secs_f64() > interval
            && !std::mem::replace(&mut self.warned_of_refresh, true)
        {
            journal::warning(format_args!(
                "loss signal: its source refreshes its counters every {:.1} s, and \
                 limiter.interval is {interval} s: rounds in between hold the rate",
                refresh.as_secs_f64()
            ));
        }
    }
}

/// The most that the cell carries, bit/s.
fn highest(config: &limiter::Config) -> u64 {
    match config {
        limiter::Config::Adaptive(adaptive) => adaptive.max_rate.as_bps(),
        limiter::Config::Fixed(fixed) => fixed.rate.as_bps(),
        limiter::Config::None(_) => 0,
    }
}

fn nanoseconds(duration: evenair_core::time::Duration) -> Duration {
    Duration::from_nanos(duration.as_nanos())
}
