//! The air of one cell and the MAC of every station in it.
//!
//! **Rules** (IEEE 802.11-2007, clause 9.2, one collision domain: everybody hears everybody).
//! - A station whose frame arrives while the medium is idle, and whose post-backoff is over,
//!   transmits at the next slot boundary (immediate access, 9.2.5.1); while it is busy, after a
//!   backoff. See [`super::backoff`] for slots, freezing and who may use slot 0.
//! - A backoff is uniform on 0..=CW. CW starts at CWmin, goes to 2 CW + 1 (at most CWmax) with
//!   each failed attempt, and back to CWmin after a success or a drop (9.2.4). Every frame that is
//!   finished with, sent or dropped, is followed by a post-backoff (9.2.5.2).
//! - A data frame is acknowledged after SIFS. Frames longer than the RTS threshold are sent behind
//!   an RTS/CTS exchange. Everyone who hears the exchange stays silent until its end (NAV).
//! - A sender without response gives up waiting SIFS + slot + aPHY-RX-START-Delay after its frame
//!   (9.2.8) and begins its backoff; the DIFS of idle medium that must precede a backoff slot
//!   (9.2.5.2) has then already passed, or passes after the end of the longest frame.
//! - Everybody else has then heard a frame that could not be decoded, and waits EIFS from its end
//!   (9.2.3.4) instead of DIFS. A frame error is taken to hit all listeners alike. The sender of
//!   the shorter frame in a collision was sending when the longer one began and so has not heard
//!   the beginning of a frame: it waits for its response timeout and a DIFS, not an EIFS.
//! - Retry limits count attempts (9.2.5.3): the short one for RTS and for frames without RTS, the
//!   long one for frames behind RTS/CTS. Reaching a limit drops the frame.
//!
//! What follows from an attempt (drop, new backoff) is settled when the medium becomes idle, which
//! no one can tell from settling it at the timeout: until then nobody can send.

use super::backoff::{Access, Contention};
use crate::loss::{Level, LinkLoss};
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, Phy, RTS_BYTES};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::units::Rate;

/// The access point's index among the stations of its cell.
pub const AP: u32 = 0;

/// What all stations of a cell have in common.
#[derive(Clone, Copy, Debug)]
pub struct DcfConfig {
    /// Slot, interframe spaces, airtimes.
    pub phy: Phy,
    /// Rate of ACK, RTS and CTS frames.
    pub control_rate: Rate,
    /// IP packet and MAC overhead above this size are sent behind RTS/CTS; `None`: never.
    pub rts_threshold: Option<u32>,
    /// Bytes that MAC header, FCS and LLC/SNAP add to an IP packet.
    pub mac_overhead: u32,
    /// Whether a station on an idle medium transmits without a backoff, as the standard has it.
    pub immediate_access: bool,
    /// Attempts for an RTS, or a frame without one.
    pub short_retry_limit: u32,
    /// Attempts for a frame behind RTS/CTS.
    pub long_retry_limit: u32,
}

/// A frame that a station's MAC is to send. Which packet it carries, only the station knows.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The receiving station ([`AP`] for uplink frames).
    pub to: u32,
    /// The size of that packet at IP level.
    pub bytes: u32,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TxStatus {
    /// Acknowledged.
    Delivered,
    /// Its retry limit was reached.
    Dropped,
}

/// One successful frame exchange, for captures.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// When its first frame (RTS or data) began.
    pub start: Instant,
    /// When its data frame began.
    pub data_start: Instant,
    /// When its data frame ended.
    pub data_end: Instant,
    /// The data frame's rate.
    pub rate: Rate,
    /// Whether RTS and CTS preceded the data.
    pub rts: bool,
    /// How often the data frame was sent before.
    pub retries: u32,
}

/// What the medium reports.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A frame was received, at the end of its data frame; the acknowledgement is still to come.
    Received {
        /// The sending station; [`Dcf::exchange`] tells how the frame went over the air.
        from: u32,
        /// The receiving station.
        to: u32,
    },
    /// A station's MAC has finished with its frame and can be offered the next.
    Done {
        /// The sending station.
        station: u32,
        /// Whether it got through.
        outcome: TxStatus,
    },
}

/// Counters of one station's MAC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Attempts: RTS frames, and data frames sent without RTS.
    pub attempts: u64,
    /// Attempts that met another station's in the same slot.
    pub collisions: u64,
    /// Data frames put on the air, retries included.
    pub data_frames: u64,
    /// Data frames acknowledged.
    pub delivered: u64,
    /// Frames dropped at a retry limit.
    pub dropped: u64,
    /// Time that the station's attempts held the air: whole exchanges, spaces inside them
    /// included, and its own frames in collisions.
    pub airtime: Duration,
}

/// The MAC of one station.
#[derive(Debug)]
struct Mac {
    /// Of its link with the access point, both ways.
    rate: Rate,
    /// The last frame on that link, down and up: its bytes, MAC overhead included, and its airtime. The
    /// next has most likely as many, and a division costs more than all else about it.
    last: [(u32, Duration); 2],
    /// Whether it can be offered a frame.
    free: bool,
    /// Where the frame goes that it sends, or sent last.
    to: u32,
    /// Time on air of that frame, MAC overhead included.
    airtime: Duration,
    needs_rts: bool,
    cw: u32,
    short_retries: u32,
    long_retries: u32,
    backoff: RngStream,
    /// Errors of its link with the access point; boxed, because few have them and all are walked.
    errors: Option<Box<LinkLoss>>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Idle; slot boundaries lie at `grid` + k slots.
    Idle { grid: Instant },
    /// One station's exchange is under way; its data frame is on the air until it is `due`.
    Sending,
    /// The receiver's acknowledgement is on the air until it is `due`.
    Acknowledging,
    /// Frames that nobody will answer are on the air until they are `due`.
    Failing,
}

/// The air of one cell: a state machine that is told the time.
#[derive(Debug)]
pub struct Dcf {
    config: DcfConfig,
    /// Durations that every exchange needs, worked out once.
    rts_time: Duration,
    cts_time: Duration,
    ack_time: Duration,
    /// Boundaries that EIFS takes beyond DIFS.
    eifs_slots: u64,
    macs: Vec<Mac>,
    contention: Contention,
    phase: Phase,
    /// When the phase ends: for an idle medium the time of the next access, or earlier while that is
    /// not known.
    due: Instant,
    /// The last attempt of a single station that got through.
    exchange: Exchange,
    /// The boundary of the next access while the medium is idle; `None` when there is none, or since
    /// something has changed that it depends on: much can before it is needed.
    next_access: Option<u64>,
    /// The stations of the present, or last, attempt.
    transmitters: Vec<u32>,
    /// Frames that are finished with but not yet reported, which comes before the next access.
    finished: Vec<(u32, TxStatus)>,
}

impl Dcf {
    /// A cell of an access point ([`AP`], index 0) and further stations with the given data rates;
    /// the random streams are those of `seed`.
    pub fn new(config: DcfConfig, rates: &[Rate], seed: u64) -> Self {
        let phy = &config.phy;
        let macs = rates.iter().zip(0u64..).map(|(&rate, entity)| Mac {
            rate,
            last: [(0, phy.airtime(0, rate)); 2],
            free: true,
            to: AP,
            airtime: Duration::ZERO,
            needs_rts: false,
            cw: phy.cw_min,
            short_retries: 0,
            long_retries: 0,
            backoff: RngStream::new(seed, StreamId::Backoff, entity),
            errors: None,
            counters: Counters::default(),
        });
        Self {
            rts_time: phy.airtime(RTS_BYTES, config.control_rate),
            cts_time: phy.airtime(CTS_BYTES, config.control_rate),
            ack_time: phy.airtime(ACK_BYTES, config.control_rate),
            eifs_slots: phy.eifs().saturating_sub(phy.difs()).div_ceil(phy.slot),
            macs: macs.collect(),
            contention: Contention::new(rates.len(), phy.cw_max),
            phase: Phase::Idle { grid: Instant::ZERO + phy.difs() },
            due: Instant::NEVER,
            exchange: Exchange {
                start: Instant::ZERO,
                data_start: Instant::ZERO,
                data_end: Instant::ZERO,
                rate: config.control_rate,
                rts: false,
                retries: 0,
            },
            next_access: None,
            transmitters: Vec::with_capacity(rates.len()),
            finished: Vec::with_capacity(rates.len()),
            config,
        }
    }

    /// Lets `errors` of the MAC's level make data frames between `station` and the AP undecodable.
    pub fn set_errors(&mut self, station: u32, errors: LinkLoss) {
        self.macs[station as usize].errors = Some(Box::new(errors));
    }

    /// Whether `station`'s MAC can be offered a frame.
    pub fn is_free(&self, station: u32) -> bool {
        self.macs[station as usize].free
    }

    /// The counters of `station`.
    pub fn counters(&self, station: u32) -> Counters {
        self.macs[station as usize].counters
    }

    /// The timing of the cell.
    pub fn config(&self) -> &DcfConfig {
        &self.config
    }

    /// Gives `station`'s MAC, which must be free, a frame to send.
    pub fn offer(&mut self, now: Instant, station: u32, frame: Frame) {
        let bytes = frame.bytes + self.config.mac_overhead;
        // A frame to a station goes at that station's rate, one from it likewise.
        let link = &mut self.macs[if station == AP { frame.to } else { station } as usize];
        let airtime = link.airtime_of(&self.config.phy, station != AP, bytes);
        let mac = &mut self.macs[station as usize];
        debug_assert!(mac.free, "station {station} already has a frame");
        mac.free = false;
        mac.to = frame.to;
        mac.airtime = airtime;
        mac.needs_rts = self.config.rts_threshold.is_some_and(|threshold| bytes > threshold);

        let (grid, slot) = match self.phase {
            Phase::Idle { grid } => (Some(grid), self.config.phy.slot),
            _ => (None, Duration::ZERO),
        };
        // Most frames come when the last is finished with, before slots begin.
        let boundary =
            grid.map(|grid| if now <= grid { 0 } else { now.since(grid).div_ceil(slot) });
        if self.contention.arrive(station, boundary) == Access::BackoffOver {
            match (boundary, grid) {
                (Some(boundary), _) if self.config.immediate_access => {
                    self.contention.immediate(station, boundary);
                }
                (Some(_), Some(grid)) => {
                    let after_difs = (now + self.config.phy.difs()).since(grid).div_ceil(slot);
                    self.contention.late_backoff(station, after_difs, mac.draw());
                }
                _ => self.contention.defer(station, mac.draw()),
            }
        }
        if grid.is_some() {
            self.next_access = None;
            self.due = now;
        }
    }

    /// When [`Dcf::poll_until`] may have something to do next.
    pub fn poll_at(&self) -> Instant {
        self.due
    }

    /// Does what is due before `limit`, up to the first report, and tells when that was.
    pub fn poll_until(&mut self, limit: Instant) -> Option<(Instant, Event)> {
        while self.due < limit {
            let now = self.due;
            match self.phase {
                Phase::Idle { grid } => {
                    if self.next_access.is_none() {
                        if let Some(event) = self.report() {
                            return Some((now, event));
                        }
                        self.await_access(grid);
                    }
                    let boundary = self.next_access.filter(|_| self.due < limit)?;
                    self.begin(self.due, boundary);
                }
                Phase::Sending => {
                    let from = self.transmitters[0];
                    self.phase = Phase::Acknowledging;
                    self.due = now + self.config.phy.sifs + self.ack_time;
                    return Some((now, Event::Received { from, to: self.macs[from as usize].to }));
                }
                Phase::Acknowledging => {
                    let station = self.transmitters[0];
                    self.become_idle(0);
                    self.finish(station, 0, TxStatus::Delivered);
                    let outcome = TxStatus::Delivered;
                    return Some((now, Event::Done { station, outcome }));
                }
                // What it leaves to report is reported next.
                Phase::Failing => self.fail(),
            }
        }
        None
    }

    /// How the frame that was received last went over the air.
    pub fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// The transmissions of slot boundary `boundary`, which is now.
    fn begin(&mut self, now: Instant, boundary: u64) {
        let macs = &mut self.macs;
        let draw = |station: u32| macs[station as usize].draw();
        self.contention.seize(boundary, &mut self.transmitters, draw);
        let (sifs, alone) = (self.config.phy.sifs, self.transmitters.len() == 1);
        if !alone {
            let mut longest = Duration::ZERO;
            for &station in &self.transmitters {
                let mac = &mut self.macs[station as usize];
                let first = mac.first_frame(self.rts_time);
                mac.counters.attempts += 1;
                mac.counters.collisions += 1;
                mac.counters.data_frames += u64::from(!mac.needs_rts);
                mac.counters.airtime += first;
                longest = longest.max(first);
            }
            self.phase = Phase::Failing;
            self.due = now + longest;
            return;
        }
        let station = self.transmitters[0];
        let mac = &mut self.macs[station as usize];
        let to = mac.to;
        let data_start = if mac.needs_rts {
            // CTS came: what counts failed RTS starts anew, as the station's SSRC does (9.2.5.3).
            mac.short_retries = 0;
            now + self.rts_time + sifs + self.cts_time + sifs
        } else {
            now
        };
        let data_end = data_start + mac.airtime;
        // Rate and errors belong to the link, and so to its end that is not the AP.
        let link = &mut self.macs[if station == AP { to } else { station } as usize];
        let rate = link.rate;
        let lost = match &mut link.errors {
            Some(errors) => errors.lose(Level::Mac, station != AP, data_end),
            None => false,
        };
        let mac = &mut self.macs[station as usize];
        mac.counters.attempts += 1;
        mac.counters.data_frames += 1;
        mac.counters.airtime += data_end.since(now);
        self.due = data_end;
        if lost {
            self.phase = Phase::Failing;
            return;
        }
        mac.counters.airtime += sifs + self.ack_time;
        let rts = mac.needs_rts;
        let retries = if rts { mac.long_retries } else { mac.short_retries };
        self.exchange = Exchange { start: now, data_start, data_end, rate, rts, retries };
        self.phase = Phase::Sending;
    }

    /// The frames on the air have failed: count retries, draw new backoffs.
    #[inline(never)] // seldom in comparison, and long
    fn fail(&mut self) {
        let phy = self.config.phy;
        self.become_idle(self.eifs_slots);
        let collision = self.transmitters.len() > 1;
        let rts_time = self.rts_time;
        let last_frame =
            |mac: &Mac| if collision { mac.first_frame(rts_time) } else { mac.airtime };
        let lengths = self.transmitters.iter().map(|&s| last_frame(&self.macs[s as usize]));
        let longest = lengths.max().unwrap_or(Duration::ZERO);
        for i in 0..self.transmitters.len() {
            let station = self.transmitters[i];
            let mac = &mut self.macs[station as usize];
            let own = last_frame(mac);
            // The response timeout runs from the end of its own frame, the DIFS from that of the
            // longest.
            let timeout = (own + phy.response_timeout()).saturating_sub(longest);
            let from = timeout.saturating_sub(phy.difs()).div_ceil(phy.slot);
            let (retries, limit) = if mac.needs_rts && !collision {
                (&mut mac.long_retries, self.config.long_retry_limit)
            } else {
                (&mut mac.short_retries, self.config.short_retry_limit)
            };
            *retries += 1;
            if *retries >= limit {
                self.finish(station, from, TxStatus::Dropped);
                self.finished.push((station, TxStatus::Dropped));
            } else {
                mac.cw = (2 * mac.cw + 1).min(phy.cw_max);
                let backoff = mac.draw();
                self.contention.retreat(station, from, backoff, true);
            }
        }
    }

    /// Reports a finished frame, if any is left.
    fn report(&mut self) -> Option<Event> {
        let (station, outcome) = self.finished.pop()?;
        Some(Event::Done { station, outcome })
    }

    /// The busy period ends when it is `due`.
    fn become_idle(&mut self, ring_from: u64) {
        self.phase = Phase::Idle { grid: self.due + self.config.phy.difs() };
        self.next_access = None;
        self.contention.idle(ring_from);
    }

    /// Sees who transmits next, and when.
    fn await_access(&mut self, grid: Instant) {
        self.next_access = self.contention.next_access();
        self.due = match self.next_access {
            Some(boundary) => grid + self.config.phy.slot * boundary,
            None => Instant::NEVER,
        };
    }

    /// `station` is done with its frame: it draws a post-backoff, which runs from boundary `from`.
    fn finish(&mut self, station: u32, from: u64, outcome: TxStatus) {
        let mac = &mut self.macs[station as usize];
        match outcome {
            TxStatus::Delivered => mac.counters.delivered += 1,
            TxStatus::Dropped => mac.counters.dropped += 1,
        }
        mac.cw = self.config.phy.cw_min;
        mac.short_retries = 0;
        mac.long_retries = 0;
        let backoff = mac.draw();
        mac.free = true;
        self.contention.retreat(station, from, backoff, false);
    }
}

impl Mac {
    /// Time on air of a frame of `bytes`, up or down its link with the access point.
    fn airtime_of(&mut self, phy: &Phy, up: bool, bytes: u32) -> Duration {
        let last = &mut self.last[usize::from(up)];
        if last.0 != bytes {
            *last = (bytes, phy.airtime(bytes, self.rate));
        }
        last.1
    }

    fn draw(&mut self) -> u32 {
        self.backoff.up_to(self.cw)
    }

    /// How long the first frame of an attempt lasts: the RTS, or the data frame itself.
    fn first_frame(&self, rts_time: Duration) -> Duration {
        if self.needs_rts { rts_time } else { self.airtime }
    }
}
