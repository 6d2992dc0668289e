//! Time series of a run, by column.

use serde::Serialize;
use serde_json::{Map, Value, json};

use evenair_core::transport::Transport;

use crate::flow::Flow;

/// Samples at a constant interval. Each column has one value per sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// End of each interval, seconds since the end of the warm-up.
    pub time_s: Vec<f64>,
    /// Acknowledgements waiting at the access point.
    pub ap_queue_acks: Vec<u32>,
    /// Data packets waiting at the access point.
    pub ap_queue_data: Vec<u32>,
    /// Goodput of all flows in the interval, bit/s.
    pub aggregate_goodput_bps: Vec<f64>,
    /// By flow id: `cwnd` (segments; TCP only) and `goodput_bps` (bit/s) in the interval.
    pub flows: Map<String, Value>,
}

/// Collects a [`Series`].
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    series: Series,
    flows: Vec<FlowSeries>,
}

#[derive(Debug, Default)]
struct FlowSeries {
    cwnd: Vec<f64>,
    goodput_bps: Vec<f64>,
    delivered: u64,
}

impl Sampler {
    /// Starts the first interval.
    pub(crate) fn start(&mut self, flows: &[Flow]) {
        self.flows = flows
            .iter()
            .map(|f| FlowSeries { delivered: f.counters().delivered, ..FlowSeries::default() })
            .collect();
    }

    /// Takes a sample at the end of an interval of `interval_s` seconds. `[data, acks]` are the
    /// numbers of packets waiting at the access point.
    pub(crate) fn sample(
        &mut self,
        time_s: f64,
        interval_s: f64,
        flows: &[Flow],
        [data, acks]: [u32; 2],
    ) {
        let mut total = 0.0;
        for (series, flow) in self.flows.iter_mut().zip(flows) {
            let delivered = flow.counters().delivered;
            let goodput = (delivered - series.delivered) as f64 * 8.0 / interval_s;
            series.delivered = delivered;
            series.goodput_bps.push(goodput);
            total += goodput;
            series.cwnd.extend(flow.transport.cwnd());
        }
        self.series.time_s.push(time_s);
        self.series.ap_queue_data.push(data);
        self.series.ap_queue_acks.push(acks);
        self.series.aggregate_goodput_bps.push(total);
    }

    /// Returns the collected series.
    pub(crate) fn finish(mut self, flows: &[Flow]) -> Series {
        for (series, flow) in self.flows.into_iter().zip(flows) {
            let mut columns = json!({ "goodput_bps": series.goodput_bps });
            if flow.transport.cwnd().is_some() {
                columns["cwnd"] = json!(series.cwnd);
            }
            self.series.flows.insert(flow.id.clone(), columns);
        }
        self.series
    }
}
