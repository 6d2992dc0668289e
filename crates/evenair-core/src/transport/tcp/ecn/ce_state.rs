//! The ECN-Echo of a DCTCP receiver (RFC 8257 section 3.2): each ACK says whether the segments that it covers are
//! marked, so that the sender can count them.

use crate::packet::{Ecn, EcnFlags, Packet};

/// DCTCP.CE: whether the last segment was marked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CeState(bool);

impl CeState {
    /// Whether the segment changes the state. Then what has arrived before is acknowledged with the old state, and the
    /// segment at once with the new one (`dctcp_ece_ack_update` in Linux).
    pub(super) fn is_changed_by(self, packet: &Packet) -> bool {
        self.0 != (packet.ecn == Ecn::Ce)
    }

    pub(super) fn on_segment(&mut self, packet: &Packet) {
        self.0 = packet.ecn == Ecn::Ce;
    }

    /// The flags of an ACK.
    pub(super) fn flags(self) -> EcnFlags {
        EcnFlags::ECE.only_if(self.0)
    }
}
