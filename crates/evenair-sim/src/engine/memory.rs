//! The bound on the memory of a run: packets that wait or are under way.
//!
//! Each takes about 40 bytes in the queue of a node, and up to 80 on a wired link. What TCP keeps of
//! segments that are not acknowledged is bounded by the windows of the flows.

use crate::engine::flow::Flow;
use crate::engine::network::Network;
use crate::engine::run_error::RunError;
use crate::engine::sim_medium::SimMedium;
use crate::engine::sim_packet::SimPacket;
use crate::scenario::Scenario;

/// The most entries of packets that a run may hold, about 300 MB. A packet has one entry in a queue of
/// the cell, and up to two on each wired link that it is known to cross.
const MAX_ENTRIES: usize = 4_000_000;

/// How many packets may be sent until the entries are counted again: with them, a run never holds more
/// than a quarter above [`MAX_ENTRIES`]. A packet has entries at all links on its way at most.
pub(crate) fn packets_between_counts(links: usize) -> u64 {
    (MAX_ENTRIES / 4 / (2 * links + 1)).max(1) as u64
}

/// Fails if there are more than [`MAX_ENTRIES`].
#[cold]
pub(crate) fn check<M: SimMedium, P: SimPacket>(
    scenario: &Scenario,
    network: &Network<M, P>,
    flows: &[Flow],
) -> Result<(), RunError> {
    let cell = network.cell();
    let queues = cell.queues().iter().map(|queue| queue.backlog().packets() as usize);
    let links = network.wired().links().iter().map(|link| link.entries());
    let entries: usize = queues.clone().chain(links.clone()).sum();
    let entries = entries + network.streams().under_way();
    if entries <= MAX_ENTRIES {
        return Ok(());
    }
    let queue = queues.enumerate().max_by_key(|&(_, packets)| packets);
    let link = links.enumerate().max_by_key(|&(_, packets)| packets);
    let place = match (queue, link) {
        (Some((queue, packets)), link) if link.is_none_or(|(_, entries)| packets >= entries) => {
            node_queue(scenario, cell.senders()[queue].index())
        }
        (_, Some((directed, _))) => wired_link(scenario, directed),
        (_, None) => String::new(),
    };
    let busiest = flows.iter().max_by_key(|flow| flow.counters().segments_sent);
    let flow = busiest.map_or_else(String::new, |flow| flow.id.clone());
    Err(RunError::Memory { entries: MAX_ENTRIES, place, flow })
}

/// The transmit queues of a node, by their key.
fn node_queue(scenario: &Scenario, node: usize) -> String {
    if node == 0 {
        return "cell.queue".to_owned();
    }
    let mut last = 0;
    let is_here = |count: u32| {
        last += count as usize;
        node <= last
    };
    let group = scenario.station.iter().map(|group| group.count).position(is_here).unwrap_or(0);
    format!("station.{group}.queue (of sta-{node})")
}

/// A direction of a link, by its key and its ends.
fn wired_link(scenario: &Scenario, directed: usize) -> String {
    let link = directed / 2;
    let key = match scenario.wired.link.is_empty() {
        true => "wired".to_owned(),
        false => format!("wired.link.{link}"),
    };
    let [a, b] = &scenario.wired.links()[link].between;
    let (from, to) = if directed % 2 == 1 { (a, b) } else { (b, a) };
    format!("{key} (from {from:?} to {to:?})")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MAX_ENTRIES, packets_between_counts};
    use crate::scenario::resolve;
    use crate::{RunError, RunOptions, run};

    /// The reason why a run ends.
    fn reason(scenario: serde_json::Value) -> String {
        let scenario = resolve(scenario, "test").unwrap();
        match run(&scenario, 1, &RunOptions::default()) {
            Err(error @ RunError::Memory { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// Between two counts each packet may add an entry in the cell and two on each link, and all of them a
    /// quarter of the bound, but one more packet could add more.
    #[test]
    fn a_quarter_of_the_entries_comes_between_two_counts() {
        for links in [0, 1, 2, 14, 10_000] {
            let entries = |packets: u64| packets as usize * (2 * links + 1);
            let packets = packets_between_counts(links);
            assert!(entries(packets) <= MAX_ENTRIES / 4, "{links} links");
            assert!(entries(packets + 1) > MAX_ENTRIES / 4, "{links} links");
        }
        assert_eq!(packets_between_counts(10_000_000), 1);
    }

    /// A datagram each 8 ns, of which hardly any crosses the cell: 4,000,000 in 32 ms.
    #[test]
    fn queues_of_the_cell_are_bounded() {
        let flow = |direction: &str, rate: &str| {
            let (transport, start) = ("udp", 0);
            json!({ "direction": direction, "transport": transport, "start": start, "rate": rate,
                    "segment": 1 })
        };
        let queue = json!({ "limit": "unlimited" });
        let stations = json!([
            { "flows": [flow("down", "1 Mbps")] },
            { "count": 3, "flows": [flow("up", "1 Gbps")], "queue": queue },
        ]);
        let up = reason(json!({ "duration": "1 s", "station": stations }));
        assert!(up.starts_with("more than 4000000 packets "), "{up}");
        assert!(up.contains("station.1.queue (of sta-"), "{up}");
        assert!(up.contains("flow up-"), "{up}");
        let down = json!({
            "duration": "1 s",
            "cell": { "queue": queue },
            "wired": { "rate": "unlimited", "delay": "0 s" },
            "station": [{ "flows": [flow("down", "1 Gbps")] }],
        });
        let down = reason(down);
        assert!(down.contains("cell.queue") && down.contains("flow down-1"), "{down}");
    }

    #[test]
    #[ignore = "long"]
    fn links_are_bounded() {
        let flow =
            json!({ "direction": "down", "transport": "udp", "rate": "1 Gbps", "segment": 1 });
        let station = json!([{ "flows": [flow] }]);
        // What waits for the link, and what is under way on it.
        for (wired, place) in [
            (json!({ "rate": "1 Mbps", "queue": { "limit": "unlimited" } }), "wired (from"),
            (json!({ "rate": "unlimited", "delay": "1000 s" }), "wired (from"),
            (
                json!({ "link": [
                    { "between": ["ap", "r"], "rate": "1 Mbps", "queue": { "kind": "las", "limit": "unlimited" } },
                    { "between": ["server", "r"], "rate": "unlimited" },
                ] }),
                "wired.link.0 (from \"r\" to \"ap\")",
            ),
            // Drops at the second link are computed ahead of time.
            (
                json!({ "link": [
                    { "between": ["ap", "r"], "rate": "1 Mbps", "queue": { "limit": 1 } },
                    { "between": ["server", "r"], "rate": "unlimited", "delay": "1000 s" },
                ] }),
                "wired.link.0 (from \"r\" to \"ap\")",
            ),
        ] {
            let line = reason(json!({ "duration": "1 s", "wired": wired, "station": station }));
            assert!(line.contains(place), "{line}");
        }
    }

    /// Packets without events are counted, too.
    #[test]
    #[ignore = "long"]
    fn streams_are_bounded() {
        let line = reason(json!({
            "duration": "1 s",
            "wired": {
                "link": [
                    { "between": ["a", "r"], "rate": "1 Gbps" },
                    { "between": ["r", "b"], "rate": "1 Mbps", "queue": { "limit": "unlimited" } },
                    { "between": ["r", "ap"] },
                    { "between": ["server", "r"] },
                ],
                "flow": [
                    { "from": "a", "to": "b", "transport": "udp", "rate": "1 Gbps", "segment": 1 },
                ],
            },
            "station": [{ "flows": [{ "direction": "down", "start": "0.9 s" }] }],
        }));
        assert!(line.contains("wired.link.1 (from \"r\" to \"b\")"), "{line}");
        assert!(line.contains("flow wired-1"), "{line}");
    }
}
