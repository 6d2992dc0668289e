// Words and units of the columns of a campaign, as python/evenair/text/labels.py has them.
import { metricLabel, type Label } from "../pictures/data/metrics.ts";
import type { About, Value } from "./file.ts";

export type { Label };

const label = (text: string, unit = "", scale = 1, decimals = 3): Label => ({
  text,
  unit,
  scale,
  decimals,
});

const METRICS: Record<string, Label> = {
  duration_s: label("measured time", "s", 1, 1),
  goodput_bps: label("goodput", "Mb/s", 1e-6),
  ap_queue_arrivals: label("arrivals at the {sender} queue", "packets", 1, 1),
  ap_queue_drops: label("drops of the {sender} queue", "packets", 1, 1),
  segments_sent: label("segments sent", "segments", 1, 1),
  retransmissions: label("retransmissions", "segments", 1, 1),
  timeouts: label("timeouts", "", 1, 1),
  sessions: label("sessions", "", 1, 1),
};

const SUFFIXES: [suffix: string, unit: string, scale: number][] = [
  ["_bps", "Mb/s", 1e-6],
  ["_s", "s", 1],
  ["_ratio", "%", 100],
  ["_share", "%", 100],
];

export function metric(name: string, about: About): Label {
  const sender = senderOf(about);
  const own = METRICS[name];
  if (own) return { ...own, text: own.text.replace("{sender}", sender) };
  const known = metricLabel(name, sender);
  const words = name.replaceAll("_", " ");
  const suffix = SUFFIXES.find(([each]) => name.endsWith(each));
  if (known.text !== words || !suffix) return known;
  const [ending, unit, scale] = suffix;
  return label(name.slice(0, -ending.length).replaceAll("_", " "), unit, scale);
}

/** Units and scales of numbers of keys, by the last part of the key. */
const KEY_UNITS: Record<string, [unit: string, scale: number]> = {
  duration: ["s", 1],
  warmup: ["s", 1],
  interval: ["s", 1],
  delay: ["ms", 1e3],
  limit: ["packets", 1],
  window: ["segments", 1],
  initial_window: ["segments", 1],
  segment: ["bytes", 1],
  header: ["bytes", 1],
  extra_header: ["bytes", 1],
  data_rate: ["Mb/s", 1e-6],
  control_rate: ["Mb/s", 1e-6],
  max_rate: ["Mb/s", 1e-6],
  min_rate: ["Mb/s", 1e-6],
  step: ["Mb/s", 1e-6],
  bucket: ["KB", 1e-3],
};

/** Keys whose last part says too little. */
const KEYS: Record<string, Label> = {
  "wired.rate": label("rate of the wired link", "Mb/s", 1e-6),
  "wired.delay": label("delay of the wired link", "ms", 1e3),
  "cell.phy": label("PHY"),
  "cell.queue": label("queue discipline at the {sender}"),
  "cell.queue.kind": label("queue discipline at the {sender}"),
  "cell.queue.limit": label("limit of the {sender} queue", "packets"),
  "gateway.limiter": label("rate limiter"),
  "gateway.limiter.kind": label("rate limiter"),
  "gateway.limiter.rate": label("rate of the limiter", "Mb/s", 1e-6),
};

/** Of a dotted key of the scenario, or of a column of flows. */
export function key(name: string, about: About): Label {
  const known = KEYS[name];
  if (known) return { ...known, text: known.text.replace("{sender}", senderOf(about)) };
  const station = /^station\.(\d+)\.(?:flows\.\d+\.)?(.+)$/.exec(name);
  const rest = station?.[2] ?? name;
  const parts = rest.split(".");
  const [unit, scale] =
    rest === "error.rate"
      ? ["%", 100]
      : station && rest === "rate"
        ? ["Mb/s", 1e-6]
        : unitOf(parts);
  const own =
    rest === "count" ? "number of stations" : parts.slice(-2).join(" ").replaceAll("_", " ");
  const which = station && groupsOf(about) > 1 ? ` of group ${station[1]}` : "";
  return label(own + which, unit as string, scale as number);
}

function unitOf(parts: string[]): [string, number] {
  return KEY_UNITS[parts.at(-1)!] ?? ["", 1];
}

function groupsOf({ scenario }: About): number {
  const stations = scenario?.["station"];
  return Array.isArray(stations) ? stations.length : 0;
}

function senderOf({ scenario }: About): "AP" | "BS" {
  const cell = scenario?.["cell"] as { kind?: unknown } | undefined;
  return cell?.kind === "wimax" ? "BS" : "AP";
}

export function withUnit({ text, unit }: Label): string {
  return unit ? `${text} (${unit})` : text;
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
