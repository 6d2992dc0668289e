//! What a receiver of RTP reports of the packets that it misses (RFC 3550 sections 6.4.2 and A.3).

use super::contract::Output;
use super::header::PacketHeader;
use super::option::PacketOption;
use crate::packet::PacketKind;
use crate::time::{Duration, Instant};

/// A receiver report with one block: header 8, block 24 (RFC 3550 section 6.4.2), without other packets of RTCP (RFC
/// 5506).
pub(super) const REPORT_BYTES: u32 = 8 + 24;

/// Time from one report to the next: libwebrtc's of video, `kDefaultVideoReportInterval`.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// The receiver's counts, and the reports of them. The first report follows [`INTERVAL`] after the first packet; without
/// packets there is none.
#[derive(Debug)]
pub(super) struct ReceiverReports {
    header: PacketHeader,
    due: Instant,
    /// Numbers of the first packet, and of the one that is to come.
    first: Option<u64>,
    next: u64,
    received: u64,
    /// Expected and received until the last report.
    before: [u64; 2],
    sent: u64,
}

impl ReceiverReports {
    pub(super) fn new(header: PacketHeader) -> Self {
        let due = Instant::NEVER;
        Self { header, due, first: None, next: 0, received: 0, before: [0; 2], sent: 0 }
    }

    /// The packet with this number, counted from 0, arrives.
    pub(super) fn on_packet(&mut self, now: Instant, number: u64) {
        self.first.get_or_insert(number);
        self.next = self.next.max(number + 1);
        self.received += 1;
        if self.due == Instant::NEVER {
            self.due = now + INTERVAL;
        }
    }

    pub(super) fn poll_at(&self) -> Instant {
        self.due
    }

    pub(super) fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if self.due > now {
            return;
        }
        let counts = [self.next - self.first.unwrap_or(self.next), self.received];
        let [expected, received] = [0, 1].map(|place| counts[place] - self.before[place]);
        if received == 0 {
            self.due = Instant::NEVER;
            return;
        }
        self.before = counts;
        self.due = now + INTERVAL;
        let lost = expected.saturating_sub(received);
        // In 256ths, rounded down.
        let fraction = (lost * 256 / expected.max(1)) as u8;
        let packet = self.header.packet(now, PacketKind::Datagram, REPORT_BYTES, self.sent);
        self.sent += 1;
        out.send(&packet, Some(&PacketOption::FractionLost(fraction)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, NodeId, Packet};

    #[derive(Default)]
    struct Sent(Vec<(u32, u8)>);

    impl Output for Sent {
        fn send(&mut self, packet: &Packet, option: Option<&PacketOption>) {
            let Some(&PacketOption::FractionLost(fraction)) = option else { panic!("{packet:?}") };
            self.0.push((packet.size, fraction));
        }
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// By hand: of 0 to 9 two are missing, 256 * 2 / 10 = 51.2; of 10 to 19 none. Then there is nothing to report, until
    /// 30 and 31 arrive, and 10 of 12 are missing: 213.3.
    #[test]
    fn each_report_is_of_the_packets_since_the_one_before() {
        let [_, header] = PacketHeader::of_ends(FlowId(0), NodeId(1), [40, 40]);
        let mut reports = ReceiverReports::new(header);
        let mut sent = Sent::default();
        assert_eq!(reports.poll_at(), Instant::NEVER);
        for number in [0, 1, 2, 4, 5, 6, 7, 9] {
            reports.on_packet(at(100 * number), number);
        }
        for ms in [100, 1000] {
            reports.on_timer(at(ms), &mut sent);
        }
        assert_eq!((sent.0.as_slice(), reports.poll_at()), (&[(72, 51)][..], at(2000)));
        (10..20).for_each(|number| reports.on_packet(at(100 * number), number));
        reports.on_timer(at(2000), &mut sent);
        reports.on_timer(at(3000), &mut sent);
        assert_eq!(
            (sent.0.as_slice(), reports.poll_at()),
            (&[(72, 51), (72, 0)][..], Instant::NEVER)
        );
        [30, 31].iter().for_each(|&number| reports.on_packet(at(5000), number));
        reports.on_timer(reports.poll_at(), &mut sent);
        assert_eq!((sent.0[2], reports.poll_at()), ((72, 213), at(7000)));
    }
}
