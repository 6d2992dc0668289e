// Shares of the measured time, as parts of one bar: of the stations, and of what the air is used for.
import type { AirResult, RunResult } from "../../engine/result.ts";
import type { Estimate } from "../../statistics.ts";
import { firstRun, mean, pair, sides, type Pair, type View } from "../view.ts";
import { pairCells, pairColumns, pairText } from "./numbers.ts";
import type { Rows } from "./rows.ts";
import type { Colour } from "../colours.ts";

/** A part of the bar, 0 to 1. */
export interface Part extends Pair<Estimate> {
  id: string;
  label: string;
  colour: Colour;
  /** In the bar of B, if it differs there. */
  colourOfB?: Colour;
}

/** The airtime of each station's traffic, in both directions. */
export function airtime(a: View, b: View | null): Part[] {
  const parts = new Map<string, Part>();
  for (const [side, view] of sides(a, b)) {
    firstRun(view)!.stations.forEach(({ id, name }, k) => {
      const known = parts.get(id);
      const colour = stationColour(firstRun(view)!, id);
      const part = known ?? { id, label: name ?? id, colour, a: null, b: null };
      part[side] = mean(view, (result) => result.stations[k]?.airtime_share);
      if (side === "b" && colour !== part.colour) part.colourOfB = colour;
      parts.set(id, part);
    });
  }
  return [...parts.values()];
}

/** That of its flows, if they all go the same way. */
function stationColour(result: RunResult, id: string): Colour {
  const flows = result.flows.filter((flow) => flow.station === id);
  const ways = new Set(flows.map((flow) => flow.direction));
  return ways.size === 1 ? ([...ways][0] ?? "both") : "both";
}

const USES: [use: keyof AirResult, label: string, colour: Colour][] = [
  ["payload", "success: payload", "payload"],
  ["overhead", "success: overhead", "overhead"],
  ["collisions", "collision", "collision"],
  ["corrupted", "corrupted", "corrupted"],
  ["idle", "idle", "idle"],
];

/** What the time of an 802.11 cell is spent on; empty without such a cell. */
export function medium(a: View, b: View | null): Part[] {
  const parts = USES.map(([use, label, colour]) => {
    const share = (view: View) => mean(view, (result) => result.air?.[use]);
    return { id: use, label, colour, ...pair(a, b, share) };
  });
  return parts.filter(({ a, b }) => a !== null || b !== null);
}

/** Use of the symbols for data of a WiMAX frame; empty without such a cell. */
export function frameUse(a: View, b: View | null): Part[] {
  const directions = [
    ["dl_utilization", "downlink", "down"],
    ["ul_utilization", "uplink", "up"],
  ] as const;
  const parts = directions.map(([key, label, colour]) => {
    const share = (view: View) => mean(view, (result) => result.frame?.[key]);
    return { id: key, label, colour, ...pair(a, b, share) };
  });
  return parts.filter(({ a, b }) => a !== null || b !== null);
}

export function shareRows(parts: Part[], name: string): Rows {
  return [
    [name, "label", ...pairColumns("share")],
    ...parts.map((part) => [part.id, part.label, ...pairCells(part)]),
  ];
}

const MOST_NAMED = 12;

export function shareText(what: string, parts: Part[]): string {
  const percent = ({ a, b }: Part) => {
    const of = (each: Estimate | null) =>
      each && { mean: 100 * each.mean, ci95: each.ci95 === null ? null : 100 * each.ci95 };
    return pairText({ a: of(a), b: of(b) }, 1);
  };
  const size = ({ a, b }: Part) => Math.max(a?.mean ?? 0, b?.mean ?? 0);
  const named = parts.length <= MOST_NAMED ? parts : parts.toSorted((x, y) => size(y) - size(x));
  const each = named.slice(0, MOST_NAMED).map((part) => `${part.label} ${percent(part)}`);
  const rest = parts.length - each.length;
  return `${what} in percent: ${each.join("; ")}${rest > 0 ? `; and ${rest} others` : ""}.`;
}
