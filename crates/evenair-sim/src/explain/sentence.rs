//! The words of a diagnosis.

use super::cause::{Cause, Others, Place};
use super::evidence::{Evidence, FlowEvidence};

/// The sentence, from what holds the flow back to why.
pub(super) fn text(
    flow: &FlowEvidence,
    cause: Cause,
    place: Option<Place>,
    others: &Others,
    run: &Evidence,
) -> String {
    let traffic = run.traffic(flow);
    match (cause, place) {
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
            run.window(flow).map_or_else(String::new, |window| {
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
            let at = place.map_or_else(String::new, |place| {
                format!(", most of them {}", lost_at(place, run, flow))
            });
            format!("{lost} of its datagrams do not arrive{at}")
        }
        (Cause::Cwnd, _) | (_, None) => {
            format!("{}, without a loss in the measured time", state(flow))
        }
    }
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
fn percent(share: f64) -> String {
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
