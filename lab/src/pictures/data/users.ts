// What the users of applications notice, per flow.
import type { FlowResult } from "../../engine/result.ts";
import { estimateKnown, type Estimate } from "../../statistics.ts";
import { firstRun, sides, type Pair, type View } from "../view.ts";
import { allFlows, flowNames } from "./flows.ts";
import { pairCells, pairColumns, pairText } from "./numbers.ts";
import type { Rows } from "./rows.ts";

export interface Noticed {
  name: string;
  title: string;
  decimals: number;
  /** The end of the axis, should it not be the largest value. */
  most?: number;
  flows: NoticedOfFlow[];
}

interface NoticedOfFlow extends Pair<Estimate> {
  id: string;
  label: string;
}

type Kind = Omit<Noticed, "flows"> & { value: (flow: FlowResult) => number | null | undefined };

const KINDS: Kind[] = [
  { name: "mos", title: "MOS of calls", decimals: 2, most: 5, value: ({ mos }) => mos },
  {
    name: "call_delay_p95_ms",
    title: "One-way delay of calls, 95th percentile (ms)",
    decimals: 1,
    value: ({ mos, one_way_delay_s }) => (mos == null ? null : ms(one_way_delay_s?.p95)),
  },
  {
    name: "frozen_s",
    title: "Time of frozen video (s)",
    decimals: 2,
    value: ({ frozen_s }) => frozen_s,
  },
  {
    name: "frame_delay_p95_s",
    title: "Delay of video frames, 95th percentile (s)",
    decimals: 3,
    value: ({ frame_delay_s }) => frame_delay_s?.p95,
  },
  {
    name: "page_load_s",
    title: "Mean load time of pages (s)",
    decimals: 2,
    value: ({ page_load_s }) => page_load_s?.mean,
  },
  {
    name: "completion_s",
    title: "Mean completion time of transfers (s)",
    decimals: 3,
    value: ({ completion_s }) => completion_s?.mean,
  },
  {
    name: "slowdown",
    title: "Slowdown of transfers (1: alone)",
    decimals: 2,
    value: ({ completion_s }) => completion_s?.slowdown,
  },
  {
    name: "refused",
    title: "Transfers that did not take place",
    decimals: 0,
    value: ({ arrivals }) => (arrivals && arrivals.dropped > 0 ? arrivals.dropped : null),
  },
  {
    name: "stalls_s",
    title: "Time of stalled streams (s)",
    decimals: 2,
    value: ({ stalls_s }) => stalls_s,
  },
  {
    name: "startup_s",
    title: "Time until streams are played (s)",
    decimals: 2,
    value: ({ startup_s }) => startup_s,
  },
  {
    name: "mean_video_rate_mbps",
    title: "Mean rate of video (Mb/s)",
    decimals: 2,
    value: ({ mean_video_rate_bps: bps }) => bps && bps / 1e6,
  },
];

/** The quantities that a flow of A or B has. */
export function noticed(a: View, b: View | null): Noticed[] {
  return KINDS.map(({ value, ...kind }) => {
    const flows = new Map<string, NoticedOfFlow>();
    for (const [side, view] of sides(a, b)) {
      const names = flowNames(firstRun(view)!);
      const runs = view.runs.map(({ result }) => allFlows(result));
      allFlows(firstRun(view)!).forEach(({ id }, k) => {
        const values = runs.map((all) => all[k] && value(all[k]));
        const estimate = estimateKnown(values);
        if (estimate === null) return;
        const known = flows.get(id) ?? { id, label: names.get(id) ?? id, a: null, b: null };
        flows.set(id, { ...known, [side]: estimate });
      });
    }
    return { ...kind, flows: [...flows.values()] };
  }).filter(({ flows }) => flows.length > 0);
}

export function noticedRows({ name, flows }: Noticed): Rows {
  return [
    ["flow", "name", ...pairColumns(name)],
    ...flows.map((flow) => [flow.id, flow.label, ...pairCells(flow)]),
  ];
}

export function noticedText({ title, decimals, flows }: Noticed): string {
  const each = flows.map((flow) => `${flow.label} ${pairText(flow, decimals)}`);
  return `${title}: ${each.join("; ")}.`;
}

function ms(seconds: number | null | undefined): number | null {
  return seconds == null ? null : 1e3 * seconds;
}
