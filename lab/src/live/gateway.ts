// A gateway daemon: readings of its metrics, one each second.
import type { Fold } from "./feed.ts";

export type GatewayLine =
  | { state: "running"; unix_s: number; samples: Record<string, number> }
  | { state: "waiting"; reason: string };

export interface Reading {
  unix_s: number;
  samples: Record<string, number>;
}

export interface Gateway {
  state: "waiting" | "running";
  /** Why it cannot be read. */
  reason: string | null;
  readings: readonly Reading[];
}

/** Readings that are kept, an hour. */
const MOST = 3600;

export const gatewayFold: Fold<Gateway, GatewayLine> = {
  empty: { state: "waiting", reason: null, readings: [] },
  add({ readings }, lines) {
    const good = lines.filter((line) => line.state === "running");
    const last = lines.at(-1)!;
    return {
      state: last.state,
      reason: last.state === "waiting" ? last.reason : null,
      readings: readings.concat(good).slice(-MOST),
    };
  },
};

/** A control round, with the keys of a result's `series.limiter`. */
export interface Round {
  /** Since the first reading. */
  t_s: number;
  rate_bps: number;
  capacity_bps: number | null;
  up_bps: number;
  down_bps: number;
  lost: boolean;
}

const THROUGHPUT = (direction: "up" | "down") =>
  `evenaird_throughput_bps{direction="${direction}",traffic="all"}`;

/** The decisions at each reading; none before the daemon's first round. */
export function roundsOf({ readings }: Gateway): Round[] {
  const start = readings[0]?.unix_s ?? 0;
  return readings.flatMap(({ unix_s, samples }, k) => {
    const rate = samples["evenaird_rate_bps"];
    if (rate === undefined) return [];
    const lossy = samples["evenaird_lossy_rounds_total"] ?? 0;
    const before = readings[k - 1]?.samples["evenaird_lossy_rounds_total"] ?? lossy;
    return [
      {
        t_s: unix_s - start,
        rate_bps: rate,
        capacity_bps: samples["evenaird_capacity_bps"] ?? null,
        up_bps: samples[THROUGHPUT("up")] ?? 0,
        down_bps: samples[THROUGHPUT("down")] ?? 0,
        lost: lossy > before,
      },
    ];
  });
}

/** What the daemon does: "off", "observe" or "enforce"; null if it does not say. */
export function modeOf(reading: Reading): string | null {
  const modes = ["off", "observe", "enforce"];
  return modes.find((mode) => reading.samples[`evenaird_mode{evenaird_mode="${mode}"}`]) ?? null;
}

/** Numbers worth a line, with their names. */
export function factsOf(reading: Reading): [name: string, value: string][] {
  const count = (name: string) => reading.samples[`evenaird_${name}_total`];
  const sum = (prefix: string) =>
    Object.entries(reading.samples)
      .filter(([name]) => name.startsWith(`evenaird_${prefix}_total`))
      .reduce((all, [, value]) => all + value, 0);
  const facts: [string, string | number | null | undefined][] = [
    ["Mode", modeOf(reading)],
    ["Control rounds", count("rounds")],
    ["Lossy rounds", count("lossy_rounds")],
    ["Rounds without news of losses", count("blind_rounds")],
    ["Packets lost at the access point's queue", count("lost_packets")],
    ["Uplink packets dropped by the policer", sum("dropped_packets")],
    ["Packets that wait in the downlink queue", reading.samples["evenaird_queue_backlog_packets"]],
  ];
  return facts.flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
}
