//! Metrics of a run: differences of the counters at the start and the end of the measurement.

pub(crate) mod cell;
pub(crate) mod delay_places;
mod losses;
pub(crate) mod sampler;

use std::borrow::Cow;
use std::collections::BTreeMap;

use evenair_core::component::Configuration as _;
use evenair_core::delays::{Buckets, Delays};
use evenair_core::medium::Occupancy;
use evenair_core::packet::NodeId;
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::BulkConfig;
use evenair_core::traffic::session::Tally;
use evenair_core::transport;

use crate::engine::control::limiter::UplinkLimiter;
use crate::engine::flow::{Attachment, Flow};
use crate::engine::metrics::cell::{CellMetrics, CellResults, link_results};
use crate::engine::metrics::delay_places::DelayPlaces;
use crate::engine::metrics::losses::Places;
use crate::engine::network::{Network, hash};
use crate::engine::sessions::Running;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::results::delay::{DelayCurve, DelayResult, LimitedBy};
use crate::results::losses::LossesByPlace;
use crate::results::medium::BeaconsResult;
use crate::results::of_session::{OfSession, measured};
use crate::results::quality::Quality;
use crate::results::run::{
    FlowResult, Losses, MacResult, RESULT_VERSION, RunResult, SessionResult, WiredResult,
    jain_index,
};
use crate::results::series::Series;
use crate::scenario::Scenario;

/// The counters at the start of the measurement. (The statistics of queues and links are reset
/// then.)
#[derive(Debug)]
pub(crate) struct Metrics<M: SimMedium> {
    /// By flow of the scenario.
    flows: Vec<transport::Counters>,
    /// By session.
    tallies: Vec<Option<Tally>>,
    cell: CellMetrics<M>,
    occupancy: Option<Occupancy>,
}

impl<M: SimMedium> Default for Metrics<M> {
    fn default() -> Self {
        Self {
            flows: Vec::new(),
            tallies: Vec::new(),
            cell: CellMetrics::default(),
            occupancy: None,
        }
    }
}

/// What a run leaves behind.
pub(crate) struct RunOutcome<'a, M, P> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) seed: u64,
    pub(crate) end: Instant,
    pub(crate) events: u64,
    pub(crate) series: Option<Series>,
    pub(crate) flows: &'a [Flow],
    pub(crate) sessions: &'a [Running],
    /// By session: how long a transfer of so many bytes takes alone.
    pub(crate) alone: &'a [BTreeMap<u64, Duration>],
    pub(crate) network: &'a Network<M, P>,
    pub(crate) delay_places: &'a DelayPlaces,
}

impl<M: SimMedium> Metrics<M> {
    /// Records the counters at the end of the warm-up.
    pub(crate) fn begin<P: SimPacket>(
        &mut self,
        now: Instant,
        (flows, sessions): (&[Flow], &[Running]),
        network: &Network<M, P>,
    ) {
        self.flows = rows(flows).map(counters).collect();
        self.tallies = sessions.iter().map(|running| running.session.tally(now)).collect();
        self.cell.begin(now, network.cell());
        self.occupancy = network.cell().occupancy().cloned();
    }

    /// The result of a run that has come to its end.
    pub(crate) fn result<P: SimPacket>(self, outcome: RunOutcome<'_, M, P>) -> RunResult {
        let RunOutcome { scenario, seed, end, events, series, flows, network, .. } = outcome;
        let begin = Instant::ZERO + scenario.warmup.duration();
        let duration_s = end.since(begin).as_secs_f64();
        let sessions = sessions(flows, outcome.sessions, begin);
        let compared = Compared::among(flows);
        let (rtt, one_way_delay) = pooled(flows);
        let cell = network.cell();
        let cell_results = self.cell.results((begin, end), scenario, cell);
        let links = link_results((begin, end), scenario, network.wired());
        let limiter = network.limiter().map(|limiter| limiter.result(end));
        let policer = limiter.as_ref().map(|limiter| limiter.packets_dropped);
        let losses = Losses { policer, ..cell_results.losses(&links) };
        let CellResults { nodes, queues, mut stations, mut ap, air, medium } = cell_results;
        let flow_delays: Vec<FlowDelays> = rows(flows).map(FlowDelays::of).collect();
        let delays = curves(flows, &flow_delays, &nodes[NodeId::ACCESS_POINT.index()].waits);
        let occupancy = cell.occupancy().zip(self.occupancy).map(|(at, start)| at.since(&start));
        let occupancy = occupancy.map(|period| OccupancyShares { period, duration_s });
        let places = Places::new(network, flows.len(), end);
        let each = rows(flows).zip(&self.flows).zip(&flow_delays);
        let (flows, wired_flows): (Vec<_>, Vec<_>) = each
            .map(|((flows, start), delays)| FlowResult {
                occupancy_share: occupancy.as_ref().and_then(|shares| shares.flow(flows)),
                delay_by_place_s: outcome.delay_places.of(flows),
                policer_drops: network.limiter().and_then(|limiter| policer_drops(flows, limiter)),
                ..flow_result(flows, start, delays, places.of(flows), (begin, end))
            })
            .zip(rows(outcome.flows))
            .map(|(result, flows)| match &flows[0].member {
                Some(member) => {
                    let (running, alone) =
                        (&outcome.sessions[member.session], &outcome.alone[member.session]);
                    with_session(result, running, alone, self.tallies[member.session], (begin, end))
                }
                None => result,
            })
            .partition(|flow| flow.station.is_some());
        let fairness = jain_index(
            flows.iter().filter(|f| compared.contains(f.application)).map(|f| f.goodput_bps),
        );
        if let Some(shares) = &occupancy {
            for (station, node) in stations.iter_mut().zip(1..) {
                station.occupancy_share = Some(shares.station(NodeId(node)));
            }
            ap.beacons = Some(shares.beacons());
        }
        RunResult {
            engine: "sim",
            scenario: scenario.clone(),
            seed,
            version: env!("CARGO_PKG_VERSION"),
            result_version: RESULT_VERSION,
            duration_s,
            aggregate_goodput_bps: flows.iter().map(|flow| flow.goodput_bps).sum(),
            jain_index: fairness,
            jain_airtime: jain_index(compared.of(&stations).map(|mac| mac.airtime_share)),
            jain_occupancy: occupancy
                .is_some()
                .then(|| jain_index(compared.of(&stations).filter_map(|mac| mac.occupancy_share))),
            jain_over: compared.name(),
            rtt_s: DelayResult::new(&rtt.buckets()),
            one_way_delay_s: DelayResult::new(&one_way_delay.buckets()),
            sessions,
            losses,
            ap_queue: queues[0].clone(),
            limiter,
            air,
            frame: medium.frame,
            requests: medium.requests,
            wired: WiredResult { links, flows: wired_flows },
            ap,
            stations,
            delays,
            series,
            events,
            fingerprint: format!("{:016x}", hash(seed ^ network.fingerprint())),
            flows,
            wall_s: None,
        }
    }
}

/// The flows that Jain's index compares.
struct Compared {
    bulk_only: bool,
    /// Whether each node is the station of one of them.
    stations: Vec<bool>,
}

impl Compared {
    /// The bulk flows among `flows`, which all have data to send. If there is none: all flows between
    /// stations and hosts.
    fn among(flows: &[Flow]) -> Self {
        let of_stations = || flows.iter().filter(|flow| !flow.place.station().is_access_point());
        let bulk_only = of_stations().any(|flow| flow.application == BULK);
        let mut compared = Self { bulk_only, stations: Vec::new() };
        for flow in of_stations().filter(|flow| !bulk_only || flow.application == BULK) {
            let station = flow.place.station().index();
            compared.stations.resize(compared.stations.len().max(station + 1), false);
            compared.stations[station] = true;
        }
        compared
    }

    fn contains(&self, application: &str) -> bool {
        !self.bulk_only || application == BULK
    }

    fn name(&self) -> &'static str {
        if self.bulk_only { BULK } else { "all" }
    }

    /// Their stations.
    fn of<'a>(
        &'a self,
        stations: &'a [MacResult],
    ) -> impl Iterator<Item = &'a MacResult> + Clone + 'a {
        let each = stations.iter().zip(self.stations.iter().skip(1));
        each.filter(|(_, has_one)| **has_one).map(|(station, _)| station)
    }
}

/// Shares of the measured time.
struct OccupancyShares {
    period: Occupancy,
    duration_s: f64,
}

impl OccupancyShares {
    fn share(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.duration_s
    }

    /// `None` of a flow of the scenario that does not enter the cell.
    fn flow(&self, flows: &[Flow]) -> Option<f64> {
        let in_cell = matches!(flows[0].place, Attachment::Station { .. });
        let each = flows.iter().map(|flow| self.period.flow(flow.index));
        in_cell.then(|| self.share(each.fold(Duration::ZERO, |sum, time| sum + time)))
    }

    fn station(&self, station: NodeId) -> f64 {
        self.share(self.period.station(station))
    }

    fn beacons(&self) -> BeaconsResult {
        let [sent, lost] = self.period.beacons_sent();
        BeaconsResult { sent, lost, occupancy_share: self.share(self.period.beacons()) }
    }
}

const BULK: &str = BulkConfig::COMPONENT.name;

/// The flows of the run by the flow of the scenario to which they belong.
pub(crate) fn rows(flows: &[Flow]) -> impl Iterator<Item = &[Flow]> {
    flows.chunk_by(|one, next| one.row == next.row)
}

/// What the flows of one of the scenario have done together.
pub(crate) fn counters(flows: &[Flow]) -> transport::Counters {
    flows.iter().map(Flow::counters).fold(transport::Counters::default(), |sum, each| sum + each)
}

/// Their round-trip times; none if the transport measures none.
pub(crate) fn rtt_samples(flows: &[Flow]) -> Option<Cow<'_, Delays>> {
    merged(flows.iter().filter_map(|flow| flow.ends.rtt_samples()))
}

/// Their one-way delays.
pub(crate) fn one_way_delays(flows: &[Flow]) -> Cow<'_, Delays> {
    merged(flows.iter().map(|flow| flow.ends.one_way_delay())).unwrap_or_default()
}

/// All of them; none of none.
fn merged<'a>(mut each: impl Iterator<Item = &'a Delays>) -> Option<Cow<'a, Delays>> {
    let mut sum = Cow::Borrowed(each.next()?);
    each.for_each(|more| sum.to_mut().add(more));
    Some(sum)
}

/// What `result` has beside of a session, of which `before` was known when measuring began.
fn with_session(
    result: FlowResult,
    running: &Running,
    alone: &BTreeMap<u64, Duration>,
    before: Option<Tally>,
    times: (Instant, Instant),
) -> FlowResult {
    let OfSession { sessions, quality, page_load_s, completion_s, arrivals } =
        OfSession::new(&running.session, alone, before, times);
    FlowResult { sessions, quality, page_load_s, completion_s, arrivals, ..result }
}

/// The measured transfers of all flows, sorted by start; `None` if no flow makes finite transfers.
fn sessions(flows: &[Flow], sessions: &[Running], begin: Instant) -> Option<Vec<SessionResult>> {
    sessions.first()?;
    let each = |running: &Running| -> Vec<(Instant, SessionResult)> {
        let id = &flows[running.first].id;
        let measured = measured(&running.session, begin);
        measured.map(|one| (one.start, SessionResult::new(id, one, begin))).collect()
    };
    let mut all: Vec<(Instant, SessionResult)> = sessions.iter().flat_map(each).collect();
    // The sort is stable: ties are in the order of the flows.
    all.sort_by_key(|(start, _)| *start);
    Some(all.into_iter().map(|(_, session)| session).collect())
}

/// The flows between stations and hosts.
fn of_stations(flows: &[Flow]) -> impl Iterator<Item = &Flow> {
    flows.iter().filter(|flow| matches!(flow.place, Attachment::Station { .. }))
}

/// Round-trip times and one-way delays of all flows of stations.
fn pooled(flows: &[Flow]) -> (Delays, Delays) {
    let (mut rtts, mut one_way_delays) = (Delays::default(), Delays::default());
    for flow in of_stations(flows) {
        flow.ends.rtt_samples().into_iter().for_each(|rtt| rtts.add(rtt));
        one_way_delays.add(flow.ends.one_way_delay());
    }
    (rtts, one_way_delays)
}

/// The distributions of the delays of a flow of the scenario.
struct FlowDelays {
    rtt: Option<Buckets>,
    one_way_delay: Buckets,
}

impl FlowDelays {
    fn of(flows: &[Flow]) -> Self {
        let (rtt, one_way_delay) = (rtt_samples(flows), one_way_delays(flows));
        Self { rtt: rtt.map(|rtt| rtt.buckets()), one_way_delay: one_way_delay.buckets() }
    }
}

/// The distributions of the delays of each flow of a station and of the access point's queue.
fn curves(flows: &[Flow], delays: &[FlowDelays], queue: &Delays) -> Vec<DelayCurve> {
    let mut curves = Vec::new();
    for (flows, delays) in rows(flows).zip(delays) {
        if !matches!(flows[0].place, Attachment::Station { .. }) {
            continue;
        }
        let FlowDelays { rtt, one_way_delay } = delays;
        let curve = |quantity, delays| DelayCurve::new(Some(&flows[0].id), quantity, delays);
        curves.extend(rtt.as_ref().and_then(|rtt| curve("rtt", rtt)));
        curves.extend(curve("one_way_delay", one_way_delay));
    }
    curves.extend(DelayCurve::new(None, "ap_queue_delay", &queue.buckets()));
    curves
}

/// What the policer has dropped of a flow of the scenario; `None` of one that does not meet it.
fn policer_drops(flows: &[Flow], limiter: &UplinkLimiter) -> Option<u64> {
    let in_cell = matches!(flows[0].place, Attachment::Station { .. });
    let dropped = |flow: &Flow| limiter.dropped()[flow.index.0 as usize].packets.packets();
    in_cell.then(|| flows.iter().map(dropped).sum())
}

/// The result of a flow of the scenario. The measurement began at `begin` with the counters `start`.
fn flow_result(
    flows: &[Flow],
    start: &transport::Counters,
    delays: &FlowDelays,
    [data_losses, ack_losses]: [LossesByPlace; 2],
    (begin, until): (Instant, Instant),
) -> FlowResult {
    let duration_s = until.since(begin).as_secs_f64();
    let (flow, end) = (&flows[0], counters(flows));
    let limits = flows.iter().map(|flow| flow.ends.limits(until)).collect::<Option<Vec<_>>>();
    let rtt_samples = end.rtt_samples - start.rtt_samples;
    let rtt_sum = end.rtt_sum - start.rtt_sum;
    let (station, direction, from, to) = match &flow.place {
        Attachment::Station { station, up, .. } => {
            let direction = if *up { "up" } else { "down" };
            (Some(format!("sta-{station}")), Some(direction), None, None)
        }
        Attachment::Wired { from, to } => (None, None, Some(from.clone()), Some(to.clone())),
    };
    let ecn = |now: u64, then: u64| flow.ecn.then(|| now - then);
    let is_rate_controlled = flow.ends.rate_control().is_some();
    FlowResult {
        id: flow.id.clone(),
        name: flow.name.clone(),
        group: flow.group.clone(),
        station,
        direction,
        from,
        to,
        transport: flow.transport_name,
        application: flow.application,
        goodput_bps: (end.delivered - start.delivered) as f64 * 8.0 / duration_s,
        segments_sent: end.segments_sent - start.segments_sent,
        retransmissions: end.retransmissions - start.retransmissions,
        timeouts: end.timeouts - start.timeouts,
        fast_retransmits: end.fast_retransmits - start.fast_retransmits,
        congestion_marks: ecn(end.congestion_marks, start.congestion_marks),
        congestion_responses: ecn(end.congestion_responses, start.congestion_responses),
        policer_drops: None,
        data_losses,
        ack_losses,
        packets_lost: (is_rate_controlled || flow.is_echoed())
            .then(|| end.packets_lost.saturating_sub(start.packets_lost)),
        loss_event_rate: is_rate_controlled.then(|| {
            let events = end.loss_events - start.loss_events;
            events as f64 / (end.segments_sent - start.segments_sent).max(1) as f64
        }),
        mean_rtt_s: (rtt_samples > 0).then(|| rtt_sum.as_secs_f64() / rtt_samples as f64),
        rtt_s: delays.rtt.as_ref().and_then(DelayResult::new),
        one_way_delay_s: DelayResult::new(&delays.one_way_delay),
        delay_by_place_s: None,
        occupancy_share: None,
        limited_by: limits.map(|times| LimitedBy::mean(&times, flow.ends.probes(), duration_s)),
        sessions: None,
        page_load_s: None,
        completion_s: None,
        arrivals: None,
        quality: flow.ends.reception().map(|reception| Quality::new(reception, until)),
    }
}
