// The scalar metrics of a run, as evenair's Python package has them.
import type { Distribution, FlowResult, RunResult } from "../../engine/result.ts";
import { sum } from "../../statistics.ts";
import { MAIN } from "./labels.ts";

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
    ["mean_mos", meanOf(scores(result))],
    ["worst_mos", scores(result).length > 0 ? Math.min(...scores(result)) : null],
    [
      "mean_frame_delay_s",
      meanOf(videos(result).flatMap((flow) => flow.frame_delay_s?.mean ?? [])),
    ],
    ["mean_frozen_s", meanOf(videos(result).flatMap((flow) => flow.frozen_s ?? []))],
    ["mean_stalls_s", meanOf(flows(result).flatMap(({ stalls_s }) => stalls_s ?? []))],
    [
      "mean_video_rate_bps",
      meanOf(flows(result).flatMap(({ mean_video_rate_bps }) => mean_video_rate_bps ?? [])),
    ],
    ["mean_page_load_s", meanTime(result, "page_load_s")],
    ["mean_completion_s", meanTime(result, "completion_s")],
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
  const main = MAIN.filter((name) => own.has(name) || other.has(name));
  const rest = [...own].filter((name) => other.has(name) && !MAIN.includes(name));
  return [...main, ...rest];
}

function members(prefix: string, block: Record<string, number> | undefined): [string, number][] {
  return Object.entries(block ?? {}).map(([key, value]) => [`${prefix}_${key}`, value]);
}

function distribution(prefix: string, delays: Distribution | null | undefined): [string, number][] {
  return Object.entries(delays ?? {}).map(([key, value]) => [`${prefix}_${key}_s`, value]);
}

/** The mean opinion scores of all calls. */
function scores(result: RunResult): number[] {
  return flows(result).flatMap(({ mos }) => mos ?? []);
}

/** The flows of video calls. */
function videos(result: RunResult): FlowResult[] {
  return flows(result).filter((flow) => flow.frozen_s !== undefined);
}

function flows(result: RunResult): FlowResult[] {
  return [...result.flows, ...(result.wired?.flows ?? [])];
}

function meanGoodput(result: RunResult, direction: "up" | "down"): number | null {
  const flows = result.flows.filter((flow) => flow.direction === direction);
  return meanOf(flows.map((flow) => flow.goodput_bps));
}

/** Of all pages or transfers of all flows. */
function meanTime(result: RunResult, name: "page_load_s" | "completion_s"): number | null {
  const times = flows(result).flatMap((flow) => flow[name] ?? []);
  const count = sum(times.map(({ n }) => n));
  return count > 0 ? sum(times.map(({ n, mean }) => n * mean)) / count : null;
}

function meanOf(values: number[] | undefined): number | null {
  return values && values.length > 0 ? sum(values) / values.length : null;
}
