//! Why a run has no result.

use std::{fmt, io};

use evenair_core::medium::wlan::phy::PhyKind;

use crate::capture::{CaptureError, CaptureOf};

/// Why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// The run was cancelled.
    Cancelled,
    /// Not what a cell of this PHY can be asked for.
    NotWith(PhyKind, &'static str),
    /// A capture could not be written.
    Capture(CaptureOf, io::Error),
    /// More packets wait or are under way than a run may hold.
    Memory {
        /// How many it may.
        entries: usize,
        /// The queue or link that holds most.
        place: String,
        /// The flow that has sent most.
        flow: String,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "cancelled"),
            Self::NotWith(phy, what) => write!(
                f,
                "cell.phy: got \"{phy}\" with {what}; accepted: \"802.11b\", \"802.11a\", \"802.11g\""
            ),
            Self::Capture(CaptureOf::Air, error) => write!(f, "capture of the air: {error}"),
            Self::Capture(CaptureOf::Wire, error) => write!(f, "capture of the wire: {error}"),
            Self::Memory { entries, place, flow } => write!(
                f,
                "more than {entries} packets wait or are under way, most of them at {place}, and flow \
                 {flow} has sent most; give the queue a limit, or send less"
            ),
        }
    }
}

impl std::error::Error for RunError {}

impl From<CaptureError> for RunError {
    fn from((of, error): CaptureError) -> Self {
        Self::Capture(of, error)
    }
}
