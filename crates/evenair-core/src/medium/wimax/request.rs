//! Bandwidth requests of one station (IEEE 802.16-2004, 6.3.6) and the contention among stations
//! (6.3.8).
//!
//! A request states all that waits when it is made (an aggregate request). Before it is transmitted, a uniform
//! number of opportunities below the backoff window is skipped. A station hears nothing of a
//! collision: if T16 expires without a grant, it doubles the window and transmits the request again,
//! a limited number of times.

use super::config::{RequestSize, WimaxConfig};
use crate::rng::{RngStream, StreamId};
use crate::time::Instant;

/// The largest value of a bandwidth request header, 19 bits (6.3.2.1.2).
const LARGEST_REQUEST: u64 = (1 << 19) - 1;
/// The largest value of a grant management subheader, 16 bits (6.3.2.2.2).
const LARGEST_PIGGYBACK: u64 = (1 << 16) - 1;

/// The bandwidth request of one station.
#[derive(Debug)]
pub(super) struct Request {
    state: State,
    /// Bytes that it asks for.
    value: u32,
    /// The backoff window is 2 to the power of this.
    exponent: u32,
    retries: u32,
    made_at: Instant,
    stream: RngStream,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// There is none.
    Idle,
    /// It is transmitted after this many opportunities.
    Backoff(u32),
    /// It has been transmitted, and T16 started then.
    Sent(Instant),
}

/// What becomes of a request at the start of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    /// It goes on, or there is none.
    No,
    /// T16 has expired.
    Retry,
    /// T16 has expired, and it has been repeated often enough.
    GiveUp,
}

impl Request {
    /// None, of this station: 0 is the first.
    pub(super) fn new(seed: u64, station: u64) -> Self {
        Self {
            state: State::Idle,
            value: 0,
            exponent: 0,
            retries: 0,
            made_at: Instant::ZERO,
            stream: RngStream::new(seed, StreamId::BandwidthRequests, station + 1),
        }
    }

    pub(super) fn is_pending(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// Bytes that it asks for.
    pub(super) fn value(&self) -> u32 {
        self.value
    }

    /// How often it has been repeated.
    pub(super) fn retries(&self) -> u32 {
        self.retries
    }

    /// Opportunities that are left to skip, if it is to be transmitted.
    pub(super) fn backoff(&self) -> Option<u32> {
        match self.state {
            State::Backoff(left) => Some(left),
            State::Idle | State::Sent(_) => None,
        }
    }

    /// Makes a request for `need` bytes, to be sent in contention.
    pub(super) fn make(&mut self, now: Instant, need: u64, config: &WimaxConfig) {
        (self.exponent, self.retries, self.made_at) = (config.request_backoff[0], 0, now);
        self.ask_for(need);
        self.back_off();
    }

    /// Makes a request for `need` bytes that is sent with a burst and received at `end`.
    pub(super) fn piggyback(
        &mut self,
        now: Instant,
        end: Instant,
        need: u64,
        config: &WimaxConfig,
    ) {
        (self.exponent, self.retries, self.made_at) = (config.request_backoff[0], 0, now);
        self.value = need.min(LARGEST_PIGGYBACK) as u32;
        self.state = State::Sent(end);
    }

    /// Makes another attempt; `need` bytes wait by now.
    pub(super) fn retry(&mut self, need: u64, config: &WimaxConfig) {
        match config.request_size {
            RequestSize::Stored => {}
            RequestSize::Current => self.ask_for(need),
        }
        self.retries += 1;
        self.exponent = (self.exponent + 1).min(config.request_backoff[1]);
        self.back_off();
    }

    /// Whether T16 has expired.
    pub(super) fn expiry(&self, now: Instant, config: &WimaxConfig) -> Expiry {
        match self.state {
            State::Sent(since) if since.saturating_add(config.t16) <= now => {
                if self.retries == config.request_retries { Expiry::GiveUp } else { Expiry::Retry }
            }
            _ => Expiry::No,
        }
    }

    /// Ends the request; returns since when it was pending.
    pub(super) fn end(&mut self) -> Option<Instant> {
        let pending = self.is_pending();
        self.state = State::Idle;
        pending.then_some(self.made_at)
    }

    /// Counts the `opportunities` of a frame, whose region ends at `end`; returns the one in which
    /// the request is transmitted.
    pub(super) fn count_down(&mut self, opportunities: u32, end: Instant) -> Option<u32> {
        let State::Backoff(skip) = self.state else { return None };
        if skip >= opportunities {
            self.state = State::Backoff(skip - opportunities);
            return None;
        }
        self.state = State::Sent(end);
        Some(skip)
    }

    fn ask_for(&mut self, need: u64) {
        self.value = need.min(LARGEST_REQUEST) as u32;
    }

    fn back_off(&mut self) {
        self.state = State::Backoff(self.stream.up_to((1 << self.exponent) - 1));
    }
}

/// The request region of a frame.
#[derive(Debug)]
pub(super) struct Contention {
    /// Transmissions by opportunity in the last region.
    transmissions: Vec<u32>,
    /// Station and opportunity of each of them.
    transmitters: Vec<(usize, usize)>,
}

impl Contention {
    /// Regions of this many opportunities.
    pub(super) fn new(opportunities: u32) -> Self {
        Self { transmissions: vec![0; opportunities as usize], transmitters: Vec::new() }
    }

    /// Opportunities of a region.
    pub(super) fn opportunities(&self) -> u32 {
        self.transmissions.len() as u32
    }

    /// A region begins.
    pub(super) fn begin(&mut self) {
        for (_, opportunity) in self.transmitters.drain(..) {
            self.transmissions[opportunity] = 0;
        }
    }

    /// `station` transmits in `opportunity`.
    pub(super) fn transmit(&mut self, station: usize, opportunity: u32) {
        self.transmissions[opportunity as usize] += 1;
        self.transmitters.push((station, opportunity as usize));
    }

    /// Each station that has transmitted, its opportunity, and whether its request is received: two or
    /// more in one opportunity collide.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = (usize, u32, bool)> {
        self.transmitters.iter().map(|&(station, opportunity)| {
            (station, opportunity as u32, self.transmissions[opportunity] == 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::phy::OfdmPhy;
    use super::*;
    use crate::time::Duration;

    fn config() -> WimaxConfig {
        let config = WimaxConfig::new(OfdmPhy::default());
        WimaxConfig { request_backoff: [1, 2], request_retries: 2, ..config }
    }

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    /// The opportunity of the request, counted over all frames.
    fn transmit(request: &mut Request, opportunities: u32, end: Instant) -> u32 {
        (0..)
            .find_map(|frame| {
                request.count_down(opportunities, end).map(|at| frame * opportunities + at)
            })
            .expect("it is transmitted")
    }

    /// By hand: T16 of 50 ms expires twice, with windows of 2, 4 and again 4 opportunities, and
    /// then the request is given up.
    #[test]
    fn requests_are_repeated_and_given_up() {
        for (request_size, value) in [(RequestSize::Stored, 1000), (RequestSize::Current, 524_287)]
        {
            repeat_and_give_up(&WimaxConfig { request_size, ..config() }, value);
        }
    }

    /// Makes a request for 1000 bytes; one that is repeated asks for `value`.
    fn repeat_and_give_up(config: &WimaxConfig, value: u32) {
        let mut request = Request::new(1, 0);
        assert!(!request.is_pending());
        request.make(at(5), 1000, config);
        for (attempt, window) in [2, 4, 4].into_iter().enumerate() {
            assert!(request.is_pending());
            assert_eq!(
                request.expiry(at(1000), config),
                Expiry::No,
                "not before it is transmitted"
            );
            assert!(transmit(&mut request, 3, at(10)) < window);
            assert_eq!(request.expiry(at(59), config), Expiry::No);
            if attempt < 2 {
                assert_eq!(request.expiry(at(60), config), Expiry::Retry);
                request.retry(1 << 40, config);
                assert_eq!(request.value(), value);
            }
        }
        assert_eq!(request.expiry(at(60), config), Expiry::GiveUp);
        assert_eq!((request.end(), request.end()), (Some(at(5)), None));
    }

    /// T16 of a request that was sent with a burst runs from the end of the burst.
    #[test]
    fn a_piggybacked_request_waits_at_once() {
        let config = config();
        let mut request = Request::new(1, 0);
        request.piggyback(at(5), at(10), 1 << 20, &config);
        assert_eq!((request.value(), request.is_pending()), (65_535, true));
        assert_eq!(request.count_down(5, at(7)), None);
        assert_eq!(request.expiry(at(59), &config), Expiry::No);
        assert_eq!(request.expiry(at(60), &config), Expiry::Retry);
        assert_eq!(request.end(), Some(at(5)));
    }

    /// By hand: stations 0 and 2 meet in opportunity 1; nothing remains for the next frame.
    #[test]
    fn two_in_one_opportunity_collide() {
        let mut contention = Contention::new(3);
        for transmissions in [vec![(0, 1), (1, 2), (2, 1)], vec![(0, 1)]] {
            contention.begin();
            for &(station, opportunity) in &transmissions {
                contention.transmit(station, opportunity);
            }
            let expected: &[_] = match transmissions.len() {
                3 => &[(0, 1, false), (1, 2, true), (2, 1, false)],
                _ => &[(0, 1, true)],
            };
            assert_eq!(contention.outcomes().collect::<Vec<_>>(), expected);
        }
    }
}
