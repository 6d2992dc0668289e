// Words and units of the columns of a campaign, by the rules of python/evenair/text/labels.py.
import {
  label,
  labels,
  metric as metricBy,
  sentBy,
  type Label,
  type Sender,
} from "../pictures/data/labels.ts";
import type { About, Value } from "./file.ts";

export { withUnit, type Label } from "../pictures/data/labels.ts";

const KEYS = labels("keys");
const STATION_KEYS = labels("station_keys");
const LAST_PARTS = labels("last_parts");

export function metric(name: string, about: About): Label {
  return metricBy(name, senderOf(about));
}

/** Of a dotted key of the scenario, or of a column of flows. */
export function key(name: string, about: About): Label {
  const station = /^station\.(\d+)\.(?:flows\.\d+\.)?(.+)$/.exec(name);
  if (!station) return sentBy(KEYS.get(name) ?? otherKey(name), senderOf(about));
  const [, group, rest] = station;
  const own = STATION_KEYS.get(rest!) ?? otherKey(rest!);
  return { ...own, text: own.text + groupOf(about, Number(group)) };
}

/** Of a key that has no words of its own: those of its last parts. */
function otherKey(name: string): Label {
  const parts = name.split(".");
  const words = parts.slice(parts.length > 2 ? -2 : -1).join(" ");
  return LAST_PARTS.get(parts.at(-1)!) ?? label(words.replaceAll("_", " "));
}

interface Station {
  name?: string;
  flows?: { direction?: string }[];
}

/** Which of several groups of stations it is: by its name, direction or number. */
function groupOf({ scenario }: About, group: number): string {
  const stations = (scenario?.["station"] ?? []) as Station[];
  const own = stations[group];
  if (!own || stations.length === 1) return "";
  if (own.name) return ` of ${own.name}`;
  const directions = stations.map(directionOf);
  const direction = directions[group];
  const isOnly = directions.filter((each) => each === direction).length === 1;
  return direction && isOnly ? ` with ${direction}loads` : ` of group ${group}`;
}

/** The direction of a station's flows; an empty text if there are two. */
function directionOf({ flows = [] }: Station): string {
  const found = new Set(flows.map(({ direction = "" }) => direction));
  return found.size === 1 && !found.has("both") ? [...found][0]! : "";
}

function senderOf({ scenario }: About): Sender {
  const cell = scenario?.["cell"] as { kind?: unknown } | undefined;
  return cell?.kind === "wimax" ? "BS" : "AP";
}

/** A value of a key: a table becomes "spm-af, filtering = head". */
export function valueText(value: Value): string {
  if (value === null) return "(none)";
  if (typeof value !== "string" || !value.startsWith("{")) return String(value);
  try {
    const { kind, ...others } = JSON.parse(value) as Record<string, unknown>;
    const parts = Object.entries(others).map(([name, item]) => `${name} = ${String(item)}`);
    return [...(kind === undefined ? [] : [String(kind)]), ...parts].join(", ");
  } catch {
    return value;
  }
}
