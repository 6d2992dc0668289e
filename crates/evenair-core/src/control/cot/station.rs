//! The part of a station: equations (5) and (7) to (18).

use super::{BeaconElement, CotConfig, is_unsatisfied};
use crate::time::Duration;
use crate::units::Rate;

/// The use of the medium by a flow of the station in a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowUse {
    /// Share of the slot that its frames occupied, in both directions (pi).
    pub share: f64,
    /// Of a flow whose rate cannot be controlled: the share to keep free for it ([`reserve`]).
    pub reserve: Option<f64>,
}

/// The share of the time to keep free for a flow whose rate cannot be controlled, (8) and (10): it has
/// `packets_per_second`, each of which takes `data`, T_data (9) with the mean backoff.
pub fn reserve(packets_per_second: f64, data: Duration) -> f64 {
    packets_per_second * data.as_secs_f64()
}

/// What the packets of a flow cost at present.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowCost {
    /// Payload of a data packet, bytes (lambda_data).
    pub payload: u32,
    /// T_data (9) of a data packet: DIFS, mean backoff and frame exchange.
    pub data: Duration,
    /// The packets that answer.
    pub feedback: Feedback,
    /// Round-trip time.
    pub rtt: Duration,
}

/// The packets that answer data packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback {
    /// One per round-trip time, which takes T_data (9) of this duration: reports of TFRC (16).
    PerRtt(Duration),
    /// One after each `packets` data packets, which takes `time`: acknowledgements of TCP.
    PerPackets {
        /// T_data (9) of an acknowledgement.
        time: Duration,
        /// Data packets per acknowledgement.
        packets: f64,
    },
}

impl FlowCost {
    /// The rate of payload (bytes/s) of a flow that may occupy `share` of the time, (16) to (18).
    ///
    /// With [`Feedback::PerPackets`] each data packet takes its part of the acknowledgement besides. At
    /// least one packet per round-trip time is permitted: the paper leaves open what follows if
    /// the feedback alone takes more than the share.
    pub fn throughput(&self, share: f64) -> f64 {
        let payload = f64::from(self.payload);
        let rtt = self.rtt.as_secs_f64();
        let data = self.data.as_secs_f64();
        let throughput = match self.feedback {
            Feedback::PerRtt(time) => payload / data * (share - time.as_secs_f64() / rtt),
            Feedback::PerPackets { time, packets } => {
                payload / (data + time.as_secs_f64() / packets) * share
            }
        };
        throughput.max(payload / rtt)
    }

    /// The same, rounded to bit/s.
    pub fn rate(&self, share: f64) -> Rate {
        Rate::from_bps((8.0 * self.throughput(share)) as u64)
    }
}

/// The part of one station.
#[derive(Clone, Debug)]
pub struct Station {
    threshold: f64,
    /// pi_available of each flow (14); `None` of flows that are not controlled.
    available: Vec<Option<f64>>,
}

impl Station {
    /// A station with this many flows, none of which is limited yet.
    pub fn new(config: &CotConfig, flows: usize) -> Self {
        Self { threshold: config.threshold, available: vec![None; flows] }
    }

    /// A beacon has come. `flows` are the uses by each flow in the slot that ends with it; `None` of
    /// those that were not active, which are in neither R nor U.
    pub fn on_beacon(&mut self, element: &BeaconElement, flows: &[Option<FlowUse>]) {
        let active = || flows.iter().flatten();
        let controlled = || active().filter(|flow| flow.reserve.is_none());
        let used: f64 = active().map(|flow| flow.share).sum();
        let unsatisfied = is_unsatisfied(used, self.threshold, element.even());
        let bonus = if unsatisfied { element.additional() } else { 0.0 };
        let free = element.even() + bonus - active().filter_map(|flow| flow.reserve).sum::<f64>();
        let remain = free - controlled().map(|flow| flow.share).sum::<f64>(); // (7), (11)
        let even = free / controlled().count().max(1) as f64; // (13)
        let is_unsatisfied = |flow: &FlowUse| is_unsatisfied(flow.share, self.threshold, even);
        let unsatisfied = controlled().filter(|&flow| is_unsatisfied(flow)).count(); // (12)
        for (available, flow) in self.available.iter_mut().zip(flows) {
            let controlled = flow.filter(|flow| flow.reserve.is_none());
            *available = controlled.map(|flow| match is_unsatisfied(&flow) {
                true => even + remain / unsatisfied as f64, // (14), (15)
                false => even,
            });
        }
    }

    /// The share of the time that this flow may occupy, according to the last beacon (14); `None`
    /// if it is not limited.
    pub fn available(&self, flow: usize) -> Option<f64> {
        self.available[flow]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::control::Slots;

    const CONFIG: CotConfig = CotConfig { beacons: 3, threshold: 0.8, slots: Slots::Disjoint };

    fn element(even: u16, additional: u16) -> BeaconElement {
        BeaconElement { even, additional, backoff_us: 68 }
    }

    fn controlled(share: f64) -> Option<FlowUse> {
        Some(FlowUse { share, reserve: None })
    }

    fn available(element: BeaconElement, flows: &[Option<FlowUse>]) -> Vec<Option<f64>> {
        let mut station = Station::new(&CONFIG, flows.len());
        station.on_beacon(&element, flows);
        (0..flows.len()).map(|flow| station.available(flow)).collect()
    }

    fn assert_near(got: Option<f64>, expected: f64) {
        let got = got.expect("a limited flow");
        assert!((got - expected).abs() < 1e-12, "{got}, expected {expected}");
    }

    /// 65,535 = 5 * 13,107: shares of a fifth are exact.
    const FIFTH: u16 = 13_107;

    /// By hand: 0.3 < 0.8 * 0.4, the station is satisfied: p_available = 0.4. Its one flow is, too:
    /// pi_even = 0.4, and 0.3 < 0.32.
    #[test]
    fn a_satisfied_station_has_the_even_share() {
        let [only] = available(element(2 * FIFTH, FIFTH), &[controlled(0.3)])[..] else { panic!() };
        assert_near(only, 0.4);
    }

    /// By hand: 0.38 >= 0.32: p_available = 0.4 + 0.2 = 0.6. pi_even = 0.6, and 0.38 < 0.48: the
    /// flow is satisfied.
    #[test]
    fn an_unsatisfied_station_has_the_additional_share() {
        let [only] = available(element(2 * FIFTH, FIFTH), &[controlled(0.38)])[..] else {
            panic!()
        };
        assert_near(only, 0.6);
    }

    /// By hand: p_available = 0.6, and 0.5 >= 0.48: 0.6 - 0.5 = 0.1 remains for the flow. With 0.7 it
    /// is 0.1 too much, and the flow has to make up for it.
    #[test]
    fn an_unsatisfied_flow_has_what_remains() {
        let [less] = available(element(2 * FIFTH, FIFTH), &[controlled(0.5)])[..] else { panic!() };
        assert_near(less, 0.7);
        let [more] = available(element(2 * FIFTH, FIFTH), &[controlled(0.7)])[..] else { panic!() };
        assert_near(more, 0.5);
    }

    /// By hand, with CBR beside two controlled flows: p_x = 0.21 + 0.15 + 0.02 = 0.38 >= 0.32,
    /// p_available = 0.6. The CBR flow is reserved 100 packets/s of 1 ms, 0.1, whatever share it
    /// measured: pi_even = 0.5 / 2 = 0.25, the limit 0.2. 0.6 - 0.23 - 0.1 = 0.27 remains for the one
    /// unsatisfied flow. The last flow is not active.
    #[test]
    fn a_flow_that_cannot_be_controlled_is_reserved_its_share() {
        let reserved = reserve(100.0, Duration::from_millis(1));
        assert!((reserved - 0.1).abs() < 1e-15);
        let cbr = Some(FlowUse { share: 0.15, reserve: Some(reserved) });
        let flows = [controlled(0.21), cbr, controlled(0.02), None];
        let shares = available(element(2 * FIFTH, FIFTH), &flows);
        assert_near(shares[0], 0.52);
        assert_eq!(shares[1], None);
        assert_near(shares[2], 0.25);
        assert_eq!(shares[3], None);
    }

    /// 802.11a at 54 Mb/s: T_data of 1500 bytes is 34 + 67.5 + 248 + 16 + 28 = 393.5 us, that of a report
    /// of 60 bytes 34 + 67.5 + 36 + 16 + 28 = 181.5 us.
    fn tfrc() -> FlowCost {
        FlowCost {
            payload: 1452,
            data: Duration::from_nanos(393_500),
            feedback: Feedback::PerRtt(Duration::from_nanos(181_500)),
            rtt: Duration::from_millis(100),
        }
    }

    /// By hand: (0.5 - 181.5 us / 100 ms) / 393.5 us = 0.498185 / 393.5 us = 1266.036 packets/s of
    /// 1452 bytes.
    #[test]
    fn a_report_per_round_trip_time_is_deducted() {
        let throughput = tfrc().throughput(0.5);
        assert!((throughput - 1_838_283.7).abs() < 0.1, "{throughput}");
        assert_eq!(tfrc().rate(0.5), Rate::from_bps(14_706_269));
    }

    /// By hand: 0.5 / (393.5 us + 181.5 us / 2) = 0.5 / 484.25 us = 1032.525 packets/s of 1460 bytes.
    #[test]
    fn an_acknowledgement_costs_each_packet_its_part() {
        let time = Duration::from_nanos(181_500);
        let feedback = Feedback::PerPackets { time, packets: 2.0 };
        let tcp = FlowCost { payload: 1460, feedback, ..tfrc() };
        assert!((tcp.throughput(0.5) - 1_507_485.8).abs() < 0.1, "{}", tcp.throughput(0.5));
    }

    /// By hand: 0.001 is less than the report takes, 0.001815; 1452 bytes / 100 ms.
    #[test]
    fn one_packet_per_round_trip_time_is_permitted() {
        assert_eq!(tfrc().throughput(0.001), 14_520.0);
        assert_eq!(tfrc().throughput(-0.5), 14_520.0);
    }

    proptest! {
        #![proptest_config(evenair_testing::config!())]

        /// What the controlled flows get and use: if all are unsatisfied, twice what is free less what
        /// they used (13), (15). A rate is finite and lets one packet per round-trip time pass.
        #[test]
        fn shares_and_rates_are_finite(
            even: u16,
            additional: u16,
            used in prop::collection::vec(0.0..1.0_f64, 1..8),
            reserved in 0.0..1.0_f64,
            rtt_us in 1..10_000_000_u64,
        ) {
            let element = element(even, additional);
            let mut flows: Vec<_> = used.iter().map(|&share| controlled(share)).collect();
            flows.push(Some(FlowUse { share: 0.0, reserve: Some(reserved) }));
            let shares = available(element, &flows);
            let sum: f64 = shares.iter().flatten().sum();
            let all: f64 = used.iter().sum();
            let unsatisfied = all >= 0.8 * element.even();
            let free = element.even() - reserved + if unsatisfied { element.additional() } else { 0.0 };
            let even = free / used.len() as f64;
            let gets_more = used.iter().any(|&share| share >= 0.8 * even);
            let expected = if gets_more { 2.0 * free - all } else { free };
            prop_assert!((sum - expected).abs() < 1e-9, "{sum}, expected {expected}");
            let cost = FlowCost { rtt: Duration::from_micros(rtt_us), ..tfrc() };
            for share in shares.iter().flatten() {
                let throughput = cost.throughput(*share);
                prop_assert!(throughput.is_finite());
                prop_assert!(throughput >= 1452.0 / (rtt_us as f64 / 1e6));
            }
        }
    }
}
