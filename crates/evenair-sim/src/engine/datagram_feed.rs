//! Sources of datagrams at a station, which need no events.

use evenair_core::medium::Feed;
use evenair_core::packet::Stage;
use evenair_core::queue::TxQueue;
use evenair_core::time::Instant;
use evenair_core::transport::Endpoint;
use evenair_core::transport::udp::UdpSource;

use crate::engine::sim_packet::SimPacket;

/// Copies of the sources that send into one queue, in the order of their flows. Nothing answers them.
#[derive(Debug)]
pub(crate) struct DatagramFeed {
    sources: Vec<UdpSource>,
    /// Which of them sends next, the first of several.
    first: usize,
}

impl DatagramFeed {
    /// Of at least one source.
    pub(crate) fn new(sources: Vec<UdpSource>) -> Self {
        let mut feed = Self { sources, first: 0 };
        feed.choose();
        feed
    }

    #[inline(always)]
    fn choose(&mut self) {
        for (place, source) in self.sources.iter().enumerate() {
            let first = self.sources[self.first].poll_at();
            if source.poll_at() < first || (source.poll_at() == first && place < self.first) {
                self.first = place;
            }
        }
    }
}

impl<P: SimPacket> Feed<P> for DatagramFeed {
    fn next_at(&self) -> Instant {
        self.sources[self.first].poll_at()
    }

    fn fill(&mut self, last: Instant, queue: &mut TxQueue<P>) -> u64 {
        let mut packets = 0;
        while self.sources[self.first].poll_at() <= last {
            let datagram = self.sources[self.first].next_datagram();
            let at = datagram.enqueued_at;
            queue.enqueue(at, *P::sent(&datagram, Stage::Queue, at));
            packets += 1;
            if self.sources.len() > 1 {
                self.choose();
            }
        }
        packets
    }
}
