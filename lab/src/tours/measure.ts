// What a measure is in the results of a run: a path, or a quotient of two. `measure` of
// docs/_ext/tours.py is the same.
import type { RunAnswer } from "../engine/result.ts";
import { metric } from "../pictures/data/labels.ts";

/** The mean over some runs; null if one of them does not have it. */
export function meanOf(runs: RunAnswer[], expression: string): number | null {
  const values = runs.map(({ result }) => measure(result, expression));
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.length < values.length) return null;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/**
 * `flows.down-1.goodput_bps`: an entry of a list has an id or a name. `flows.up.goodput_bps` is the
 * mean of the uploads. Null if the result has no such number.
 */
export function measure(result: object, expression: string): number | null {
  const [numerator, denominator] = expression.split(" / ");
  const value = lookUp(result, numerator!.split("."));
  if (denominator === undefined || value === null) return value;
  const divisor = lookUp(result, denominator.split("."));
  return divisor === null ? null : value / divisor;
}

function lookUp(value: unknown, path: string[]): number | null {
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === "number" ? value : null;
  if (!Array.isArray(value)) {
    const isTable = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isTable ? lookUp((value as Record<string, unknown>)[name], rest) : null;
  }
  const entry = value.find(({ id, name: own }) => id === name || own === name);
  if (entry) return lookUp(entry, rest);
  const values = value
    .filter(({ direction }) => direction === name)
    .map((each) => lookUp(each, rest));
  const known = values.filter((each) => each !== null);
  if (known.length === 0 || known.length < values.length) return null;
  return known.reduce((sum, each) => sum + each, 0) / known.length;
}

/** What a measure is in words: "uploads: goodput", "mean AP queue". */
export function nameOf(expression: string): string {
  const [numerator, denominator] = expression.split(" / ");
  const name = words(numerator!.split("."));
  if (denominator === undefined) return name;
  const of = denominator.split(".");
  // "uploads / downloads: goodput"
  const [own, other] = [name.split(": "), words(of).split(": ")];
  if (own.length === 2 && own[1] === other[1]) return `${own[0]} / ${other[0]}: ${own[1]}`;
  return `${name} / ${plain(of.at(-1)!)}`;
}

const PARTIES: Record<string, string> = { up: "uploads", down: "downloads" };

function words(path: string[]): string {
  const [table, ...rest] = path;
  if (table === "flows" || table === "stations") {
    const [party, ...key] = rest;
    const text = metric(keyOf(key), "AP").text.replace(/ of flows$/, "");
    return `${PARTIES[party!] ?? party}: ${text}`;
  }
  const known = metric(keyOf(path), "AP").text;
  return known.startsWith("ap queue ") ? `AP queue: ${known.slice("ap queue ".length)}` : known;
}

/** The name of a metric; of "one_way_delay_s.p95" it is "one_way_delay_p95_s". */
function keyOf(path: string[]): string {
  const part = path.at(-1)!;
  const delay = path.at(-2);
  return delay?.endsWith("_s") ? `${delay.slice(0, -2)}_${part}_s` : path.join("_");
}

function plain(key: string): string {
  return key.replaceAll("_", " ");
}

const SCALES: Record<string, number> = { "Mb/s": 1e6, "%": 0.01, ms: 1e-3 };

/** A measured value as a text says it: of "0.91 Mb/s" with two decimals and in Mb/s. */
export function saidAs(says: string, value: number): string {
  const [, number, rest] = /^([\d.,]+)(.*)$/s.exec(says) ?? [];
  if (number === undefined || rest === undefined) return String(value);
  const decimals = number.split(".")[1]?.length ?? 0;
  return rounded(value, rest.trim().split(" ")[0]!, decimals) + rest;
}

/** A value in a unit, with three significant digits: "0.442", "5.97 Mb/s". */
export function inUnit(value: number, unit: string): string {
  const size = Math.abs(value / (SCALES[unit] ?? 1));
  const decimals = size === 0 ? 0 : Math.min(Math.max(2 - Math.floor(Math.log10(size)), 0), 3);
  const gap = unit === "" || unit === "%" ? "" : " ";
  return rounded(value, unit, decimals) + gap + unit;
}

function rounded(value: number, unit: string, decimals: number): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return (value / (SCALES[unit] ?? 1)).toLocaleString("en", digits);
}
