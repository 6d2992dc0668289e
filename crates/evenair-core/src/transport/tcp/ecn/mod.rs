//! Explicit congestion notification between the two ends of a connection: what they agree on
//! ([`negotiation`]), what the receiver tells of marks ([`receiver`]), what the sender makes of it ([`sender`]), and what it puts into
//! packets ([`sending`]).
//!
//! Of RFC 9768 are left out: the tests for middleboxes and hosts that change the fields (sections 3.2.2.3, 3.2.2.4
//! and 3.2.3.2), the fall-back of a SYN that is repeated (section 3.1.4), the AccECN option in a SYN-ACK, and the
//! encoding of the ACE field in a pure ACK of the SYN-ACK, as no such ACK is sent. Nothing but new data is ECN-capable.

mod ce_state;
mod counters;
mod echo;
pub(super) mod negotiation;
pub(super) mod receiver;
pub(super) mod sender;
pub(super) mod sending;

use crate::component::{Bounds, FieldType, Value};
use crate::congestion::EcnFeedback;

/// How AccECN is written.
const ACC_ECN: &str = "accecn";

/// True, false, or "accecn".
pub(super) const fn ecn_feedback() -> Bounds<EcnFeedback> {
    Bounds::switch_or(ACC_ECN)
}

impl FieldType for EcnFeedback {
    fn to_value(&self) -> Value {
        match self {
            Self::None => Value::Switch(false),
            Self::Rfc3168 => Value::Switch(true),
            Self::AccEcn => Value::Name(ACC_ECN),
        }
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Switch(false) => Some(Self::None),
            Value::Switch(true) => Some(Self::Rfc3168),
            Value::Name(ACC_ECN) => Some(Self::AccEcn),
            _ => None,
        }
    }
}
