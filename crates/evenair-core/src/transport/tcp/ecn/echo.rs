//! Which ACKs carry ECN-Echo (RFC 3168 section 6.1.3).

use crate::packet::{Ecn, EcnFlags, Packet};

/// What the ACKs echo.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Echo {
    /// Until a segment with CWR arrives.
    until_cwr: bool,
    /// A segment that the next ACK covers is marked.
    covers_mark: bool,
}

impl Echo {
    pub(super) fn on_segment(&mut self, packet: &Packet) {
        self.until_cwr &= !packet.ecn_flags.cwr();
        if packet.ecn == Ecn::Ce {
            (self.until_cwr, self.covers_mark) = (true, true);
        }
    }

    /// The flags of the ACK that is sent now.
    pub(super) fn take(&mut self) -> EcnFlags {
        let echoes = std::mem::take(&mut self.covers_mark) || self.until_cwr;
        EcnFlags::ECE.only_if(echoes)
    }
}
