// The scalar metrics of a run, as evenair's Python package has them, with words and units.
import type { Distribution, RunResult } from "../../engine/result.ts";
import { sum } from "../../statistics.ts";

export interface Label {
  text: string;
  unit: string;
  /** The stored value times this is in `unit`. */
  scale: number;
  /** Decimals of a value in `unit` that has no interval. */
  decimals: number;
}

/** The metrics that come first. */
const FIRST = [
  "aggregate_goodput_bps",
  "mean_up_goodput_bps",
  "mean_down_goodput_bps",
  "jain_index",
  "jain_airtime",
  "mean_rtt_s",
  "mean_session_s",
  "ap_queue_loss_ratio",
  "ap_queue_mean_packets",
  "ap_queue_mean_delay_s",
  "limiter_mean_rate_bps",
  "limiter_lossy_rounds",
];

/** The metrics of `RunResult.metrics` in Python, and the mean of the flows' `mean_rtt_s`. */
export function metrics(result: RunResult): Map<string, number> {
  const { ap_queue: queue, frame } = result;
  const all: [string, number | null | undefined][] = [
    ["aggregate_goodput_bps", result.aggregate_goodput_bps],
    ["jain_index", result.jain_index],
    ["jain_airtime", result.jain_airtime],
    ["jain_occupancy", result.jain_occupancy],
    ["mean_up_goodput_bps", meanGoodput(result, "up")],
    ["mean_down_goodput_bps", meanGoodput(result, "down")],
    ["ap_queue_loss_ratio", queue?.loss_ratio],
    ["ap_queue_mean_packets", queue?.mean_packets],
    ["ap_queue_mean_data", queue?.mean_data],
    ["ap_queue_mean_acks", queue?.mean_acks],
    ["ap_queue_mean_delay_s", queue?.mean_delay_s],
    ["mean_session_s", meanOf(result.sessions?.map(({ start_s, end_s }) => end_s - start_s))],
    ["dl_utilization", frame?.["dl_utilization"]],
    ["ul_utilization", frame?.["ul_utilization"]],
    ...members("requests", result.requests),
    ...members("limiter", result.limiter),
    ...distribution("rtt", result.rtt_s),
    ...distribution("one_way_delay", result.one_way_delay_s),
    ...distribution("ap_queue_delay", queue?.delay_s),
    ["mean_rtt_s", meanOf(result.flows.flatMap((flow) => flow.mean_rtt_s || []))],
  ];
  return new Map(all.filter((each): each is [string, number] => each[1] != null));
}

/** The names of all metrics that a run in both lists has, the main ones first. */
export function metricNames(a: Map<string, number>[], b: Map<string, number>[]): string[] {
  const names = (samples: Map<string, number>[]) =>
    new Set(samples.flatMap((each) => [...each.keys()]));
  const [own, other] = [names(a), names(b)];
  const main = FIRST.filter((name) => own.has(name) || other.has(name));
  const rest = [...own].filter((name) => other.has(name) && !FIRST.includes(name));
  return [...main, ...rest];
}

export function isMain(name: string): boolean {
  return FIRST.includes(name);
}

function members(prefix: string, block: Record<string, number> | undefined): [string, number][] {
  return Object.entries(block ?? {}).map(([key, value]) => [`${prefix}_${key}`, value]);
}

function distribution(prefix: string, delays: Distribution | null | undefined): [string, number][] {
  return Object.entries(delays ?? {}).map(([key, value]) => [`${prefix}_${key}_s`, value]);
}

function meanGoodput(result: RunResult, direction: "up" | "down"): number | null {
  const flows = result.flows.filter((flow) => flow.direction === direction);
  return meanOf(flows.map((flow) => flow.goodput_bps));
}

function meanOf(values: number[] | undefined): number | null {
  return values && values.length > 0 ? sum(values) / values.length : null;
}

const mbps = (text: string): Label => ({ text, unit: "Mb/s", scale: 1e-6, decimals: 3 });
const ms = (text: string): Label => ({ text, unit: "ms", scale: 1e3, decimals: 1 });
const percent = (text: string, decimals = 1): Label => ({ text, unit: "%", scale: 100, decimals });
const packets = (text: string): Label => ({ text, unit: "packets", scale: 1, decimals: 1 });
const count = (text: string): Label => ({ text, unit: "", scale: 1, decimals: 1 });
const index = (text: string): Label => ({ text, unit: "", scale: 1, decimals: 3 });

const LABELS: Record<string, Label> = {
  aggregate_goodput_bps: mbps("aggregate goodput"),
  mean_up_goodput_bps: mbps("mean upload"),
  mean_down_goodput_bps: mbps("mean download"),
  jain_index: index("Jain's index"),
  jain_airtime: index("Jain's index of airtime"),
  jain_occupancy: index("Jain's index of occupancy"),
  mean_rtt_s: ms("mean RTT of flows"),
  mean_session_s: { text: "mean session", unit: "s", scale: 1, decimals: 4 },
  ap_queue_loss_ratio: percent("{sender} queue loss", 2),
  ap_queue_mean_packets: packets("mean {sender} queue"),
  ap_queue_mean_data: packets("data in the {sender} queue"),
  ap_queue_mean_acks: packets("ACKs in the {sender} queue"),
  ap_queue_mean_delay_s: ms("mean {sender} queue delay"),
  dl_utilization: percent("use of the downlink's symbols"),
  ul_utilization: percent("use of the uplink's symbols"),
  requests_sent: count("bandwidth requests sent"),
  requests_collided: count("bandwidth requests collided"),
  requests_retried: count("bandwidth requests retried"),
  requests_given_up: count("bandwidth requests given up"),
  limiter_mean_rate_bps: mbps("mean rate of the limiter"),
  limiter_packets_dropped: packets("dropped by the limiter"),
  limiter_bytes_dropped: { text: "dropped by the limiter", unit: "KB", scale: 1e-3, decimals: 1 },
  limiter_rounds: count("rounds of the limiter"),
  limiter_lossy_rounds: count("rounds with losses"),
};

const DELAYS: Record<string, string> = {
  rtt: "RTT",
  one_way_delay: "one-way delay",
  ap_queue_delay: "{sender} queue delay",
};
const PARTS: Record<string, string> = { mean: "mean", max: "largest", p50: "median" };

/** The words and the unit of a metric. `sender` is what sends the downlink of the cell. */
export function metricLabel(name: string, sender: "AP" | "BS"): Label {
  const label = LABELS[name] ?? delayLabel(name) ?? count(name.replaceAll("_", " "));
  return { ...label, text: label.text.replace("{sender}", sender) };
}

function delayLabel(name: string): Label | null {
  const found = /^(rtt|one_way_delay|ap_queue_delay)_(mean|max|p\d+)_s$/.exec(name);
  if (!found) return null;
  const [, quantity, part] = found;
  return ms(`${DELAYS[quantity!]}, ${PARTS[part!] ?? `${part!.slice(1)}th percentile`}`);
}
