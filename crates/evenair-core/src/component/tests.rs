//! Tests of every component of every registry: made from its defaults and with each parameter at
//! each of its bounds, and run for a short time.

use serde_json::{Value as Json, json};

use super::*;
use crate::congestion::{self, AckEvent, CongestionControl, Controller, Window};
use crate::control::limiter::{self, AdaptiveRateLimiter, LossSignal, Policer, Round, Throughput};
use crate::loss::{self, LossModel, Losses};
use crate::medium::scheduler as access_point;
use crate::medium::wimax::{Wimax, WimaxConfig, phy::OfdmPhy, scheduler};
use crate::medium::wlan::phy::Phy;
use crate::medium::wlan::rate_control::{
    self, AnyRateControl, LinkInfo, NextFrame, Outcome, RateControl as _, Report,
};
use crate::medium::wlan::{Protection, channel};
use crate::medium::{Associations, Cell, TxVector};
use crate::packet::{Ecn, FlowId, NodeId, Packet, PacketKind};
use crate::queue::{self, ActionLog, Queue, QueueDiscipline, QueueLimit, TxQueue};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};
use crate::traffic::{
    Application, Datagrams, Distribution, Draws, Family, Offer, Pattern, Stream, TraceDirection,
};
use crate::units::Rate;

/// Reads a table as a configuration file has it.
fn parse<R: Registry>(table: &Json) -> Result<R, String> {
    read(table).map_err(|error: serde_json::Error| error.to_string())
}

/// The configuration as a configuration file has it.
fn written<R: Registry>(configuration: &R) -> Json {
    write(serde_json::value::Serializer, configuration, None).unwrap()
}

/// Checks the descriptions of a registry, and calls `run` with each of its components: with its
/// defaults, and with each parameter at each of its bounds.
fn check<R: Registry>(run: impl Fn(&R)) {
    let names = R::names();
    assert!(!names.is_empty());
    for (index, configuration) in R::all().iter().enumerate() {
        let component = configuration.component();
        let name = component.name;
        assert!(!names[..index].contains(&name), "{name}: twice");
        assert!(is_one_line(component.summary), "{name}: {:?}", component.summary);
        assert!(!R::PLANNED.contains(&name), "{name}: both planned and there");
        assert_eq!(R::from_name(name).as_ref(), Some(configuration));
        assert_eq!(configuration.violation(), None, "{name}: the defaults");
        run(configuration);
        let values = configuration.values();
        for (index, (parameter, default)) in values.iter().enumerate() {
            let key = parameter.name;
            let of = format!("{name}.{key}");
            assert!(!["kind", "limit"].contains(&key), "{of}: a reserved key");
            assert!(values[..index].iter().all(|(other, _)| other.name != key), "{of}: twice");
            assert!(is_one_line(parameter.meaning), "{of}: {:?}", parameter.meaning);
            let given = json!({ "kind": name, key: default });
            assert_eq!(parse::<R>(&given).as_ref(), Ok(configuration), "{of}: the default");
            check_bounds::<R>(name, parameter, &run);
        }
        for (low, high) in component.ordered {
            check_order(configuration, low, high);
        }
    }
}

fn check_bounds<R: Registry>(name: &str, parameter: &Parameter, run: &impl Fn(&R)) {
    let (key, parameter_type) = (parameter.name, parameter.parameter_type);
    for value in parameter_type.at_bounds() {
        let of = format!("{name}.{key} = {value}");
        let configuration: R = parse(&json!({ "kind": name, key: value })).expect(&of);
        let out = written(&configuration);
        assert_eq!(parse::<R>(&out).expect(&of), configuration, "{of}: {out}");
        if !value.is_string() && !value.is_number() && !value.is_object() {
            assert_eq!(out[key], value, "{of}");
        }
        if configuration.violation().is_none() {
            run(&configuration);
        }
    }
    for value in parameter_type.outside_bounds() {
        let of = format!("{name}.{key} = {value}");
        let error = parse::<R>(&json!({ "kind": name, key: value })).expect_err(&of);
        assert!(is_one_line(&error), "{of}: {error:?}");
        assert!(error.starts_with("got "), "{of}: {error}");
        let accepted = format!("accepted: {}", parameter_type.accepted());
        assert!(error.ends_with(&accepted), "{of}: {error}, not {accepted}");
    }
}

/// The first parameter at its maximum and the second at its minimum are refused, where others that may not be above
/// the second are at their minima.
fn check_order<R: Registry>(configuration: &R, low: &str, high: &str) {
    let mut configuration = configuration.clone();
    let name = configuration.component().name;
    let end = |configuration: &R, name: &str, last: bool| {
        let values = configuration.values();
        let (parameter, _) = values.iter().find(|(p, _)| p.name == name).expect(name);
        let ends = parameter.parameter_type.at_bounds();
        let value = if last { ends.last() } else { ends.first() }.cloned().unwrap();
        let table = json!({ "kind": configuration.component().name, name: value });
        let values = parse::<R>(&table).unwrap().values();
        values.into_iter().find(|(p, _)| p.name == name).unwrap().1
    };
    let (most, least) = (end(&configuration, low, true), end(&configuration, high, false));
    for (other, _) in configuration.component().ordered.iter().filter(|(_, of)| *of == high) {
        let least = end(&configuration, other, false);
        assert!(configuration.assign(other, least));
    }
    assert!(configuration.assign(low, most) && configuration.assign(high, least));
    let violation = configuration.violation().expect(name);
    assert_eq!(violation.parameter, high);
    // Several may be bounded by the same one.
    let mut bounded = configuration.component().ordered.iter().filter(|(_, of)| *of == high);
    let says = |low: &str| violation.accepted.starts_with(&format!("at least {low}, "));
    assert!(bounded.any(|(low, _)| says(low)), "{violation:?}");
}

fn is_one_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(['\n', '\r']) && !text.contains("  ")
}

#[test]
fn every_queue_discipline_runs() {
    check(|config: &queue::Config| {
        for limit in [QueueLimit::Packets(1), QueueLimit::Packets(20), QueueLimit::Bytes(1500)] {
            let rng = RngStream::new(1, StreamId::Queue, 0);
            let of = format!("{config:?}, {limit:?}");
            let left = run_queue(Queue::new(config, limit, rng), &of);
            // At a bound it may drop everything, as a token bucket that holds one byte.
            let is_default = queue::Config::from_name(config.name()).as_ref() == Some(config);
            assert!(left > 0 || !is_default, "{of}: nothing left the queue");
        }
    });
}

/// Each packet that enters leaves or is dropped, once. Returns how many left.
fn run_queue(mut queue: Queue<Packet>, of: &str) -> usize {
    let (mut now, mut actions, mut left) = (Instant::ZERO, ActionLog::new(), 0);
    let mut take = |queue: &mut Queue<Packet>, now: Instant, actions: &mut ActionLog<Packet>| {
        if let Some(packet) = queue.dequeue(now, actions) {
            queue.transmitted(packet.size);
            left += 1;
        }
    };
    for n in 0..400_u32 {
        now += Duration::from_micros(500);
        let kind = if n % 3 == 0 { PacketKind::Ack } else { PacketKind::Data };
        let size = if kind == PacketKind::Ack { 40 } else { 1500 };
        let mut packet = Packet::new(FlowId(n % 5), kind);
        (packet.size, packet.seq) = (size, u64::from(n));
        queue::QueueItem::set_ecn(&mut packet, [Ecn::Ect0, Ecn::NotEct][n as usize % 2]);
        queue.enqueue(now, packet, &mut actions);
        if n % 4 == 0 {
            take(&mut queue, now, &mut actions);
        }
    }
    let mut steps = 0;
    while queue.backlog().packets() > 0 {
        now = (now + Duration::from_millis(1)).max(queue.ready_at());
        take(&mut queue, now, &mut actions);
        steps += 1;
        assert!(steps < 10_000, "{of}: the queue does not empty");
    }
    assert_eq!(left + actions.dropped.len(), 400, "{of}");
    assert_eq!(queue.backlog().bytes(), 0, "{of}");
    left
}

#[test]
fn every_congestion_control_runs() {
    check(|config: &congestion::Config| {
        let mut control = Controller::new(config);
        let mut window = Window { cwnd: 2.0, ssthresh: 20.0 };
        let (mut now, mut una) = (Instant::ZERO, 0);
        for n in 0..400_u64 {
            now += Duration::from_millis(1 + n % 7);
            let acked = if n % 50 > 46 { 0.0 } else { 1.0 };
            let rtt = (acked > 0.0).then(|| Duration::from_millis(20 + n % 30));
            let flight = window.cwnd.min(50.0);
            let next = una + flight as u64;
            let event = AckEvent {
                now,
                acked,
                credit: acked,
                may_grow: true,
                marked: 0.0,
                flight,
                rtt,
                snd_una: una,
                snd_nxt: next,
                segment: 1,
            };
            una += acked as u64;
            match n % 50 {
                47 | 48 => control.on_duplicate_ack(&mut window, &event),
                49 => control.on_loss(&mut window, &event),
                0 => control.on_partial_ack(&mut window, &event),
                1 => control.on_recovered(&mut window, &event),
                30 if n > 300 => control.on_timeout(&mut window, &event, true),
                _ => control.on_ack(&mut window, &event),
            }
            let Window { cwnd, ssthresh } = window;
            assert!(cwnd.is_finite() && cwnd >= 1.0, "{config:?}: cwnd {cwnd} after {n}");
            assert!(ssthresh.is_finite() && ssthresh >= 2.0, "{config:?}: ssthresh {ssthresh}");
        }
    });
}

/// Every second packet needs a second attempt. Only rates of the link are chosen.
#[test]
fn every_rate_control_runs() {
    check(|config: &rate_control::Config| {
        let (phy, channel) = (Phy::dot11a(), None);
        let stream = RngStream::new(1, StreamId::RateControl, 0);
        let modes = phy.modes_of(phy.kind, &phy.modes([]));
        let link = LinkInfo { modes, first: 4, phy: &phy, channel, stream };
        let mut control = AnyRateControl::new(config, link);
        for n in 0..2000_u64 {
            let now = Instant::from_nanos(n * 1_000_000);
            let prelude =
                [Protection::Off, Protection::CtsToSelf, Protection::RtsCts][n as usize % 3];
            for outcome in [Outcome::Failed, Outcome::Delivered].into_iter().skip(n as usize % 2) {
                let rate = control.choose(&NextFrame { now, bytes: 1536, prelude });
                assert!(rate < phy.rates.len(), "{config:?}");
                control.report(&Report::of_frame(now, true, outcome));
                assert!(control.present() < phy.rates.len(), "{config:?}");
            }
        }
    });
}

/// A probability for every rate and size, which is not larger for a larger frame.
#[test]
fn every_channel_runs() {
    check(|config: &channel::Config| {
        let phy = Phy::dot11g();
        let modes = phy.modes([]);
        let model = channel::Model::new(config, &phy, &modes, channel::ErrorModel::Formulas);
        for (mode, TxVector { rate, .. }) in modes.iter() {
            let of = |bytes| model.success(Instant::from_nanos(1), mode, bytes);
            let (short, long) = (of(14), of(1536));
            assert!((0.0..=1.0).contains(&short) && long <= short, "{config:?} {rate:?}");
        }
    });
}

#[test]
fn every_loss_model_runs() {
    check(|config: &loss::Config| {
        let mut model = Losses::new(config, RngStream::new(1, StreamId::FrameErrors, 0));
        let rate = crate::units::Rate::from_mbps(11);
        let frame = loss::Frame { kind: loss::FrameKind::Data, rate, bytes: 1500 };
        let lost =
            (1..=1000).filter(|i| model.loses(Instant::from_nanos(i * 1_000_000), frame)).count();
        let rate = config.values().into_iter().find(|(p, _)| ["rate", "data"].contains(&p.name));
        // Bounds are next to 0 and 1; at the default, the state of 5 ms lasts no second.
        match rate {
            Some((_, Value::Number(rate))) if rate < 1e-9 => assert_eq!(lost, 0, "{config:?}"),
            Some((_, Value::Number(rate))) if rate > 1.0 - 1e-9 => {
                assert_eq!(lost, 1000, "{config:?}");
            }
            _ => assert!(lost < 1000, "{config:?}"),
        }
    });
}

/// Two stations with frames of 0.3 and 2 ms: their airtimes differ by less than a quantum and a frame.
#[test]
fn every_access_point_scheduler_runs() {
    check(|config: &access_point::Config| {
        let access_point::Config::AirtimeDrr(drr) = config else { return };
        let mut scheduler = config.scheduler(&[256; 2]).unwrap();
        (0..2).for_each(|station| scheduler.backlogged(station));
        let mut airtimes = [0_u64; 2];
        for _ in 0..100 {
            let station = scheduler.next_turn().unwrap().station;
            let airtime = Duration::from_micros([300, 2000][station]);
            scheduler.charge(station, airtime.as_nanos());
            airtimes[station] += airtime.as_nanos();
            let spread = airtimes[0].abs_diff(airtimes[1]);
            assert!(
                spread < drr.settings.rules.quantum.as_nanos() + 2_000_000,
                "{config:?}: {airtimes:?}"
            );
        }
    });
}

/// Three stations of which each could use two frames: all symbols are given to bursts.
#[test]
fn every_base_station_scheduler_runs() {
    check(|config: &scheduler::Config| {
        let scheduler = config.clone();
        let config = WimaxConfig { scheduler, ..WimaxConfig::new(OfdmPhy::default()) };
        let medium = Wimax::new(config, &[107, 71, 11], 1).unwrap();
        let queue = |index| {
            let stream = RngStream::new(1, StreamId::Queue, index);
            TxQueue::new(Queue::new(&queue::Config::default(), QueueLimit::Packets(50), stream))
        };
        let queues =
            (0..u64::from(Wimax::LAYOUT.count(&Associations::one_cell(4)))).map(queue).collect();
        let mut cell = Cell::new(medium, queues, vec![None, None, None, None]);
        for station in [1, 2, 3].map(NodeId) {
            for _ in 0..20 {
                let packet = Packet::new(FlowId(0), PacketKind::Data);
                let packet = Packet { station, size: 1064, ..packet };
                cell.send(Instant::ZERO, NodeId::ACCESS_POINT, packet);
            }
        }
        while cell.poll(Instant::from_nanos(10_000_000)).is_some() {}
        let counts = cell.medium().counts();
        assert_eq!((counts.frames, counts.dl_symbols_used), (2, counts.dl_symbols_available));
    });
}

/// A packet of one byte passes a full bucket, and the rate of a round is at most that before it and a
/// step.
#[test]
fn every_limiter_runs() {
    check(|config: &limiter::Config| {
        let policer = Policer::new(config);
        assert_eq!(policer.is_none(), matches!(config, limiter::Config::None(_)));
        assert!(policer.is_none_or(|mut policer| policer.admits(Instant::ZERO, 1, true)));
        let limiter::Config::Adaptive(config) = config else { return };
        let mut limiter = AdaptiveRateLimiter::new(config);
        for lost in [true, false, true, true] {
            let before = limiter.decision().rate.as_bps();
            let throughput = Throughput { total: Rate::from_mbps(2), udp: Rate::from_mbps(1) };
            let decision = limiter.round(&Round { up: throughput, down: throughput, lost });
            let rate = decision.rate.as_bps();
            assert!(rate <= (before + config.step.as_bps()).min(config.max_rate.as_bps()));
        }
    });
    check(|_: &LossSignal| {});
}

#[test]
fn every_application_runs() {
    check(|config: &Pattern| {
        let (rate, start) = (Some(Rate::from_mbps(10)), Instant::from_nanos(5));
        let offer = Offer { rate, segment: 1250, header: 28, direction: TraceDirection::Up };
        let mut datagrams = Datagrams::new(config, offer, start, 1, 0);
        let mut last = start;
        for _ in 0..3000 {
            assert!(datagrams.next() >= last, "{config:?}: {} after {last}", datagrams.next());
            last = datagrams.next();
            datagrams.advance();
        }
        assert!(last > start, "{config:?}: time stands still");
    });
    check(|config: &Stream| {
        for (parameter, value) in config.values() {
            let Value::Composite(value) = value else { continue };
            // A ladder of video rates is none.
            if let Some(distribution) = value.downcast_ref() {
                draw(distribution, parameter.name);
            }
        }
    });
    // A trace is over TCP or UDP, but one application.
    let mut names = Stream::names();
    names.retain(|name| !Pattern::names().contains(name));
    assert_eq!(names.len() + 1, Stream::names().len());
    names.extend(Pattern::names());
    assert_eq!(Application::names(), names);
}

fn draw(distribution: &Distribution, of: &str) {
    let stream = RngStream::new(1, StreamId::Traffic, 0);
    let mut draws = Draws::new(distribution.clone(), stream);
    for _ in 0..1000 {
        let value = draws.draw();
        assert!(value.is_finite() && value >= 0.0, "{of}, {distribution:?}: {value}");
    }
}

#[test]
fn every_distribution_runs() {
    for family in Family::all() {
        assert!(is_one_line(family.component().summary));
        draw(&Distribution::new(family.clone(), 2.0), family.name());
    }
    // With their parameters at the bounds, in every component that has a distribution; outside of
    // them:
    for family in Family::all() {
        for (parameter, _) in family.values() {
            for value in parameter.parameter_type.outside_bounds() {
                let size = json!({ DISTRIBUTION: family.name(), parameter.name: value });
                let error = parse::<Stream>(&json!({ "kind": "file", "size": size })).unwrap_err();
                let accepted = format!("accepted: {}", parameter.parameter_type.accepted());
                assert!(error.ends_with(&accepted), "{size}: {error}");
            }
        }
    }
}

#[test]
fn keys_and_names_are_suggested() {
    let error = |table: Json| parse::<queue::Config>(&table).unwrap_err();
    assert_eq!(
        error(json!({ "kind": "las", "servce": "bytes" })),
        "unknown key `servce`; did you mean `service`? accepted: kind, service, flow_timeout"
    );
    let foreign = error(json!({ "kind": "las", "filtering": "head" }));
    assert!(foreign.starts_with("`filtering` is no parameter of a \"las\" queue; accepted: kind"));
    assert!(error(json!("lass")).starts_with("got \"lass\"; did you mean \"las\"? accepted: "));
}

/// Only what is near is suggested, and only if it is the one meant.
#[test]
fn suggestions_are_near() {
    let nearest = |got: &str| message::nearest(got, &congestion::Config::accepted_names());
    for (got, near) in [("newrenno", "newreno"), ("CUBIK", "cubic"), ("vgeas", "vegas")] {
        assert_eq!(nearest(got), Some(near));
    }
    assert_eq!(nearest("westwo"), Some("westwood"));
    for far in ["", "x", "rap", "quic", "compound", "illinois", &"cubic".repeat(20)] {
        assert_eq!(nearest(far), None, "{far}");
    }
    let rates = ["802.11a", "802.11b", "802.11g"];
    assert_eq!(message::nearest("802.11n", &rates), None, "three are as near");
    assert_eq!(message::nearest("802.11 b", &rates), Some("802.11b"));
    assert_eq!(message::nearest("1", &["2c", "3"]), None, "another character is another name");
}

/// An alias is read as the component, and never written.
#[test]
fn aliases_are_read() {
    for text in [json!("reno"), json!({ "kind": "reno" })] {
        let control = parse::<congestion::Config>(&text).unwrap();
        assert_eq!(serde_json::to_value(&control).unwrap(), json!("newreno"));
    }
    let listed = list::<congestion::Config>();
    let newreno = listed.iter().find(|each| each["name"] == "newreno").unwrap();
    assert_eq!(newreno["aliases"], json!(["reno"]));
    let schema = schema::<congestion::Config>(&mut schemars::SchemaGenerator::default(), false);
    assert!(schema.to_value()["anyOf"][0]["enum"].as_array().unwrap().contains(&json!("reno")));
}

/// The `kind` may stand anywhere after [`put_kind_first`].
#[test]
fn the_kind_can_be_moved_to_the_front() {
    let mut table = json!({ "size": { "mean": 5, "distribution": "uniform" }, "kind": "file" });
    put_kind_first(table.as_object_mut().unwrap());
    assert_eq!(table.to_string(), r#"{"kind":"file","size":{"distribution":"uniform","mean":5}}"#);
}

/// A file is read by a function of the driver, or refused.
#[test]
fn files_of_traces_are_the_drivers() {
    let table = json!({ "kind": "file", "size": { "distribution": "trace", "file": "sizes" } });
    let error = parse::<Stream>(&table).unwrap_err();
    assert_eq!(error, "got the file \"sizes\"; accepted: values");
    let reader =
        Reader { read_file: Some(|path| Ok(format!("{path}\n1 KB\n3").into())), has_limit: false };
    let Stream::File(file) = reader.read(&table).unwrap().configuration else { panic!() };
    assert_eq!(file.size.trace_values(), Some(&[1000.0, 3.0][..]));
}
