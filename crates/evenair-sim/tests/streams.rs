//! Streamed video over links of known rates, by hand.

use evenair_sim::{Quality, StreamResult};

use crate::between_hosts::result;

/// What the viewer notices of a stream between hosts, over a link with this rate and 1 ms in each direction. The video has
/// rates of 1 and 4 Mb/s, and chunks of 2 s: f(B) rises from 1 Mb/s at 4 s to 4 Mb/s at 16 s.
fn watched(link: &str, more: &str, times: &str) -> StreamResult {
    let toml = format!(
        r#"
        {times}
        [[wired.link]]
        between = ["server", "viewer"]
        rate = "{link}"
        delay = "1 ms"
        queue = {{ limit = "unlimited" }}
        [[wired.link]]
        between = ["viewer", "ap"]
        [[wired.flow]]
        from = "server"
        to = "viewer"
        start = 0
        application = {{ kind = "stream", rates = ["1 Mbps", "4 Mbps"], chunk = "2 s", buffer = "20 s", reservoir = "4 s", cushion = "12 s", start_at = "2 s"{more} }}
        [[station]]
        flows = [{{ direction = "up", host = "viewer", transport = "udp", rate = "1 kbps" }}]
        "#
    );
    match &result(&toml, &[], 1).wired.flows[0].quality {
        Some(Quality::Stream(stream)) => stream.clone(),
        other => panic!("{other:?}"),
    }
}

/// At 8 Mb/s: SYN and SYN-ACK of 40 bytes and SACK-permitted, 4 bytes, take 1.044 ms each, the request of 350 bytes 1.39 ms. A chunk of 250,000 bytes
/// has 171 segments of 1500 bytes and one of 340 + 40, together 256.88 ms, and 1 ms for the last: ten segments take 15 ms, so
/// the first ACK comes long before the link is idle.
#[test]
fn the_first_chunk_takes_its_time_on_the_link() {
    let stream = watched("8 Mbps", "", "duration = \"1 s\"");
    let by_hand = 0.001_044 + 0.001_044 + 0.001_39 + 0.256_88 + 0.001;
    assert!((stream.startup_s.unwrap() - by_hand).abs() < 1e-9, "{:?}", stream.startup_s);
    assert_eq!((stream.stalls, stream.switches), (0, 0));
}

/// With twice the highest rate the buffer fills up to 20 s, and then a chunk is asked for each 2 s. A chunk of 1,000,000 bytes
/// takes 1.03 s at 8 Mb/s.
#[test]
fn a_fast_link_carries_the_highest_rate() {
    let stream = watched("8 Mbps", "", "duration = \"200 s\"\nwarmup = \"100 s\"");
    assert_eq!(stream.mean_video_rate_bps, Some(4e6));
    assert_eq!((stream.stalls, stream.stalls_s, stream.switches), (0, 0.0, 0));
    assert_eq!(stream.chunks, 100);
}

/// At 0.5 Mb/s a chunk of the lowest rate takes 4.11 s and some milliseconds, of which 2 s are played: each chunk but the
/// first ends a stall. Of 8 chunks, 7 stalls of 2.11 s.
#[test]
fn a_slow_link_stalls() {
    let stream = watched("500 kbps", ", chunks = 8", "duration = \"60 s\"");
    assert_eq!((stream.chunks, stream.stalls, stream.switches), (8, 7, 0));
    let transfer = 256_880.0 * 8.0 / 0.5e6;
    let stalled = 7.0 * (transfer - 2.0);
    // Beside each transfer there is a request of 390 bytes, behind the ACK of the last segment, and two delays of 1 ms.
    let rest = 7.0 * ((0.390 + 0.040) * 8.0 / 0.5e3 + 0.002);
    assert!(
        (stream.stalls_s - stalled - rest).abs() < 1e-6,
        "{} {}",
        stream.stalls_s,
        stalled + rest
    );
}
