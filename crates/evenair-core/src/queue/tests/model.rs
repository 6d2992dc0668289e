//! Each discipline against a model: a plain list that implements the rules literally.

use proptest::prelude::*;

use super::*;

/// An event at a queue.
#[derive(Clone, Debug)]
enum Event {
    Arrive(Packet),
    /// The transmitter dequeues a packet.
    Serve,
    /// The transmission of the oldest dequeued packet ends.
    Transmitted,
}

fn any_kind() -> impl Strategy<Value = Kind> {
    let filtering = prop_oneof![Just(Filtering::Tail), Just(Filtering::Head)];
    let service = prop_oneof![Just(Service::Sequence), Just(Service::Bytes)];
    prop_oneof![
        Just(Kind::DropTail),
        filtering.prop_map(|filtering| Kind::SpmAf { filtering }),
        service.prop_map(|service| Kind::Las { service, flow_timeout: Duration::MAX }),
    ]
}

fn any_limit() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        (1..12_u32).prop_map(QueueLimit::Packets),
        (40..9_000_u64).prop_map(QueueLimit::Bytes)
    ]
}

fn any_packet() -> impl Strategy<Value = Packet> {
    use PacketKind::{Ack, Data, Datagram, Syn, SynAck};
    let data = (prop::sample::select(vec![Data, Data, Data, Datagram]), 41..1501_u32);
    let small = (prop::sample::select(vec![Ack, Ack, Ack, Syn, SynAck]), 40..61_u32);
    (prop_oneof![data, small], 0..5_u32, any::<bool>(), any::<bool>(), 0..8_u64).prop_map(
        |((kind, size), flow, high_priority, retransmission, progress)| Packet {
            high_priority,
            retransmission,
            seq: progress * 1460,
            ..packet(flow, kind, size)
        },
    )
}

fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        4 => any_packet().prop_map(Event::Arrive),
        1 => Just(Event::Serve),
        1 => Just(Event::Transmitted),
    ];
    prop::collection::vec(event, 1..120)
}

/// A queue as a list of the waiting packets, in order of arrival or of service, and a list of those
/// in transmission.
struct Model {
    kind: Kind,
    limit: QueueLimit,
    waiting: Vec<Packet>,
    in_service: Vec<Packet>,
    /// Per packet, by number: the attained service before it, and whether the packet still counts.
    log: Vec<(Packet, u64, bool)>,
}

impl Model {
    fn fits(&self, packet: &Packet) -> bool {
        let held = || self.waiting.iter().chain(&self.in_service);
        match self.limit {
            QueueLimit::Packets(limit) => held().count() < limit as usize,
            QueueLimit::Bytes(limit) => {
                held().chain([packet]).map(|p| u64::from(p.size)).sum::<u64>() <= limit
            }
            QueueLimit::Unlimited => true,
        }
    }

    /// Inserts `packet` at `place` if it fits; otherwise returns it as dropped.
    fn put(&mut self, place: usize, packet: Packet) -> Vec<Dropped<Packet>> {
        if self.fits(&packet) {
            self.waiting.insert(place, packet);
            return vec![];
        }
        vec![Dropped { packet, reason: DropReason::OnArrival }]
    }

    fn take(&mut self, place: usize, reason: DropReason) -> Dropped<Packet> {
        Dropped { packet: self.waiting.remove(place), reason }
    }

    /// The packets dropped when `packet` arrives. If it is dropped itself, no other is.
    fn arrive(&mut self, packet: Packet) -> Vec<Dropped<Packet>> {
        let before = (self.waiting.clone(), self.log.clone());
        let discarded = self.try_to_arrive(packet);
        if discarded.iter().all(|lost| lost.packet != packet) {
            return discarded;
        }
        (self.waiting, self.log) = before;
        vec![Dropped { packet, reason: DropReason::OnArrival }]
    }

    fn try_to_arrive(&mut self, packet: Packet) -> Vec<Dropped<Packet>> {
        match self.kind {
            Kind::DropTail => self.put(self.waiting.len(), packet),
            Kind::SpmAf { filtering } => self.arrive_at_spm_af(filtering, packet),
            Kind::Las { service, .. } => self.arrive_at_las(service, packet),
        }
    }

    fn arrive_at_spm_af(&mut self, filtering: Filtering, packet: Packet) -> Vec<Dropped<Packet>> {
        let mut discarded = vec![];
        let mut place = None;
        if packet.kind == PacketKind::Ack {
            let earlier = |p: &Packet| p.kind == PacketKind::Ack && p.flow == packet.flow;
            if filtering == Filtering::Head {
                place = self.waiting.iter().position(earlier);
            }
            while let Some(older) = self.waiting.iter().position(earlier) {
                discarded.push(self.take(older, DropReason::Superseded));
            }
        } else if packet.high_priority {
            while !self.fits(&packet) {
                let youngest = |what: fn(&Packet) -> bool| self.waiting.iter().rposition(what);
                let ack = youngest(|p| p.kind == PacketKind::Ack);
                let unmarked = youngest(|p| p.kind != PacketKind::Ack && !p.high_priority);
                let Some(victim) = ack.or(unmarked) else { break };
                discarded.push(self.take(victim, DropReason::Evicted));
            }
        }
        discarded.extend(self.put(place.unwrap_or(self.waiting.len()), packet));
        discarded
    }

    /// The attained service of the flow before an arrived packet.
    fn service(&self, packet: &Packet) -> u64 {
        self.log.iter().find(|(p, _, _)| p == packet).unwrap().1
    }

    fn arrive_at_las(&mut self, service: Service, packet: Packet) -> Vec<Dropped<Packet>> {
        let before = match service {
            Service::Sequence => packet.seq,
            Service::Bytes => {
                let queued = self.log.iter().filter(|(p, _, kept)| p.flow == packet.flow && *kept);
                queued.map(|(p, _, _)| u64::from(p.size)).sum()
            }
        };
        self.log.push((packet, before, true));
        let mut discarded = vec![];
        while !self.fits(&packet) {
            // The packet with the most service; of several, the last to arrive. The list has this
            // order.
            let most = (0..self.waiting.len()).max_by_key(|&i| self.service(&self.waiting[i]));
            match most {
                Some(i) if self.service(&self.waiting[i]) > before => {
                    discarded.push(self.take(i, DropReason::Evicted));
                }
                _ => break,
            }
        }
        discarded.extend(self.put(self.waiting.len(), packet));
        for lost in &discarded {
            self.log.iter_mut().find(|(p, _, _)| *p == lost.packet).unwrap().2 = false;
        }
        discarded
    }

    fn serve(&mut self) -> Option<Packet> {
        let next = match self.kind {
            // Of equal minima, `min_by_key` returns the first: the first to arrive.
            Kind::Las { .. } => {
                (0..self.waiting.len()).min_by_key(|&i| self.service(&self.waiting[i]))?
            }
            _ => 0,
        };
        if self.waiting.is_empty() {
            return None;
        }
        let packet = self.waiting.remove(next);
        self.in_service.push(packet);
        Some(packet)
    }
}

/// Invariants of all disciplines.
#[derive(Default)]
pub(super) struct Account {
    pub(super) arrived: Vec<Packet>,
    pub(super) waiting: Vec<Packet>,
    pub(super) in_service: Vec<Packet>,
    pub(super) left: Vec<Packet>,
    discarded: u64,
}

impl Account {
    pub(super) fn discard(&mut self, discarded: &[Dropped<Packet>]) -> Result<(), TestCaseError> {
        for lost in discarded {
            let place = self.waiting.iter().position(|p| *p == lost.packet);
            prop_assert!(place.is_some(), "discarded, but not waiting: {lost:?}");
            self.waiting.remove(place.unwrap());
            self.discarded += 1;
        }
        Ok(())
    }

    pub(super) fn check(
        &self,
        queue: &Queue<Packet>,
        limit: QueueLimit,
    ) -> Result<(), TestCaseError> {
        let backlog = queue.backlog();
        prop_assert_eq!(backlog.packets() as usize, self.waiting.len());
        let acks = self.waiting.iter().filter(|p| p.kind == PacketKind::Ack).count();
        prop_assert_eq!(backlog.acks() as usize, acks);
        let bytes = |packets: &[Packet]| packets.iter().map(|p| u64::from(p.size)).sum::<u64>();
        prop_assert_eq!(backlog.bytes(), bytes(&self.waiting));
        let arrived = self.discarded as usize + self.left.len() + self.waiting.len();
        prop_assert_eq!(self.arrived.len(), arrived, "no packet is lost, none is made");
        match limit {
            QueueLimit::Packets(limit) => {
                prop_assert!(self.waiting.len() + self.in_service.len() <= limit as usize);
            }
            QueueLimit::Bytes(limit) => {
                prop_assert!(bytes(&self.waiting) + bytes(&self.in_service) <= limit);
            }
            QueueLimit::Unlimited => {}
        }
        Ok(())
    }

    /// Invariants of SPM-AF.
    fn check_spm_af(
        &self,
        limit: QueueLimit,
        discarded: &[Dropped<Packet>],
    ) -> Result<(), TestCaseError> {
        let acks: Vec<_> = self.waiting.iter().filter(|p| p.kind == PacketKind::Ack).collect();
        let mut flows: Vec<_> = acks.iter().map(|p| p.flow).collect();
        flows.sort();
        flows.dedup();
        prop_assert_eq!(flows.len(), acks.len(), "two acknowledgements of one flow");
        let is_marked = |p: &Packet| p.kind != PacketKind::Ack && p.high_priority;
        if let Some(lost) = discarded.iter().find(|lost| is_marked(&lost.packet)) {
            prop_assert_eq!(lost.reason, DropReason::OnArrival, "marked data is never evicted");
            let could_leave = self.waiting.iter().filter(|p| !is_marked(p));
            let could_leave: u64 = could_leave.map(|p| u64::from(p.size)).sum();
            let fits = match limit {
                QueueLimit::Packets(_) => could_leave > 0,
                QueueLimit::Bytes(limit) => {
                    let held = self.waiting.iter().chain(&self.in_service);
                    let held: u64 = held.map(|p| u64::from(p.size)).sum();
                    held - could_leave + u64::from(lost.packet.size) <= limit
                }
                QueueLimit::Unlimited => true,
            };
            prop_assert!(!fits, "{lost:?} found room to take");
        }
        Ok(())
    }

    /// Packets of a flow leave in order of arrival, except acknowledgements.
    fn check_order(&self) -> Result<(), TestCaseError> {
        for flow in 0..5 {
            let of_flow = |p: &&Packet| p.flow == FlowId(flow) && p.kind != PacketKind::Ack;
            let numbers: Vec<_> =
                self.left.iter().filter(of_flow).map(|p| p.enqueued_at.as_nanos()).collect();
            prop_assert!(numbers.is_sorted(), "flow {flow} left in the order {numbers:?}");
        }
        Ok(())
    }
}

fn compare(kind: Kind, limit: QueueLimit, events: &[Event]) -> Result<(), TestCaseError> {
    let mut queue = kind.queue(limit);
    let mut model = Model { kind, limit, waiting: vec![], in_service: vec![], log: vec![] };
    let mut account = Account::default();
    let drain = std::iter::repeat_n(&Event::Serve, events.len());
    for (number, event) in events.iter().chain(drain).enumerate() {
        let now = Instant::from_nanos(number as u64);
        let mut discarded = vec![];
        match event {
            Event::Arrive(packet) => {
                // The time makes each packet unique.
                let packet = Packet { enqueued_at: now, ..*packet };
                let mut actions = ActionLog::new();
                queue.enqueue(now, packet, &mut actions);
                discarded = actions.dropped;
                account.arrived.push(packet);
                account.waiting.push(packet);
                account.discard(&discarded)?;
                prop_assert_eq!(&discarded, &model.arrive(packet));
            }
            Event::Serve => {
                let packet = queue.dequeue(now, &mut ActionLog::new());
                prop_assert_eq!(packet, model.serve());
                prop_assert_eq!(packet.is_none(), account.waiting.is_empty());
                account.waiting.retain(|p| Some(*p) != packet);
                account.in_service.extend(packet);
                account.left.extend(packet);
            }
            Event::Transmitted => {
                if !account.in_service.is_empty() {
                    queue.transmitted(account.in_service.remove(0).size);
                    model.in_service.remove(0);
                }
            }
        }
        account.check(&queue, limit)?;
        if matches!(kind, Kind::SpmAf { .. }) {
            account.check_spm_af(limit, &discarded)?;
        }
    }
    prop_assert_eq!(queue.backlog().packets(), 0);
    match kind {
        Kind::DropTail | Kind::SpmAf { .. } => account.check_order(),
        Kind::Las { service: Service::Bytes, .. } => account.check_order(),
        Kind::Las { service: Service::Sequence, .. } => Ok(()),
    }
}

proptest! {
    #![proptest_config(evenair_testing::config!(3000))]

    #[test]
    fn every_discipline_does_what_its_rules_say(
        kind in any_kind(),
        limit in any_limit(),
        events in any_events(),
    ) {
        compare(kind, limit, &events)?;
    }
}
