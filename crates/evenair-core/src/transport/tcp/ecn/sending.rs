//! What a sender puts into packets, and takes from ACKs, as both ends have agreed.

use super::counters::ace;
use super::sender::{MarkCounter, MarkReport};
use crate::congestion::EcnFeedback;
use crate::packet::{Ecn, EcnFlags, Packet};
use crate::transport::option::PacketOption;

/// The ECN of one connection at its sender.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct SenderEcn {
    agreed: EcnFeedback,
    /// The codepoint of new data.
    codepoint: Ecn,
    /// What AccECN's counters have told.
    counter: Option<Box<MarkCounter>>,
}

impl SenderEcn {
    /// Both ends have agreed on this; new data have this codepoint, and a full segment so many bytes.
    pub(in crate::transport::tcp) fn new(
        agreed: EcnFeedback,
        codepoint: Ecn,
        segment: u32,
    ) -> Self {
        let counts = agreed == EcnFeedback::AccEcn;
        Self { agreed, codepoint, counter: counts.then(|| Box::new(MarkCounter::new(segment))) }
    }

    /// What both ends have agreed on.
    pub(in crate::transport::tcp) fn agreed(&self) -> EcnFeedback {
        self.agreed
    }

    /// The segments that an ACK reports as marked.
    pub(in crate::transport::tcp) fn marked(
        &mut self,
        ack: u64,
        flags: EcnFlags,
        blocks: &[(u64, u64)],
        option: Option<&PacketOption>,
    ) -> MarkReport {
        match (self.agreed, &mut self.counter) {
            (EcnFeedback::Rfc3168, _) if flags.ece() => MarkReport::same(f64::INFINITY),
            (EcnFeedback::AccEcn, Some(counter)) => {
                let option = match option {
                    Some(PacketOption::Tcp(options)) => options.acc_ecn,
                    _ => None,
                };
                counter.on_ack(ack, blocks, flags.ace(), option)
            }
            _ => MarkReport::default(),
        }
    }

    /// Sets the codepoint and the flags of a data segment; `take_cwr`: whether new data have to carry CWR.
    pub(in crate::transport::tcp) fn label(
        &self,
        packet: &mut Packet,
        take_cwr: impl FnOnce() -> bool,
    ) {
        let is_new = !packet.retransmission;
        if self.agreed != EcnFeedback::None && is_new {
            // RFC 3168 6.1.5: new data only.
            packet.ecn = self.codepoint;
        }
        packet.ecn_flags = match self.agreed {
            // 6.1.2: in new data only, too.
            EcnFeedback::Rfc3168 => EcnFlags::CWR.only_if(is_new && take_cwr()),
            // What has arrived at this end is not ECN-capable.
            EcnFeedback::AccEcn => ace(0),
            EcnFeedback::None => EcnFlags::NONE,
        };
    }
}
