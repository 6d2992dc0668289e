//! Applications over TCP.

use std::collections::BTreeMap;
use std::sync::Arc;

use evenair_core::packet::End;
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::session::{Connections, Opening, Tally};
use evenair_core::traffic::{Application, Session, Stream};
use serde::Serialize;

use super::place::Place;
use crate::engine::alone;
use crate::engine::run::run_alone;
use crate::engine::run_error::RunError;
use crate::results::of_session::{OfSession, measured};
use crate::results::run::SessionResult;
use crate::scenario::Scenario;

/// The session of a flow, with the times at which it starts, stops and is measured.
#[derive(Debug)]
pub struct StreamApplication {
    scenario: Arc<Scenario>,
    seed: u64,
    row: u32,
    id: String,
    session: Session,
    slots: usize,
    opening: Opening,
    /// What a transfer is filled up to a multiple of, bytes.
    pad: u64,
    /// When the measured time begins.
    begin: Instant,
    /// When it starts and stops; [`Instant::NEVER`] once it has.
    start: Instant,
    stop: Instant,
    is_measured: bool,
    before: Option<Tally>,
}

/// What was measured of a session. The members of `flow` are those of a [`FlowResult`](crate::FlowResult).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamApplicationResult {
    flow: OfSession,
    /// Its finite transfers.
    pub sessions: Vec<SessionResult>,
}

impl StreamApplication {
    /// That of flow number `row`; `None` if it has no session.
    pub fn new(scenario: Arc<Scenario>, seed: u64, row: u32) -> Option<Self> {
        let place = Place::find(&scenario, row)?;
        let Application::Stream(stream) = &place.spec.application else { return None };
        let pads = match stream {
            Stream::File(file) => file.padding.pad,
            Stream::Web(web) => web.padding.pad,
            _ => false,
        };
        let begin = Instant::ZERO + scenario.warmup.duration();
        Some(Self {
            session: Session::new(stream, place.direction(), seed, row)?,
            slots: Session::slots(stream),
            opening: Session::opening(stream),
            pad: if pads { u64::from(place.spec.segment) } else { 1 },
            start: place.start,
            stop: place.stop,
            id: place.id,
            scenario: Arc::clone(&scenario),
            seed,
            row,
            begin,
            is_measured: false,
            before: None,
        })
    }

    /// How many connections it may have at a time.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Whether the receiver of the data opens the connections.
    pub fn is_opened_by_receiver(&self) -> bool {
        self.opening.by == End::Receiver
    }

    /// Payload of a request of the receiver, bytes.
    pub fn request(&self) -> u32 {
        self.opening.request
    }

    /// What the bytes of a transfer are filled up to a multiple of.
    pub fn pad(&self) -> u64 {
        self.pad
    }

    /// How many transfers are over.
    pub fn finished(&self) -> usize {
        self.session.finished().len()
    }

    /// When [`StreamApplication::on_timer`] is to be called.
    pub fn poll_at(&self) -> Instant {
        let begin = if self.is_measured { Instant::NEVER } else { self.begin };
        let waits = if self.start == Instant::NEVER { self.session.poll_at() } else { self.start };
        begin.min(self.stop).min(waits)
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now: Instant, connections: &mut impl Connections) {
        if now >= self.begin && !self.is_measured {
            self.is_measured = true;
            self.before = self.session.tally(self.begin);
            self.session.measure_from(self.begin);
        }
        if now >= self.stop {
            (self.start, self.stop) = (Instant::NEVER, Instant::NEVER);
            self.session.stop(connections);
        }
        if now >= self.start {
            self.start = Instant::NEVER;
            self.session.start(now);
        }
        self.session.on_timer(now, connections);
    }

    /// As [`Session::on_progress`].
    pub fn on_progress(&mut self, now: Instant, slot: usize, connections: &mut impl Connections) {
        self.session.on_progress(now, slot, connections);
    }

    /// What was measured up to `now`. What a slowdown is compared with is simulated.
    ///
    /// # Errors
    /// That simulation takes too much memory.
    pub fn result(&self, now: Instant) -> Result<StreamApplicationResult, RunError> {
        let session = (self.row, &self.session);
        let alone: BTreeMap<u64, Duration> =
            alone::times(&self.scenario, session, self.begin, &|scenario, alone| {
                run_alone(scenario, self.seed, alone)
            })?;
        let flow = OfSession::new(&self.session, &alone, self.before, (self.begin, now));
        let sessions = measured(&self.session, self.begin)
            .map(|transfer| SessionResult::new(&self.id, transfer, self.begin))
            .collect();
        Ok(StreamApplicationResult { flow, sessions })
    }
}
