// What the drawing of a cell shows of each station: a row, or one for a group of equal stations if there are many.
import type { FlowResult, RunResult } from "../engine/result.ts";
import { comparedFlows, flowNames, way } from "../pictures/data/flows.ts";
import { short } from "../pictures/data/numbers.ts";
import { mean, type View } from "../pictures/view.ts";

export interface Node {
  /** "sta-1", or of a group "station.0". */
  id: string;
  name: string;
  /** How many stations it stands for. */
  count: number;
  /** The flows, by direction. */
  up: FlowResult[];
  down: FlowResult[];
  /** Goodput of each direction, of one station: bit/s, the mean over the seeds. */
  upBps: number;
  downBps: number;
  /** What its users get, in words. */
  value: string;
  /** It has less than half of what flows have on average (docs/results.md, "Why flows starve"). */
  isStarved: boolean;
}

/** More rows would be too low to read. */
const MOST_ROWS = 12;

export function nodesOf(view: View): Node[] {
  const result = view.runs[0]?.result;
  if (!result) return [];
  const names = flowNames(result);
  const nameOf = ({ id, name }: { id: string; name: string | null }) => {
    const own = result.flows.filter(({ station }) => station === id);
    return name ?? (own.length === 1 ? names.get(own[0]!.id)! : id);
  };
  const all = result.stations.map((station) => ({
    id: station.id,
    name: nameOf(station),
    ids: [station.id],
  }));
  const rows = all.length <= MOST_ROWS ? all : groups(result);
  const starved = new Set(
    view.runs[0]!.why.filter(({ fault }) => fault === "starves").map(({ flow }) => flow),
  );
  return rows.slice(0, MOST_ROWS).map((row) => nodeOf(view, result, row, starved));
}

/** The stations of each `[[station]]`, under one name. */
function groups(result: RunResult): { id: string; name: string; ids: string[] }[] {
  const blocks = result.scenario["station"] as { count: number; name?: string }[];
  let next = 0;
  return blocks.map(({ count, name }, k) => {
    const ids = result.stations.slice(next, (next += count)).map(({ id }) => id);
    return { id: `station.${k}`, name: name ?? `${ids[0]} …`, ids };
  });
}

function nodeOf(
  view: View,
  result: RunResult,
  { id, name, ids }: { id: string; name: string; ids: string[] },
  starved: Set<string>,
): Node {
  const own = result.flows.filter(({ station }) => station !== undefined && ids.includes(station));
  const of = (direction: "up" | "down") => own.filter((flow) => way(flow) === direction);
  const bps = (flows: FlowResult[]) =>
    flows.reduce((sum, { id }) => sum + (goodputOf(view, id) ?? 0), 0) / ids.length;
  const [up, down] = [of("up"), of("down")];
  const [upBps, downBps] = [bps(up), bps(down)];
  return {
    id,
    name: ids.length > 1 ? `${ids.length} × ${name}` : name,
    count: ids.length,
    up,
    down,
    upBps,
    downBps,
    value: valueOf(view, own, upBps, downBps),
    isStarved: own.length > 0 && own.every((flow) => starved.has(flow.id)),
  };
}

function goodputOf(view: View, id: string): number | null {
  return mean(view, ({ flows }) => flows.find((flow) => flow.id === id)?.goodput_bps)?.mean ?? null;
}

/** The MOS of calls, the time of pages, otherwise Mb/s. */
function valueOf(view: View, own: FlowResult[], upBps: number, downBps: number): string {
  const of = (value: (flow: FlowResult) => number | null | undefined) => {
    const known = own.flatMap(({ id }) => {
      const one = mean(view, ({ flows }) => {
        const flow = flows.find((each) => each.id === id);
        return flow && value(flow);
      });
      return one ? [one.mean] : [];
    });
    return known.length > 0 && known.length === own.length
      ? known.reduce((sum, each) => sum + each, 0) / known.length
      : null;
  };
  const mos = of((flow) => flow.mos);
  if (mos !== null) return `MOS ${mos.toFixed(1)}`;
  const page = of((flow) => flow.page_load_s?.mean);
  if (page !== null) return `${short(page)} s a page`;
  return `${short((upBps + downBps) / 1e6)} Mb/s`;
}

/** The mean goodput of the flows that Jain's index compares, bit/s; of all flows if it compares none. */
export function fairShare(result: RunResult): number {
  const compared = comparedFlows(result);
  const flows = compared.length > 0 ? compared : result.flows;
  return flows.reduce((sum, flow) => sum + flow.goodput_bps, 0) / Math.max(flows.length, 1);
}
