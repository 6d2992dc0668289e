// What a picture shows: the results of a scenario.
import type { RunAnswer, RunResult } from "../engine/result.ts";
import { estimateKnown, type Estimate } from "../statistics.ts";

export interface View {
  /** "A", or words: "A: droptail". */
  label: string;
  toml: string;
  /** One for each seed, in order. */
  runs: RunAnswer[];
  /** How many there will be. */
  wanted: number;
  /** Whether the scenario has changed since, and its results are not there yet. */
  isStale: boolean;
}

/** Which of two scenarios: the one in the editor, or the one that is compared with it. */
export type Side = "a" | "b";

/** A value of each scenario; null where it has none. */
export interface Pair<T> {
  a: T | null;
  b: T | null;
}

/** The scenarios that have results. */
export function sides(a: View, b: View | null): [Side, View][] {
  const both: [Side, View | null][] = [
    ["a", a],
    ["b", b],
  ];
  return both.filter((each): each is [Side, View] => each[1] !== null && each[1].runs.length > 0);
}

export function pair<T>(a: View, b: View | null, value: (view: View) => T | null): Pair<T> {
  const of = (view: View | null) => (view !== null && view.runs.length > 0 ? value(view) : null);
  return { a: of(a), b: of(b) };
}

/** The first run, of which pictures over time are. */
export function firstRun(view: View): RunResult | undefined {
  return view.runs[0]?.result;
}

/** The mean over the seeds of a number of each run; null if no run has it. */
export function mean(
  view: View,
  value: (result: RunResult) => number | null | undefined,
): Estimate | null {
  return estimateKnown(view.runs.map(({ result }) => value(result)));
}

/** What sends the downlink of the cell: "AP", or "BS" in a WiMAX cell. */
export function downlinkSender(view: View): "AP" | "BS" {
  const cell = firstRun(view)?.scenario["cell"] as { kind?: string } | undefined;
  return cell?.kind === "wimax" ? "BS" : "AP";
}

/** "1 seed", "mean of 10 seeds, 95% intervals", "3 of 10 seeds so far"; of two scenarios for each if they differ. */
export function progress(a: View, b: View | null = null): string {
  const [own, other] = [seedsOf(a), b && seedsOf(b)];
  return other === null || other === own ? own : `A ${own}, B ${other}`;
}

/** "10 seeds together"; of two scenarios for each if they differ. */
export function pooled(a: View, b: View | null): string {
  const of = ({ runs: { length } }: View) => (length === 1 ? "1 seed" : `${length} seeds together`);
  const [own, other] = [of(a), b && of(b)];
  return other === null || other === own ? own : `A ${own}, B ${other}`;
}

function seedsOf({ runs, wanted }: View): string {
  const n = runs.length;
  if (n < wanted) return `${n} of ${wanted} seeds so far`;
  return n === 1 ? "1 seed" : `mean of ${n} seeds, 95% intervals`;
}
