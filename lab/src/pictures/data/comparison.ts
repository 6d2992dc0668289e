// A against B, metric by metric, paired by seed as `evenair run A --against B` does.
import {
  estimate,
  isClear,
  pairedDifference,
  type Difference,
  type Estimate,
} from "../../statistics.ts";
import { downlinkSender, type View } from "../view.ts";
import { MAIN, metric as labelOf, type Label } from "./labels.ts";
import { metricNames, metrics } from "./metrics.ts";
import type { Rows } from "./rows.ts";

export interface Comparison {
  metric: string;
  label: Label;
  isMain: boolean;
  a: Estimate | null;
  b: Estimate | null;
  /** B less A, over the seeds that both have. */
  difference: Difference | null;
  /** Whether its interval excludes 0; null without an interval. */
  isClear: boolean | null;
}

export function comparison(a: View, b: View): Comparison[] {
  const [own, other] = [bySeed(a), bySeed(b)];
  const sample = (runs: Map<number, Map<string, number>>, name: string) =>
    estimate([...runs.values()].flatMap((run) => run.get(name) ?? []));
  return metricNames([...own.values()], [...other.values()]).map((metric) => {
    const pairs = [...own].flatMap(([seed, run]): [number, number][] => {
      const [first, second] = [run.get(metric), other.get(seed)?.get(metric)];
      return first === undefined || second === undefined ? [] : [[first, second]];
    });
    const difference = pairedDifference(pairs);
    return {
      metric,
      label: labelOf(metric, downlinkSender(a)),
      isMain: MAIN.includes(metric),
      a: sample(own, metric),
      b: sample(other, metric),
      difference,
      isClear: difference && isClear(difference),
    };
  });
}

function bySeed(view: View): Map<number, Map<string, number>> {
  return new Map(view.runs.map(({ result }) => [result.seed, metrics(result)]));
}

/** In the units of results. */
export function comparisonRows(all: Comparison[]): Rows {
  return [
    ["metric", "a_mean", "a_ci95", "b_mean", "b_ci95", "difference", "difference_ci95", "relative"],
    ...all.map(({ metric, a, b, difference }) => [
      metric,
      a?.mean ?? null,
      a?.ci95 ?? null,
      b?.mean ?? null,
      b?.ci95 ?? null,
      difference?.value ?? null,
      difference?.ci95 ?? null,
      difference?.relative ?? null,
    ]),
  ];
}
