// Cumulative distributions of delays, and of several together.
import type { DelayCurve } from "../../engine/result.ts";

/** `count[k]` samples are at most `le_s[k]` seconds; rising. */
export type Counts = Pick<DelayCurve, "le_s" | "count">;

/** `share[k]` of the samples are at most `ms[k]`; rising. */
export interface Curve {
  ms: number[];
  share: number[];
}

/** Points of a merged distribution: enough for any screen. */
const MOST_POINTS = 400;

/** The distribution of the samples of all. Points are left out, but those that stay are exact. */
export function merge(all: readonly Counts[]): Counts {
  const [first] = all;
  if (all.length === 1 && first!.le_s.length <= MOST_POINTS) return first!;
  const steps: [le_s: number, samples: number][] = [];
  for (const { le_s, count } of all) {
    le_s.forEach((bound, k) => steps.push([bound, count[k]! - (count[k - 1] ?? 0)]));
  }
  steps.sort(([x], [y]) => x - y);
  const total = steps.reduce((sum, [, samples]) => sum + samples, 0);
  const merged: Counts = { le_s: [], count: [] };
  let passed = 0;
  let drawn = -1;
  steps.forEach(([bound, samples], k) => {
    passed += samples;
    const point = Math.floor((passed / total) * MOST_POINTS);
    const isEdge = k === 0 || k === steps.length - 1;
    if (point === drawn && !isEdge) return;
    drawn = point;
    merged.le_s.push(bound);
    merged.count.push(passed);
  });
  return merged;
}

export function curve({ le_s, count }: Counts): Curve {
  const total = count.at(-1) ?? 0;
  return { ms: le_s.map((bound) => bound * 1e3), share: count.map((each) => each / total) };
}

/** The smallest delay that a share of the samples do not exceed. */
export function quantile({ ms, share }: Curve, wanted: number): number {
  const k = share.findIndex((each) => each >= wanted);
  return ms[k < 0 ? ms.length - 1 : k] ?? Number.NaN;
}
