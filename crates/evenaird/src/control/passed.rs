//! What the counters of the data path say about a round.

use evenair_core::control::limiter::{Throughput, UplinkCount};
use evenair_core::time::Duration;
use evenair_core::units::Rate;

use crate::data_path::{Counters, Protocol, Traffic};

/// Traffic of a round.
pub(super) struct Passed {
    /// From the stations: what the limiter counts.
    pub(super) up: Throughput,
    /// From the stations: all that has crossed the air.
    pub(super) air_up: Rate,
    pub(super) down: Throughput,
    pub(super) down_packets: u64,
    pub(super) dropped: Traffic,
    pub(super) length: Duration,
}

impl Passed {
    pub(super) fn between(
        before: &Counters,
        after: &Counters,
        length: Duration,
        count: UplinkCount,
    ) -> Self {
        let grown = |before: &[Traffic; 3], after: &[Traffic; 3]| {
            [Protocol::Tcp, Protocol::Udp, Protocol::Other].map(|protocol| {
                let (before, after) = (before[protocol as usize], after[protocol as usize]);
                Traffic {
                    packets: after.packets.saturating_sub(before.packets),
                    bytes: after.bytes.saturating_sub(before.bytes),
                }
            })
        };
        let up = grown(&before.up, &after.up);
        let down = grown(&before.down, &after.down);
        let dropped = grown(&before.dropped, &after.dropped);
        // What is dropped has crossed the air.
        let crossed = |protocol: usize| up[protocol].bytes + dropped[protocol].bytes;
        let counted = |protocol: usize| match count {
            UplinkCount::Air => crossed(protocol),
            UplinkCount::Passed => up[protocol].bytes,
        };
        let udp = Protocol::Udp as usize;
        Self {
            up: Throughput {
                total: Rate::mean((0..3).map(counted).sum(), length),
                udp: Rate::mean(counted(udp), length),
            },
            air_up: Rate::mean((0..3).map(crossed).sum(), length),
            down: Throughput {
                total: Rate::mean(down.iter().map(|traffic| traffic.bytes).sum(), length),
                udp: Rate::mean(down[udp].bytes, length),
            },
            down_packets: down.iter().map(|traffic| traffic.packets).sum(),
            dropped: Traffic {
                packets: dropped.iter().map(|traffic| traffic.packets).sum(),
                bytes: dropped.iter().map(|traffic| traffic.bytes).sum(),
            },
            length,
        }
    }

    /// The rate of so many packets of the downlink's mean size.
    pub(super) fn down_rate_of(&self, packets: u64) -> Rate {
        let bits = u128::from(self.down.total.as_bps()) * u128::from(packets);
        let bps = bits / u128::from(self.down_packets.max(1));
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX - 1))
    }
}

pub(super) fn add(sum: &mut Counters, more: &Counters) {
    let pairs =
        [(&mut sum.up, &more.up), (&mut sum.down, &more.down), (&mut sum.dropped, &more.dropped)];
    for (sum, more) in pairs {
        for (sum, more) in sum.iter_mut().zip(more) {
            sum.packets += more.packets;
            sum.bytes += more.bytes;
        }
    }
}
