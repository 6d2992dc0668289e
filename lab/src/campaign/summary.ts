// Means and intervals of the runs of a campaign, as `summarize` in python/evenair/campaign/summary.py.
import { estimateKnown, sum, type Estimate } from "../statistics.ts";
import type { CampaignTable, Value } from "./file.ts";

/** The runs that have the same values of some keys. */
export interface Group {
  values: Record<string, Value>;
  runs: number;
  /** Null if no run has the metric. */
  estimate: Estimate | null;
  /** How many runs have it. */
  known: number;
}

/**
 * Estimates the mean of a metric for each combination of keys, in the order of the table.
 *
 * Rows of a group that have the same seed and the same varied keys are of one run: their mean counts
 * once, and intervals are over runs. Only rows that have the `fixed` values count.
 */
export async function summarize(
  file: CampaignTable,
  keys: string[],
  metric: string,
  fixed: Record<string, Value> = {},
): Promise<Group[]> {
  const columns = await columnsOf(file, [...keys, metric]);
  const filters = Object.entries(await columnsOf(file, Object.keys(fixed)));
  const names = [...file.about.keys, "seed"].filter((name) => has(file, name));
  const runs = Object.values(await columnsOf(file, names));
  const groups = new Map<string, { values: Record<string, Value>; runs: Map<string, Value[]> }>();
  for (let row = 0; row < file.rows; row++) {
    if (filters.some(([name, values]) => values[row] !== fixed[name])) continue;
    const id = JSON.stringify(keys.map((key) => columns[key]![row]));
    let group = groups.get(id);
    if (!group) {
      const values = Object.fromEntries(keys.map((key) => [key, columns[key]![row]!]));
      group = { values, runs: new Map() };
      groups.set(id, group);
    }
    const run = JSON.stringify(runs.map((column) => column[row]));
    const sample = group.runs.get(run) ?? [];
    sample.push(columns[metric]![row]!);
    group.runs.set(run, sample);
  }
  return [...groups.values()].map(({ values, runs: samples }) => {
    const means = [...samples.values()].map(meanKnown);
    return {
      values,
      runs: samples.size,
      estimate: estimateKnown(means),
      known: means.filter((mean) => mean !== null).length,
    };
  });
}

/** The different values of a column, in the order of the table. */
export async function valuesOf(file: CampaignTable, name: string): Promise<Value[]> {
  return [...new Set(await file.column(name))];
}

async function columnsOf(file: CampaignTable, names: string[]): Promise<Record<string, Value[]>> {
  const columns = await Promise.all(names.map((name) => file.column(name)));
  return Object.fromEntries(names.map((name, k) => [name, columns[k]!]));
}

function has(file: CampaignTable, name: string): boolean {
  return file.columns.some((column) => column.name === name);
}

/** The mean over the rows of a run that have a value. */
function meanKnown(values: Value[]): number | null {
  const known = values.filter((value): value is number => typeof value === "number");
  return known.length === 0 ? null : sum(known) / known.length;
}
