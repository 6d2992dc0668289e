//! Results that only some kinds of cell have.

use std::collections::BTreeMap;

use evenair_core::medium::wimax::{Counts, Wimax};
use evenair_core::medium::wlan::{AccessUsage, Dcf, Edca};
use evenair_core::medium::{Airtime, Medium, PhyMode, Setup, TxVector};
use evenair_core::packet::{AccessCategory, Direction, NodeId};
use evenair_core::time::Duration;
use serde::Serialize;

use crate::results::delay::DelayResult;

/// What the medium of a run adds to its result.
#[derive(Debug, Default)]
pub(crate) struct MediumResult {
    /// Of 802.16.
    pub(crate) frame: Option<FrameResult>,
    /// Of 802.16.
    pub(crate) requests: Option<RequestsResult>,
    /// Of each station of an 802.16 cell.
    pub(crate) grant_delays: Vec<Option<DelayResult>>,
    /// Of each station of an 802.11 cell; `None` where its rates are fixed.
    pub(crate) data_rates: Vec<Option<DataRates>>,
    /// Of the access point and each station of a cell with EDCA.
    pub(crate) edca: Vec<EdcaResult>,
    /// Of a cell with EDCA: time of preambles and of Block Acks.
    pub(crate) in_exchanges: Option<[Duration; 2]>,
    /// Packets that were lost with a frame, and not at a retry limit.
    pub(crate) lost_with_frames: u64,
}

/// What the time of an 802.11 cell is spent on: shares of the measured time, which sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AirResult {
    /// IP packets, at the rate of their data frames, in exchanges that succeed.
    pub payload: f64,
    /// The rest of these exchanges: preambles and headers, control frames and acknowledgements, the
    /// interframe spaces between them; and beacons. Without `preambles` and `block_acks`, where these are.
    pub overhead: f64,
    /// Preambles and headers of data PPDUs in these exchanges; only in a cell with EDCA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preambles: Option<f64>,
    /// Block Acks and BlockAckReqs in these exchanges, with their preambles; only in a cell with EDCA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_acks: Option<f64>,
    /// Collisions, each as long as its longest frame.
    pub collisions: f64,
    /// Exchanges in which a frame is corrupted.
    pub corrupted: f64,
    /// No frame and no SIFS: backoff, DIFS and EIFS, and nothing to send.
    pub idle: f64,
}

impl AirResult {
    /// From the use of the air by all nodes, the time in which any of them uses it, and of a cell with EDCA
    /// preambles and Block Acks.
    pub(crate) fn new(
        nodes: Airtime,
        used: Duration,
        in_exchanges: Option<[Duration; 2]>,
        measured: Duration,
    ) -> Self {
        let share = |time: Duration| time.as_secs_f64() / measured.as_secs_f64();
        let [preambles, block_acks] = in_exchanges.unwrap_or_default();
        let rest = nodes.successes - nodes.payload;
        Self {
            payload: share(nodes.payload),
            overhead: share(rest.saturating_sub(preambles + block_acks)),
            preambles: in_exchanges.map(|_| share(preambles)),
            block_acks: in_exchanges.map(|_| share(block_acks)),
            // What overlaps counts once, and only collisions overlap.
            collisions: share(used - nodes.successes - nodes.corrupted),
            corrupted: share(nodes.corrupted),
            idle: share(measured - used),
        }
    }
}

/// The beacons of the access point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BeaconsResult {
    /// Beacons transmitted.
    pub sent: u64,
    /// Those of them that collided.
    pub lost: u64,
    /// Share of the measured time for which they occupied the medium: DIFS, backoff and frame; of a cell with EDCA
    /// PIFS and frame.
    pub occupancy_share: f64,
}

/// The frame of an 802.16 cell with one burst and one grant for each station, as far as there is room,
/// and its use in the measured time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameResult {
    /// OFDM symbols of a frame.
    pub symbols: u32,
    /// Those of the downlink subframe.
    pub dl_symbols: u32,
    /// Those of the uplink subframe.
    pub ul_symbols: u32,
    /// Symbols that carry data of bursts in the downlink.
    pub dl_data_symbols: u32,
    /// The same of the uplink.
    pub ul_data_symbols: u32,
    /// What these carry with the cell's modulation, MAC headers included, bit/s.
    pub dl_capacity_bps: f64,
    /// The same of the uplink.
    pub ul_capacity_bps: f64,
    /// Share of the symbols for downlink data that bursts occupied.
    pub dl_utilization: f64,
    /// The same of the uplink.
    pub ul_utilization: f64,
}

/// Bandwidth requests of an 802.16 cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestsResult {
    /// Transmissions of requests.
    pub sent: u64,
    /// Those of them that collided.
    pub collided: u64,
    /// Repetitions because no grant came before T16 expired.
    pub retried: u64,
    /// Requests given up after the last repetition.
    pub given_up: u64,
}

/// The data rates of a station with rate control.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DataRates {
    /// Mean rate of the data frames to the station, retries included, bit/s; none without any.
    pub down_mean_bps: Option<f64>,
    /// The same of those from it.
    pub up_mean_bps: Option<f64>,
    /// Data frames to the station at each rate.
    pub down: Vec<FramesAtRate>,
    /// Data frames from it at each rate.
    pub up: Vec<FramesAtRate>,
}

/// Data frames in one mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FramesAtRate {
    /// The rate, bit/s.
    pub rate_bps: u64,
    /// Modulation and coding; absent in a mode without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Spatial streams; absent in a mode without MCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Width, Hz; absent in a mode without MCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_width_hz: Option<u32>,
    /// Data frames transmitted, of A-MPDUs the MPDUs, retries included.
    pub frames: u64,
    /// Their share of all data frames in this direction; 0 without any.
    pub share: f64,
}

/// The data frames of each station of an 802.11 cell in each mode, down and up.
#[derive(Clone, Debug, Default)]
pub(crate) struct WlanCounters {
    stations: Vec<StationFrames>,
}

/// Data frames in each mode, by ascending rate, down and up; `None` where the mode is fixed.
type StationFrames = Option<[Vec<(TxVector, u64)>; 2]>;

impl WlanCounters {
    /// Up to now.
    pub(crate) fn of_dcf(medium: &Dcf) -> Self {
        Self::new(medium.setup(), |station, way| {
            Some(medium.frames_by_mode(station, way)?.collect())
        })
    }

    /// The same of a cell with EDCA.
    fn of_edca(medium: &Edca) -> Self {
        Self::new(medium.setup(), |station, way| {
            Some(medium.frames_by_mode(station, way)?.collect())
        })
    }

    fn new(
        setup: &Setup,
        frames: impl Fn(NodeId, Direction) -> Option<Vec<(PhyMode, u64)>>,
    ) -> Self {
        let in_modes = |frames: Vec<(PhyMode, u64)>| {
            let vector = |(mode, frames)| (*setup.modes.vector(mode), frames);
            frames.into_iter().map(vector).collect()
        };
        let both = |&station: &NodeId| {
            let [down, up] = [Direction::Down, Direction::Up].map(|way| frames(station, way));
            Some([in_modes(down?), in_modes(up?)])
        };
        Self { stations: setup.associations.stations().iter().map(both).collect() }
    }

    /// The results since `before`.
    pub(crate) fn results(&self, before: &Self) -> MediumResult {
        MediumResult { data_rates: self.data_rates(before), ..MediumResult::default() }
    }

    fn data_rates(&self, before: &Self) -> Vec<Option<DataRates>> {
        let each = self.stations.iter().zip(&before.stations);
        let data_rates = |(end, start): (&StationFrames, &StationFrames)| {
            let ([down, up], [down_before, up_before]) = (end.as_ref()?, start.as_ref()?);
            let (down_mean_bps, down) = frames_at_rates(down_before, down);
            let (up_mean_bps, up) = frames_at_rates(up_before, up);
            Some(DataRates { down_mean_bps, up_mean_bps, down, up })
        };
        each.map(data_rates).collect()
    }
}

/// Mean rate, and frames in each mode, since the counters `start`. Modes with MCS, of which there are many, without those
/// that were not used.
fn frames_at_rates(
    start: &[(TxVector, u64)],
    end: &[(TxVector, u64)],
) -> (Option<f64>, Vec<FramesAtRate>) {
    let counts = || end.iter().zip(start).map(|((mode, end), (_, start))| (mode, end - start));
    let total: u64 = counts().map(|(_, frames)| frames).sum();
    let bits: f64 = counts().map(|(mode, frames)| mode.rate.as_bps() as f64 * frames as f64).sum();
    let share = |frames| if total > 0 { frames as f64 / total as f64 } else { 0.0 };
    let each = counts().filter(|(mode, frames)| mode.mcs.is_none() || *frames > 0);
    let each = each.map(|(mode, frames)| FramesAtRate {
        rate_bps: mode.rate.as_bps(),
        mcs: mode.mcs.map(|mcs| mcs.0),
        streams: mode.mcs.map(|_| mode.streams),
        channel_width_hz: mode.mcs.map(|_| mode.width_hz),
        frames,
        share: share(frames),
    });
    let each = each.collect();
    ((total > 0).then(|| bits / total as f64), each)
}

/// What a node of a cell with EDCA has transmitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdcaResult {
    /// MPDUs in a data PPDU, the mean; none without any.
    pub mpdus_per_ppdu: Option<f64>,
    /// Share of the MPDUs that had been transmitted before; none without any.
    pub retried_mpdus: Option<f64>,
    /// By access category, "be", "bk", "vi" and "vo": those that were used.
    pub categories: BTreeMap<&'static str, CategoryResult>,
}

/// The accesses of a node in one category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CategoryResult {
    /// Data PPDUs, or the RTS before them, and BlockAckReqs.
    pub attempts: u64,
    /// Those of them that collided with another node's.
    pub collisions: u64,
    /// Accesses that were left to a higher category of the node.
    pub internal_collisions: u64,
    /// Share of the measured time in which its attempts occupied the medium, with the responses.
    pub airtime_share: f64,
}

/// The counters of a cell with EDCA.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdcaCounters {
    /// By node, and number of the category.
    nodes: Vec<[AccessUsage; AccessCategory::COUNT as usize]>,
    preambles: Duration,
    block_acks: Duration,
    frames: WlanCounters,
}

impl EdcaCounters {
    /// Up to now.
    pub(crate) fn new(medium: &Edca) -> Self {
        let of = |node| AccessCategory::ALL.map(|category| *medium.access_usage(node, category));
        Self {
            nodes: (0..medium.nodes()).map(|node| of(NodeId(node))).collect(),
            preambles: medium.preambles(),
            block_acks: medium.block_acks(),
            frames: WlanCounters::of_edca(medium),
        }
    }

    /// The results since `before`, a time of `measured` ago.
    pub(crate) fn results(&self, before: &Self, measured: Duration) -> MediumResult {
        let nodes = self.nodes.iter().zip(&before.nodes);
        MediumResult {
            edca: nodes.map(|(end, start)| EdcaResult::new(start, end, measured)).collect(),
            in_exchanges: Some([
                self.preambles - before.preambles,
                self.block_acks - before.block_acks,
            ]),
            data_rates: self.frames.data_rates(&before.frames),
            ..MediumResult::default()
        }
    }
}

impl EdcaResult {
    fn new(start: &[AccessUsage], end: &[AccessUsage], measured: Duration) -> Self {
        let since = |of: fn(&AccessUsage) -> u64| -> u64 {
            start.iter().zip(end).map(|(start, end)| of(end) - of(start)).sum()
        };
        let mpdus = since(|usage| usage.mpdus);
        let ratio = |a: u64, b: u64| (b > 0).then(|| a as f64 / b as f64);
        let category = |(start, end): (&AccessUsage, &AccessUsage)| CategoryResult {
            attempts: end.attempts - start.attempts,
            collisions: end.collisions - start.collisions,
            internal_collisions: end.internal_collisions - start.internal_collisions,
            airtime_share: (end.airtime - start.airtime).as_secs_f64() / measured.as_secs_f64(),
        };
        let names = AccessCategory::ALL.into_iter().map(AccessCategory::name);
        let categories = names.zip(start.iter().zip(end).map(category));
        Self {
            mpdus_per_ppdu: ratio(mpdus, since(|usage| usage.ppdus)),
            retried_mpdus: ratio(since(|usage| usage.retried_mpdus), mpdus),
            categories: categories
                .filter(|(_, of)| of.attempts + of.internal_collisions > 0)
                .collect(),
        }
    }
}

/// The counters of an 802.16 cell. (Its grant delays are reset where measuring begins.)
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WimaxCounters {
    counts: Counts,
    /// SDUs that were lost with a PDU.
    lost: u64,
}

impl WimaxCounters {
    /// Up to now.
    pub(crate) fn new(medium: &Wimax) -> Self {
        let lost = nodes(medium).map(|node| medium.sdus(node).lost).sum();
        Self { counts: medium.counts(), lost }
    }

    /// The results since `before`.
    pub(crate) fn results(&self, before: &Self, medium: &Wimax) -> MediumResult {
        let (account, start, end) = (medium.account(), &before.counts, &self.counts);
        let share = |used: u64, available: u64| {
            if available > 0 { used as f64 / available as f64 } else { 0.0 }
        };
        let requests = (&start.requests, &end.requests);
        MediumResult {
            frame: Some(FrameResult {
                symbols: account.symbols,
                dl_symbols: account.dl_symbols,
                ul_symbols: account.ul_symbols,
                dl_data_symbols: account.dl_data_symbols,
                ul_data_symbols: account.ul_data_symbols,
                dl_capacity_bps: account.dl_capacity,
                ul_capacity_bps: account.ul_capacity,
                dl_utilization: share(
                    end.dl_symbols_used - start.dl_symbols_used,
                    end.dl_symbols_available - start.dl_symbols_available,
                ),
                ul_utilization: share(
                    end.ul_symbols_used - start.ul_symbols_used,
                    end.ul_symbols_available - start.ul_symbols_available,
                ),
            }),
            requests: Some(RequestsResult {
                sent: requests.1.sent - requests.0.sent,
                collided: requests.1.collided - requests.0.collided,
                retried: requests.1.retried - requests.0.retried,
                given_up: requests.1.given_up - requests.0.given_up,
            }),
            grant_delays: nodes(medium)
                .skip(1)
                .map(|station| DelayResult::new(&medium.grant_delays(station).buckets()))
                .collect(),
            lost_with_frames: self.lost - before.lost,
            ..MediumResult::default()
        }
    }
}

/// The base station and the stations.
fn nodes(medium: &Wimax) -> impl Iterator<Item = NodeId> {
    (0..=medium.stations()).map(NodeId)
}
