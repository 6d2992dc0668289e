// The scenario of a point of a campaign, as TOML.
import { stringify, type TomlPrimitive } from "smol-toml";
import type { Change } from "../engine/language.ts";
import type { About, Value } from "./file.ts";

/** The scenario that was varied, as TOML; null if the file has none. */
export function baseToml({ scenario }: About): string | null {
  return scenario && stringify(scenario);
}

/**
 * The keys of a point as changes. A table is set before its members, and a kind before its parameters: a
 * new kind removes those of the old one.
 */
export function changesOf(values: Record<string, Value>): Change[] {
  const depth = (key: string) => 2 * key.split(".").length + (key.endsWith(".kind") ? 0 : 1);
  return Object.entries(values)
    .filter((entry): entry is [string, Exclude<Value, null>] => entry[1] !== null)
    .toSorted(([a], [b]) => depth(a) - depth(b))
    .map(([key, value]) => [key, text(value)]);
}

/** In the syntax of the command line: tables and lists are JSON in the file. */
function text(value: Exclude<Value, null>): string {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return String(value);
  try {
    return inline(JSON.parse(value) as TomlPrimitive);
  } catch {
    return value;
  }
}

function inline(value: TomlPrimitive): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value === "object" && !(value instanceof Date)) {
    const entries = Object.entries(value).map(
      ([key, each]) => `${JSON.stringify(key)} = ${inline(each)}`,
    );
    return `{ ${entries.join(", ")} }`;
  }
  // A string of JSON is one of TOML.
  return JSON.stringify(value);
}
