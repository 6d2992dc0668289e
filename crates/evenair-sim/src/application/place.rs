//! Where the flow of an application is in its scenario.

use evenair_core::time::{Duration, Instant};
use evenair_core::traffic::TraceDirection;

use crate::scenario::{Direction, Flow, Scenario};

/// A flow of a scenario.
pub(super) struct Place<'a> {
    /// As in results.
    pub(super) id: String,
    pub(super) spec: &'a Flow,
    pub(super) up: bool,
    pub(super) start: Instant,
    pub(super) stop: Instant,
}

impl<'a> Place<'a> {
    /// That of flow number `row`: those of stations first, then those between hosts.
    pub(super) fn find(scenario: &'a Scenario, row: u32) -> Option<Self> {
        let directed = scenario.station.iter().flat_map(|group| {
            let each = || {
                group
                    .flows
                    .iter()
                    .flat_map(|spec| spec.directions().iter().map(move |way| (spec, *way)))
            };
            (0..group.count).flat_map(move |_| each())
        });
        let stagger = scenario.stagger();
        let mut counts = [0, 0];
        for ((spec, direction), index) in directed.zip(0_u32..) {
            let up = direction == Direction::Up;
            counts[usize::from(up)] += 1;
            if index == row {
                let id = format!("{direction}-{}", counts[usize::from(up)]);
                return Some(Self::new(id, spec, up, stagger * u64::from(index)));
            }
        }
        let between_hosts = (row as usize).checked_sub(counts[0] + counts[1])?;
        let spec = scenario.wired.flow.get(between_hosts)?;
        Some(Self::new(format!("wired-{}", between_hosts + 1), spec, true, Duration::ZERO))
    }

    fn new(id: String, spec: &'a Flow, up: bool, start: Duration) -> Self {
        let start = Instant::ZERO + spec.start.map_or(start, |start| start.duration());
        let stop = spec.stop.map_or(Instant::NEVER, |stop| Instant::ZERO + stop.duration());
        Self { id, spec, up, start, stop }
    }

    /// Which way its traces go.
    pub(super) fn direction(&self) -> TraceDirection {
        if self.up { TraceDirection::Up } else { TraceDirection::Down }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::build;
    use crate::engine::flow::Attachment;
    use crate::scenario::resolve;

    /// Stations with several flows and both directions, starts of their own, and a flow between hosts.
    #[test]
    fn a_place_is_that_of_the_simulated_flow() {
        let scenario = resolve(
            serde_json::json!({
                "station": [
                    { "count": 2, "flows": [
                        { "direction": "both", "transport": "udp", "application": "voip" },
                        { "direction": "down", "application": "page", "start": 3, "stop": 4 },
                    ] },
                    { "flows": [{ "direction": "up", "transport": "udp", "application": "ping" }] },
                ],
                "wired": {
                    "link": [{ "between": ["server", "ap"] }, { "between": ["a", "ap"] }],
                    "flow": [{ "from": "a", "to": "server", "application": "arrivals" }],
                },
            }),
            "test",
        )
        .unwrap();
        let (flows, _) = build::flows(&scenario, 1);
        let mut rows = 0;
        for flow in flows.iter().filter(|flow| flow.member.as_ref().is_none_or(|one| one.slot == 0))
        {
            let place = Place::find(&scenario, flow.row).unwrap();
            let up = !matches!(flow.place, Attachment::Station { up: false, .. });
            assert_eq!((&place.id, place.start, place.stop), (&flow.id, flow.start, flow.stop));
            assert_eq!((place.up, place.spec.application.name()), (up, flow.application));
            rows += 1;
        }
        assert_eq!(rows, 8);
        assert!(Place::find(&scenario, rows).is_none());
    }
}
