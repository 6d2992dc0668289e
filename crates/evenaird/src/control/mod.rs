//! The control loop: once per interval it reads counters and losses, decides, sets the policy and
//! writes a record. It is told the time, and reaches the kernel and the network through [`Host`].

use std::time::SystemTime;

use evenair_core::control::limiter::Decision;
use evenair_core::time::{Duration, Instant};
use evenair_core::units::Rate;

use crate::clock::rfc3339;
use crate::config::{Config, ConfigError, Mode, QueueConfig, Signal};
use crate::control::controller::{Controller, Observation, Outcome, Reason};
use crate::data_path::{Counters, DataPath, Error, Policy};
use crate::journal;
use crate::queue::Downlink;
use crate::queue::control::QueueControl;
use crate::queue::rate::Round;
use crate::records::record::{Record, SCHEMA};
use crate::records::writer::RecordWriter;
use crate::signal::{Health, LossSignal, Sample};
use crate::status::{ProtocolTraffic, Rounds, SignalStatus, Status};

pub mod controller;
mod passed;
pub mod replay;
mod watch;

use self::passed::{Passed, add};
pub use self::watch::REFRESH_ERROR;
use self::watch::Watch;

/// A rate that is not renewed for this many intervals no longer holds: a daemon that hangs leaves
/// the traffic alone.
const LEASE: u32 = 5;

/// The machine that the control loop runs on.
pub trait Host {
    /// Attaches the data path to the configured interface.
    ///
    /// # Errors
    /// The interface is not there, or the kernel refuses.
    fn attach(&mut self, config: &Config, policy: &Policy) -> Result<Box<dyn DataPath>, Error>;

    /// Opens a loss signal.
    ///
    /// # Errors
    /// Its configuration is not accepted.
    fn open_signal(&mut self, config: &Signal) -> Result<Box<dyn LossSignal>, ConfigError>;

    /// Opens the downlink queue of an interface, emptied at `rate` until `lease` ends. Does not wait
    /// until it is open.
    ///
    /// # Errors
    /// One line: what is missing or in the way.
    fn open_queue(
        &mut self,
        interface: &str,
        config: &QueueConfig,
        rate: Rate,
        lease: std::time::Duration,
    ) -> Result<Box<dyn Downlink>, String>;
}

/// The state between rounds.
pub struct ControlLoop<H> {
    config: Config,
    host: H,
    controller: Controller,
    signal: Option<Box<dyn LossSignal>>,
    path: Option<Attached>,
    queue: QueueControl,
    /// Why there is no data path, although there should be one.
    path_error: Option<String>,
    /// Whether the operator has turned the limiter off.
    is_off: bool,
    started_at: Instant,
    /// When the next round is due.
    round_at: Instant,
    rounds: Rounds,
    sample: Option<Sample>,
    lost_packets: u64,
    watch: Watch,
    /// Traffic of data paths that are detached.
    earlier: Counters,
    records: Option<RecordWriter>,
    last: Option<Record>,
    reloads: u64,
    failed_reloads: u64,
}

/// A data path, and its counters at the end of the last round.
struct Attached {
    path: Box<dyn DataPath>,
    counters: Counters,
    read_at: Instant,
}

impl<H: Host> ControlLoop<H> {
    /// Before the first round; nothing is attached. `signal` is that of the configuration.
    pub fn new(config: Config, host: H, signal: Option<Box<dyn LossSignal>>, now: Instant) -> Self {
        Self {
            controller: Controller::new(&config.limiter, config.hold),
            records: config.records.clone().map(RecordWriter::new),
            config,
            host,
            signal,
            path: None,
            queue: QueueControl::default(),
            path_error: None,
            is_off: false,
            started_at: now,
            round_at: Instant::NEVER,
            rounds: Rounds::default(),
            sample: None,
            lost_packets: 0,
            watch: Watch::default(),
            earlier: Counters::default(),
            last: None,
            reloads: 0,
            failed_reloads: 0,
        }
    }

    /// Attaches the data path, if the mode wants one, and schedules the first round.
    ///
    /// # Errors
    /// The data path cannot be attached.
    pub fn start(&mut self, now: Instant) -> Result<(), Error> {
        if self.mode() == Mode::Off {
            return Ok(());
        }
        self.attach(now)?;
        self.round_at = now + self.config.interval();
        Ok(())
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What the daemon does now.
    pub fn mode(&self) -> Mode {
        if self.is_off { Mode::Off } else { self.config.mode }
    }

    /// Waits until the downlink queue is open, if it is wanted.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn settle_queue(&mut self) -> Result<(), String> {
        self.open_queue()?;
        self.queue.settle()
    }

    /// Opens the downlink queue if the limiter is enforced, and closes it otherwise.
    ///
    /// # Errors
    /// It cannot be opened. Everything passes, and the next round tries again.
    pub fn open_queue(&mut self) -> Result<(), String> {
        let is_wanted = self.mode() == Mode::Enforce && self.path.is_some();
        let lease = self.lease();
        let (host, interface) = (&mut self.host, &self.config.interface);
        let wanted = self.config.queue.as_ref().filter(|_| is_wanted);
        self.queue.update(wanted, |config, rate| host.open_queue(interface, config, rate, lease))
    }

    /// When [`Self::round`] is due.
    pub fn round_at(&self) -> Instant {
        self.round_at
    }

    /// A round is due. Rounds follow a fixed schedule: after a late one, those that have been missed
    /// are left out.
    pub fn round(&mut self, now: Instant, wall: SystemTime) {
        let interval = self.config.interval();
        let missed = now.since(self.round_at).as_nanos() / interval.as_nanos();
        self.rounds.skipped += missed;
        self.round_at += Duration::from_nanos((missed + 1) * interval.as_nanos());
        let passed = self.measure(now);
        let active = passed.as_ref().is_some_and(|passed| passed.down_packets > 0);
        let sample = self.signal.as_mut().map(|signal| signal.poll(active));
        self.note(sample);
        let Some(passed) = passed else {
            return self.attach_again(now);
        };
        let lost = sample.and_then(|sample| sample.lost);
        let outcome = self.controller.round(&Observation {
            at: now,
            up: passed.up,
            down: passed.down,
            lost: lost.map(|packets| packets > 0),
            signal_works: sample.is_some_and(|sample| sample.health == Health::Ok),
        });
        self.rounds.total += 1;
        self.rounds.lossy += u64::from(lost.is_some_and(|packets| packets > 0));
        self.rounds.blind += u64::from(self.signal.is_some() && lost.is_none());
        self.lost_packets += lost.unwrap_or(0);
        if let Some(signal) = &self.signal {
            let both = passed.air_up.as_bps().saturating_add(passed.down.total.as_bps());
            self.watch.round(&self.config, signal.refresh(), Rate::from_bps(both), lost);
        }
        self.enforce();
        let round = Round {
            up: passed.air_up,
            down: passed.down.total,
            lost: lost.map(|packets| passed.down_rate_of(packets)),
            is_released: outcome.reason == Reason::Released,
            is_limiting: false,
        };
        self.queue.round(&round, self.lease());
        self.update_queue();
        self.write_record(now, wall, &passed, sample, &outcome);
    }

    /// Detaches the data path, and leaves it so until the daemon is restarted.
    pub fn turn_off(&mut self) {
        if self.mode() != Mode::Off {
            journal::notice(format_args!("{}: turned off by command", self.config.interface));
        }
        self.is_off = true;
        self.stop();
    }

    /// Detaches the data path; no round is due.
    pub fn stop(&mut self) {
        self.detach();
        self.path_error = None;
        self.round_at = Instant::NEVER;
    }

    /// Waits until the records are written, for a limited time.
    pub fn flush_records(&self) {
        if let Some(records) = &self.records {
            records.flush();
        }
    }

    /// Takes over a configuration. The data path and its tokens stay; so does the controller, unless
    /// the limiter's parameters change. `signal` replaces the present one if there is one.
    pub fn reload(&mut self, config: Config, signal: Option<Box<dyn LossSignal>>, now: Instant) {
        if config.limiter != self.config.limiter {
            self.controller = Controller::new(&config.limiter, config.hold);
        }
        self.controller.set_hold(config.hold);
        if config.has_other_signal(&self.config) {
            (self.signal, self.sample, self.watch) = (signal, None, Watch::default());
        }
        match (&mut self.records, config.records.clone()) {
            (Some(records), Some(rotation)) => records.reopen(rotation),
            (records, rotation) => *records = rotation.map(RecordWriter::new),
        }
        let interval = config.interval();
        let is_same_schedule =
            interval == self.config.interval() && self.round_at != Instant::NEVER;
        self.config = config;
        self.reloads += 1;
        if self.mode() == Mode::Off {
            return self.stop();
        }
        if !is_same_schedule {
            self.round_at = now + interval;
        }
        match &mut self.path {
            Some(_) => {
                self.enforce();
                self.update_queue();
                self.queue.renew(self.lease());
            }
            None => self.attach_again(now),
        }
    }

    /// A configuration was refused; the old one stays.
    pub fn refuse_reload(&mut self) {
        self.failed_reloads += 1;
    }

    /// Everything that `evenaird status` and the metrics show.
    pub fn status(&self, now: Instant) -> Status {
        let signal = self.signal.as_ref().map(|signal| SignalStatus {
            state: self.sample.map_or("ok", |sample| sample.health.name()).to_owned(),
            age_s: self.sample.map_or(0.0, |sample| sample.age.as_secs_f64()),
            lost_packets: self.lost_packets,
            refresh_s: signal.refresh().map(|refresh| refresh.as_secs_f64()),
            idle_rounds: self.watch.idle_rounds,
            idle_lossy_rounds: self.watch.idle_lossy_rounds,
            follows_load: self.watch.follows_load(),
            error: signal.error(),
        });
        let mut traffic = self.earlier;
        if let Some(attached) = &self.path {
            add(&mut traffic, &attached.counters);
        }
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            interface: self.config.interface.clone(),
            mode: self.mode().name().to_owned(),
            configured_mode: self.config.mode.name().to_owned(),
            attached: self.path.is_some(),
            policed: self.path.as_ref().and_then(|attached| attached.path.interface()),
            data_path_error: self.path_error.clone(),
            uptime_s: now.since(self.started_at).as_secs_f64(),
            limiter: self.config.limiter.name().to_owned(),
            interval_s: self.config.interval().as_secs_f64(),
            rounds: self.rounds.clone(),
            signal,
            queue: self.queue.status(self.config.queue.as_ref()),
            traffic: ProtocolTraffic::all(&traffic),
            record_failures: self.records.as_ref().map_or(0, RecordWriter::failures),
            record_error: self.records.as_ref().and_then(RecordWriter::last_error),
            reloads: self.reloads,
            failed_reloads: self.failed_reloads,
            last: self.last.clone(),
        }
    }

    /// How long a rate holds that is not renewed, of the policer and of the downlink queue.
    fn lease(&self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.config.interval().as_nanos()) * LEASE
    }

    /// What the data path shall do now.
    fn policy(&self) -> Policy {
        let decision: Decision = self.controller.decision();
        let is_enforced = self.mode() == Mode::Enforce;
        let rate = if is_enforced { decision.rate } else { Rate::UNLIMITED };
        Policy {
            rate_bps: rate.as_bps(),
            udp_rate_bps: decision.udp_rate.filter(|_| is_enforced).map(Rate::as_bps),
            bucket_bytes: self.config.limiter.bucket_bytes().unwrap_or(0),
            lease: Some(self.lease()),
        }
    }

    fn attach(&mut self, now: Instant) -> Result<(), Error> {
        let policy = self.policy();
        let mut path = self.host.attach(&self.config, &policy)?;
        path.set_agent(self.signal.as_ref().and_then(|signal| signal.peer()))?;
        let counters = path.counters()?;
        if let Some(signal) = &mut self.signal {
            // Losses until now are none of the first round's.
            signal.poll(false);
        }
        self.path = Some(Attached { path, counters, read_at: now });
        self.path_error = None;
        let (interface, mode) = (&self.config.interface, self.mode());
        journal::notice(format_args!("{interface}: attached, mode {mode}"));
        Ok(())
    }

    /// Attaches after the data path was lost. A failure is reported once.
    fn attach_again(&mut self, now: Instant) {
        if let Err(err) = self.attach(now) {
            self.fail(&err);
        }
    }

    /// The same between rounds, where a new failure is reported.
    fn update_queue(&mut self) {
        let before = self.queue.error().map(str::to_owned);
        if let Err(problem) = self.open_queue()
            && before.as_ref() != Some(&problem)
        {
            journal::error(&problem);
        }
    }

    fn detach(&mut self) {
        self.queue.close();
        if let Some(mut attached) = self.path.take() {
            // What came since the last round; a device that is gone has no counters.
            let counters = attached.path.counters().unwrap_or(attached.counters);
            add(&mut self.earlier, &counters);
            drop(attached);
            journal::notice(format_args!("{}: detached", self.config.interface));
        }
    }

    fn fail(&mut self, err: &Error) {
        let problem = err.to_string();
        if self.path_error.as_ref() != Some(&problem) {
            journal::error(&problem);
        }
        self.path_error = Some(problem);
    }

    /// The traffic since the last round; `None` without a data path.
    fn measure(&mut self, now: Instant) -> Option<Passed> {
        let attached = self.path.as_mut()?;
        match attached.path.counters() {
            Ok(counters) => {
                let length = now.since(attached.read_at);
                let count = self.config.limiter.uplink_count();
                let passed = Passed::between(&attached.counters, &counters, length, count);
                (attached.counters, attached.read_at) = (counters, now);
                Some(passed)
            }
            Err(err) => {
                self.detach();
                self.fail(&err);
                None
            }
        }
    }

    /// Sets the policy, which renews its lease, and whose replies are not charged.
    fn enforce(&mut self) {
        let policy = self.policy();
        let agent = self.signal.as_ref().and_then(|signal| signal.peer());
        if let Some(attached) = &mut self.path
            && let Err(err) =
                attached.path.set_policy(&policy).and_then(|()| attached.path.set_agent(agent))
        {
            self.detach();
            self.fail(&err);
        }
    }

    /// Keeps the state of the signal, and reports a change.
    fn note(&mut self, sample: Option<Sample>) {
        let (Some(sample), Some(signal)) = (sample, &self.signal) else { return };
        let before = self.sample.replace(sample).map_or(Health::Ok, |sample| sample.health);
        if before != sample.health {
            let (health, age) = (sample.health.name(), sample.age.as_secs_f64());
            let why = signal.error().map_or(String::new(), |error| format!(" ({error})"));
            let event = format!("loss signal: {health}{why}, last fresh reading {age:.1} s ago");
            if matches!(sample.health, Health::Ok | Health::Wrapped) {
                journal::notice(event)
            } else {
                journal::warning(event)
            }
        }
        self.watch.refresh(signal.refresh(), self.config.interval().as_secs_f64());
    }

    fn write_record(
        &mut self,
        now: Instant,
        wall: SystemTime,
        passed: &Passed,
        sample: Option<Sample>,
        outcome: &Outcome,
    ) {
        let decision = &outcome.decision;
        let lost = sample.and_then(|sample| sample.lost);
        let record = Record {
            schema: SCHEMA,
            time: rfc3339(wall),
            t_s: now.since(self.started_at).as_secs_f64(),
            round_s: passed.length.as_secs_f64(),
            mode: self.mode().name().to_owned(),
            up_bps: passed.up.total.as_bps(),
            down_bps: passed.down.total.as_bps(),
            up_udp_bps: passed.up.udp.as_bps(),
            down_udp_bps: passed.down.udp.as_bps(),
            lost: lost.map(|packets| packets > 0),
            lost_packets: lost,
            signal: sample.map(|sample| sample.health.name().to_owned()),
            signal_age_s: sample.map(|sample| sample.age.as_secs_f64()),
            rate_bps: decision.rate.as_bps(),
            capacity_bps: decision.capacity.map(Rate::as_bps),
            first_loss: decision.first_loss,
            udp_rate_bps: decision.udp_rate.map(Rate::as_bps),
            reason: outcome.reason.name().to_owned(),
            dropped_packets: passed.dropped.packets,
            dropped_bytes: passed.dropped.bytes,
        };
        if let Some(file) = &mut self.records
            // A record has neither maps with other keys than texts nor types that fail.
            && let Ok(line) = serde_json::to_string(&record)
        {
            file.append(line);
        }
        self.last = Some(record);
    }
}

#[cfg(test)]
mod tests;
