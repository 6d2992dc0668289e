//! Rate control in the medium. (`tests/rate_sweep.rs` compares goodputs.)

use super::*;
use crate::medium::wlan::channel::{self, ScheduleConfig, SnrConfig};
use crate::medium::wlan::rate_control;

/// Bytes of a packet.
const PACKET: u32 = 1500;

/// A cell of 802.11a with one station, whose packets, or those for it, never end.
struct Saturated {
    driver: Driver,
    sender: u32,
    now: Instant,
}

impl Saturated {
    fn new(sender: u32, rate: u64, rate_control: &str, channel: channel::Config) -> Self {
        let phy = Phy::dot11a();
        let basic = BasicRates::new(phy.mandatory_rates);
        let config = DcfConfig::new(phy, ControlRate::Basic(basic));
        let fixed = StationConfig::fixed(&phy, Rate::from_mbps(rate));
        let mut driver = Driver::build(config, &[fixed.rate; 2], 1);
        let rate_control = rate_control::Config::from_name(rate_control).unwrap();
        let station = StationConfig { rate_control, channel: Some(channel), ..fixed.clone() };
        driver.dcf = Dcf::new(config, &[fixed, station], 1);
        Self { driver, sender, now: Instant::ZERO }
    }

    /// Sends until then.
    fn run(&mut self, until: Instant) {
        loop {
            if self.driver.is_free(self.sender) {
                let frame = Frame { to: 1 - self.sender, bytes: PACKET };
                self.driver.offer(self.now, self.sender, frame);
            }
            let due = self.now.max(self.driver.poll_at());
            if due > until {
                return;
            }
            self.now = due;
            self.driver.poll(due);
        }
    }

    fn rate(&self) -> u64 {
        let direction = if self.sender == AP { Direction::Down } else { Direction::Up };
        self.driver.dcf.rate(NodeId(1), direction).as_bps() / 1_000_000
    }
}

/// A schedule: ARF, AARF, Minstrel and Minstrel-HT find its rate, the ideal control has it at once. Both directions
/// are apart.
#[test]
fn the_rate_follows_a_schedule() {
    let table =
        serde_json::json!({ "kind": "schedule", "rates": [[0, "54 Mbps"], [1, "12 Mbps"]] });
    let schedule: channel::Config = serde_json::from_value(table).unwrap();
    for control in ["arf", "aarf", "minstrel", "minstrel-ht", "ideal"] {
        for sender in [AP, 1] {
            let mut cell = Saturated::new(sender, 6, control, schedule.clone());
            cell.run(Instant::ZERO + Duration::from_millis(990));
            assert_eq!(cell.rate(), 54, "{control}");
            cell.run(Instant::ZERO + Duration::from_secs(3));
            // A probe may be under way.
            assert!([12, 18].contains(&cell.rate()), "{control}: {} Mb/s", cell.rate());
            let other = if sender == AP { Direction::Up } else { Direction::Down };
            let idle = cell.driver.dcf.rate(NodeId(1), other);
            assert_eq!(idle, Rate::from_mbps(6), "{control}: nothing was sent there");
            assert!(cell.driver.dcf.rate_changes() > 0);
        }
    }
    let mut fixed = Saturated::new(1, 54, "fixed", ScheduleConfig::default().into());
    fixed.run(Instant::ZERO + Duration::from_secs(1));
    assert_eq!((fixed.rate(), fixed.driver.dcf.rate_changes()), (54, 0));
    assert!(fixed.driver.dcf.frames_by_mode(NodeId(1), Direction::Up).is_none());
}

/// Every data frame is counted at one rate.
#[test]
fn frames_are_counted_by_their_rate() {
    for control in ["arf", "minstrel"] {
        let mut cell = Saturated::new(1, 54, control, SnrConfig { snr_db: 20.0 }.into());
        let until = Instant::ZERO + Duration::from_secs(1);
        cell.run(until);
        let frames = cell.driver.dcf.frames_by_mode(NodeId(1), Direction::Up).unwrap();
        let counted: u64 = frames.map(|(_, frames)| frames).sum();
        // The attempt that goes on is not counted yet.
        let sent = cell.driver.usage(until, 1).data_frames;
        assert!(counted == sent || counted + 1 == sent, "{counted} of {sent}");
    }
}
