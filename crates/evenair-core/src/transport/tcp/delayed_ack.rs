//! After how many segments a receiver acknowledges.

use crate::component::{Bounds, FieldType, Value};

/// After how many in-order segments a receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// After this many (RFC 1122 4.2.3.2 and RFC 5681 4.2: 2; 1: an ACK for each).
    Every(u32),
    /// After more, the further the connection is, so that it does not keep slow start waiting (Altman
    /// and Jimenez 2003, as Miorandi et al. 2006 quote them in section 4.3): 1 before the segment
    /// of number 2, then 2 before number 5, 3 before number 9, and 4. Numbers are by place in the
    /// connection and not by arrival, so that losses do not matter, and count from 1: the source does
    /// not say, but ns-2 gives number 0 to the SYN.
    Dynamic,
}

/// How [`DelayedAck::Dynamic`] is written.
const DYNAMIC: &str = "dynamic";

/// 1 to 65,535 segments, or "dynamic".
pub(super) const fn delayed_ack() -> Bounds<DelayedAck> {
    Bounds::integer_or(1..=65_535, DYNAMIC)
}

impl DelayedAck {
    /// In-order segments per ACK, of all but the first segments.
    pub fn segments_per_ack(self) -> f64 {
        match self {
            Self::Every(segments) => f64::from(segments),
            Self::Dynamic => 4.0,
        }
    }

    /// In-order segments per ACK where the last of them ends before byte `end`; a full one has `segment`
    /// bytes.
    #[inline(always)]
    pub(super) fn threshold(self, end: u64, segment: u32) -> u32 {
        match self {
            Self::Every(segments) => segments,
            Self::Dynamic => match end.div_ceil(u64::from(segment)) {
                0..2 => 1,
                2..5 => 2,
                5..9 => 3,
                _ => 4,
            },
        }
    }
}

impl FieldType for DelayedAck {
    fn to_value(&self) -> Value {
        match *self {
            Self::Every(segments) => segments.to_value(),
            Self::Dynamic => Value::Name(DYNAMIC),
        }
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Name(DYNAMIC) => Some(Self::Dynamic),
            value => u32::from_value(value).map(Self::Every),
        }
    }
}
