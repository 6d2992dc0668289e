//! Bandwidth requests by contention.

use super::setup::LARGEST_REQUEST;
use super::{Departure, Oracle, Pending, Request};

impl Oracle {
    /// Stations make, repeat and give up requests.
    pub(super) fn make_requests(&mut self, start: u64) {
        for index in 0..self.stations.len() {
            if let Some(mut request) = self.stations[index].request {
                let Pending::Sent(since) = request.state else { continue };
                if start < since + self.setup.t16 {
                    continue;
                }
                if request.retries < self.setup.retries {
                    self.counts.retried += 1;
                    request.retries += 1;
                    request.exponent = (request.exponent + 1).min(self.setup.backoff.1);
                    if self.setup.revalued {
                        request.value = self.waiting(index);
                    }
                    self.draw(index, request);
                    continue;
                }
                self.counts.given_up += 1;
                self.stations[index].request = None;
                self.give_up(index, start, request.value);
            }
            if !self.stations[index].queues[1].is_empty() {
                let (exponent, state) = (self.setup.backoff.0, Pending::Backoff(0));
                let value = self.waiting(index);
                self.draw(index, Request { made: start, value, retries: 0, exponent, state });
            }
        }
    }

    /// Bytes that a request for all that waits asks for.
    fn waiting(&self, index: usize) -> u64 {
        self.stations[index].queues[1].need(&self.setup).min(LARGEST_REQUEST)
    }

    /// A request draws its backoff.
    fn draw(&mut self, index: usize, request: Request) {
        let station = &mut self.stations[index];
        let skip = station.rng.up_to((1 << request.exponent) - 1).into();
        station.request = Some(Request { state: Pending::Backoff(skip), ..request });
    }

    /// Drops SDUs as far as they are in a request for `value` bytes, the first in any case.
    fn give_up(&mut self, station: usize, at: u64, value: u64) {
        let (whole, fragment) = self.setup.headers();
        let queue = &mut self.stations[station].queues[1];
        let mut sum = 0;
        loop {
            let (sdu, need) = match (queue.partial, queue.waiting.front()) {
                (Some(partial), _) => (partial.sdu, partial.rest + fragment),
                (None, Some(&sdu)) => (sdu, sdu.bytes + whole),
                (None, None) => return,
            };
            sum += need;
            if sum > need && sum > value {
                return;
            }
            if queue.partial.take().is_some() {
                queue.in_service -= 1;
                queue.damaged.remove(&sdu.nth);
            } else {
                queue.waiting.pop_front();
            }
            self.departed.push(Departure { at, station, up: true, nth: sdu.nth, received: false });
        }
    }

    /// The request region of a frame, which ends at `end`.
    pub(super) fn contend(&mut self, end: u64) {
        let mut opportunities = vec![Vec::new(); self.setup.contention_slots as usize];
        for (index, station) in self.stations.iter_mut().enumerate() {
            let Some(request) = &mut station.request else { continue };
            let Pending::Backoff(skip) = &mut request.state else { continue };
            match opportunities.get_mut(*skip as usize) {
                Some(senders) => {
                    senders.push(index);
                    request.state = Pending::Sent(end);
                }
                None => *skip -= self.setup.contention_slots,
            }
        }
        for senders in opportunities {
            self.counts.sent += senders.len() as u64;
            match senders[..] {
                [] => {}
                [alone] => {
                    let station = &mut self.stations[alone];
                    station.outstanding = station.request.unwrap().value;
                }
                _ => self.counts.collided += senders.len() as u64,
            }
        }
    }
}
