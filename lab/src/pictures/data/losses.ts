// Lost packets by cause, in the whole network.
import type { RunResult } from "../../engine/result.ts";
import type { Estimate } from "../../statistics.ts";
import { downlinkSender, mean, pair, type Pair, type View } from "../view.ts";
import { pairCells, pairColumns, pairText } from "./numbers.ts";
import type { Rows } from "./rows.ts";

export interface Cause extends Pair<Estimate> {
  id: string;
  label: string;
}

const CAUSES: [id: string, label: string, packets: (result: RunResult) => number | undefined][] = [
  ["queue_data", "{sender} queue, data", ({ ap_queue }) => ap_queue.data_drops],
  [
    "queue_acks",
    "{sender} queue, ACKs",
    ({ ap_queue }) => ap_queue.ack_drops - ap_queue.acks_filtered,
  ],
  [
    "other_queues",
    "other queues",
    // `losses.congestion` is of all queues, without filtered ACKs.
    ({ ap_queue, losses }) => losses.congestion - (ap_queue.drops - ap_queue.acks_filtered),
  ],
  ["retry_limit", "retry limit", ({ losses }) => losses.retry_limit],
  ["error", "loss model", ({ losses }) => losses.error],
  ["policer", "rate limiter", ({ losses }) => losses.policer],
];

/** In packets per run. The causes sum to the lost packets. */
export function losses(a: View, b: View | null): Cause[] {
  const causes = CAUSES.map(([id, label, packets]) => ({
    id,
    label: label.replace("{sender}", downlinkSender(a)),
    ...pair(a, b, (view) => mean(view, packets)),
  }));
  return causes.filter(({ a, b }) => a !== null || b !== null);
}

export function lossRows(causes: Cause[]): Rows {
  return [
    ["cause", ...pairColumns("packets")],
    ...causes.map((cause) => [cause.id, ...pairCells(cause)]),
  ];
}

export function lossText(causes: Cause[]): string {
  const some = causes.filter(({ a, b }) => (a?.mean ?? 0) > 0 || (b?.mean ?? 0) > 0);
  if (some.length === 0) return "Lost packets by cause: none.";
  const each = some.map((cause) => `${cause.label} ${pairText(cause, 0)}`);
  return `Lost packets by cause: ${each.join("; ")}.`;
}
