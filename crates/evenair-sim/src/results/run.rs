//! The result of a run. Its JSON form is the documented interface.

use evenair_core::medium::AirUsage;
use evenair_core::queue::QueueStats;
use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::session::Transfer;
use serde::Serialize;

use crate::results::completion::{ArrivalsResult, CompletionResult, TimesResult};
use crate::results::delay::{DelayCurve, DelayResult, LimitedBy};
use crate::results::delay_by_place::DelayByPlace;
use crate::results::limiter::LimiterResult;
use crate::results::losses::LossesByPlace;
use crate::results::medium::{
    AirResult, BeaconsResult, DataRates, EdcaResult, FrameResult, RequestsResult,
};
use crate::results::quality::Quality;
use crate::results::series::Series;
use crate::scenario::Scenario;

/// The version of results. It is raised when a change of the code changes the result of a scenario
/// and seed.
pub const RESULT_VERSION: u32 = 11;

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// What has produced the result: "sim".
    pub engine: &'static str,
    /// The resolved scenario, with all defaults.
    pub scenario: Scenario,
    /// The seed.
    pub seed: u64,
    /// The version of evenair.
    pub version: &'static str,
    /// [`RESULT_VERSION`].
    pub result_version: u32,
    /// Measured time, seconds.
    pub duration_s: f64,
    /// Sum of the flows' goodput, bit/s.
    pub aggregate_goodput_bps: f64,
    /// Jain's index of the goodput of the bulk flows, or of all flows if none is: 1 if all are equal,
    /// 1/n if only one of n flows has any; 0 if no flow has any.
    pub jain_index: f64,
    /// Jain's index of the `airtime_share` of the stations that have these flows.
    pub jain_airtime: f64,
    /// Jain's index of the `occupancy_share` of these stations (Kashibuchi et al. 2009, equation 19);
    /// absent without beacons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jain_occupancy: Option<f64>,
    /// Which flows these are: "bulk" or "all".
    pub jain_over: &'static str,
    /// Round-trip times of all of `flows` together.
    pub rtt_s: Option<DelayResult>,
    /// One-way delays of all of `flows` together.
    pub one_way_delay_s: Option<DelayResult>,
    /// The flows between stations and hosts.
    pub flows: Vec<FlowResult>,
    /// The finite transfers that began and ended in the measured time, sorted by start; absent if
    /// no flow makes finite transfers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<SessionResult>>,
    /// Packets lost in the whole network, by cause.
    pub losses: Losses,
    /// The access point's downlink queue; of a base station all of its queues together.
    pub ap_queue: QueueResult,
    /// The rate limiter at the gateway; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limiter: Option<LimiterResult>,
    /// What the time of the air is spent on; absent in a WiMAX cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub air: Option<AirResult>,
    /// The frame of 802.16 and its use; absent in a WLAN cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameResult>,
    /// Bandwidth requests of 802.16; absent in a WLAN cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<RequestsResult>,
    /// The wired links, and the flows between wired hosts.
    pub wired: WiredResult,
    /// The MAC of each station.
    pub stations: Vec<MacResult>,
    /// The MAC of the access point.
    pub ap: MacResult,
    /// Cumulative distributions of the delays of `flows` and `ap_queue`.
    pub delays: Vec<DelayCurve>,
    /// Time series; absent without a trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// Events simulated, warm-up included.
    pub events: u64,
    /// A hash of the seed and of each delivered packet with its time, in hexadecimal. It is equal
    /// for equal runs.
    pub fingerprint: String,
    /// Wall-clock time of the run, seconds. Set by the caller, since the engine reads no clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
}

/// One flow's result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowResult {
    /// "up-1", "down-3", ...; between wired hosts "wired-1", ...
    pub id: String,
    /// The name that the scenario gives it.
    pub name: Option<String>,
    /// The group that the scenario puts it in.
    pub group: Option<String>,
    /// The station's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station: Option<String>,
    /// "up" or "down".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<&'static str>,
    /// The source host of a flow between wired hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The destination host of a flow between wired hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The congestion control, "tfrc", or "udp".
    pub transport: &'static str,
    /// "bulk", "web", ...
    pub application: &'static str,
    /// Payload acknowledged (UDP, TFRC: received) per measured time, bit/s.
    pub goodput_bps: f64,
    /// Data segments (UDP: datagrams) sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments retransmitted.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer, or of TFRC's nofeedback timer.
    pub timeouts: u64,
    /// Loss recoveries entered because of duplicate ACKs, SACK or RACK.
    pub fast_retransmits: u64,
    /// Data segments that arrived with a congestion mark (RFC 3168); absent without ECN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion_marks: Option<u64>,
    /// Reductions of the window because of such marks; absent without ECN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion_responses: Option<u64>,
    /// Packets of the flow, data or acknowledgements, that the policer of a rate limiter has dropped;
    /// absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policer_drops: Option<u64>,
    /// Its lost packets by place, all but pure acknowledgements.
    pub data_losses: LossesByPlace,
    /// Its lost acknowledgements by place.
    pub ack_losses: LossesByPlace,
    /// Of TFRC: data packets that did not arrive although later ones did. Of "ping": datagrams without an
    /// echo by the end. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_lost: Option<u64>,
    /// Loss events per data packet sent (RFC 5348 section 5.2); absent but for TFRC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_event_rate: Option<f64>,
    /// Mean of the round-trip times that the retransmission timeout is computed from, of "ping" of those of
    /// its echoes, seconds; none where none was measured.
    pub mean_rtt_s: Option<f64>,
    /// These round-trip times; none without any.
    pub rtt_s: Option<DelayResult>,
    /// Times from when a segment or datagram was first sent until it first arrived; none without any.
    pub one_way_delay_s: Option<DelayResult>,
    /// Where these times are; absent unless the run measures it, of flows between wired hosts, and without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_by_place_s: Option<DelayByPlace>,
    /// Share of the measured time for which its packets occupied the medium, in both directions, as
    /// [`MacResult::occupancy_share`]; absent without beacons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occupancy_share: Option<f64>,
    /// What held the sender back; absent for UDP and TFRC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<LimitedBy>,
    /// Number of finite transfers that began and ended in the measured time; absent if the flow
    /// makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u64>,
    /// What the user of its application notices; absent of applications that have nothing of the kind.
    #[serde(flatten)]
    pub quality: Option<Quality>,
    /// From the first packet of a page until its last object has arrived, of the pages among `sessions`; none of none,
    /// absent but for "page".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_load_s: Option<Option<TimesResult>>,
    /// From the arrival of a transfer until its last byte has arrived, of those among `sessions`; none of none, absent
    /// but for "arrivals".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_s: Option<Option<CompletionResult>>,
    /// What has become of the transfers; absent but for "arrivals".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsResult>,
}

/// A finite transfer, or all those of a page. Times are seconds since the end of the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionResult {
    /// The flow's id.
    pub flow: String,
    /// The first packet of the handshake was sent, or would have been if the transfer had not had to wait.
    pub start_s: f64,
    /// The sender received the acknowledgement of all data.
    pub end_s: f64,
    /// Payload without padding, bytes.
    pub bytes: u64,
    /// The receiver had the first segment.
    pub first_byte_s: f64,
    /// The receiver had all segments.
    pub last_byte_s: f64,
    /// Data segments retransmitted.
    pub retransmissions: u64,
    /// Expiries of a retransmission timer, including those of the handshake.
    pub timeouts: u64,
}

/// Packets lost in the whole network, data and acknowledgements.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Losses {
    /// Dropped by queues, without filtered acknowledgements.
    pub congestion: u64,
    /// Dropped by a MAC at its retry limit.
    pub retry_limit: u64,
    /// Lost to a loss model: of the air after delivery by the MAC, or of a wired link.
    pub error: u64,
    /// Dropped by the policer of a rate limiter; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policer: Option<u64>,
}

/// Statistics of a queue. Waiting packets do not include the one in transmission.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueResult {
    /// Packets that arrived.
    pub arrivals: u64,
    /// Packets dropped, including filtered acknowledgements.
    pub drops: u64,
    /// `drops` / `arrivals`; 0 without arrivals.
    pub loss_ratio: f64,
    /// Time average of the number of waiting packets.
    pub mean_packets: f64,
    /// Time average of the number of waiting data packets.
    pub mean_data: f64,
    /// Time average of the number of waiting acknowledgements.
    pub mean_acks: f64,
    /// Mean waiting time of the packets that were dequeued for transmission, seconds.
    pub mean_delay_s: f64,
    /// Waiting times of these packets; none without any.
    pub delay_s: Option<DelayResult>,
    /// Data packets that arrived.
    pub data_arrivals: u64,
    /// Data packets dropped.
    pub data_drops: u64,
    /// Acknowledgements that arrived.
    pub ack_arrivals: u64,
    /// Acknowledgements dropped, including filtered ones.
    pub ack_drops: u64,
    /// Acknowledgements removed because a later one of their flow supersedes them.
    pub acks_filtered: u64,
    /// Packets discarded when they arrived.
    pub drops_on_arrival: u64,
    /// Packets discarded when they were about to leave.
    pub drops_on_departure: u64,
    /// Packets discarded to make room for others.
    pub evicted: u64,
    /// Packets marked with ECN's Congestion Experienced (RFC 3168).
    pub marks: u64,
}

/// The wired network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WiredResult {
    /// Each direction of each link.
    pub links: Vec<LinkResult>,
    /// Flows between wired hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowResult>,
}

/// One direction of a wired link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkResult {
    /// The node that transmits.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Share of the measured time in which the link transmits.
    pub utilization: f64,
    /// Packets lost to the loss model of the link.
    pub packets_lost_to_errors: u64,
    /// The queue of the link. Packets that are transmitted without waiting count as arrivals.
    #[serde(flatten)]
    pub queue: QueueResult,
}

/// One station's MAC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MacResult {
    /// "sta-1", ..., or "ap".
    pub id: String,
    /// The name that the scenario gives the station.
    pub name: Option<String>,
    /// Share of the measured time in which attempts to transmit its packets occupy the medium, from it
    /// and to it: frame exchanges including interframe spaces and acknowledgements, and in collisions
    /// the frames from it and to it. Of the access point: packets of all stations.
    pub airtime_share: f64,
    /// The same of its own attempts only.
    pub tx_airtime_share: f64,
    /// Share of the measured time for which the attempts from the station and to it occupied the medium:
    /// DIFS, backoff, frames and response, the access point's mean backoff standing for the station's
    /// (Kashibuchi et al. 2009, figure 1). Shares can add up to more than 1, because nodes back off at
    /// the same time. Absent without beacons, and of the access point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occupancy_share: Option<f64>,
    /// Its beacons; absent without beacons, and of stations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beacons: Option<BeaconsResult>,
    /// Share of its attempts (RTS, or data without RTS) that collided.
    pub collision_probability: f64,
    /// Data frames transmitted, including retries.
    pub frames_sent: u64,
    /// Frames dropped at a retry limit.
    pub frames_dropped: u64,
    /// Packets to or from the station that the MAC delivered and the loss model then discarded.
    pub packets_lost_to_errors: u64,
    /// Packets that arrived at its own queue.
    pub queue_arrivals: u64,
    /// Packets that its own queue dropped.
    pub queue_drops: u64,
    /// Time average of the number of packets waiting in its own queue.
    pub queue_mean_packets: f64,
    /// Waiting times of packets in its own queue; none without any.
    pub queue_delay_s: Option<DelayResult>,
    /// Times from when a bandwidth request is made to the start of the frame of the first grant; none
    /// without any. Absent in a WLAN cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_delay_s: Option<Option<DelayResult>>,
    /// The rates of its data frames; absent where they are fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_rates: Option<DataRates>,
    /// Its PPDUs and accesses; absent but in a cell with EDCA.
    #[serde(flatten)]
    pub edca: Option<EdcaResult>,
}

impl SessionResult {
    /// Of the flow with this id, where measuring began at `begin`.
    pub(crate) fn new(flow: &str, transfer: &Transfer, begin: Instant) -> Self {
        Self {
            flow: flow.to_owned(),
            start_s: transfer.start.since(begin).as_secs_f64(),
            end_s: transfer.end.since(begin).as_secs_f64(),
            bytes: transfer.bytes,
            first_byte_s: transfer.first_byte.since(begin).as_secs_f64(),
            last_byte_s: transfer.last_byte.since(begin).as_secs_f64(),
            retransmissions: transfer.retransmissions,
            timeouts: transfer.timeouts,
        }
    }
}

impl QueueResult {
    pub(crate) fn new(stats: &QueueStats, duration_s: f64) -> Self {
        let arrivals = stats.data_arrivals + stats.ack_arrivals;
        let drops = stats.data_drops + stats.ack_drops;
        let mean_data = stats.data_time.as_secs_f64() / duration_s;
        let mean_acks = stats.ack_time.as_secs_f64() / duration_s;
        let waits = stats.waits.buckets();
        Self {
            arrivals,
            drops,
            loss_ratio: ratio(drops as f64, arrivals as f64),
            mean_packets: mean_data + mean_acks,
            mean_data,
            mean_acks,
            mean_delay_s: if waits.total() > 0 { waits.mean() } else { 0.0 },
            delay_s: DelayResult::new(&waits),
            data_arrivals: stats.data_arrivals,
            data_drops: stats.data_drops,
            ack_arrivals: stats.ack_arrivals,
            ack_drops: stats.ack_drops,
            acks_filtered: stats.drops.superseded,
            drops_on_arrival: stats.drops.on_arrival,
            drops_on_departure: stats.drops.on_departure,
            evicted: stats.drops.evicted,
            marks: stats.marks,
        }
    }
}

impl MacResult {
    /// From the use of the air by the start and by the end of the measurement.
    pub(crate) fn new(
        (id, name): (String, Option<String>),
        (before, after): (&Use, &Use),
        queue: &QueueResult,
        packets_lost_to_errors: u64,
        duration_s: f64,
    ) -> Self {
        let (start, end) = (&before.own, &after.own);
        let attempts = (end.attempts - start.attempts) as f64;
        let share = |span: Duration| span.as_secs_f64() / duration_s;
        Self {
            id,
            name,
            airtime_share: share(after.traffic - before.traffic),
            occupancy_share: None,
            beacons: None,
            tx_airtime_share: share(end.airtime.total() - start.airtime.total()),
            collision_probability: ratio((end.collisions - start.collisions) as f64, attempts),
            frames_sent: end.data_frames - start.data_frames,
            frames_dropped: end.dropped - start.dropped,
            packets_lost_to_errors,
            queue_arrivals: queue.arrivals,
            queue_drops: queue.drops,
            queue_mean_packets: queue.mean_packets,
            queue_delay_s: queue.delay_s,
            grant_delay_s: None,
            data_rates: None,
            edca: None,
        }
    }
}

/// The use of the air by one node until some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// What it has transmitted.
    pub(crate) own: AirUsage,
    /// Airtime of its traffic in both directions.
    pub(crate) traffic: Duration,
}

/// Jain's fairness index, (sum x)^2 / (n sum x^2) (R. Jain, The Art of Computer Systems
/// Performance Analysis, 1991).
pub(crate) fn jain_index(goodputs: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = goodputs.clone().count() as f64;
    let sum: f64 = goodputs.clone().sum();
    ratio(sum * sum, n * goodputs.map(|x| x * x).sum::<f64>())
}

/// `a / b`, or 0 if `b` is 0.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_index_of_known_sets() {
        let jain = |x: &[f64]| jain_index(x.iter().copied());
        assert_eq!(jain(&[2.0, 2.0, 2.0]), 1.0);
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), 0.25);
        assert_eq!(jain(&[1.0, 3.0]), 0.8);
        assert_eq!(jain(&[0.0, 0.0]), 0.0);
    }
}
