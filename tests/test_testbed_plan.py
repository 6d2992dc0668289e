"""What a test-bed lays out, computes and parses: no root, no namespace."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from evenair import Scenario, load
from evenair._core import parts
from evenair.comparison import Comparison, difference
from evenair.models.applicable import NoModel, evaluate
from evenair.testbed import TestbedError, host, layout, limiter
from evenair.testbed.assembly import jain_index
from evenair.testbed.engine import Commands
from evenair.testbed.linux.namespaces import addresses, control_routes
from evenair.testbed.linux.tcp_info import TcpInfo
from evenair.testbed.sampler import Sampler, Samples
from evenair.testbed.traffic import iperf, receivers
from evenair.testbed.traffic.datagrams import Numbers, payload

if TYPE_CHECKING:
    from evenair_command import Evenair


def plan_of(**keys: object) -> layout.Plan:
    return layout.plan(Scenario(**keys).resolved)


def down(**keys: object) -> dict[str, object]:
    return {"direction": "down", **keys}


def test_flows_have_ids_starts_and_ends_of_the_simulator() -> None:
    plan = layout.plan(load("blefari2007").resolved)
    assert [flow.id for flow in plan.flows[:4]] == ["up-1", "down-1", "up-2", "down-2"]
    # docs/scenario.md: flow k begins at k times 0.1 s.
    assert [flow.start for flow in plan.flows[:4]] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert (plan.flows[2].sender, plan.flows[2].receiver) == ("sta-2", "server")
    assert (plan.flows[3].sender, plan.flows[3].receiver) == ("server", "sta-2")
    assert [flow.port for flow in plan.flows] == list(range(5201, 5213))
    assert [node.name for node in plan.nodes] == [
        *(f"sta-{k}" for k in range(1, 7)),
        "server",
        "gateway",
    ]
    assert plan.mtu == 1500


def test_flows_of_a_single_station_begin_at_once_and_cross_traffic_has_no_station() -> None:
    link = [{"between": ["server", "r"]}, {"between": ["r", "ap"]}, {"between": ["c 1", "r"]}]
    cross = {"from": "c 1", "to": "server", "transport": "udp", "rate": 1e6, "segment": 500}
    plan = plan_of(station=[{"flows": [down(), down()]}], wired={"link": link, "flow": [cross]})
    assert [flow.start for flow in plan.flows] == [0.0, 0.0, 0.0]
    last = plan.flows[-1]
    assert (last.id, last.station, last.sender, last.receiver) == ("wired-1", None, "c 1", "server")
    # A name that is no part of a file name does not become one; a router has no namespace.
    labels = {node.name: node.label for node in plan.nodes}
    assert labels == {"sta-1": "sta-1", "server": "host-1", "c 1": "host-2", "gateway": "gateway"}


def test_addresses_are_distinct_and_in_their_networks() -> None:
    plan = plan_of(station=[{"count": 600, "flows": [down()]}])
    ipv4 = [node.ipv4 for node in plan.nodes]
    assert len({*ipv4}) == len(ipv4) == 602
    assert (ipv4[0], ipv4[249], ipv4[250]) == ("10.77.0.1", "10.77.0.250", "10.77.1.1")
    assert plan.node("server").ipv4 == "10.78.0.1"
    assert (plan.nodes[0].ipv6, plan.nodes[254].ipv6) == ("fd77::1", "fd77::ff")


def test_the_gateway_routes_both_networks_and_others_have_one_way_out() -> None:
    plan = plan_of(station=[{"flows": [down()]}])
    gateway = [" ".join(command) for command in addresses(plan.node("gateway"), plan)]
    assert "-4 route add 10.77.0.0/16 dev ap0" in gateway
    assert "-4 route add 10.78.0.0/16 dev wan0" in gateway
    assert "-6 route add fd77::/16 dev ap0" in gateway
    station = [" ".join(command) for command in addresses(plan.node("sta-1"), plan)]
    assert "-4 route add default dev wlan0" in station
    station = [" ".join(command) for command in addresses(plan.node("sta-1"), plan, 29200)]
    assert "-4 route add default dev wlan0 window 29200" in station


def test_only_control_connections_of_iperf3_pass_by_the_cell() -> None:
    plan = plan_of(station=[{"flows": [down(), down(application="web")]}])
    bulk, web = plan.flows
    rules = [command for command in control_routes(plan.nodes[0]) if command[0] == "rule"]

    def table(source: int, destination: int) -> str:
        """Evaluate the rules in the order of their priority (ip-rule(8))."""
        for rule in sorted(rules, key=lambda rule: int(rule[rule.index("priority") + 1])):
            port = {"sport": source, "dport": destination}[rule[6]]
            low, high = map(int, rule[7].split("-"))
            if low <= port <= high:
                return rule[-1]
        return "main"

    for client, server, expected in (
        (45678, bulk.port, "200"),
        (iperf.client_port(bulk), bulk.port, "main"),
        (45678, web.port, "main"),
    ):
        assert table(client, server) == expected
        assert table(server, client) == expected


def test_small_packets_have_no_ipv6() -> None:
    plan = plan_of(station=[{"flows": [down(segment=400)]}])
    assert plan.mtu == 576  # RFC 791
    assert not any("-6" in command for command in addresses(plan.nodes[0], plan))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"station": [{"flows": [down(transport="tfrc")]}]}, "station.0.flows.0.transport: got"),
        ({"station": [{"flows": [down(header=60)]}]}, "station.0.flows.0.header: got 60"),
        (
            {"station": [{"flows": [down(transport={"kind": "udp", "ecn": "ect1"}, rate=1e6)]}]},
            "station.0.flows.0.transport.ecn: got 'ect1'; accepted: with a test-bed, none",
        ),
        (
            {
                "station": [
                    {
                        "flows": [
                            down(
                                transport="udp",
                                rate=1e6,
                                application={"kind": "video-call", "adaptation": "gcc-loss"},
                            )
                        ]
                    }
                ]
            },
            "station.0.flows.0.application.adaptation: got 'gcc-loss'; accepted",
        ),
        (
            {"station": [{"flows": [down(header=52), down(header=40)]}]},
            "station.0.flows.1.header: got 40; accepted: with a test-bed, that of the other flows",
        ),
        ({"station": [{"flows": [down(ecn=True), down()]}]}, "station.0.flows.1.ecn: got false;"),
        ({"station": [{"count": 1001, "flows": [down()]}]}, "got 1001 flows"),
        (
            {
                "station": [{"flows": [down(host="gateway")]}],
                "wired": {"link": [{"between": ["gateway", "ap"]}]},
            },
            "station.0.flows.0.host: got 'gateway'",
        ),
    ],
)
def test_what_a_test_bed_does_not_have_is_refused(keys: dict[str, object], message: str) -> None:
    scenario = Scenario(**{"station": [{"flows": [down()]}], **keys})
    with pytest.raises(TestbedError, match=message) as caught:
        layout.plan(scenario.resolved)
    assert "\n" not in str(caught.value)


def test_a_congestion_control_that_the_kernel_lacks_is_named() -> None:
    names = ("newreno", "westwood-plus", "bbr1", "vegas", "biad")
    flows = [down(transport=name) for name in names]
    reno, westwood, bbr, vegas, biad = plan_of(station=[{"flows": flows}]).flows
    available = ("reno", "cubic", "westwood", "bbr")
    assert layout.kernel_control(reno, available) == "reno"
    assert layout.kernel_control(westwood, available) == "westwood"
    assert layout.kernel_control(bbr, available) == "bbr"
    for flow in (vegas, biad):
        with pytest.raises(TestbedError, match="this kernel has bbr, cubic, reno, westwood"):
            layout.kernel_control(flow, available)


def test_groups_of_flows_have_controls_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "available_controls", lambda: ("bbr", "cubic", "reno"))
    flows = [down(group="a"), down(group="b"), down(transport="cubic")]
    plan = plan_of(station=[{"flows": [*flows, down(transport="udp", rate=1e6)]}])
    assert host.controls(plan) == {0: "reno", 1: "reno", 2: "cubic"}
    assert host.controls(plan, "bbr") == {0: "bbr", 1: "bbr", 2: "bbr"}
    assert host.controls(plan, {"b": "bbr"}) == {0: "reno", 1: "bbr", 2: "cubic"}
    with pytest.raises(TestbedError, match="got group 'c'; groups of TCP flows: a, b"):
        host.controls(plan, {"c": "bbr"})
    for wrong in ("vegas", "", {"a": "vegas"}):
        with pytest.raises(TestbedError, match="this kernel has bbr, cubic, reno"):
            host.controls(plan, wrong)


@pytest.mark.parametrize("values", [["bbr", "reno"], ["a=bbr", "a=reno"], ["bbr", "a=reno"]])
def test_two_controls_of_one_flow_are_refused(evenair_here: Evenair, values: list[str]) -> None:
    options = [text for value in values for text in ("--congestion", value)]
    done = evenair_here("testbed", "gong2006", *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "one NAME, or one GROUP=NAME per group" in done.stderr


def test_both_directions_are_two_flows() -> None:
    both = down(direction="both", name="data")
    plan = plan_of(station=[{"count": 2, "flows": [both]}, {"flows": [down()]}])
    ends = [(flow.id, flow.name, flow.up, flow.start) for flow in plan.flows]
    assert ends == [
        ("up-1", "data-up-1", True, 0.0),
        ("down-1", "data-down-1", False, pytest.approx(0.1)),
        ("up-2", "data-up-2", True, pytest.approx(0.2)),
        ("down-2", "data-down-2", False, pytest.approx(0.3)),
        ("down-3", None, False, pytest.approx(0.4)),
    ]


def test_every_application_has_a_program() -> None:
    """iperf3 makes saturated and constant flows, the test-bed's own programs all others."""
    names = {part["name"] for part in json.loads(parts()) if part["kind"] == "application"}
    udp = {"cbr", "poisson", "on-off", "voip", "video-call", "trace", "ping"}
    rated = {"cbr", "poisson", "on-off", "video-call"}
    for name in names:
        application = {"kind": name, "packets": [[0, 200]]} if name == "trace" else name
        flow = down(application=application, transport="udp" if name in udp else "cubic")
        (planned,) = plan_of(
            station=[{"flows": [{**flow, **({"rate": "1 Mbps"} if name in rated else {})}]}]
        ).flows
        assert planned.is_of_iperf == (name in {"bulk", "cbr"})
        assert planned.is_session == (name not in udp | {"bulk"})


@pytest.mark.parametrize("size", [0, 1, 4, 200])
def test_datagrams_have_numbers(size: int) -> None:
    """In a byte there is room for a number modulo 256; one without a byte is the next one."""
    sent = [0, 1, 2, 3] if size == 0 else [0, 1, 4, 200, 300, 301, 556]
    numbers = Numbers()
    assert [len(payload(number, size)) for number in sent] == [size] * len(sent)
    assert [numbers.read(payload(number, size)) for number in sent] == sent


def test_commands_of_iperf3() -> None:
    flows = [
        down(segment=1000, stop="7 s"),
        down(start="2 s"),
        down(transport="udp", rate="1 Mbps", segment=1000, header=40),
    ]
    plan = plan_of(station=[{"flows": flows}], duration="20 s")
    small, late, udp = plan.flows
    command = iperf.client_command(small, "10.77.0.1", "reno", plan.mtu, 20.0)
    assert command[command.index("--set-mss") + 1] == "1000"
    assert command[command.index("--time") + 1] == "7"
    assert command[command.index("--congestion") + 1] == "reno"
    command = iperf.client_command(late, "10.77.0.1", "cubic", plan.mtu, 20.0)
    assert "--set-mss" not in command
    assert int(command[command.index("--time") + 1]) > 18
    command = iperf.client_command(udp, "10.77.0.1", None, plan.mtu, 20.0)
    # Packets of 1040 bytes, as in the scenario: IPv4 and UDP have 28, so the payload has 1012.
    assert command[command.index("--length") + 1] == "1012"
    assert command[command.index("--bitrate") + 1] == "1012000"


def test_packets_have_a_dscp_of_their_access_category() -> None:
    """IEEE 802.11-2020, table 10-1, by the user priority in the top three bits of the DSCP."""
    categories = ("be", "bk", "bk", "be", "vi", "vi", "vo", "vo")
    flows = [down(), *(down(access_category=name) for name in ("be", "bk", "vi", "vo"))]
    plan = plan_of(cell={"phy": "802.11ac"}, station=[{"flows": flows}])
    none, *each = plan.flows
    assert none.traffic_class == 0
    assert [categories[flow.traffic_class >> 5] for flow in each] == ["be", "bk", "vi", "vo"]
    for flow in plan.flows:
        command = iperf.client_command(flow, "10.77.0.1", "reno", plan.mtu, 20.0)
        assert ("--tos" in command) == (flow.traffic_class > 0)
        if flow.traffic_class:
            assert command[command.index("--tos") + 1] == str(flow.traffic_class)
        # No bit of ECN (RFC 3168).
        assert flow.traffic_class & 3 == 0


def test_the_receive_buffer_of_a_window() -> None:
    # tcp_win_from_space() of Linux 6.18: an 8-bit ratio of payload to truesize. A packet of 1500
    # bytes from a TUN device has a truesize of 2304 bytes.
    def payload(buffer: int) -> int:
        return buffer * (1460 * 256 // 2304) >> 8

    windows = [down(window=20), down(window=44), down()]
    narrow, wide, default = plan_of(station=[{"flows": windows}]).flows
    for flow, segments in ((narrow, 20), (wide, 44)):
        # One segment is not yet read when its ACK is sent.
        size = iperf.receive_buffer(flow)
        assert payload(size) >= (segments + 1) * 1460 > payload(size - 2)
        assert iperf.window_bytes(flow) == segments * 1460
    assert [iperf.has_default_window(flow) for flow in (narrow, wide, default)] == [0, 0, 1]


def test_an_a_mpdu_may_wait_to_be_read_where_the_window_is_large() -> None:
    narrow, default = plan_of(station=[{"flows": [down(window=44), down()]}]).flows
    # The Block Ack window of 802.11ax has 256 MPDUs (IEEE 802.11ax-2021 26.4), here of 1460 bytes.
    assert receivers.low_water_mark(default, 6 << 20) >= 256 * 1460
    # A buffer that begins with 128 KiB (tcp_rmem), of which 64 KiB are window.
    assert receivers.low_water_mark(default, 128 << 10) == 8 << 10
    # 1 is the kernel's default (socket(7)): what waits is missing in a window of 44 segments.
    assert receivers.low_water_mark(narrow, 6 << 20) == 1


def test_windows_that_iperf3_cannot_give_are_refused() -> None:
    small = [down(segment=500, window=window) for window in (10, 20)]
    iperf.check_windows(plan_of(station=[{"flows": [down(), small[0], small[0]]}]))
    iperf.check_windows(plan_of(station=[{"flows": [down(), flow]} for flow in small]))
    with pytest.raises(TestbedError, match=r"^station\.0\.flows\.2\.window: got 20; accepted: "):
        iperf.check_windows(plan_of(station=[{"flows": [down(), *small]}]))


def test_reports_of_iperf3() -> None:
    assert iperf.parse('{"start": {}, "error": "unable to connect"}') == {
        "error": "unable to connect"
    }
    total = {"lost_packets": 3, "packets": 100, "jitter_ms": 2.5}
    report = iperf.parse(json.dumps({"end": {"sum": total}}))
    assert report == {"lost_packets": 3, "datagrams": 100, "jitter_s": pytest.approx(0.0025)}
    assert "error" in iperf.parse("iperf3: killed")


def info(acked: int, rtt_s: float = 0.1, unacked: int = 0) -> TcpInfo:
    return TcpInfo(1460, unacked, rtt_s, 10, 1, acked, 0, acked // 1460, 0.0, 2)


def test_samples_count_from_the_end_of_the_warm_up() -> None:
    samples = Samples()
    samples.add(info(1000, 0.5, 9), 0.3, measured=False)
    samples.before = samples.last
    samples.add(info(4000, 0.2, 3), 1.0, measured=True)
    samples.add(info(5000, 0.2, 4), 1.1, measured=True)  # retransmitted: no new round-trip time
    assert samples.grown("bytes_acked") == 4000
    assert samples.grown("timeouts") == 0
    assert samples.rtts_s == [0.2]
    assert (samples.most_unacked, samples.began_s) == (4, 0.3)
    assert Samples().grown("bytes_acked") == 0


def test_the_measured_time_is_that_between_its_samples() -> None:
    sampler = Sampler([], {})
    for time_s, measured in ((4.9, False), (5.03, False)):
        sampler.sample(time_s, measured=measured)
    sampler.end_warmup()
    sampler.sample(9.0, measured=True)
    sampler.sample(15.25, measured=True)
    assert sampler.measured_s == pytest.approx(10.22)


RECORD = {
    "time": "2026-01-01T00:00:10.500Z",
    "rate_bps": 4_000_000,
    "capacity_bps": None,
    "up_bps": 1,
    "down_bps": 2,
    "lost": True,
    "udp_rate_bps": None,
    "up_udp_bps": 0,
    "down_udp_bps": 0,
    "dropped_packets": 5,
    "dropped_bytes": 7000,
}


def test_the_limiter_of_a_result_follows_from_the_records(tmp_path: Path) -> None:
    lines = [
        RECORD,
        RECORD | {"time": "2026-01-01T00:00:12.500+00:00", "rate_bps": 2_000_000, "lost": None},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    limiter.records_file(tmp_path).write_text(text + '\n{"time": "20')
    began = 1767225600.0 + 8.5  # 2026-01-01T00:00:08.5Z
    records = limiter.read_records(tmp_path, began)
    assert [record["run_s"] for record in records] == pytest.approx([2.0, 4.0])
    adaptive = {"kind": "adaptive", "max_rate": 6_000_000}
    summary = limiter.summarize(records, adaptive, warmup=1.0, end=5.0)
    # 6 Mb/s for one second, 4 for two, 2 for one.
    assert summary["mean_rate_bps"] == pytest.approx((6 + 2 * 4 + 2) * 1e6 / 4)
    assert (summary["rounds"], summary["lossy_rounds"]) == (2, 1)
    assert (summary["packets_dropped"], summary["bytes_dropped"]) == (10, 14000)
    assert [sample["t_s"] for sample in limiter.samples(records, 1.0, 3.5)] == pytest.approx([1.0])


def test_the_configuration_of_the_daemon(tmp_path: Path) -> None:
    import tomllib

    signal = {"kind": "polled", "refresh": 3.0, "delay": 0.02}
    table = {"kind": "adaptive", "interval": 4.0, "max_rate": 6_000_000, "loss_signal": signal}
    path = limiter.write_configuration(table, "10.79.0.1", tmp_path)
    document = tomllib.loads(path.read_text())
    assert document["interface"] == "ap0"
    assert document["limiter"] == {"kind": "adaptive", "interval": 4.0, "max_rate": 6_000_000}
    assert document["loss_signal"]["refresh"] == 3.0
    assert Path(document["loss_signal"]["community_file"]).stat().st_mode & 0o077 == 0
    fixed = {"kind": "fixed", "rate": 2_000_000}
    assert "loss_signal" not in tomllib.loads(
        limiter.write_configuration(fixed, "10.79.0.1", tmp_path).read_text()
    )


def test_commands_are_read_without_waiting() -> None:
    read, write = os.pipe()
    commands = Commands(read)
    assert commands.next() is None
    os.write(write, b'{"command": "start"}\n{"comm')
    assert commands.next() == '{"command": "start"}'
    assert commands.next() is None
    os.write(write, b'and": "stop"}\n')
    assert commands.next() == '{"command": "stop"}'
    os.close(write)
    assert commands.next() == '{"command": "stop"}'  # the end of the file: the owner is gone
    os.close(read)


def test_jains_index() -> None:
    assert jain_index([1.0, 3.0]) == pytest.approx(0.8)  # 16 / (2 * 10)
    assert jain_index([0.0, 0.0]) == 0.0


def test_differences_have_welchs_interval() -> None:
    # By hand: means 2 and 5, variances of the means 1/3 and 3, so the standard error is
    # sqrt(10/3); (10/3)^2 / ((1/3)^2/2 + 3^2/2) = 2.44 degrees of freedom, rounded down to 2, for
    # which the table of Student's t has 4.303.
    found = difference([1.0, 2.0, 3.0], [2.0, 5.0, 8.0])
    assert found.value == pytest.approx(3.0)
    assert found.relative == pytest.approx(1.5)
    assert found.ci95 == pytest.approx(4.303 * math.sqrt(10 / 3), rel=1e-3)
    assert difference([1.0], [2.0, 3.0]).ci95 is None
    assert difference([0.0], [1.0]).relative is None


def test_a_comparison_says_what_each_engine_has() -> None:
    samples = {
        "sim": {"jain_index": [0.5, 0.7], "ap_queue_loss_ratio": [0.1, 0.1]},
        "testbed": {"jain_index": [0.6, 0.6]},
    }
    document = Comparison({}, samples).document
    assert document["reference"] == "sim"
    assert document["engines"]["testbed"]["jain_index"]["difference"]["value"] == pytest.approx(0)
    assert "ap_queue_loss_ratio" not in document["engines"]["testbed"]
    assert "difference" not in document["engines"]["sim"]["jain_index"]


def test_the_model_of_a_scenario_is_that_of_evenair_model(evenair_here: Evenair) -> None:
    flow = {"direction": "up", "transport": "udp", "rate": "11 Mbps", "segment": 1000, "header": 40}
    scenario = Scenario(station=[{"count": 5, "flows": [flow]}])
    said = evenair_here(
        "model", "bianchi", "nodes=5", "payload=1040", "rts=false", "mac_overhead=36",
        "control_rate=basic", "--json",
    )  # fmt: skip
    throughput = json.loads(said.stdout)["throughput_bps"]
    goodput = evaluate(scenario.resolved)["aggregate_goodput_bps"]
    assert goodput == pytest.approx(throughput * 1000 / 1040, rel=1e-6)
    with pytest.raises(NoModel):
        evaluate(load("gong2006").resolved)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engines", "sim,ns2"), "'sim,ns2'"),
        (("--engines", "sim,sim"), "'sim,sim'"),
        (("--engines", "sim,model"), "the models are of"),
        (("--engines", "sim", "--duration", "soon"), "soon"),
    ],
)
def test_compare_refuses_bad_input(
    evenair_here: Evenair, arguments: tuple[str, ...], message: str
) -> None:
    done = evenair_here("compare", "gong2006", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_compare_prints_a_table_and_a_document(evenair_here: Evenair, tmp_path: Path) -> None:
    arguments = ("compare", "gong2006", "--engines", "sim", "--runs", "2", "--duration", "2")
    table = evenair_here(*arguments, "--plot", "x.svg")
    assert (table.returncode, table.stderr) == (0, "")
    assert "Jain's index" in table.stdout
    assert (tmp_path / "x.svg").stat().st_size > 1000
    document = json.loads(evenair_here(*arguments, "--json").stdout)
    runs = json.loads(
        evenair_here("run", "gong2006", "--runs", "2", "--set", "duration=2", "--json").stdout
    )
    summary = runs["summary"]["aggregate_goodput_bps"]
    found = document["engines"]["sim"]["aggregate_goodput_bps"]
    assert found["mean"] == pytest.approx(summary["mean"])
    assert found["ci95"] == pytest.approx(summary["ci95"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--max-lateness", "0"), "above 0"),
        (("--max-lateness", "2 parsecs"), "2 parsecs"),
        (("--runs", "2", "--pcap", "x.pcapng"), "--pcap"),
        (("--runs", "2", "--keep"), "--keep"),
        (("--duration", "-1 s"), "duration"),
        (("--set", "station.0.flows.0.transport=tfrc"), "station.0.flows.0.transport"),
    ],
)
def test_testbed_refuses_bad_input(
    evenair_here: Evenair, arguments: tuple[str, ...], message: str
) -> None:
    done = evenair_here("testbed", "gong2006", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
