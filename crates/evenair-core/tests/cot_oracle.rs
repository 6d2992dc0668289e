//! The rules of the channel-occupancy-time controller against another implementation:
//! `validation/cot/oracle.py`, exact fractions written from the equations of the paper.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_core::control::cot::access_point::Shares;
use evenair_core::control::cot::station::{Feedback, FlowCost, FlowUse, Station};
use evenair_core::control::cot::{BeaconElement, CotConfig};
use evenair_core::time::Duration;
use serde_json::Value;

fn vectors(of: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/cot_oracle.json")).unwrap();
    let list = all[of].as_array().unwrap().clone();
    assert!(list.len() >= 100, "{of}");
    list
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// Equal but for the rounding of a few operations in f64, each of up to 1.1e-16 of a value below 4.
#[track_caller]
fn assert_same(got: f64, expected: f64, scale: f64, case: &Value) {
    assert!((got - expected).abs() <= 1e-14 * scale, "{got} instead of {expected}: {case}");
}

#[test]
fn shares_of_the_access_point() {
    for case in vectors("access_points") {
        let shares =
            Shares::new(number(&case["r"]), number(&case["p_beacon"]), &numbers(&case["p"]));
        assert_same(shares.even, number(&case["even"]), 1.0, &case);
        assert_same(shares.additional, number(&case["additional"]), 1.0, &case);
        let element = shares.element(Duration::from_micros(67));
        let fields = numbers(&case["fields"]);
        assert_eq!([f64::from(element.even), f64::from(element.additional)], fields[..], "{case}");
        assert_eq!(element.backoff_us, 67);
    }
}

#[test]
fn shares_of_the_flows_of_a_station() {
    for case in vectors("stations") {
        let fields = numbers(&case["element"]);
        let element =
            BeaconElement { even: fields[0] as u16, additional: fields[1] as u16, backoff_us: 0 };
        let controlled = numbers(&case["controlled"]);
        let each = controlled.iter().map(|&share| FlowUse { share, reserve: None });
        let mut flows: Vec<Option<FlowUse>> = each.map(Some).collect();
        for flow in case["uncontrolled"].as_array().unwrap() {
            let [share, reserve] = numbers(flow)[..] else { panic!("{flow}") };
            flows.push(Some(FlowUse { share, reserve: Some(reserve) }));
        }
        let config = CotConfig { threshold: number(&case["r"]), ..CotConfig::default() };
        let mut station = Station::new(&config, flows.len());
        station.on_beacon(&element, &flows);
        for (flow, expected) in numbers(&case["available"]).into_iter().enumerate() {
            assert_same(station.available(flow).unwrap(), expected, 1.0, &case);
        }
        for flow in controlled.len()..flows.len() {
            assert_eq!(station.available(flow), None);
        }
    }
}

#[test]
fn rates_of_flows() {
    for case in vectors("flows") {
        let time = |key: &str| Duration::from_nanos(case[key].as_u64().unwrap());
        let (data, answer, rtt) = (time("data_ns"), time("feedback_ns"), time("rtt_ns"));
        let payload = case["payload"].as_u64().unwrap() as u32;
        let acks = Feedback::PerPackets { time: answer, packets: number(&case["per_ack"]) };
        for (feedback, key) in [(Feedback::PerRtt(answer), "theta"), (acks, "tcp_theta")] {
            let cost = FlowCost { payload, data, feedback, rtt };
            let expected = number(&case[key]);
            // The rate of a flow that had all the time, by which errors of shares are scaled.
            let scale = f64::from(payload) / data.as_secs_f64() * (1.0 + 1e-3 / rtt.as_secs_f64());
            assert_same(cost.throughput(number(&case["pi"])), expected, scale, &case);
        }
    }
}
