// The curves of a picture of a campaign: a point for each value of the horizontal axis.
import type { Estimate } from "../statistics.ts";
import type { Axes } from "./axes.ts";
import type { CampaignTable, Value } from "./file.ts";
import * as labels from "./labels.ts";
import { summarize } from "./summary.ts";

export interface Point {
  /** The value on the horizontal axis as it is stored. */
  x: Value;
  /** Scaled to the unit of the axis. */
  estimate: Estimate;
  runs: number;
  /** How many of the runs have the metric. */
  known: number;
  /** The keys that this point has in the scenario. */
  values: Record<string, Value>;
}

export interface Curve {
  /** The value of `by`; empty without it. */
  name: string;
  points: Point[];
}

export interface Curves {
  x: labels.Label;
  y: labels.Label;
  by: labels.Label | null;
  /** The texts on the horizontal axis; null if it has numbers. */
  texts: Value[] | null;
  curves: Curve[];
  /** Points left out, as none of their runs has the metric. */
  missing: number;
}

/** Rejects with an Error of one line. */
export async function curvesOf(file: CampaignTable, axes: Axes): Promise<Curves> {
  const keys = axes.by === null ? [axes.x] : [axes.by, axes.x];
  const groups = await summarize(file, keys, axes.y, axes.fixed);
  const { about } = file;
  const y = labels.metric(axes.y, about);
  const isNumeric = file.columns.find(({ name }) => name === axes.x)!.isNumeric;
  const curves = new Map<Value, Curve>();
  let missing = 0;
  for (const { values, runs, estimate, known } of groups) {
    if (estimate === null) {
      missing += 1;
      continue;
    }
    const by = axes.by === null ? null : values[axes.by]!;
    const curve = curves.get(by) ?? {
      name: axes.by === null ? "" : nameOf(axes.by, by),
      points: [],
    };
    curves.set(by, curve);
    const { mean, ci95 } = estimate;
    curve.points.push({
      x: values[axes.x]!,
      estimate: { mean: mean * y.scale, ci95: ci95 === null ? null : ci95 * y.scale },
      runs,
      known,
      values: keysOnly(file, { ...axes.fixed, ...values }),
    });
  }
  if (isNumeric) {
    for (const { points } of curves.values()) points.sort((a, b) => Number(a.x) - Number(b.x));
  }
  return {
    x: labels.key(axes.x, about),
    y,
    by: axes.by === null ? null : labels.key(axes.by, about),
    texts: isNumeric ? null : [...new Set(groups.map(({ values }) => values[axes.x]!))],
    curves: [...curves.values()],
    missing,
  };
}

function nameOf(by: string, value: Value): string {
  if (by === "direction")
    return value === "up" ? "uploads" : value === "down" ? "downloads" : String(value);
  return labels.valueText(value);
}

function keysOnly(file: CampaignTable, values: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => file.about.keys.includes(key)),
  );
}
