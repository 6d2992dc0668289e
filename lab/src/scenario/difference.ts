// What differs between two resolved scenarios.
import { formatQuantity, type Dimension } from "./quantity.ts";

export interface Difference {
  key: string;
  from: string;
  to: string;
}

/** Names of keys whose numbers are quantities; the others are counts. */
const DIMENSIONS: [RegExp, Dimension][] = [
  [/(^|_)rates?$|^step$/, "rate"],
  [/^(duration|warmup|delay|frame|t16|target|tupdate|max_burst|start|stop|flow_timeout)$/, "time"],
  [/(^|_)(interval|rto|state|timeout|tau|sample|refresh|think)$/, "time"],
  [/^bandwidth$/, "frequency"],
  [/^bucket$/, "size"],
];

/**
 * The keys that differ, in the order of the documents. Of another kind of component only the kind is
 * named, and the keys that both kinds have. The name is left out: it changes no result.
 */
export function differences(from: unknown, to: unknown, key = ""): Difference[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  // A component without parameters is its name alone.
  const [a, b] = isTable(from) === isTable(to) ? [from, to] : [asTable(from), asTable(to)];
  if (!isTable(a) || !isTable(b)) return [{ key, from: text(from, key), to: text(to, key) }];
  const isOtherKind = key !== "cell" && "kind" in a && "kind" in b && a["kind"] !== b["kind"];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((name) => {
    if (key === "" && name === "name") return [];
    if (isOtherKind && !(name in a && name in b)) return [];
    return differences(a[name], b[name], key ? `${key}.${name}` : name);
  });
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function asTable(component: unknown): unknown {
  return typeof component === "string" ? { kind: component } : component;
}

function text(value: unknown, key: string): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "string") return value;
  if (isTable(value) && "kind" in value) {
    const { kind, ...parameters } = value;
    const list = Object.entries(parameters).map(
      ([name, each]) => `${name} ${text(each, `${key}.${name}`)}`,
    );
    return list.length > 0 ? `${kind} (${list.join(", ")})` : String(kind);
  }
  if (typeof value !== "number") return JSON.stringify(value);
  const name = key.split(".").at(-1)!;
  // The rate of a loss model is a share.
  const isShare = /(^|\.)error\.rate$/.test(key);
  const dimension = isShare ? undefined : DIMENSIONS.find(([names]) => names.test(name))?.[1];
  return dimension ? formatQuantity(value, dimension) : String(value);
}
