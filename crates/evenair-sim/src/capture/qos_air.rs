//! What a capture remembers of the air of a cell with EDCA.

use std::collections::BTreeMap;

use evenair_core::medium::{PacketId, Ppdu, TxVector};

use super::headers::Segment;

/// What is known of the air of a cell with EDCA.
#[derive(Debug, Default)]
pub(super) struct QosAir {
    /// PPDUs that have begun and are not written, with their modes, and the segments of the packets in them that are
    /// decoded.
    pub(super) begun: Vec<(Ppdu, TxVector, Vec<Segment>)>,
    /// What was decoded, until its name is that of another packet: an MPDU may be repeated.
    pub(super) decoded: BTreeMap<PacketId, Segment>,
    /// The number of the next A-MPDU.
    pub(super) reference: u32,
}
