//! What a cell with EDCA and its nodes are like.

use super::aggregation::Aggregation;
use crate::component::named;
use crate::medium::wlan::channel::{self, Coding};
use crate::medium::wlan::frame::control::{ControlRate, Protection};
use crate::medium::wlan::frame::high_throughput;
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, Phy, RTS_BYTES};
use crate::medium::wlan::rate_control;
use crate::medium::{PhyFormat, PhyModes, TxVector};
use crate::packet::AccessCategory;
use crate::time::Duration;

/// Bytes of the delimiter before each MPDU of an A-MPDU (IEEE 802.11-2020 9.7.1).
const DELIMITER: u32 = 4;
/// Subframes of an A-MPDU, and of an A-MSDU, but the last are padded to a multiple of this (9.7.1, 9.3.2.2.2).
pub(super) const ALIGNMENT: u32 = 4;
/// Bytes of a compressed Block Ack with a bitmap of 8 bytes, for up to 64 MPDUs (9.3.1.8.2), and of one with 32 bytes,
/// for up to 256 (802.11ax-2021).
const BLOCK_ACK_BYTES: [u32; 2] = [32, 56];
/// MPDUs that the short bitmap has, and the long one.
pub(super) const SHORT_BITMAP: u16 = 64;
pub(super) const LONG_BITMAP: u16 = 256;
/// Bytes of a BlockAckReq (9.3.1.7.2), and of a CF-End (9.3.1.6).
const BLOCK_ACK_REQ_BYTES: u32 = 24;
const CF_END_BYTES: u32 = 20;
/// aRxPHYStartDelay of OFDM in 20 MHz (table 17-21): preamble and SIGNAL of the response.
const RX_START_DELAY: Duration = Duration::from_micros(20);

/// What all nodes of a cell have in common.
#[derive(Clone, Copy, Debug)]
pub struct EdcaConfig {
    /// Slot, interframe spaces, airtimes of control frames.
    pub phy: Phy,
    /// Rate of responses.
    pub control_rate: ControlRate,
    /// Preamble and header of data PPDUs; `None`: those of their format.
    pub preamble: Option<Duration>,
    /// Bytes that QoS MAC header, FCS and LLC/SNAP add to an IP packet; without QoS there are [`QOS_CONTROL`] fewer.
    pub mac_overhead: u32,
    /// The code of data PPDUs with MCS.
    pub coding: Coding,
    /// What goes before the first PPDU with MCS of an access, for stations that cannot decode it.
    pub protection: Protection,
    /// How stations contend.
    pub access: EdcaParameters,
    /// How access points contend.
    pub access_point: EdcaParameters,
    /// What nodes do where ns-3 and the standard differ.
    pub rules: AccessRules,
    /// What follows an A-MPDU that got no Block Ack.
    pub recovery: BlockAckRecovery,
    /// How long a packet may wait and be repeated, from its arrival at the sender on, before it is dropped
    /// (dot11EDCATableMSDULifetime); `None`: forever.
    pub lifetime: Option<Duration>,
    /// PSDUs of more bytes follow an RTS/CTS exchange; `None`: never.
    pub rts_threshold: Option<u32>,
    /// Failed attempts after which the contention window starts anew, and after which an MPDU without a Block Ack
    /// agreement is dropped (dot11ShortRetryLimit).
    pub short_retry_limit: u32,
}

/// How a node contends in one access category, and how long it may then transmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessParameters {
    /// CWmin, slots.
    pub cw_min: u32,
    /// CWmax, slots, at most 1023.
    pub cw_max: u32,
    /// AIFS is SIFS and this number of slots.
    pub aifsn: u32,
    /// TXOP limit; zero: one PPDU, or RTS/CTS and a PPDU, in an access.
    pub txop: Duration,
}

/// When nodes may transmit after a frame that nobody could decode, or that nobody answered, and how a TXOP ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessRules {
    /// Who could not decode a frame waits for EIFS. A sender without a response goes on at the first slot boundary
    /// after its timeout (802.11-2020 10.3.2.11, 10.3.2.3.7, 10.23.2.4).
    #[default]
    Standard,
    /// ns-3: nobody waits for EIFS, a sender without a response waits for its AIFS after its timeout, and a TXOP with
    /// time left ends with a CF-End. Its recovery after PIFS, of a TXOP in which a later PPDU fails, is not modelled.
    Ns3,
}

named! {
    /// What follows an A-MPDU that got no Block Ack.
    pub enum BlockAckRecovery {
        /// It is sent again.
        #[default]
        Resend => "resend",
        /// A BlockAckReq, as an access of its own, asks for the Block Ack (802.11-2020 10.25.6; ns-3).
        BlockAckReq => "bar",
    }
    planned []
}

/// A node, and the PPDUs of its links. Of an access point it is not used.
#[derive(Clone, Debug)]
pub struct EdcaNode {
    /// The mode of data PPDUs in both directions, or that with which rate control begins. Rate control may choose each
    /// that a station with this width, these streams and this guard interval can receive.
    pub mode: TxVector,
    /// What its PPDUs carry, and those for it; `None`: one MPDU each, without a Block Ack agreement.
    pub aggregation: Option<Aggregation>,
    /// Whether it has EDCA. Else it contends with the DCF, all its packets are best effort, and its MPDUs have no QoS
    /// Control field.
    pub has_qos: bool,
    /// Chooses the mode of each data PPDU.
    pub rate_control: rate_control::Config,
    /// Corrupts PHY headers, MPDUs and control frames by their modes; `None`: none.
    pub channel: Option<channel::Config>,
}

impl EdcaNode {
    /// A node with EDCA whose PPDUs have one mode.
    pub fn new(mode: TxVector, aggregation: Option<Aggregation>) -> Self {
        let rate_control = rate_control::Config::default();
        Self { mode, aggregation, has_qos: true, rate_control, channel: None }
    }

    /// A station of 802.11a or 802.11g, without QoS, whose data frames have the mode `mode` of OFDM.
    pub fn legacy(mode: TxVector) -> Self {
        Self { has_qos: false, ..Self::new(mode, None) }
    }

    /// The modes that its rate control chooses among, by ascending rate.
    pub(super) fn choices(&self, phy: &Phy, coding: Coding) -> Vec<TxVector> {
        if self.mode.mcs.is_none() {
            return phy.rates.iter().map(|rate| phy.mode_of(*rate)).collect();
        }
        let mut modes = high_throughput::receivable(&self.mode);
        modes.retain(|mode| mode.mcs.is_some_and(|mcs| coding.has(mcs)));
        modes
    }
}

/// Bytes of the QoS Control field (9.2.4.5).
const QOS_CONTROL: u32 = 2;

/// How stations contend that have the DCF: DIFS has two slots, CWmin and CWmax are those of OFDM (10.3.7, table 17-21).
pub(super) const DCF: AccessParameters = parameters(15, 1023, 2, 0);

/// A control frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlFrame {
    pub(super) bytes: u32,
    pub(super) time: Duration,
}

/// The control frames of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    pub(super) ack: ControlFrame,
    pub(super) block_ack: ControlFrame,
    pub(super) block_ack_req: ControlFrame,
    pub(super) rts: ControlFrame,
    pub(super) cts: ControlFrame,
}

impl Control {
    /// How long before a PPDU its `prelude` begins.
    pub(super) fn time_before(&self, prelude: Protection, sifs: Duration) -> Duration {
        match prelude {
            Protection::Off => Duration::ZERO,
            Protection::CtsToSelf => self.cts.time + sifs,
            Protection::RtsCts => self.rts.time + sifs + self.cts.time + sifs,
        }
    }
}

/// Parameters of best effort, background, video and voice, by number of category.
pub type EdcaParameters = [AccessParameters; AccessCategory::COUNT as usize];

const fn parameters(cw_min: u32, cw_max: u32, aifsn: u32, txop_us: u64) -> AccessParameters {
    AccessParameters { cw_min, cw_max, aifsn, txop: Duration::from_micros(txop_us) }
}

/// The defaults of the standard for PHYs with OFDM, aCWmin 15 and aCWmax 1023 (802.11-2020 table 9-155).
pub const EDCA_2020: EdcaParameters = [
    parameters(15, 1023, 3, 2528),
    parameters(15, 1023, 7, 2528),
    parameters(7, 15, 2, 4096),
    parameters(3, 7, 2, 2080),
];

/// ns-3.44: as the standard, without a limit for best effort and background.
pub const EDCA_NS3: EdcaParameters = [
    parameters(15, 1023, 3, 0),
    parameters(15, 1023, 7, 0),
    parameters(7, 15, 2, 4096),
    parameters(3, 7, 2, 2080),
];

/// WMM: what the access points of hostapd announce to stations (802.11-2012 table 8-105).
pub const EDCA_WMM: EdcaParameters = [
    parameters(15, 1023, 3, 0),
    parameters(15, 1023, 7, 0),
    parameters(7, 15, 2, 3008),
    parameters(3, 7, 2, 1504),
];

/// WMM: what access points of hostapd use themselves.
pub const EDCA_WMM_ACCESS_POINT: EdcaParameters = [
    parameters(15, 63, 3, 0),
    parameters(15, 1023, 7, 0),
    parameters(7, 15, 1, 3008),
    parameters(3, 7, 1, 1504),
];

/// How access points contend with beacons. The standard has them as the next frame of the access point and gives
/// management frames to voice (802.11-2020 11.1.3.2, 10.2.3.2); hardware has a queue of its own for them, with AIFSN 1
/// and without a backoff (Linux: `ath9k_beaconq_config`), as has ns-3.
pub(super) const BEACON: AccessParameters = parameters(0, 0, 1, 0);

impl EdcaConfig {
    /// A cell with the parameters of WMM, without RTS/CTS, 38 bytes of QoS MAC header, FCS and LLC/SNAP, a retry
    /// limit of 7, and no lifetime.
    pub const fn new(phy: Phy, control_rate: ControlRate) -> Self {
        Self {
            phy,
            control_rate,
            preamble: None,
            mac_overhead: 38,
            coding: Coding::Ldpc,
            protection: Protection::Off,
            access: EDCA_WMM,
            access_point: EDCA_WMM_ACCESS_POINT,
            rules: AccessRules::Standard,
            recovery: BlockAckRecovery::Resend,
            lifetime: None,
            rts_threshold: None,
            short_retry_limit: 7,
        }
    }

    /// The modes of a cell with these nodes.
    pub(super) fn modes(&self, nodes: &[EdcaNode]) -> PhyModes {
        let mut data: Vec<_> = nodes.iter().map(|node| node.mode).collect();
        let mut bests: Vec<TxVector> = Vec::new();
        for node in nodes.iter().filter(|node| !node.rate_control.is_fixed()) {
            if !bests.contains(&node.mode) {
                bests.push(node.mode);
                data.extend(node.choices(&self.phy, self.coding));
            }
        }
        let control = self.control_rate.rates().into_iter();
        let responses = data.iter().map(|mode| self.control_rate.of(mode));
        let control = control.chain(responses).map(|rate| self.phy.mode_of(rate));
        let control: Vec<_> = control.chain([self.beacon_mode(), self.cf_end().0]).collect();
        PhyModes::new(data.into_iter().chain(control))
    }

    /// Bytes that an MPDU has besides an IP packet: header, FCS and LLC/SNAP.
    pub(super) const fn overhead(&self, has_qos: bool) -> u32 {
        if has_qos { self.mac_overhead } else { self.mac_overhead.saturating_sub(QOS_CONTROL) }
    }

    /// What goes before the first PPDU of an access, if that has `format` and a PSDU of `bytes`.
    pub(super) fn prelude(&self, format: PhyFormat, bytes: u32) -> Protection {
        match self.rts_threshold {
            Some(most) if bytes > most => Protection::RtsCts,
            _ => self.protection_of(format),
        }
    }

    /// What protects a PPDU of `format`, if it is the first of an access. Every station can decode OFDM.
    pub(super) const fn protection_of(&self, format: PhyFormat) -> Protection {
        match format {
            PhyFormat::Ht | PhyFormat::Vht | PhyFormat::He => self.protection,
            PhyFormat::Ofdm | PhyFormat::Dsss => Protection::Off,
        }
    }

    /// The mode of beacons.
    pub(super) fn beacon_mode(&self) -> TxVector {
        self.phy.mode_of(self.control_rate.of_beacons(&self.phy))
    }

    /// The duration of a PPDU in `mode` with a PSDU of `bytes`.
    pub fn ppdu_time(&self, bytes: u32, mode: &TxVector) -> Duration {
        self.phy.ppdu_time(bytes, mode, self.preamble)
    }

    /// The bytes of a PSDU with one MPDU of `mpdu` bytes: of VHT and HE an S-MPDU, which has a delimiter (9.7.1).
    pub(super) const fn single(mpdu: u32, format: PhyFormat) -> u32 {
        match format {
            PhyFormat::Vht | PhyFormat::He => DELIMITER + mpdu,
            PhyFormat::Ht | PhyFormat::Ofdm | PhyFormat::Dsss => mpdu,
        }
    }

    /// The bytes of an A-MPDU of `length` bytes with another MPDU of `mpdu` bytes; an empty one has 0.
    pub(super) const fn lengthened(length: u32, mpdu: u32) -> u32 {
        length.next_multiple_of(ALIGNMENT) + DELIMITER + mpdu
    }

    /// What of `most` bytes is left for an MPDU behind `length` bytes of an A-MPDU.
    pub(super) const fn room(most: u32, length: u32) -> u32 {
        most.saturating_sub(length.next_multiple_of(ALIGNMENT) + DELIMITER)
    }

    /// The control frames that go with PPDUs in `mode` under agreements with this window. RTS, CTS and BlockAckReq
    /// have the mode of the response, as in Linux.
    pub(super) fn control(&self, mode: &TxVector, window: u16) -> (TxVector, Control) {
        let response = self.phy.mode_of(self.control_rate.of(mode));
        let frame = |bytes| ControlFrame { bytes, time: self.phy.airtime(bytes, &response) };
        let control = Control {
            ack: frame(ACK_BYTES),
            block_ack: frame(BLOCK_ACK_BYTES[usize::from(window > SHORT_BITMAP)]),
            block_ack_req: frame(BLOCK_ACK_REQ_BYTES),
            rts: frame(RTS_BYTES),
            cts: frame(CTS_BYTES),
        };
        (response, control)
    }

    /// A CF-End, which goes at the lowest mandatory rate (10.6.6.2), with its mode.
    pub(super) fn cf_end(&self) -> (TxVector, ControlFrame) {
        let (bytes, mode) = (CF_END_BYTES, self.phy.mode_of(self.phy.mandatory_rates[0]));
        (mode, ControlFrame { bytes, time: self.phy.airtime(bytes, &mode) })
    }

    /// How long a sender waits for the start of a response, from the end of its PPDU (10.3.2.11).
    pub(super) fn response_timeout(&self) -> Duration {
        self.phy.sifs + self.phy.slot + RX_START_DELAY
    }

    /// How `node`, which may be an access point, contends in `category`.
    pub(super) fn access_of(
        &self,
        is_access_point: bool,
        node: &EdcaNode,
        category: AccessCategory,
    ) -> AccessParameters {
        match (is_access_point, node.has_qos) {
            (true, _) => self.access_point[category as usize],
            (false, true) => self.access[category as usize],
            (false, false) => DCF,
        }
    }
}
