// Jain's fairness index of goodput, airtime and, with beacons, occupancy.
import type { RunResult } from "../../engine/result.ts";
import type { Estimate } from "../../statistics.ts";
import { mean, pair, type Pair, type View } from "../view.ts";
import { comparedFlows } from "./flows.ts";
import { pairCells, pairColumns, pairText } from "./numbers.ts";
import type { Rows } from "./rows.ts";

export interface Index extends Pair<Estimate> {
  label: string;
}

const INDICES: [label: string, value: (result: RunResult) => number | undefined][] = [
  ["goodput", (result) => result.jain_index],
  ["airtime", (result) => result.jain_airtime],
  ["occupancy", (result) => result.jain_occupancy],
];

export function fairness(a: View, b: View | null): Index[] {
  const all = INDICES.map(([label, value]) => ({
    label,
    ...pair(a, b, (view) => mean(view, value)),
  }));
  return all.filter(({ a, b }) => a !== null || b !== null);
}

/** The flows that the index compares: "10 bulk flows"; of two scenarios for each if they differ. */
export function compared(a: View, b: View | null): string {
  const [own, other] = [comparedIn(a), b && comparedIn(b)];
  return other === null || other === own ? own : `A ${own}, B ${other}`;
}

function comparedIn(view: View): string {
  const result = view.runs[0]?.result;
  if (!result) return "";
  const n = comparedFlows(result).length;
  return `${n} ${result.jain_over === "bulk" ? "bulk flow" : "flow"}${n === 1 ? "" : "s"}`;
}

export function fairnessRows(indices: Index[]): Rows {
  return [
    ["jain_index_of", ...pairColumns("jain_index")],
    ...indices.map((index) => [index.label, ...pairCells(index)]),
  ];
}

export function fairnessText(indices: Index[]): string {
  const each = indices.map((index) => `of ${index.label} ${pairText(index, 3)}`);
  return `Jain's fairness index, 1 if all are equal: ${each.join("; ")}.`;
}
