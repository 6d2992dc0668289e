// Estimates as text and as cells of a table.
import { fixed, withInterval, type Estimate } from "../../statistics.ts";
import type { Pair } from "../view.ts";
import type { Cell } from "./rows.ts";

/** The columns of a quantity: mean and half-width of the interval, of A and of B. */
export function pairColumns(name: string): string[] {
  return [`a_${name}`, `a_ci95_${name}`, `b_${name}`, `b_ci95_${name}`];
}

export function pairCells({ a, b }: Pair<Estimate>): Cell[] {
  return [a?.mean ?? null, a?.ci95 ?? null, b?.mean ?? null, b?.ci95 ?? null];
}

/** "0.83 ± 0.02", of two scenarios "A 0.83 ± 0.02, B 0.51 ± 0.03". */
export function pairText({ a, b }: Pair<Estimate>, decimals: number): string {
  const text = (value: Estimate | null) => (value ? withInterval(value, decimals) : "none");
  if (b === null) return text(a);
  return `A ${text(a)}, B ${text(b)}`;
}

/** With three significant digits, for legends and readouts: "0.512", "18.2", "1250". */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const decimals = Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(size))));
  return fixed(value, decimals);
}

/** An interval beyond the axis is cut there: intervals of few seeds would leave bars a small part of it. */
const LONGEST_INTERVAL = 1.5;

/** What an axis has room for: the largest upper end of intervals, at most half more than the largest mean. */
export function axisEnd(pairs: readonly Pair<Estimate>[]): number {
  const known = pairs.flatMap(({ a, b }) => [a, b]).filter((each) => each !== null);
  const ends = known.map(({ mean, ci95 }) => mean + (ci95 ?? 0));
  const means = known.map(({ mean }) => mean);
  return Math.min(Math.max(0, ...ends), LONGEST_INTERVAL * Math.max(0, ...means));
}
