// Which columns a picture of a campaign shows: a metric over a key, a line for each value of another
// key, and the others fixed.
import type { CampaignTable, Value } from "./file.ts";
import { valuesOf } from "./summary.ts";

export interface Axes {
  /** The column on the horizontal axis. */
  x: string;
  /** The metric. */
  y: string;
  /** A line for each of its values. */
  by: string | null;
  /** One value of each other varied key: runs that differ in a key are never averaged. */
  fixed: Record<string, Value>;
}

/** Metrics that say most, if the file has them. */
const FIRST = ["jain_index", "aggregate_goodput_bps", "goodput_bps", "value"];

/** Columns of flows that are names of something. */
const NAMES = ["direction", "group", "name", "application", "transport", "station", "id"];

/** The columns that can be `x` and `by`: the varied keys, and those that name flows. */
export function keysOf(file: CampaignTable): string[] {
  const columns = file.columns.map(({ name }) => name);
  return [...file.about.keys, ...NAMES].filter((name) => columns.includes(name));
}

export function metricsOf(file: CampaignTable): string[] {
  const keys = keysOf(file);
  return file.columns
    .filter(({ name, isNumeric }) => isNumeric && name !== "seed" && !keys.includes(name))
    .map(({ name }) => name);
}

/** The axes that a file is opened with: the numeric key with most values over the main metric. */
export async function defaultAxes(file: CampaignTable): Promise<Axes> {
  const varied = await variedKeys(file);
  // Of a sweep that has just begun, no key has several values yet.
  const keys = varied.size > 0 ? [...varied.keys()] : keysOf(file);
  const isNumeric = (name: string) => file.columns.find((each) => each.name === name)!.isNumeric;
  const rank = (name: string) => (isNumeric(name) ? 1e9 : 0) + (varied.get(name)?.length ?? 1);
  const x = keys.toSorted((a, b) => rank(b) - rank(a))[0];
  const y = FIRST.find((name) => metricsOf(file).includes(name)) ?? metricsOf(file)[0];
  if (x === undefined || y === undefined) {
    throw new Error(`${file.name}: no campaign of evenair: it needs a varied key and a metric`);
  }
  const by = keys.find((name) => name !== x) ?? keysOf(file).find((name) => name !== x) ?? null;
  return withFixed(file, { x, y, by, fixed: {} });
}

/** Fixes the varied keys that are neither `x` nor `by`, and frees the others. */
export async function withFixed(file: CampaignTable, axes: Axes): Promise<Axes> {
  const varied = await variedKeys(file);
  const others = [...varied].filter(([name]) => name !== axes.x && name !== axes.by);
  const fixed = Object.fromEntries(
    others.map(([name, values]) => {
      const chosen = axes.fixed[name];
      return [name, chosen !== undefined && values.includes(chosen) ? chosen : values[0]!];
    }),
  );
  return { ...axes, fixed };
}

/** Whether a table has what the axes of another one show. */
export function fits(axes: Axes, of: CampaignTable, table: CampaignTable): boolean {
  const has = (name: string | null) =>
    name === null || table.columns.some((column) => column.name === name);
  return String(of.about.keys) === String(table.about.keys) && [axes.x, axes.y, axes.by].every(has);
}

/** The varied keys that have several values, with these. */
async function variedKeys(file: CampaignTable): Promise<Map<string, Value[]>> {
  const columns = file.columns.map(({ name }) => name);
  const keys = file.about.keys.filter((name) => columns.includes(name));
  const values = await Promise.all(keys.map((name) => valuesOf(file, name)));
  return new Map(
    keys.map((name, k) => [name, values[k]!] as const).filter(([, v]) => v.length > 1),
  );
}
