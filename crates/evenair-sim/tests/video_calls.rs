//! Video calls: frames where the path determines their delay.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve};
use evenair_sim::{FlowResult, Quality, RunOptions, RunResult, VideoResult, run};

fn result(toml: &str) -> RunResult {
    let document = document_from_toml(toml.as_bytes(), "test.toml").unwrap();
    let scenario = resolve(document, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &RunOptions::default()).unwrap()
}

/// A call between hosts over a link of 10 Mb/s and 10 ms: 25 frames per second of 7300 bytes, which are five packets
/// of 1500 bytes and take 1.2 ms each.
fn call(queue: &str, application: &str) -> (RunResult, VideoResult) {
    let text = format!(
        r#"
        duration = "9 s"
        warmup = "1 s"
        [wired]
        link = [
            {{ between = ["a", "ap"], rate = "10 Mbps", delay = "10 ms", queue = {{ limit = {queue} }} }},
            {{ between = ["b", "ap"], rate = "unlimited", delay = 0 }},
        ]
        flow = [{{ from = "a", to = "b", transport = "udp", rate = "1.46 Mbps", application = {{
            kind = "video-call", frame_rate = 25, key_size = 1{application} }} }}]
        [[station]]
        flows = [{{ direction = "up", host = "b" }}]
        "#
    );
    let result = result(&text);
    let Some(Quality::Video(video)) = result.wired.flows[0].quality.clone() else { panic!() };
    (result, video)
}

/// By hand: the last packet of a frame arrives 5 * 1.2 + 10 ms after the frame was made.
#[test]
fn a_frame_takes_the_time_of_its_packets() {
    let (result, video) = call("50", "");
    let delay = video.frame_delay_s.unwrap();
    assert!((delay.mean - 0.016).abs() < 1e-9 && (delay.max - 0.016).abs() < 1e-9, "{delay:?}");
    assert_eq!((video.frames_lost_ratio, video.frames_undecodable_ratio), (Some(0.0), Some(0.0)));
    assert_eq!((video.freezes, video.frozen_s), (0, 0.0));
    assert_eq!(result.wired.flows[0].goodput_bps, 1.46e6);
    assert_eq!(result.wired.flows[0].segments_sent, 9 * 25 * 5);
}

/// By hand: spread over half of 40 ms, the fifth packet leaves 4/5 of 20 ms after the first, and waits for none.
#[test]
fn paced_packets_take_longer() {
    let (_, video) = call("50", ", pacing = 0.5");
    let delay = video.frame_delay_s.unwrap();
    assert!((delay.mean - (0.016 + 0.0012 + 0.010)).abs() < 1e-9, "{delay:?}");
}

/// By hand: a queue of three has no room for the last two packets of a frame, so that none is ever shown.
#[test]
fn frames_that_a_queue_cuts_are_lost() {
    let (_, video) = call("3", "");
    assert_eq!((video.frame_delay_s, video.frames_lost_ratio), (None, Some(1.0)));
    assert_eq!((video.freezes, video.frozen_s), (1, 9.0));
    // At 3 ms each, all of them fit.
    let (_, video) = call("3", ", pacing = 0.375");
    assert_eq!((video.frames_lost_ratio, video.frozen_s), (Some(0.0), 0.0));
}

/// In an idle cell nothing is lost, and goodput is the rate: of both directions, with key frames and variation. In ten
/// seconds of 300 frames that vary by 20 % it is within 3.3 * 0.2 / sqrt(300) = 4 %, and the last frame's packets.
#[test]
fn a_call_over_wifi_has_its_rate() {
    let variation = "{ distribution = \"lognormal\", mean = 1, sigma = 0.2 }";
    let application = format!("{{ kind = \"video-call\", variation = {variation} }}");
    let flow = format!("transport = \"udp\", rate = \"2 Mbps\", application = {application}");
    let text = format!(
        "duration = \"10 s\"\ncell = {{ phy = \"802.11g\" }}\n[[station]]\n\
         flows = [{{ direction = \"up\", {flow} }}, {{ direction = \"down\", {flow} }}]\n"
    );
    let result = result(&text);
    for flow in &result.flows {
        let Some(Quality::Video(video)) = &flow.quality else { panic!() };
        assert!((flow.goodput_bps / 2e6 - 1.0).abs() < 0.05, "{}", flow.goodput_bps);
        assert_eq!((video.frames_lost_ratio, video.freezes), (Some(0.0), 0));
        let delay = video.frame_delay_s.unwrap();
        assert!(delay.p50 > flow.one_way_delay_s.unwrap().p5 && delay.max < 0.1, "{delay:?}");
    }
}

/// A call between hosts over this link for 4 s or more: 25 frames per second, each referring to none.
fn adapted(link: &str, rate: &str, duration: &str, application: &str) -> (FlowResult, VideoResult) {
    let text = format!(
        r#"
        duration = "{duration}"
        [wired]
        link = [
            {{ between = ["a", "ap"], rate = "{link}", delay = "10 ms", queue = {{ limit = 20 }} }},
            {{ between = ["b", "ap"], rate = "unlimited", delay = 0 }},
        ]
        flow = [{{ from = "a", to = "b", start = 0, transport = "udp", rate = "{rate}", application = {{
            kind = "video-call", frame_rate = 25, key_size = 1, resume = "any-frame"{application} }} }}]
        [[station]]
        flows = [{{ direction = "up", host = "b", start = "3.9 s", application = {{ kind = "file", size = 1 }} }}]
        "#
    );
    let mut result = result(&text);
    let flow = result.wired.flows.remove(0);
    let Some(Quality::Video(video)) = flow.quality.clone() else { panic!() };
    (flow, video)
}

/// By hand: the first packet arrives at 11.2 ms, and a second later a report of 72 bytes leaves, which takes 10.06 ms. The
/// frame of 1.04 s is ready then, so that those from 1.08 s on have 1.05 times the rate, and so on each second: 27, 25, 25
/// and 23 frames. With a bound of 1.1 Mb/s the last 48 frames have that.
#[test]
fn the_rate_rises_with_each_report_of_no_losses() {
    let mean = |more: &str| {
        let application = format!(", adaptation = \"gcc-loss\"{more}");
        adapted("10 Mbps", "1 Mbps", "4 s", &application).1.mean_video_rate_bps.unwrap()
    };
    let free = (27.0 + 25.0 * 1.05 + 25.0 * 1.1025 + 23.0 * 1.157_625) / 100.0 * 1e6;
    assert!((mean("") - free).abs() < 1.0, "{}", mean(""));
    let bound = (27.0 + 25.0 * 1.05 + 48.0 * 1.1) / 100.0 * 1e6;
    assert!((mean(", max_rate = \"1.1 Mbps\"") - bound).abs() < 1.0);
    assert_eq!(adapted("10 Mbps", "1 Mbps", "4 s", "").1.mean_video_rate_bps, None);
}

/// A link of 1 Mb/s carries 1460 / 1500 of it. A call that keeps 1.4 Mb/s loses more than a quarter of its packets, and has
/// few whole frames. One that adapts holds its rate between a loss of 2 % and one of 10 %, so that it has more frames, and
/// freezes for less time.
#[test]
fn an_overloaded_link_lowers_the_rate() {
    let [fixed, adaptive] = ["", ", adaptation = \"gcc-loss\""]
        .map(|application| adapted("1 Mbps", "1.4 Mbps", "60 s", application));
    let lost = |flow: &FlowResult| flow.data_losses.wired_queue as f64 / flow.segments_sent as f64;
    assert!(lost(&fixed.0) > 0.25, "{}", lost(&fixed.0));
    assert!(lost(&adaptive.0) < 0.12, "{}", lost(&adaptive.0));
    let rate = adaptive.1.mean_video_rate_bps.unwrap();
    assert!((0.9e6..1.12e6).contains(&rate), "{rate}");
    let [before, after] = [&fixed.1, &adaptive.1].map(|video| video.frames_lost_ratio.unwrap());
    assert!(after < 0.7 * before, "{before}, {after}");
    assert!(adaptive.1.frozen_s < fixed.1.frozen_s, "{} {}", fixed.1.frozen_s, adaptive.1.frozen_s);
}

/// Reports cross the cell as packets: where none comes back, the rate stays.
#[test]
fn without_reports_the_rate_stays() {
    let call = |direction: &str| {
        let toml = format!(
            r#"
            duration = "10 s"
            [[station]]
            flows = [{{ direction = "up", transport = "udp", rate = "500 kbps", start = 0,
                application = {{ kind = "video-call", adaptation = "gcc-loss" }} }}]
            error = {{ kind = "independent", rate = 0.999999, level = "ip", direction = "{direction}" }}
            "#
        );
        let Some(Quality::Video(video)) = result(&toml).flows[0].quality.clone() else { panic!() };
        video.mean_video_rate_bps
    };
    assert_eq!((call("down"), call("up")), (Some(500e3), None));
}
