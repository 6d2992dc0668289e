//! Samples the time series of a run.

use serde_json::{Value, json};

use evenair_core::congestion::Observed;
use evenair_core::delays::Delays;
use evenair_core::queue::{QueueItem, TxQueue};
use evenair_core::transport::RateControl;
use evenair_core::units::Rate;

use crate::engine::control::cot::{CellControl, Decision};
use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::flow::Flow;
use crate::engine::metrics::{counters, one_way_delays, rows, rtt_samples};
use crate::results::series::{ControllerSample, Series};

/// Collects a [`Series`].
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    series: Series,
    flows: Vec<FlowSeries>,
    /// By station: its rates down and up; empty if they are fixed.
    rates: Vec<[Vec<u64>; 2]>,
    queue_delay: DelaySeries,
}

#[derive(Debug, Default)]
struct FlowSeries {
    cwnd: Vec<f64>,
    /// The variables of its congestion control, in the order in which it names them.
    observed: Vec<(String, Vec<Value>)>,
    allowed_rate_bps: Vec<f64>,
    loss_event_rate: Vec<f64>,
    goodput_bps: Vec<f64>,
    delivered: u64,
    rtt: DelaySeries,
    one_way_delay: DelaySeries,
}

/// Mean and percentiles of the delays in each interval.
#[derive(Debug, Default)]
struct DelaySeries {
    /// All up to the last sample.
    before: Delays,
    mean_s: Vec<Option<f64>>,
    p50_s: Vec<Option<f64>>,
    p95_s: Vec<Option<f64>>,
}

impl DelaySeries {
    /// `delays` are all up to the end of an interval.
    fn sample(&mut self, delays: &Delays) {
        let new = delays.since(&self.before).buckets();
        let found = new.percentiles([50, 95]);
        self.mean_s.push((new.total() > 0).then(|| new.mean()));
        let [p50_s, p95_s] = found.map_or([None; 2], |found| found.map(|p| Some(p.as_secs_f64())));
        self.p50_s.push(p50_s);
        self.p95_s.push(p95_s);
        self.before.clone_from(delays);
    }
}

impl FlowSeries {
    /// A variable of the congestion control, of which there are always the same ones.
    fn observe(&mut self, name: &str, value: Observed<'_>) {
        let value = match value {
            Observed::State(state) => json!(state),
            Observed::Number(number) => json!(number),
        };
        match self.observed.iter_mut().find(|(each, _)| each == name) {
            Some((_, values)) => values.push(value),
            None => self.observed.push((name.to_owned(), vec![value])),
        }
    }
}

impl Sampler {
    /// Starts the first interval.
    pub(crate) fn start(&mut self, flows: &[Flow]) {
        self.flows = rows(flows)
            .map(|f| FlowSeries { delivered: counters(f).delivered, ..FlowSeries::default() })
            .collect();
    }

    /// Takes a sample of the controller, at the time of the last sample.
    pub(crate) fn sample_controller(&mut self, control: &CellControl, flows: &[Flow]) {
        let Some(&t_s) = self.series.time_s.last() else { return };
        let Decision { shares, used, beacons, backoff } = control.decision();
        let stations = (1..).zip(used);
        let limits = flows.iter().zip(control.limits());
        let of_first = |flow: &Flow| flow.member.as_ref().is_none_or(|member| member.slot == 0);
        let limits = limits.filter(|(flow, _)| of_first(flow));
        self.series.controller.push(ControllerSample {
            t_s,
            p_even: shares.even,
            p_additional: shares.additional,
            p_beacon: *beacons,
            backoff_s: backoff.as_secs_f64(),
            shares: stations.map(|(i, share)| (format!("sta-{i}"), json!(share))).collect(),
            theta_bps: limits
                .map(|(flow, limit)| (flow.id.clone(), json!(limit.map(Rate::as_bps))))
                .collect(),
        });
    }

    /// Takes a sample at the end of an interval of `interval_s` seconds. `queues` are those of the
    /// access point, `rates` the rates down and up of each station, if they are not fixed.
    pub(crate) fn sample<'a, P: QueueItem + 'a>(
        &mut self,
        time_s: f64,
        interval_s: f64,
        flows: &[Flow],
        queues: impl Iterator<Item = &'a TxQueue<P>>,
        rates: impl Iterator<Item = Option<[u64; 2]>>,
    ) {
        for (station, rates) in rates.enumerate() {
            if station == self.rates.len() {
                self.rates.push(Default::default());
            }
            for (series, rate) in self.rates[station].iter_mut().zip(rates.into_iter().flatten()) {
                series.push(rate);
            }
        }
        let mut total = 0.0;
        for (series, flows) in self.flows.iter_mut().zip(rows(flows)) {
            let delivered = counters(flows).delivered;
            let goodput = (delivered - series.delivered) as f64 * 8.0 / interval_s;
            series.delivered = delivered;
            series.goodput_bps.push(goodput);
            total += goodput;
            let [flow] = flows else {
                rtt_samples(flows).iter().for_each(|rtt| series.rtt.sample(rtt));
                series.one_way_delay.sample(&one_way_delays(flows));
                continue;
            };
            series.cwnd.extend(flow.ends.windows().map(|windows| windows.cwnd));
            flow.ends.observe(&mut |name, value| series.observe(name, value));
            if let Some(RateControl { allowed, loss_event_rate }) = flow.ends.rate_control() {
                series.allowed_rate_bps.push(8.0 * allowed);
                series.loss_event_rate.push(loss_event_rate);
            }
            flow.ends.rtt_samples().into_iter().for_each(|rtt| series.rtt.sample(rtt));
            series.one_way_delay.sample(flow.ends.one_way_delay());
        }
        let (mut waiting, mut waits) = ([0, 0], Delays::default());
        for queue in queues {
            waiting = [0, 1].map(|kind| waiting[kind] + queue.waiting()[kind]);
            waits.add(queue.waits());
        }
        let [data, acks] = waiting;
        self.queue_delay.sample(&waits);
        self.series.time_s.push(time_s);
        self.series.ap_queue_data.push(data);
        self.series.ap_queue_acks.push(acks);
        self.series.aggregate_goodput_bps.push(total);
    }

    /// Returns the collected series.
    pub(crate) fn finish(mut self, flows: &[Flow], limiter: Option<&UplinkLimiter>) -> Series {
        self.series.limiter = limiter.map(UplinkLimiter::samples).unwrap_or_default();
        for (series, flows) in self.flows.into_iter().zip(rows(flows)) {
            let flow = &flows[0];
            let mut columns = json!({ "goodput_bps": series.goodput_bps });
            if flow.ends.windows().is_some() && flows.len() == 1 {
                columns["cwnd"] = json!(series.cwnd);
            }
            for (name, values) in series.observed {
                columns[name] = json!(values);
            }
            if flow.ends.rate_control().is_some() {
                columns["allowed_rate_bps"] = json!(series.allowed_rate_bps);
                columns["loss_event_rate"] = json!(series.loss_event_rate);
            }
            if flow.ends.rtt_samples().is_some() {
                columns["rtt_p50_s"] = json!(series.rtt.p50_s);
                columns["rtt_p95_s"] = json!(series.rtt.p95_s);
            }
            if flow.is_echoed() {
                columns["rtt_mean_s"] = json!(series.rtt.mean_s);
            }
            columns["one_way_delay_p50_s"] = json!(series.one_way_delay.p50_s);
            columns["one_way_delay_p95_s"] = json!(series.one_way_delay.p95_s);
            self.series.flows.insert(flow.id.clone(), columns);
        }
        for (number, [down, up]) in (1..).zip(self.rates).filter(|(_, rates)| !rates[0].is_empty())
        {
            let columns = json!({ "down_rate_bps": down, "up_rate_bps": up });
            self.series.stations.insert(format!("sta-{number}"), columns);
        }
        self.series.ap_queue_delay_p50_s = self.queue_delay.p50_s;
        self.series.ap_queue_delay_p95_s = self.queue_delay.p95_s;
        self.series
    }
}
