//! What a cell with EDCA and its nodes are like.

use super::aggregation::Aggregation;
use crate::component::named;
use crate::medium::wlan::frame::control::ControlRate;
use crate::medium::wlan::phy::{ACK_BYTES, CTS_BYTES, Phy, RTS_BYTES};
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
/// MPDUs that the short bitmap has.
const SHORT_BITMAP: u16 = 64;
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
    /// Bytes that QoS MAC header, FCS and LLC/SNAP add to an IP packet.
    pub mac_overhead: u32,
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

/// A node, and the PPDUs of its links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdcaNode {
    /// The mode of data PPDUs in both directions. Of an access point it is not used.
    pub mode: TxVector,
    /// What its PPDUs carry, and those for it; `None`: one MPDU each, without a Block Ack agreement.
    pub aggregation: Option<Aggregation>,
}

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
        let control = self.control_rate.rates().into_iter();
        let responses = nodes.iter().map(|node| self.control_rate.of(&node.mode));
        let control = control.chain(responses).map(|rate| self.phy.mode_of(rate));
        let beacons = [self.beacon_mode()];
        PhyModes::new(nodes.iter().map(|node| node.mode).chain(control).chain(beacons))
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

    /// How long a CF-End lasts, which goes at the lowest mandatory rate (10.6.6.2).
    pub(super) fn cf_end(&self) -> Duration {
        self.phy.airtime(CF_END_BYTES, &self.phy.mode_of(self.phy.mandatory_rates[0]))
    }

    /// How long a sender waits for the start of a response, from the end of its PPDU (10.3.2.11).
    pub(super) fn response_timeout(&self) -> Duration {
        self.phy.sifs + self.phy.slot + RX_START_DELAY
    }

    /// How stations, or access points, contend in `category`.
    pub(super) fn access_of(
        &self,
        is_access_point: bool,
        category: AccessCategory,
    ) -> AccessParameters {
        let all = if is_access_point { &self.access_point } else { &self.access };
        all[category as usize]
    }
}
