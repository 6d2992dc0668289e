//! What packets carry besides the header: the options of TCP, and the headers of TFRC.

use super::sack::SackBlocks;
use crate::packet::Ecn;
use crate::time::{Duration, Instant};
use crate::traffic::FrameMark;

/// The options of the transport header, or what else a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PacketOption {
    /// Of a TCP segment.
    Tcp(TcpOptions),
    /// Of TFRC's data.
    TfrcData(DataHeader),
    /// Of TFRC's feedback packets.
    TfrcReport(Report),
    /// Of the video frame that a datagram belongs to.
    Frame(FrameMark),
    /// Of a receiver report of RTP: the fraction lost, in 256ths (RFC 3550 section 6.4.1).
    FractionLost(u8),
}

/// What a TCP segment carries beside sequence number and flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// What has arrived beyond the cumulative acknowledgement (RFC 2018).
    pub sack: SackBlocks,
    /// The byte counters of AccECN, whose packet counter is [`EcnFlags::ace`](crate::packet::EcnFlags::ace).
    pub acc_ecn: Option<AccEcnCounters>,
    /// The window, segments, in the ACK of a receiver that limits the rate.
    pub window: Option<u32>,
    /// The timestamps of a connection that has them.
    pub timestamps: Option<Timestamps>,
}

/// The AccECN option (RFC 9768 section 3.2.3): payload bytes that have arrived with each codepoint, modulo 2^24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccEcnCounters {
    /// With ECT(0) (r.e0b).
    pub ect0: u32,
    /// With CE (r.ceb).
    pub ce: u32,
    /// With ECT(1) (r.e1b).
    pub ect1: u32,
}

/// Before anything has arrived (section 3.2.1).
impl Default for AccEcnCounters {
    fn default() -> Self {
        Self { ect0: 1, ce: 0, ect1: 1 }
    }
}

impl AccEcnCounters {
    /// The bits of a counter in the option.
    pub const MASK: u32 = (1 << 24) - 1;

    /// A segment with so many bytes of payload has arrived with this codepoint.
    pub fn add(&mut self, ecn: Ecn, bytes: u32) {
        let counter = match ecn {
            Ecn::NotEct => return,
            Ecn::Ect0 => &mut self.ect0,
            Ecn::Ect1 => &mut self.ect1,
            Ecn::Ce => &mut self.ce,
        };
        *counter = counter.wrapping_add(bytes) & Self::MASK;
    }

    /// The option: its kind, and the counters up to the last that has changed, in the shorter of the two orders
    /// (figure 4, table 5).
    pub fn fields(&self) -> (u8, impl Iterator<Item = u32>) {
        const ORDER_0: u8 = 172;
        const ORDER_1: u8 = 174;
        let initial = Self::default();
        let [has_ect0, has_ce, has_ect1] =
            [self.ect0 != initial.ect0, self.ce != initial.ce, self.ect1 != initial.ect1];
        let (kind, order) = if has_ect1 && !has_ect0 {
            (ORDER_1, [self.ect1, self.ce, self.ect0])
        } else {
            (ORDER_0, [self.ect0, self.ce, self.ect1])
        };
        let fields = match (has_ect0 && has_ect1, has_ce) {
            (true, _) => 3,
            (false, true) => 2,
            (false, false) => 1,
        };
        (kind, order.into_iter().take(fields))
    }

    /// Bytes of the option, aligned.
    pub fn header_bytes(&self) -> u32 {
        let (_, fields) = self.fields();
        (2 + 3 * fields.count() as u32).next_multiple_of(4)
    }
}

/// The timestamps option (RFC 7323 section 3.2). Its clock is that of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: when the segment is sent.
    pub value: Instant,
    /// TSecr: a timestamp of the other end; `None` before one has arrived.
    pub echo: Option<Instant>,
}

impl Timestamps {
    /// Bytes of the option behind two no-operations, which align it (RFC 7323 appendix A).
    pub const BYTES: u32 = 12;
}

/// What a data packet of TFRC carries beside its number (RFC 5348 section 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataHeader {
    /// When it is sent.
    pub sent: Instant,
    /// R, once the sender knows it.
    pub rtt: Option<Duration>,
}

/// What a feedback packet of TFRC carries (RFC 5348 section 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// t_recvdata: when the last data packet that has arrived was sent.
    pub timestamp: Instant,
    /// t_delay: how long ago that arrived.
    pub delay: Duration,
    /// X_recv, bytes/s.
    pub receive_rate: f64,
    /// p.
    pub loss_event_rate: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(codepoints: &[Ecn]) -> AccEcnCounters {
        let mut counters = AccEcnCounters::default();
        codepoints.iter().for_each(|&ecn| counters.add(ecn, 1000));
        counters
    }

    /// By hand from the text after table 5 of RFC 9768 and its examples: the counters that have changed, in the order in which they
    /// are first.
    #[test]
    fn the_option_ends_with_the_last_counter_that_has_changed() {
        let of = |codepoints: &[Ecn]| {
            let counters = arrived(codepoints);
            let (kind, fields) = counters.fields();
            (kind, fields.collect::<Vec<_>>(), counters.header_bytes())
        };
        assert_eq!(of(&[Ecn::Ect0]), (172, vec![1001], 8));
        assert_eq!(of(&[Ecn::Ect0, Ecn::Ce]), (172, vec![1001, 1000], 8));
        assert_eq!(of(&[Ecn::Ect1]), (174, vec![1001], 8));
        assert_eq!(of(&[Ecn::Ect1, Ecn::Ce, Ecn::Ect1]), (174, vec![2001, 1000], 8));
        assert_eq!(of(&[Ecn::Ce]), (172, vec![1, 1000], 8));
        assert_eq!(of(&[Ecn::Ect1, Ecn::Ect0]), (172, vec![1001, 0, 1001], 12));
        assert_eq!(of(&[Ecn::NotEct, Ecn::Ect0]), (172, vec![1001], 8));
    }
}
