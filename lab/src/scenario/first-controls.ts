// The controls that a scenario is about: they come first, all others are folded away.
import type { Control, Group } from "./controls.ts";

/** How many come first. */
const FIRST = 3;

/** A line of comment that says what to compare with: `--set cell.scheduler=round-robin`. */
const COMMENT = /^[ \t]*#.*$/gm;
const SETTING = /--set\s+["']?([\w.-]+)\s*=/g;

export interface Split {
  first: Control[];
  /** The groups without them; those that have nothing left are not there. */
  rest: Group[];
}

/**
 * First are the keys `wanted`, then those that comments of the text set; where these are fewer than three, the queue, its limit,
 * the number of stations, and the transport. They depend on keys that are there, not on their values: no control moves
 * away while it is used.
 */
export function split(groups: Group[], text: string, wanted: string[] = []): Split {
  const all = groups.flatMap(({ controls }) => controls);
  const uploads = all.find(
    ({ key, label }) => /^station\.\d+\.count$/.test(key) && /\bup/.test(label),
  );
  const keys = [
    ...wanted,
    ...settings(text),
    "cell.queue.limit",
    "cell.queue",
    uploads?.key ?? "station.0.count",
    "station.0.flows.0.transport",
  ];
  const found = new Set(keys.flatMap((key) => controlOf(all, key) ?? []));
  const first = [...found].slice(0, FIRST);
  const rest = groups.map((group) => ({
    ...group,
    controls: group.controls.filter((control) => !first.includes(control)),
  }));
  return {
    first,
    rest: rest.filter(({ controls, station }) => controls.length > 0 || station !== undefined),
  };
}

/** The keys that comments set, in order. */
export function settings(text: string): string[] {
  const comments = text.match(COMMENT) ?? [];
  return comments.flatMap((line) => [...line.matchAll(SETTING)].map(([, key]) => key!));
}

/** Whether a control, or one of its parameters, is that of a key. */
export function sets(control: Control, key: string): boolean {
  const own = [control.key, `${control.key}.kind`];
  return own.includes(key) || control.parameters.some((parameter) => sets(parameter, key));
}

/** The control of a key; of a parameter, that of its component. */
function controlOf(controls: Control[], key: string): Control | undefined {
  const covering = controls.filter((control) => covers(control.key, key));
  return covering.toSorted((a, b) => b.key.length - a.key.length)[0];
}

/** Whether `key` is the key of a control, or one in it. */
function covers(control: string, key: string): boolean {
  return key === control || key.startsWith(`${control}.`);
}
