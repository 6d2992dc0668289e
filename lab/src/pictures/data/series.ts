// What changes over time: of the first seed's run, with a line for each direction and a thin one for each flow.
import type { RunResult, Series } from "../../engine/result.ts";
import { firstRun, type View } from "../view.ts";
import { flowNames, way, WAY_NAMES, WAYS, type Way } from "./flows.ts";
import { short } from "./numbers.ts";
import type { Rows } from "./rows.ts";

export type Values = (number | null)[];

/** Lines over time, all at the same times. */
export interface Track {
  time_s: number[];
  lines: TrackLine[];
  /** Thin lines behind them. */
  flows: FlowTrack[];
}

export interface TrackLine {
  name: string;
  values: Values;
}

export interface FlowTrack {
  name: string;
  way: Way;
  values: Values;
}

export type FlowQuantity = "cwnd" | "rtt_p50_s" | "goodput_bps";

/** A quantity of each flow: its mean over the flows of a direction, and of each. Null without a trace. */
export function flowTrack(view: View, quantity: FlowQuantity, scale: number): Track | null {
  const result = firstRun(view);
  if (!result?.series) return null;
  const { time_s, flows } = result.series;
  const names = flowNames(result);
  const each = result.flows.flatMap((flow): FlowTrack[] => {
    const column = flows?.[flow.id]?.[quantity];
    if (!column) return [];
    const values = column.map((value) => (value === null ? null : value * scale));
    return [{ name: names.get(flow.id) ?? flow.id, way: way(flow), values }];
  });
  if (!each.some(({ values }) => values.some((value) => value !== null))) return null;
  const lines = WAYS.filter((each) => each !== "wired").map((direction) => {
    const own = each.filter((flow) => flow.way === direction).map((flow) => flow.values);
    return { name: WAY_NAMES[direction], values: meanOf(own, time_s.length) };
  });
  return { time_s, lines, flows: each };
}

/** At each time the mean of the values that there are. */
function meanOf(columns: Values[], length: number): Values {
  const sums = new Float64Array(length);
  const counts = new Uint32Array(length);
  for (const column of columns) {
    for (let k = 0; k < length; k++) {
      const value = column[k];
      if (value == null) continue;
      sums[k]! += value;
      counts[k]! += 1;
    }
  }
  return Array.from(sums, (sum, k) => (counts[k]! > 0 ? sum / counts[k]! : null));
}

/** The packets that wait for the downlink: data, and ACKs. Null without a trace. */
export function queueTrack(view: View): Track | null {
  return plainTrack(view, ({ ap_queue_data, ap_queue_acks }) => [
    { name: "data", values: ap_queue_data },
    { name: "ACKs", values: ap_queue_acks },
  ]);
}

function plainTrack(view: View, lines: (series: Series) => TrackLine[]): Track | null {
  const series = firstRun(view)?.series;
  if (!series?.ap_queue_data) return null;
  return { time_s: series.time_s, lines: lines(series), flows: [] };
}

/** The rounds of an adaptive rate limiter in Mb/s. Null without one. */
export function limiterTrack(view: View): Track | null {
  const rounds = firstRun(view)?.series?.limiter;
  if (!rounds || rounds.length === 0) return null;
  const column = (name: "rate_bps" | "capacity_bps" | "up_bps" | "down_bps") =>
    rounds.map((round) => (round[name] === null ? null : round[name] / 1e6));
  return {
    time_s: rounds.map((round) => round.t_s),
    lines: [
      { name: "rate R", values: column("rate_bps") },
      { name: "capacity C", values: column("capacity_bps") },
      { name: "uploads", values: column("up_bps") },
      { name: "downloads", values: column("down_bps") },
    ],
    flows: [],
  };
}

/** The occupancy of each station that a controller observes, and the even share, in percent. */
export function controllerTrack(view: View): Track | null {
  const result = firstRun(view);
  const samples = result?.series?.controller;
  if (!samples || samples.length === 0) return null;
  const flows = result!.stations.map(({ id, name }): FlowTrack => {
    const values = samples.map(({ shares }) =>
      shares[id] === undefined ? null : 100 * shares[id],
    );
    return { name: name ?? id, way: stationWay(result!, id), values };
  });
  const own = (direction: Way) => flows.filter((flow) => flow.way === direction);
  const mean = (direction: Way) =>
    meanOf(
      own(direction).map((flow) => flow.values),
      samples.length,
    );
  return {
    time_s: result!.series!.time_s,
    lines: [
      { name: "stations with uploads, mean", values: mean("up") },
      { name: "stations with downloads, mean", values: mean("down") },
      { name: "even share", values: samples.map(({ p_even }) => 100 * p_even) },
    ],
    flows,
  };
}

function stationWay(result: RunResult, id: string): Way {
  const flow = result.flows.find((each) => each.station === id);
  return flow ? way(flow) : "down";
}

/** `column` is the name of the values, with their unit. */
export function trackRows(column: string, tracks: [side: string, track: Track][]): Rows {
  const columns = ({ lines, flows }: Track) => [...lines, ...flows];
  const rows = tracks.flatMap(([side, track]) =>
    columns(track).flatMap(({ name, values }) =>
      values.map((value, k) => [side, name, track.time_s[k]!, value]),
    ),
  );
  return [["scenario", "line", "time_s", column], ...rows];
}

export function trackText(name: string, tracks: [side: string, track: Track][]): string {
  const each = tracks.flatMap(([side, { lines }]) =>
    lines.flatMap((line) => {
      const known = line.values.filter((value) => value !== null);
      if (known.length === 0) return [];
      const mean = known.reduce((all, value) => all + value, 0) / known.length;
      const most = known.reduce((all, value) => Math.max(all, value), 0);
      return [`${side} ${line.name} mean ${short(mean)}, largest ${short(most)}`];
    }),
  );
  return `${name} over time: ${each.length > 0 ? each.join("; ") : "nothing"}.`;
}
