//! Minstrel-HT on a channel with white noise: a saturated station, against the best fixed MCS.

use super::*;
use crate::medium::wlan::channel::SnrConfig;
use crate::medium::wlan::high_throughput::allowed;
use crate::medium::wlan::rate_control::{self, MinstrelHtConfig};

/// Packets that wait or are on the air: more than an A-MPDU.
const BACKLOG: u64 = 300;

/// Mb/s of packets of 1500 bytes that arrive from a saturated station: from its first packet on for `seconds`, and of these
/// after a second.
fn throughput(
    mode: TxVector,
    rate_control: rate_control::Config,
    snr_db: f64,
    seconds: u64,
) -> [f64; 2] {
    let aggregation = Some(Aggregation::of(mode.format));
    let channel = Some(SnrConfig { snr_db }.into());
    let node = EdcaNode { channel, rate_control, ..EdcaNode::new(mode, aggregation) };
    let mut cell = cell(config(), &[node.clone(), node], 1);
    let send = |cell: &mut Cell<Edca>, now| {
        cell.send(now, NodeId(1), packet(NodeId(1), 1500, AccessCategory::BestEffort, now));
    };
    (0..BACKLOG).for_each(|_| send(&mut cell, Instant::ZERO));
    let end = Instant::ZERO + Duration::from_secs(seconds);
    let warm = Instant::ZERO + Duration::from_secs(1);
    let mut received = [0, 0];
    while let Some(arrival) = cell.poll(end) {
        received[0] += 1;
        received[1] += u32::from(arrival.at >= warm);
        send(&mut cell, arrival.at);
    }
    let mbps = |packets, seconds| f64::from(packets) * 1500.0 * 8.0 / seconds as f64 / 1e6;
    [mbps(received[0], seconds), mbps(received[1], seconds - 1)]
}

/// From 0 to 40 dB: how often Minstrel-HT has at least 95 % of the throughput of the best fixed MCS, from its first packet
/// on for 20 s, and without the first second. `--nocapture` shows all.
fn near_the_best(format: PhyFormat, width: u32, streams: u8) -> [u32; 2] {
    let gi = Duration::from_nanos(800);
    let of = |streams| {
        let mode = move |mcs| TxVector::high_throughput(format, mcs, width, streams, gi).unwrap();
        allowed(format, width, streams).map(mode)
    };
    let first = of(streams).next().unwrap();
    let mut near = [0; 2];
    for snr_db in (0..=40).map(f64::from) {
        let fixed = |mode| throughput(mode, rate_control::Config::default(), snr_db, 5)[0];
        let best = (1..=streams).flat_map(of).map(fixed).fold(0.0, f64::max);
        let found = throughput(first, MinstrelHtConfig::default().into(), snr_db, 20);
        let shares = found.map(|found| found / best);
        eprintln!(
            "{format:?} {width} MHz, {streams} streams, {snr_db} dB: {best:.1} Mb/s, {shares:.3?}"
        );
        let is_near = shares.map(|share| u32::from(share >= 0.95));
        near = [near[0] + is_near[0], near[1] + is_near[1]];
    }
    eprintln!("{format:?} {width} MHz, {streams} streams: {near:?} of 41");
    near
}

/// Nine tenths of 41 ratios of signal to noise.
const MOST: u32 = 37;

/// From the first packet on.
#[test]
fn it_is_close_to_the_best_fixed_mcs_at_20_mhz() {
    assert!(near_the_best(PhyFormat::Ht, 20, 1)[0] >= MOST);
    assert!(near_the_best(PhyFormat::He, 20, 1)[0] >= MOST);
}

/// It begins with the slowest mode, which takes 2 % of the 20 s to leave here: without the first second.
#[test]
#[ignore = "long"]
fn it_is_close_to_the_best_fixed_mcs_in_wider_channels() {
    for (format, width, streams) in
        [(PhyFormat::He, 80, 1), (PhyFormat::Ht, 40, 2), (PhyFormat::He, 80, 2)]
    {
        assert!(near_the_best(format, width, streams)[1] >= MOST);
    }
}

/// What is missed: where a tenth to two thirds of the MPDUs of the next faster MCS are lost, Minstrel-HT goes back and
/// forth, since Linux takes a mode in which more than 90 % arrive as one with 90 %. If this test fails, it is closer than
/// docs/rate-control.md says.
#[test]
#[ignore = "long"]
fn it_is_farther_from_the_best_fixed_mcs_with_802_11ac() {
    for streams in [1, 2] {
        let near = near_the_best(PhyFormat::Vht, 80, streams);
        assert!(near[1] < MOST, "{streams} streams: {near:?} are enough");
    }
}
