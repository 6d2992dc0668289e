//! What the receiver of a PPDU makes of it, for those who listen to the events of the air.

use super::agreement::Agreement;
use crate::medium::Fate;

/// What of the present, or last, PPDU is decoded, and what its receiver had before.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// By MPDU: whether it is decoded, and whether its receiver had it.
    mpdus: Vec<(bool, bool)>,
    /// Where the receiver's window began.
    start: u16,
}

impl Heard {
    /// The first MPDUs of `agreement` are on the air, of which those are `decoded`.
    pub(super) fn note(&mut self, agreement: &Agreement, decoded: &[bool]) {
        let recipient = agreement.recipient();
        let had = agreement.outgoing().map(|(sequence, _)| recipient.has(sequence));
        self.mpdus.clear();
        self.mpdus.extend(decoded.iter().copied().zip(had));
        self.start = recipient.start();
    }

    /// What becomes of the MPDU at this place, and whether its receiver had it before.
    pub(super) fn mpdu(&self, place: usize) -> (Fate, bool) {
        let (decoded, had) = self.mpdus.get(place).copied().unwrap_or_default();
        (if decoded { Fate::Received } else { Fate::Corrupted }, had)
    }

    /// The first sequence number of the receiver's window before the PPDU.
    pub(super) fn start(&self) -> u16 {
        self.start
    }
}
