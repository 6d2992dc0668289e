// Goodput per flow, and the fair share: the mean goodput of the flows that Jain's index compares.
import type { RunResult } from "../../engine/result.ts";
import { estimateKnown, sum, type Estimate } from "../../statistics.ts";
import { firstRun, mean, pair, sides, type Pair, type View } from "../view.ts";
import { allFlows, comparedFlows, flowNames, way, WAY_NAMES, WAYS, type Way } from "./flows.ts";
import { pairCells, pairColumns, pairText, short } from "./numbers.ts";
import type { Rows } from "./rows.ts";

export interface FlowGoodput extends Pair<Estimate> {
  id: string;
  name: string;
  way: Way;
}

/** In Mb/s. */
export interface Goodput {
  /** In the order of A's result; of two scenarios uploads, downloads and wired flows, each by its order. */
  flows: FlowGoodput[];
  fairShare: Pair<Estimate>;
}

export function goodput(a: View, b: View | null): Goodput {
  const flows = new Map<string, FlowGoodput>();
  for (const [side, view] of sides(a, b)) {
    const names = flowNames(firstRun(view)!);
    const runs = view.runs.map(({ result }) => allFlows(result));
    allFlows(firstRun(view)!).forEach((flow, k) => {
      const bps = estimateKnown(runs.map((all) => all[k]?.goodput_bps));
      const known = flows.get(flow.id);
      const entry = known ?? {
        id: flow.id,
        name: names.get(flow.id) ?? flow.id,
        way: way(flow),
        a: null,
        b: null,
      };
      entry[side] = bps && {
        mean: bps.mean / 1e6,
        ci95: bps.ci95 === null ? null : bps.ci95 / 1e6,
      };
      flows.set(flow.id, entry);
    });
  }
  const all = [...flows.values()];
  if (b !== null) all.sort((x, y) => WAYS.indexOf(x.way) - WAYS.indexOf(y.way));
  return { flows: all, fairShare: pair(a, b, (view) => mean(view, fairShare)) };
}

function fairShare(result: RunResult): number | null {
  const compared = comparedFlows(result);
  if (compared.length === 0) return null;
  return sum(compared.map((flow) => flow.goodput_bps)) / compared.length / 1e6;
}

export function goodputRows({ flows, fairShare }: Goodput): Rows {
  return [
    ["flow", "name", "way", ...pairColumns("goodput_mbps")],
    ...flows.map((flow) => [flow.id, flow.name, flow.way, ...pairCells(flow)]),
    ["fair share", "", "", ...pairCells(fairShare)],
  ];
}

export function goodputText({ flows, fairShare }: Goodput): string {
  const parts = [`Goodput in Mb/s of ${flows.length} flows. Fair share ${pairText(fairShare, 3)}.`];
  for (const [side, label] of [
    ["a", "A"],
    ["b", "B"],
  ] as const) {
    const known = flows.filter((flow) => flow[side] !== null);
    if (known.length === 0) continue;
    const of = (flow: FlowGoodput) => flow[side]!.mean;
    const means = WAYS.flatMap((each) => {
      const own = known.filter((flow) => flow.way === each).map(of);
      return own.length > 0 ? [`${WAY_NAMES[each]} ${short(sum(own) / own.length)}`] : [];
    });
    const sorted = known.toSorted((x, y) => of(x) - of(y));
    const [least, most] = [sorted[0]!, sorted.at(-1)!];
    const extremes = `least ${least.name} ${short(of(least))}, most ${most.name} ${short(of(most))}`;
    parts.push(`${label}: means of ${means.join(", ")}; ${extremes}.`);
  }
  return parts.join(" ");
}
