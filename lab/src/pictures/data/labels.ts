// Words and units of metrics, from the table of the crate evenair-sim; python/evenair/text/labels.py reads the same.
import table from "../../../../crates/evenair-sim/src/results/labels.json";

export interface Label {
  text: string;
  unit: string;
  /** The stored value times this is in `unit`. */
  scale: number;
  /** Decimals of a value in `unit` that has no interval. */
  decimals: number;
}

/** What sends the downlink of a cell. */
export type Sender = "AP" | "BS";

/** The metrics that come first. */
export const MAIN = table.main;

const UNITS: Record<string, number> = table.units;

export function label(text: string, unit = "", decimals = 3): Label {
  return { text, unit, scale: UNITS[unit] ?? 1, decimals };
}

/** A part of the table, by name. */
export function labels(part: "metrics" | "keys" | "station_keys" | "last_parts") {
  const rows = Object.entries(table[part]) as [string, Parameters<typeof label>][];
  return new Map(rows.map(([name, row]) => [name, label(...row)]));
}

const METRICS = labels("metrics");
for (const [delay, text] of Object.entries(table.delays)) {
  for (const [part, words] of Object.entries(table.parts)) {
    METRICS.set(`${delay}_${part}_s`, label(`${text}, ${words}`, "ms", 1));
  }
}

/** Of a metric or of a column of flows. */
export function metric(name: string, sender: Sender): Label {
  return sentBy(METRICS.get(name) ?? otherMetric(name), sender);
}

export function sentBy(label: Label, sender: Sender): Label {
  return { ...label, text: label.text.replace("{sender}", sender) };
}

/** Its words, and the unit that it ends in. */
function otherMetric(name: string): Label {
  const [ending, unit] = Object.entries(table.endings).find(([each]) => name.endsWith(each)) ?? [
    "",
    "",
  ];
  return label(name.slice(0, name.length - ending.length).replaceAll("_", " "), unit);
}

export function withUnit({ text, unit }: Label): string {
  return unit ? `${text} (${unit})` : text;
}
