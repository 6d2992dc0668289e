//! The counters of an AccECN data receiver, and when it acknowledges because of them (RFC 9768 section 3.2).

use crate::packet::{Ecn, EcnFlags, Packet};
use crate::transport::option::AccEcnCounters;

/// Marked segments after which an ACK is due (section 3.2.2.5.1: n, where data are unacknowledged).
const MARKS_PER_ACK: u8 = 2;

/// What has arrived, by codepoint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Segments marked CE (r.cep, less its initial value).
    marked: u64,
    /// Bytes with each codepoint.
    bytes: AccEcnCounters,
    /// A counter of bytes has increased since the last ACK.
    has_news: bool,
    /// Marked segments since the last ACK.
    unreported: u8,
    /// The codepoint of the segment before.
    last: Ecn,
}

impl Counters {
    /// A data segment arrives. Returns whether it is to be acknowledged at once: when the codepoint has changed (as in
    /// Linux, `tcp_ecn_received_counters`; the RFC asks for it where a marked segment follows another), and after so many marks.
    pub(super) fn on_segment(&mut self, packet: &Packet) -> bool {
        let changes = std::mem::replace(&mut self.last, packet.ecn) != packet.ecn;
        self.has_news |= packet.ecn != Ecn::NotEct;
        self.bytes.add(packet.ecn, u32::from(packet.payload));
        if packet.ecn == Ecn::Ce {
            self.marked += 1;
            self.unreported = self.unreported.saturating_add(1);
        }
        changes || self.unreported >= MARKS_PER_ACK
    }

    /// The field ACE of the ACK that is sent now.
    pub(super) fn take(&mut self) -> EcnFlags {
        self.unreported = 0;
        ace(self.marked)
    }

    /// The option of that ACK, if a counter of it has changed since the last one (section 3.2.3.3, the recommended
    /// scheme).
    pub(super) fn take_option(&mut self) -> Option<AccEcnCounters> {
        std::mem::take(&mut self.has_news).then_some(self.bytes)
    }
}

/// The field after so many marked packets (section 3.2.1: r.cep begins at 5).
pub(super) fn ace(marked: u64) -> EcnFlags {
    EcnFlags::of_ace((5 + (marked & 7)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, PacketKind};

    fn segment(ecn: Ecn) -> Packet {
        Packet { ecn, payload: 1000, ..Packet::new(FlowId(0), PacketKind::Data) }
    }

    /// By hand: 5 counts from, 3 marks wrap to 0. A change of codepoint is acknowledged at once, and so is each
    /// second mark.
    #[test]
    fn marks_are_counted_and_acknowledged() {
        let mut counters = Counters::default();
        let mut of = |ecn| counters.on_segment(&segment(ecn));
        assert_eq!([of(Ecn::Ect0), of(Ecn::Ect0)], [true, false]);
        assert_eq!([of(Ecn::Ce), of(Ecn::Ce)], [true, true]);
        assert_eq!(counters.take().ace(), 7);
        let mut of = |ecn| counters.on_segment(&segment(ecn));
        assert_eq!([of(Ecn::Ce), of(Ecn::Ect0), of(Ecn::Ect0)], [false, true, false]);
        assert_eq!(counters.take().ace(), 0);
        let bytes = counters.take_option().unwrap();
        assert_eq!((bytes.ect0, bytes.ce, bytes.ect1), (1 + 4000, 3000, 1));
        assert_eq!(counters.take_option(), None);
    }
}
