//! A frame exchange: its frames and their times.

use crate::medium::wlan::config::DcfConfig;
use crate::medium::wlan::frame::control::{ControlFrames, Protection};
use crate::medium::{PhyMode, PhyModes, TxVector};
use crate::time::{Duration, Instant};

/// Times of a frame exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// Start of its first frame.
    pub(super) start: Instant,
    /// End of its data frame.
    pub(super) data_end: Instant,
    /// End of the ACK.
    pub(super) ack_end: Instant,
    /// Mode of the data frame.
    pub(super) mode: PhyMode,
    /// Whether the ACK is received as well; true of a beacon, which has none.
    pub(super) acknowledged: bool,
}

impl Exchange {
    /// One of a frame to which nobody responds.
    pub(super) const fn of_broadcast(start: Instant, end: Instant, mode: PhyMode) -> Self {
        Self { start, data_end: end, ack_end: end, mode, acknowledged: true }
    }
}

/// A frame of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeFrame {
    Rts,
    Cts,
    Data,
    Ack,
}

/// Why an attempt fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Several nodes transmit.
    Collision,
    /// A single node transmits, and this frame of its exchange is corrupted.
    Corrupted(ExchangeFrame),
}

/// What an attempt would consist of that begins now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    /// Mode of the data frame.
    pub(super) mode: PhyMode,
    /// Its airtime.
    pub(super) airtime: Duration,
    /// How long the IP packet in it takes at this rate.
    pub(super) payload: Duration,
    /// How long after its beginning the data frame begins that follows no RTS: zero, or a CTS-to-self
    /// and SIFS.
    pub(super) prelude: Duration,
    /// Whether RTS/CTS protects the data frame, whatever its size.
    pub(super) rts: bool,
    pub(super) control: ControlFrames,
    /// Modes of the ACK, and of RTS and CTS.
    pub(super) control_modes: [PhyMode; 2],
}

impl Frames {
    /// With a data frame of `bytes` in `mode`, one of `modes`.
    pub(super) fn new(config: &DcfConfig, modes: &PhyModes, bytes: u32, mode: PhyMode) -> Self {
        let vector = modes.vector(mode);
        let control = config.control_frames(vector);
        let protection = config.protection_of(vector);
        Self {
            mode,
            airtime: config.phy.airtime(bytes, vector),
            payload: payload(config, bytes, vector),
            prelude: match protection {
                Protection::CtsToSelf => control.cts + config.phy.sifs,
                Protection::Off | Protection::RtsCts => Duration::ZERO,
            },
            rts: protection == Protection::RtsCts,
            control,
            // `DcfConfig::modes` has those of all control frames.
            control_modes: [control.mode, control.rts_mode]
                .map(|vector| modes.find(&vector).unwrap_or(mode)),
        }
    }
}

/// How long the IP packet in a data frame of `bytes` takes.
pub(super) fn payload(config: &DcfConfig, bytes: u32, mode: &TxVector) -> Duration {
    mode.rate.time_for(bytes.saturating_sub(config.mac_overhead).into())
}

impl DcfConfig {
    /// DIFS and the frames of an exchange, with the spaces between them, that delivers a packet of
    /// `bytes` at IP level in this mode: DIFS + [RTS + SIFS + CTS + SIFS +] DATA + SIFS + ACK. A
    /// CTS-to-self comes before a data frame that it protects.
    pub fn exchange_time(&self, mode: &TxVector, bytes: u32) -> Duration {
        let (bytes, sifs) = (bytes + self.mac_overhead, self.phy.sifs);
        let ControlFrames { rts, cts, ack, .. } = self.control_frames(mode);
        let is_long = self.rts_threshold.is_some_and(|threshold| bytes > threshold);
        let protection = if is_long { Protection::RtsCts } else { self.protection_of(mode) };
        let start = match protection {
            Protection::RtsCts => rts + sifs + cts + sifs,
            Protection::CtsToSelf => cts + sifs,
            Protection::Off => Duration::ZERO,
        };
        self.phy.difs() + start + self.phy.airtime(bytes, mode) + sifs + ack
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::wlan::phy::Phy;
    use crate::medium::wlan::{BasicRates, ControlRate};
    use crate::units::Rate;

    fn dot11a(rts_threshold: Option<u32>) -> DcfConfig {
        let phy = Phy::dot11a();
        let control_rate = ControlRate::Basic(BasicRates::new(phy.mandatory_rates));
        DcfConfig { rts_threshold, ..DcfConfig::new(phy, control_rate) }
    }

    fn us(config: &DcfConfig, mbps: u64, bytes: u32) -> u64 {
        config.exchange_time(&config.phy.mode_of(Rate::from_mbps(mbps)), bytes).as_nanos() / 1000
    }

    /// By hand for a packet of 1500 bytes, 1536 in the frame: DIFS 34, DATA 2072 to 248, SIFS 16, ACK
    /// 44, 32 or 28 us (17.4.3).
    #[test]
    fn a_data_packet_and_its_ack() {
        let rates = [6, 9, 12, 18, 24, 36, 48, 54];
        let expected = [2166, 1482, 1130, 786, 614, 442, 358, 326];
        assert_eq!(rates.map(|mbps| us(&dot11a(None), mbps, 1500)), expected);
    }

    /// By hand: at 54 Mb/s RTS and CTS have 24 Mb/s and take 28 us each: 326 + 28 + 16 + 28 + 16 = 414
    /// us; at 6 Mb/s 52 and 44 us: 2166 + 52 + 44 + 32 = 2294 us. The threshold is compared with
    /// the frame.
    #[test]
    fn rts_and_cts_before_it() {
        assert_eq!([6, 54].map(|mbps| us(&dot11a(Some(1535)), mbps, 1500)), [2294, 414]);
        assert_eq!([6, 54].map(|mbps| us(&dot11a(Some(1536)), mbps, 1500)), [2166, 326]);
    }
}
