//! What a controller sees of the cell.

use evenair_core::medium::{Cell, CellPacket, Observable, Occupancy};

use crate::engine::sim_medium::SimMedium;

/// A cell that measures occupancy.
#[derive(Clone, Copy)]
pub(crate) struct Observed<'a> {
    pub(crate) medium: &'a dyn Observable,
    pub(crate) occupancy: &'a Occupancy,
}

impl<'a> Observed<'a> {
    /// `cell`, if it is one.
    pub(crate) fn of<M: SimMedium, P: CellPacket>(cell: &'a Cell<M, P>) -> Option<Self> {
        Some(Self { medium: cell.medium().observable()?, occupancy: cell.occupancy()? })
    }
}
