//! TCP small queues: what senders leave in the queues of their hosts.

use evenair_sim::FlowResult;

use crate::overridden::result;

/// One upload of a station of 802.11n.
const UPLOAD: &str = r#"
    duration = "10 s"
    warmup = "2 s"
    [cell]
    phy = "802.11n"
    [wired]
    delay = "5 ms"
    [[station]]
    [[station.flows]]
    direction = "up"
    transport = "cubic"
"#;

/// Without limit the queue of 1,000 packets fills: some 200 ms. With Linux's the sender has at most what twice its rate (slow start) sends in
/// 2^-7 s, and cwnd ends at twice what is outstanding: 4 / 128 s of its goodput in memory, of which 1,460 of 2,176 bytes are payload. That
/// is 21 ms, besides 10 ms of wire and a few PPDUs of up to 5.5 ms. Goodput remains.
#[test]
fn an_upload_of_linux_does_not_fill_its_own_queue() {
    let [unlimited, limited, linux] =
        [&[][..], &[("station.0.flows.0.tsq", "7")], &[("station.0.stack", "linux")]]
            .map(|overrides| result(UPLOAD, overrides, 1).flows.remove(0));
    let rtt = |flow: &FlowResult| flow.rtt_s.as_ref().unwrap().p50;
    assert!(rtt(&unlimited) > 0.15, "{unlimited:?}");
    assert!(rtt(&limited) < 0.010 + 0.021 + 2.0 * 0.0055, "{limited:?}");
    assert!(rtt(&linux) <= rtt(&limited), "{linux:?}");
    for flow in [limited, linux] {
        assert!(flow.limited_by.unwrap().small_queue > 0.9, "{flow:?}");
        assert!(flow.goodput_bps > 0.99 * unlimited.goodput_bps, "{flow:?}");
    }
}

/// At a host with a link of 20 Mb/s: at most 4 x 2.5 MB/s in 2^-10 s are 9.8 KB, which six packets of 2,176 bytes exceed. They take 3.6 ms on
/// the link, and a round trip takes 40 ms besides the cell. Without limit 1,000 packets take 600 ms.
#[test]
fn a_host_with_a_slow_link_keeps_its_queue_short() {
    let link = [
        ("station.0.flows.0.direction", "down"),
        ("wired.rate", "20 Mbps"),
        ("wired.delay", "20 ms"),
    ];
    let tsq = [&link[..], &[("station.0.flows.0.tsq", "10")]].concat();
    let [unlimited, limited] =
        [&link[..], &tsq].map(|overrides| result(UPLOAD, overrides, 1).flows.remove(0));
    let p95 = |flow: &FlowResult| flow.rtt_s.as_ref().unwrap().p95;
    assert!(p95(&unlimited) > 0.2, "{unlimited:?}");
    assert!(p95(&limited) < 0.040 + 0.0036 + 0.005, "{limited:?}");
    assert!(limited.limited_by.unwrap().small_queue > 0.9, "{limited:?}");
    let payload_rate = 20e6 * 1460.0 / 1500.0;
    assert!((limited.goodput_bps / payload_rate - 1.0).abs() < 0.01, "{limited:?}");
}

/// A limit that is never reached, 4 MiB beside queues of 1,000 packets, changes no packet: that departures are reported disturbs
/// nothing.
#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let error = "{ kind = 'gilbert-elliott', rate = 0.1, bad_state = '1 ms', level = 'mac' }";
    let fifth = [("station.0.count", "5"), ("duration", "3 s")];
    for cell in [
        &[("cell.phy", "802.11b")][..],
        &[("cell.phy", "802.11n"), ("station.0.error", error)],
        &[("cell.phy", "802.11ac"), ("cell.access_point", "linux")],
        &[
            ("cell", "{ kind = 'wimax' }"),
            ("station.0.error", "{ kind = 'independent', rate = 0.02 }"),
        ],
    ] {
        let plain = [&fifth[..], cell].concat();
        let counted = [&plain[..], &[("station.0.flows.0.tsq", "0")]].concat();
        let [plain, counted] = [&plain, &counted].map(|all| result(UPLOAD, all, 3));
        assert_eq!(plain.fingerprint, counted.fingerprint, "{cell:?}");
        assert_eq!(counted.flows[0].limited_by.unwrap().small_queue, 0.0);
    }
}

/// Transfers of random cells end, although packets are given up, dropped by the queue of the station, and discarded: what a sender
/// waits for always departs.
#[test]
fn transfers_end_in_random_cells() {
    let cells = [
        ("cell.phy", "802.11g"),
        ("cell.phy", "802.11n"),
        ("cell.phy", "802.11ax"),
        ("cell", "{ kind = 'wimax' }"),
    ];
    let queues = [
        "{ kind = 'droptail', limit = 3 }",
        "{ kind = 'fq-codel', limit = 20 }",
        "codel",
        "pie",
        "dualpi2",
    ];
    for seed in 0..96_usize {
        let shift = [0, 4, 7, 10, 31][seed % 5].to_string();
        let error = format!(
            "{{ kind = 'gilbert-elliott', rate = {}, bad_state = '2 ms', level = '{}' }}",
            0.05 * (seed % 4) as f64 + 0.01,
            ["mac", "ip"][seed / 3 % 2]
        );
        let overrides = [
            cells[seed % 4],
            ("station.0.count", ["1", "3"][seed / 2 % 2]),
            ("station.0.queue", queues[seed / 4 % 4]),
            ("station.0.error", &error),
            ("station.0.flows.0.tsq", &shift),
            ("station.0.flows.0.application", "{ kind = 'file', size = 300000 }"),
            ("station.0.flows.0.transport", ["cubic", "newreno", "vegas"][seed % 3]),
            ("duration", "300 s"),
            ("warmup", "0 s"),
        ];
        let run = result(UPLOAD, &overrides, seed as u64);
        for flow in &run.flows {
            assert_eq!(flow.sessions, Some(1), "{overrides:?} {flow:?}");
        }
    }
}
