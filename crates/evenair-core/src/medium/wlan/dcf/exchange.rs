//! How long a frame exchange takes, as controllers estimate it.

use super::mac::Frames;
use super::{Dcf, DcfConfig};
use crate::medium::wlan::frame::control::ControlFrames;
use crate::packet::{Direction, NodeId};
use crate::time::Duration;
use crate::units::Rate;

impl DcfConfig {
    /// DIFS and the frames of an exchange, with the spaces between them, that delivers a packet of
    /// `bytes` at IP level at this rate: DIFS + [RTS + SIFS + CTS + SIFS +] DATA + SIFS + ACK. A
    /// CTS-to-self comes before a data frame that it protects.
    pub fn exchange_time(&self, rate: Rate, bytes: u32) -> Duration {
        let bytes = bytes + self.mac_overhead;
        let (sifs, frames) = (self.phy.sifs, Frames::new(self, bytes, rate));
        let ControlFrames { rts, cts, ack, .. } = frames.control;
        let needs_rts = frames.rts || self.rts_threshold.is_some_and(|threshold| bytes > threshold);
        let start = if needs_rts { rts + sifs + cts + sifs } else { frames.prelude };
        self.phy.difs() + start + frames.airtime + sifs + ack
    }
}

impl Dcf {
    /// [`DcfConfig::exchange_time`] between the access point and `station` at the present rate.
    pub fn exchange_time(&self, station: NodeId, direction: Direction, bytes: u32) -> Duration {
        self.config.exchange_time(self.rate(station, direction), bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::wlan::phy::Phy;
    use crate::medium::wlan::{BasicRates, ControlRate};

    fn dot11a(rts_threshold: Option<u32>) -> DcfConfig {
        let phy = Phy::dot11a();
        let control_rate = ControlRate::Basic(BasicRates::new(phy.mandatory_rates));
        DcfConfig { rts_threshold, ..DcfConfig::new(phy, control_rate) }
    }

    fn us(config: &DcfConfig, mbps: u64, bytes: u32) -> u64 {
        config.exchange_time(Rate::from_mbps(mbps), bytes).as_nanos() / 1000
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
