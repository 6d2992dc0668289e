// Cumulative distributions of delays. The samples of all seeds are pooled.
import type { DelayCurve, RunResult } from "../../engine/result.ts";
import { downlinkSender, firstRun, sides, type Side, type View } from "../view.ts";
import { curve, merge, quantile, type Counts, type Curve } from "./distribution.ts";
import { flowNames, way, WAY_NAMES, WAYS, type Way } from "./flows.ts";
import { short } from "./numbers.ts";
import type { Rows } from "./rows.ts";

export type Quantity = "rtt" | "one_way_delay" | "ap_queue_delay" | "session";

export const QUANTITIES: readonly Quantity[] = [
  "rtt",
  "one_way_delay",
  "ap_queue_delay",
  "session",
];

export function quantityName(quantity: Quantity, view: View): string {
  switch (quantity) {
    case "rtt":
      return "Round-trip time";
    case "one_way_delay":
      return "One-way delay";
    case "ap_queue_delay":
      return `Waiting time in the ${downlinkSender(view)}'s queue`;
    case "session":
      return "Session time";
  }
}

export interface DelayLine extends Curve {
  side: Side;
  /** Of which flows; null of the access point's queue. */
  way: Way | null;
}

/** The curve of one flow. */
export interface FlowCurve extends DelayLine {
  name: string;
}

export interface Delays {
  quantity: Quantity;
  /** For each scenario, one of the flows of each direction, or one. */
  lines: DelayLine[];
  /** Of each flow, if only one scenario with few flows is shown. */
  flows: FlowCurve[];
}

/** Of more flows only those of a direction together have a curve. */
const MOST_FLOWS = 20;

export function delays(quantity: Quantity, a: View, b: View | null): Delays {
  const lines: DelayLine[] = [];
  const flows: FlowCurve[] = [];
  const both = sides(a, b);
  for (const [side, view] of both) {
    const runs = view.runs.map(({ result }) => groups(quantity, result));
    for (const way of [null, ...WAYS]) {
      const merged = runs.flatMap((run) => run.get(way)?.merged ?? []);
      if (merged.length > 0) lines.push({ side, way, ...curve(merge(merged)) });
    }
    if (both.length === 1) flows.push(...flowCurves(view, runs));
  }
  return { quantity, lines, flows };
}

/** The samples of a run's flows of one direction, together and of each flow. */
interface Group {
  merged: Counts;
  flows: DelayCurve[];
}

type Groups = Map<Way | null, Group>;

/** A run is in many pictures until all seeds are there. */
const known = new WeakMap<RunResult, Map<Quantity, Groups>>();

function groups(quantity: Quantity, result: RunResult): Groups {
  const all = known.get(result) ?? new Map<Quantity, Groups>();
  known.set(result, all);
  const found = all.get(quantity) ?? makeGroups(quantity, result);
  all.set(quantity, found);
  return found;
}

function makeGroups(quantity: Quantity, result: RunResult): Groups {
  const ways = new Map(result.flows.map((flow) => [flow.id, way(flow)]));
  const flows = new Map<Way | null, DelayCurve[]>();
  for (const each of curves(quantity, result)) {
    const own = ways.get(each.flow ?? "") ?? null;
    flows.set(own, [...(flows.get(own) ?? []), each]);
  }
  return new Map([...flows].map(([own, all]) => [own, { merged: merge(all), flows: all }]));
}

function curves(quantity: Quantity, result: RunResult): DelayCurve[] {
  if (quantity === "session") return sessionCurves(result);
  return (result.delays ?? []).filter((each) => each.quantity === quantity);
}

/** The session times of each flow with finite transfers, in the form of a result's distributions. */
function sessionCurves(result: RunResult): DelayCurve[] {
  const times = new Map<string, number[]>();
  for (const { flow, start_s, end_s } of result.sessions ?? []) {
    const own = times.get(flow);
    if (own) own.push(end_s - start_s);
    else times.set(flow, [end_s - start_s]);
  }
  return [...times].map(([flow, all]) => {
    const le_s = all.sort((x, y) => x - y);
    return { flow, quantity: "one_way_delay", le_s, count: le_s.map((_, k) => k + 1) };
  });
}

/** A curve for each of a few flows of a scenario, where a direction has several. */
function flowCurves(view: View, runs: Groups[]): FlowCurve[] {
  const names = flowNames(firstRun(view)!);
  const ids = new Set(
    runs.flatMap((run) => [...run.values()].flatMap(({ flows }) => flows.map(({ flow }) => flow))),
  );
  if (ids.size > MOST_FLOWS) return [];
  return WAYS.flatMap((way) => {
    const all = runs.flatMap((run) => run.get(way)?.flows ?? []);
    const own = [...new Set(all.map(({ flow }) => flow!))];
    if (own.length < 2) return [];
    return own.map((id) => {
      const ofFlow = merge(all.filter(({ flow }) => flow === id));
      return { side: "a" as const, way, name: names.get(id) ?? id, ...curve(ofFlow) };
    });
  });
}

export function delayRows({ quantity, lines, flows }: Delays): Rows {
  const rows = (name: string, { side, way, ms, share }: DelayLine) =>
    ms.map((value, k) => [side.toUpperCase(), name, way ?? "", value, share[k]!]);
  return [
    ["scenario", "flow", "way", `${quantity}_le_ms`, "share"],
    ...lines.flatMap((line) => rows("all", line)),
    ...flows.flatMap((flow) => rows(flow.name, flow)),
  ];
}

export function delayText(name: string, { lines }: Delays): string {
  if (lines.length === 0) return `${name}: no samples.`;
  const each = lines.map((line) => {
    const [median, p95] = [quantile(line, 0.5), quantile(line, 0.95)].map(short);
    const what = line.way ? ` ${WAY_NAMES[line.way]}` : "";
    return `${line.side.toUpperCase()}${what} median ${median}, 95th percentile ${p95}`;
  });
  return `Cumulative distribution, ${name.toLowerCase()} in ms: ${each.join("; ")}.`;
}
