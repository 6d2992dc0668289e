//! Queue disciplines in a run: a shaper holds packets back in front of the cell and of a link, and
//! marks replace drops where TCP supports ECN.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]

use evenair_sim::scenario::{document_from_toml, resolve, set};
use evenair_sim::{RunOptions, RunResult, run};

fn result(scenario: &str, overrides: &[(&str, &str)]) -> RunResult {
    let mut document = document_from_toml(scenario.as_bytes(), "test").unwrap();
    for (key, value) in overrides {
        set(&mut document, key, value, "test").unwrap();
    }
    run(&resolve(document, "test").unwrap(), 1, &RunOptions::default()).unwrap()
}

/// 960 + 40 bytes at 3 Mb/s, of which a token bucket passes 1 Mb/s: 960 bytes each 8 ms, 0.96 Mb/s, and
/// its burst of two packets once. Wherever the bucket is.
#[test]
fn a_token_bucket_shapes_the_cell_and_a_link() {
    let scenario = r#"
        duration = "40 s"
        [[station]]
        flows = [{ direction = "down", transport = "udp", application = "cbr", rate = "3 Mbps", segment = 960 }]
    "#;
    let bucket = r#"{ kind = "tbf", rate = 1000000, burst = 2000, limit = 20 }"#;
    for queue in ["cell.queue", "wired.queue"] {
        let result = result(scenario, &[(queue, bucket)]);
        let goodput = result.flows[0].goodput_bps;
        // Two packets of 960 bytes in 40 s are 384 bit/s.
        assert!((goodput - 960e3).abs() < 400.0, "{queue}: {goodput}");
    }
}

/// With ECN, CoDel marks what it would drop: nothing is lost, and the sender keeps the delay down as
/// it does with drops.
#[test]
fn codel_marks_instead_of_dropping() {
    let scenario = r#"
        duration = "60 s"
        [cell]
        queue = { kind = "codel", ecn = true, limit = 200 }
        [wired]
        rate = "100 Mbps"
        delay = "20 ms"
        [[station]]
        flows = [{ direction = "down", tcp = "ns2", window = 200 }]
    "#;
    let with = result(scenario, &[("station.0.flows.0.ecn", "true")]);
    let without = result(scenario, &[]);
    assert_eq!((with.ap_queue.drops, with.flows[0].retransmissions), (0, 0));
    assert!(with.ap_queue.marks > 10, "{}", with.ap_queue.marks);
    assert_eq!(without.ap_queue.marks, 0);
    assert!(without.ap_queue.drops_on_departure > 10);
    assert_eq!(without.ap_queue.drops, without.ap_queue.drops_on_departure);
    let [marked, dropped] = [&with, &without].map(|result| result.ap_queue.mean_delay_s);
    // Without CoDel 200 segments would wait some 0.4 s.
    assert!(marked < 0.05 && dropped < 0.05, "{marked} s, {dropped} s");
}
