//! Applications over UDP.

use evenair_core::delays::Delays;
use evenair_core::time::Instant;
use evenair_core::traffic::{Application, Datagrams, Received, Reception, Replies};
use evenair_core::transport::{Counters, Echoes};
use serde::Serialize;

use super::place::Place;
use crate::results::delay::DelayResult;
use crate::results::quality::Quality;
use crate::scenario::Scenario;

/// The datagrams of a flow, and what its ends make of those that arrive.
#[derive(Debug)]
pub struct DatagramApplication {
    source: Datagrams,
    stop: Instant,
    /// How many have been sent.
    sent: u64,
    reception: Option<Reception>,
    /// Of datagrams that are sent back.
    echoes: Option<Echoes>,
    one_way_delay: Delays,
    /// Payload that has arrived, bytes.
    received: u64,
    /// The datagrams before this one have arrived or will not.
    next: u64,
    begin: Instant,
    is_measured: bool,
    /// When measuring began.
    before: Counters,
}

/// What was measured of datagrams. The members are those of a [`FlowResult`](crate::FlowResult).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DatagramsResult {
    goodput_bps: f64,
    segments_sent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets_lost: Option<u64>,
    mean_rtt_s: Option<f64>,
    rtt_s: Option<DelayResult>,
    one_way_delay_s: Option<DelayResult>,
    #[serde(flatten)]
    quality: Option<Quality>,
}

impl DatagramApplication {
    /// That of flow number `row`; `None` if it is not over UDP.
    pub fn new(scenario: &Scenario, seed: u64, row: u32) -> Option<Self> {
        let place = Place::find(scenario, row)?;
        let Application::Datagrams(pattern) = &place.spec.application else { return None };
        let offer = place.spec.offer(place.direction());
        let times = (place.start, place.stop);
        Some(Self {
            source: Datagrams::new(pattern, offer, place.start, seed, row),
            stop: place.stop,
            sent: 0,
            reception: Reception::new(pattern, &offer, times, seed, row),
            echoes: (pattern.replies() == Replies::Echoes).then(Echoes::default),
            one_way_delay: Delays::default(),
            received: 0,
            next: 0,
            begin: Instant::ZERO + scenario.warmup.duration(),
            is_measured: false,
            before: Counters::default(),
        })
    }

    /// Whether the receiver sends back what it receives.
    pub fn is_echoed(&self) -> bool {
        self.echoes.is_some()
    }

    /// When the next datagram is sent, and its payload, bytes; [`Instant::NEVER`] if there is none.
    pub fn next(&self) -> (Instant, u32) {
        let at = self.source.next();
        (if at < self.stop { at } else { Instant::NEVER }, self.source.payload())
    }

    /// It has been sent.
    pub fn on_sent(&mut self, now: Instant) {
        self.measure(now);
        if let Some(echoes) = &mut self.echoes {
            echoes.expect(now, self.sent);
        }
        self.sent += 1;
        self.source.advance();
    }

    /// A datagram has arrived. One that others have overtaken counts as lost, as flows keep their order.
    pub fn on_datagram(&mut self, datagram: &Received) {
        if datagram.number < self.next {
            return;
        }
        self.next = datagram.number + 1;
        self.measure(datagram.now);
        self.received += u64::from(datagram.bytes);
        self.one_way_delay.record(datagram.now.since(datagram.sent));
        if let Some(reception) = &mut self.reception {
            reception.receiver().on_datagram(datagram);
        }
    }

    /// The datagram of this number has come back.
    pub fn on_echo(&mut self, now: Instant, number: u64) {
        self.measure(now);
        if let Some(echoes) = &mut self.echoes {
            echoes.receive(now, number);
        }
    }

    /// What was measured up to `now`.
    pub fn result(&mut self, now: Instant) -> DatagramsResult {
        self.measure(now);
        let (end, before) = (self.counters(), &self.before);
        let samples = end.rtt_samples - before.rtt_samples;
        let sum = end.rtt_sum - before.rtt_sum;
        let lost = || end.packets_lost.saturating_sub(before.packets_lost);
        let bits = 8.0 * (end.delivered - before.delivered) as f64;
        DatagramsResult {
            goodput_bps: bits / now.since(self.begin).as_secs_f64(),
            segments_sent: end.segments_sent - before.segments_sent,
            packets_lost: self.is_echoed().then(lost),
            mean_rtt_s: (samples > 0).then(|| sum.as_secs_f64() / samples as f64),
            rtt_s: self
                .echoes
                .as_ref()
                .and_then(|echoes| DelayResult::new(&echoes.rtts().buckets())),
            one_way_delay_s: DelayResult::new(&self.one_way_delay.buckets()),
            quality: self.reception.as_ref().map(|reception| Quality::new(reception, now)),
        }
    }

    /// Measuring begins, if it is time.
    fn measure(&mut self, now: Instant) {
        if self.is_measured || now < self.begin {
            return;
        }
        self.is_measured = true;
        self.before = self.counters();
        self.one_way_delay.reset();
        if let Some(echoes) = &mut self.echoes {
            echoes.reset();
        }
        if let Some(reception) = &mut self.reception {
            reception.receiver().measure_from(self.begin);
        }
    }

    fn counters(&self) -> Counters {
        let echoes = self.echoes.as_ref().map(Echoes::counters);
        let (segments_sent, delivered) = (self.sent, self.received);
        Counters { segments_sent, delivered, ..echoes.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use evenair_core::time::Duration;

    use super::*;
    use crate::scenario::resolve;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand: a datagram of 100 bytes each 100 ms. Those of 0 and 100 ms are before the measurement, which begins at
    /// 150 ms. Of the others number 3 is overtaken by number 4, which arrives 12 ms after it was sent, as does number 2.
    #[test]
    fn what_is_overtaken_is_lost() {
        let flow = serde_json::json!({
            "direction": "up", "transport": "udp", "segment": 100, "start": 0, "stop": 0.45,
            "application": { "kind": "ping", "interval": 0.1 },
        });
        let scenario = serde_json::json!({ "warmup": 0.15, "station": [{ "flows": [flow] }] });
        let scenario = resolve(scenario, "test").unwrap();
        let mut application = DatagramApplication::new(&scenario, 1, 0).unwrap();
        let deliver = |application: &mut DatagramApplication, number: u64| {
            let sent = at(100 * number);
            let now = sent + Duration::from_millis(12);
            application.on_datagram(&Received { now, sent, number, bytes: 100 });
            application.on_echo(sent + Duration::from_millis(20), number);
        };
        for number in 0..5 {
            assert_eq!(application.next(), (at(100 * number), 100));
            application.on_sent(at(100 * number));
            if [0, 2, 4].contains(&number) {
                deliver(&mut application, number);
            }
        }
        deliver(&mut application, 3);
        assert_eq!(application.next().0, Instant::NEVER);
        let result = application.result(at(1150));
        assert_eq!((result.segments_sent, result.packets_lost), (3, Some(1)));
        assert_eq!(result.goodput_bps, 1600.0);
        assert_eq!(result.mean_rtt_s, Some(0.02));
        let delay = result.one_way_delay_s.unwrap();
        assert_eq!((delay.mean, delay.max), (0.012, 0.012));
    }
}
