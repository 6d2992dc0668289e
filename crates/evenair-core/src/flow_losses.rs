//! Lost packets of each flow.

use std::ops::AddAssign;

use crate::packet::FlowId;

/// The packets of each flow that were lost at one place. Time and memory depend on how many flows have
/// lost packets there, not on how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowLosses {
    /// In the order of the flows.
    flows: Vec<(FlowId, Lost)>,
}

/// A number of lost packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// All but pure acknowledgements.
    pub data: u64,
    /// Pure acknowledgements.
    pub acks: u64,
}

impl FlowLosses {
    /// A packet of `flow` is lost.
    #[cold] // few packets are lost, and the paths of the others stay short
    #[inline(never)]
    pub fn count(&mut self, flow: FlowId, is_ack: bool) {
        let index = match self.flows.binary_search_by_key(&flow, |&(flow, _)| flow) {
            Ok(index) => index,
            Err(index) => {
                self.flows.insert(index, (flow, Lost::default()));
                index
            }
        };
        let lost = &mut self.flows[index].1;
        *(if is_ack { &mut lost.acks } else { &mut lost.data }) += 1;
    }

    /// What `flow` has lost.
    pub fn of(&self, flow: FlowId) -> Lost {
        let index = self.flows.binary_search_by_key(&flow, |&(flow, _)| flow);
        index.map_or_else(|_| Lost::default(), |index| self.flows[index].1)
    }

    /// The flows that have lost packets.
    pub fn iter(&self) -> impl Iterator<Item = (FlowId, Lost)> {
        self.flows.iter().copied()
    }

    /// The packets that all flows have lost.
    pub fn total(&self) -> u64 {
        self.flows.iter().map(|(_, lost)| lost.packets()).sum()
    }

    /// Counts anew.
    pub fn clear(&mut self) {
        self.flows.clear();
    }
}

impl Lost {
    /// Data and acknowledgements.
    pub fn packets(self) -> u64 {
        self.data + self.acks
    }
}

impl AddAssign for Lost {
    fn add_assign(&mut self, other: Self) {
        self.data += other.data;
        self.acks += other.acks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand.
    #[test]
    fn losses_are_counted_by_flow_and_kind() {
        let mut losses = FlowLosses::default();
        for (flow, is_ack) in [(7, false), (2, true), (7, true), (9, false), (7, false)] {
            losses.count(FlowId(flow), is_ack);
        }
        let of = [2, 7, 8, 9].map(|flow| losses.of(FlowId(flow)));
        let expected = [(0, 1), (2, 1), (0, 0), (1, 0)].map(|(data, acks)| Lost { data, acks });
        assert_eq!(of, expected);
        assert_eq!(losses.total(), 5);
        losses.clear();
        assert_eq!((losses.total(), losses.of(FlowId(7))), (0, Lost::default()));
    }
}
