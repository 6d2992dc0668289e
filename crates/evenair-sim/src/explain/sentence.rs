//! The words of a diagnosis.

use evenair_core::traffic::{Application, Stream};

use super::cause::{Cause, Others, Place};
use super::evidence::{Evidence, FlowEvidence, Rate};
use super::station::Taker;
use super::user::{Fault, has_not_begun};

/// The fault, after the flow's name.
pub(super) fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Starves => "starves",
        Fault::PoorCall => "is a poor call",
        Fault::Freezes => "freezes",
        Fault::SlowPages => "loads pages slowly",
        Fault::SlowTransfers => "has slow transfers",
        Fault::Stalls => "stalls",
        Fault::TakesAirtime => "takes the airtime of others",
    }
}

/// The numbers by which the flow has the fault.
pub(super) fn measure(fault: Fault, flow: &FlowEvidence, run: &Evidence) -> String {
    match fault {
        Fault::Starves => {
            let [goodput, share] = [flow.goodput_bps, run.fair_share_bps].map(|bps| bps / 1e6);
            format!("{goodput:.3} Mb/s, fair share {share:.3}")
        }
        Fault::PoorCall => format!("MOS {:.2}", flow.mos.unwrap_or(1.0)),
        Fault::Freezes => {
            format!("{}, {:.2} s", times(flow.freezes), flow.frozen_s.unwrap_or(0.0))
        }
        Fault::SlowPages => {
            format!("{:.2} s", flow.page_load_s.as_ref().map_or(0.0, |load| load.mean))
        }
        Fault::SlowTransfers => {
            flow.slowdown().map_or("none finished".to_owned(), |of| format!("slowdown {of:.2}"))
        }
        Fault::Stalls if has_not_begun(flow) => "not played".to_owned(),
        Fault::Stalls => format!("{}, {:.2} s", times(flow.stalls), flow.stalls_s.unwrap_or(0.0)),
        Fault::TakesAirtime => String::new(), // of the station: see [`station`]
    }
}

/// The numbers of a station that takes the airtime of others, and why.
pub(super) fn station(station: &Taker, flow: &FlowEvidence, run: &Evidence) -> (String, String) {
    let (airtime, goodput) = (percent(station.airtime), percent(station.goodput));
    let rate = match run.rate_of(flow) {
        Some(Rate::Mean(bps)) => format!("at {} Mb/s on average, ", digits(bps / 1e6)),
        Some(Rate::Fixed(bps)) => format!("at {} Mb/s, ", digits(bps / 1e6)),
        Some(Rate::Mcs(index)) => format!("with MCS {index}, "),
        None => String::new(),
    };
    let text = format!(
        "{rate}a second of its airtime carries {} Mb, of that of other stations {} Mb",
        digits(station.traffic.bits_per_airtime() / 1e6),
        digits(station.others_bits_per_airtime / 1e6)
    );
    (format!("{airtime} of it for {goodput} of the goodput"), text)
}

/// Why, from what holds the flow back to its reason.
pub(super) fn text(
    flow: &FlowEvidence,
    fault: Fault,
    (cause, place): (Cause, Option<Place>),
    others: &Others,
    run: &Evidence,
) -> String {
    let traffic = run.traffic(flow);
    match (cause, place) {
        (Cause::TransferLosses | Cause::TransferQueues | Cause::TransferRounds, _) => {
            let why = match cause {
                Cause::TransferLosses => repair(flow, place, run),
                _ => waits(flow, run),
            };
            format!("{}{why}", subject(fault, flow, run))
        }
        (Cause::TransferLimit, _) => limit(flow),
        (Cause::FrameLosses, _) => {
            let lost = percent(flow.frames_lost_ratio.unwrap_or(0.0));
            let after = percent(flow.frames_undecodable_ratio.unwrap_or(0.0));
            format!(
                "{lost} of its frames miss a packet, and {after} are not shown because they refer to one that does{}",
                mostly(place, run, flow)
            )
        }
        (Cause::FrameDelay, _) => {
            let delays = flow.frame_delay_s.as_ref();
            let [mean, p95] = [delays.map(|of| of.mean), delays.map(|of| of.p95)].map(ms);
            format!(
                "no frame misses a packet; a frame takes {mean} on average, one in 20 more than {p95}"
            )
        }
        (Cause::DataLosses, Some(place)) => {
            let lost = flow.data_losses.of(place);
            // Lost packets of a handshake are no segments.
            let what = if lost <= flow.segments_sent {
                format!("{} of its data was", percent(lost / flow.segments_sent))
            } else {
                of_its(lost, "packets")
            };
            format!("{}: {what} {}", state(flow), lost_at(place, run, flow))
        }
        (Cause::AckLosses, Some(place)) => {
            let lost = flow.ack_losses.of(place);
            let what = of_its(lost, "ACKs");
            format!("{}: {what} {}", state(flow), lost_at(place, run, flow))
        }
        (Cause::CongestionMarks, _) => format!(
            "{}: it has reduced its window {} because of congestion marks",
            state(flow),
            times(flow.congestion_responses)
        ),
        (Cause::Airtime, _) => format!(
            "{} {} of the air, that of other flows {}, but a second of it carries {} Mb, of theirs {} \
             Mb: low data rates, or frames that are repeated",
            if traffic.flows > 1.0 {
                "its part of its station's traffic uses"
            } else {
                "its traffic uses"
            },
            percent(traffic.airtime()),
            percent(others.airtime),
            digits(traffic.bits_per_airtime() / 1e6),
            digits(others.bits_per_airtime / 1e6)
        ),
        (Cause::Controller, _) => format!(
            "{} of its time limited by the window that the controller sets",
            percent(flow.limited_by.receive_window)
        ),
        (Cause::ReceiveWindow, _) => format!(
            "{} of its time limited by its receiver's window{}{}",
            percent(flow.limited_by.receive_window),
            run.keys(flow).map_or_else(String::new, |keys| {
                let window = keys.window;
                let segments = if window == 1.0 { "segment" } else { "segments" };
                format!(": {window} {segments} for each round trip")
            }),
            both_rtts(flow, others, |own, of_others| {
                format!(" (RTT {own} ms, other flows {of_others} ms)")
            })
        ),
        (Cause::RoundTripTime, _) => format!(
            "{}{}",
            state(flow),
            both_rtts(flow, others, |own, of_others| {
                format!(": a round trip takes {own} ms, those of other flows {of_others} ms")
            })
        ),
        (Cause::DataLosses, None) => format!(
            "{}: {} of its segments are retransmissions",
            state(flow),
            percent(flow.retransmissions / flow.segments_sent.max(1.0))
        ),
        (Cause::CallDelay, _) => {
            let ms = digits(1e3 * flow.mouth_to_ear_s.unwrap_or(0.0));
            format!("{ms} ms pass from speaking to hearing")
        }
        (Cause::CallLate, _) => {
            let late = percent(flow.late_ratio.unwrap_or(0.0));
            format!("{late} of its datagrams arrive after they were to be played")
        }
        (Cause::CallLosses, place) => {
            let lost = percent(flow.loss_ratio.unwrap_or(0.0));
            format!("{lost} of its datagrams do not arrive{}", mostly(place, run, flow))
        }
        (Cause::Cwnd, _) | (_, None) => {
            format!("{}, without a loss in the measured time", state(flow))
        }
    }
}

/// What is slow, before the reason.
fn subject(fault: Fault, flow: &FlowEvidence, run: &Evidence) -> String {
    match fault {
        Fault::SlowPages => flow.first_byte_s.map_or_else(String::new, |first| {
            format!("{} of a page pass until its first byte: ", ms(Some(first)))
        }),
        Fault::SlowTransfers => {
            let classes = flow.completion_s.iter().flat_map(|of| &of.by_size);
            let each = classes.filter_map(|class| {
                let slowdown = class.slowdown?;
                let size = class
                    .below_bytes
                    .map_or("longer".to_owned(), |bytes| format!("below {} KB", bytes / 1e3));
                Some(format!("{size} {}", digits(slowdown)))
            });
            format!("by size {}: ", each.collect::<Vec<_>>().join(", "))
        }
        _ => {
            let application = run.keys(flow).map(|keys| keys.application.clone());
            let known = application.and_then(|value| serde_json::from_value(value).ok());
            let lowest = match &known {
                Some(Application::Stream(Stream::Video(video))) => video.rates.bps().first(),
                _ => None,
            };
            let of = lowest.map_or_else(String::new, |&lowest| {
                format!(", the lowest rate of the video is {}", digits(lowest as f64 / 1e6))
            });
            format!("it gets {} Mb/s{of}: ", digits(flow.goodput_bps / 1e6))
        }
    }
}

/// Of transfers that do not begin when they come.
fn limit(flow: &FlowEvidence) -> String {
    let number = |of: Option<f64>| count(of.unwrap_or(0.0));
    let arrivals = flow.arrivals.as_ref();
    let arrived = number(arrivals.map(|of| of.arrived));
    match arrivals.map(|of| of.dropped) {
        Some(dropped) if dropped > 0.0 => format!(
            "{arrived} transfers came, and {} found as many under way as may be, or were cut short",
            count(dropped)
        ),
        _ => format!(
            "{arrived} transfers came; at the end {} are under way, and {} wait until they may begin",
            number(arrivals.map(|of| of.under_way)),
            number(arrivals.map(|of| of.waiting))
        ),
    }
}

fn repair(flow: &FlowEvidence, place: Option<Place>, run: &Evidence) -> String {
    let share = percent(flow.repair_share());
    let lost = place.map_or_else(String::new, |place| {
        let packets = of_its(flow.data_losses.of(place), "packets");
        format!("; {packets} {}", lost_at(place, run, flow))
    });
    format!("{share} of the time with something to send passes with the repair of losses{lost}")
}

/// Its round trips, and where packets wait.
fn waits(flow: &FlowEvidence, run: &Evidence) -> String {
    let (at_ap, at_station) = run.waits_s(flow);
    let ap = if run.is_wimax() { "base station" } else { "AP" };
    let rtt = flow
        .mean_rtt_s
        .map_or_else(String::new, |rtt| format!("a round trip takes {}; ", ms(Some(rtt))));
    let [at_ap, at_station] = [at_ap, at_station].map(|wait| ms(Some(wait)));
    format!(
        "{rtt}packets of all flows wait {at_ap} at the {ap} on average, those of its station {at_station} there"
    )
}

/// Milliseconds.
pub(super) fn ms(seconds: Option<f64>) -> String {
    format!("{} ms", digits(1e3 * seconds.unwrap_or(0.0)))
}

/// Where most of what is missing is lost.
fn mostly(place: Option<Place>, run: &Evidence, flow: &FlowEvidence) -> String {
    place.map_or_else(String::new, |place| format!(", most of them {}", lost_at(place, run, flow)))
}

/// Its round-trip time and that of the others in milliseconds, if both are known.
fn both_rtts(
    flow: &FlowEvidence,
    others: &Others,
    words: impl Fn(String, String) -> String,
) -> String {
    let both = flow.mean_rtt_s.zip(others.rtt_s);
    both.map_or_else(String::new, |(own, of_others)| {
        words(digits(own * 1e3), digits(of_others * 1e3))
    })
}

/// What the flow does most of the time.
fn state(flow: &FlowEvidence) -> String {
    let limits = &flow.limited_by;
    // Its connection may not be established, or wait for a timer since before the measured time.
    if flow.segments_sent == 0.0 && flow.goodput_bps == 0.0 {
        return "it sends no data".to_owned();
    }
    if flow.transport == "udp" {
        return "UDP does not repeat what is lost".to_owned();
    }
    if let Some(rate) = flow.loss_event_rate {
        return format!("TFRC limits its rate, with a loss event rate of {}", percent(rate));
    }
    if limits.timeout >= 0.2 {
        return format!(
            "{} of its time waiting for a retransmission timeout",
            percent(limits.timeout)
        );
    }
    if limits.recovery + limits.timeout >= 0.5 {
        return format!(
            "{} of its time repairing losses",
            percent(limits.recovery + limits.timeout)
        );
    }
    if limits.cwnd > 0.0 {
        return format!("{} of its time limited by its congestion window", percent(limits.cwnd));
    }
    "its congestion window limits it".to_owned()
}

/// What happened to them, and what is known of the place.
fn lost_at(place: Place, run: &Evidence, flow: &FlowEvidence) -> String {
    match place {
        Place::ApQueue => {
            let queue = &run.ap_queue;
            let ap = if run.is_wimax() { "base station" } else { "AP" };
            let acks = queue.mean_acks / queue.mean_packets;
            let holders = if queue.mean_packets == 0.0 {
                format!("which loses {} of its packets", percent(queue.loss_ratio))
            } else if acks >= 0.5 {
                format!("where ACKs of uploads hold {} of the places", percent(acks))
            } else {
                format!("where data of downloads hold {} of the places", percent(1.0 - acks))
            };
            format!("dropped at the {ap}'s queue, {holders}")
        }
        Place::StationQueue => {
            let mean = digits(run.traffic(flow).queue_mean_packets);
            format!("dropped at its station's queue, which holds {mean} packets on average")
        }
        Place::WiredQueue => {
            let link = run.dropping_link().map_or_else(String::new, |link| {
                let busy = percent(link.utilization);
                format!(" from {} to {}, which is busy {busy} of the time", link.from, link.to)
            });
            format!("dropped at the queue of a wired link{link}")
        }
        Place::RetryLimit if run.is_wimax() => {
            "given up with bandwidth requests that got no grant".to_owned()
        }
        Place::RetryLimit => "given up by the MAC at its retry limit".to_owned(),
        Place::Error => "lost to transmission errors, not to congestion".to_owned(),
        Place::Policer => "dropped by the policer of the rate limiter".to_owned(),
    }
}

/// A share with two significant digits, from 10% on without decimals.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", digits(100.0 * share))
}

/// Two significant digits at least; above 10 no decimals.
fn digits(number: f64) -> String {
    if number <= 0.0 || number >= 9.95 {
        return format!("{number:.0}");
    }
    // 0.995 is 1.0, 0.0995 is 0.10.
    let (mut decimals, mut least) = (1, 0.995);
    while number < least {
        (decimals, least) = (decimals + 1, least / 10.0);
    }
    format!("{number:.decimals$}")
}

/// "3 of its ACKs were".
fn of_its(number: f64, packets: &str) -> String {
    let were = if number == 1.0 { "was" } else { "were" };
    format!("{} of its {packets} {were}", count(number))
}

/// A number of packets: whole, or a mean over runs.
fn count(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.1}") }
}

fn times(number: f64) -> String {
    if number == 1.0 { "once".to_owned() } else { format!("{} times", count(number)) }
}
