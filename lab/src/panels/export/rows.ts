// Tables of results, with the columns of evenair's Parquet files (docs/results.md, "Tables and files").
import type { RunAnswer } from "../../engine/result.ts";
import type { Rows } from "../../pictures/index.ts";

/** The members of a distribution of delays. */
const PERCENTILES = ["mean", "p5", "p25", "p50", "p75", "p95", "p99", "max"];
const DELAYS = ["rtt_s", "one_way_delay_s", "delay_s", "queue_delay_s", "grant_delay_s"];

/** A row for each flow of each run. */
export function flowRows(runs: RunAnswer[]): Rows {
  return table(runs, ({ result }) => result.flows);
}

/** A row for each station of each run. */
export function stationRows(runs: RunAnswer[]): Rows {
  return table(runs, ({ result }) => result.stations);
}

/** The seed is the first column; the others are in the order of their first appearance. */
function table(runs: RunAnswer[], records: (run: RunAnswer) => object[]): Rows {
  const all = runs.flatMap((run) =>
    records(run).map((record) => ({ seed: run.result.seed, ...flat(record) })),
  ) as Record<string, unknown>[];
  const columns = [...new Set(all.flatMap((row) => Object.keys(row)))];
  return [columns, ...all.map((row) => columns.map((column) => plain(row[column])))];
}

/** Members of members are columns of their own: `rtt_p95_s`, `limited_by_cwnd`. */
function flat(record: object): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(record)) {
    const nothing = Object.fromEntries(PERCENTILES.map((percentile) => [percentile, null]));
    const value: unknown = member === null && DELAYS.includes(name) ? nothing : member;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const [stem, unit] = name.endsWith("_s") ? [name.slice(0, -2), "_s"] : [name, ""];
      for (const [key, item] of Object.entries(value)) row[`${stem}_${key}${unit}`] = item;
    } else {
      row[name] = value;
    }
  }
  return row;
}

function plain(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}
