//! What a receiver tells of marks.

use super::ce_state::CeState;
use super::counters::Counters;
use super::echo::Echo;
use crate::congestion::EcnFeedback;
use crate::packet::{Ecn, EcnFlags, Packet};
use crate::transport::option::AccEcnCounters;

/// The marks that have arrived over one connection.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct Marks {
    feedback: Feedback,
    /// Marked segments that have arrived.
    pub(in crate::transport::tcp) count: u64,
}

#[derive(Clone, Debug, Default)]
enum Feedback {
    #[default]
    None,
    Rfc3168(Echo),
    Dctcp(CeState),
    AccEcn(Box<Counters>),
}

impl Marks {
    /// Both ends have agreed on this; `echoes_each`: where that is RFC 3168's flags, they are used as by DCTCP.
    pub(in crate::transport::tcp) fn new(agreed: EcnFeedback, echoes_each: bool) -> Self {
        let feedback = match agreed {
            EcnFeedback::None => Feedback::None,
            EcnFeedback::Rfc3168 if echoes_each => Feedback::Dctcp(CeState::default()),
            EcnFeedback::Rfc3168 => Feedback::Rfc3168(Echo::default()),
            EcnFeedback::AccEcn => Feedback::AccEcn(Box::default()),
        };
        Self { feedback, count: 0 }
    }

    /// Whether both ends have agreed on ECN.
    pub(in crate::transport::tcp) fn is_active(&self) -> bool {
        !matches!(self.feedback, Feedback::None)
    }

    /// Whether an ACK that is held back has to leave before this data segment is taken.
    pub(in crate::transport::tcp) fn flushes_before(&self, packet: &Packet) -> bool {
        matches!(self.feedback, Feedback::Dctcp(state) if state.is_changed_by(packet))
    }

    /// A data segment arrives. Returns whether it is to be acknowledged at once.
    pub(in crate::transport::tcp) fn on_segment(&mut self, packet: &Packet) -> bool {
        self.count += u64::from(packet.ecn == Ecn::Ce && self.is_active());
        match &mut self.feedback {
            Feedback::None => false,
            Feedback::Rfc3168(echo) => {
                echo.on_segment(packet);
                false
            }
            Feedback::Dctcp(state) => {
                let changes = state.is_changed_by(packet);
                state.on_segment(packet);
                changes
            }
            Feedback::AccEcn(counters) => counters.on_segment(packet),
        }
    }

    /// The flags of the ACK that is sent now.
    pub(in crate::transport::tcp) fn take(&mut self) -> EcnFlags {
        match &mut self.feedback {
            Feedback::None => EcnFlags::NONE,
            Feedback::Rfc3168(echo) => echo.take(),
            Feedback::Dctcp(state) => state.flags(),
            Feedback::AccEcn(counters) => counters.take(),
        }
    }

    /// The AccECN option of that ACK.
    pub(in crate::transport::tcp) fn take_option(&mut self) -> Option<AccEcnCounters> {
        match &mut self.feedback {
            Feedback::AccEcn(counters) => counters.take_option(),
            _ => None,
        }
    }
}
