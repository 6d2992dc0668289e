// The first run, played from its beginning to its end: what flows carry and the queue holds at a moment of it.
import type { FlowResult, RunResult } from "../engine/result.ts";
import type { Drops, Rates } from "./dots.ts";
import type { Node } from "./nodes.ts";

export interface Moment {
  /** Seconds of measured time; null: the means. */
  time: number | null;
  /** Packets in the access point's queue. */
  data: number;
  acks: number;
  /** Goodput of each row in each direction, bit/s. */
  bps: { up: number; down: number }[];
}

/** Dots of the fastest station in one direction, for each second. */
const MOST_DOTS = 5;
/** An ACK for each second segment: RFC 9293, section 3.8.6.3. */
const ACKS = 0.5;

/** The means over the run; of the queue, of the first run. */
export function meanMoment({ ap_queue }: RunResult, nodes: readonly Node[]): Moment {
  return {
    time: null,
    data: ap_queue.mean_data,
    acks: ap_queue.mean_acks,
    bps: nodes.map(({ upBps, downBps }) => ({ up: upBps, down: downBps })),
  };
}

/** After a share of the run, 0 to 1; the means if the run has no series. */
export function momentAt(result: RunResult, nodes: readonly Node[], share: number): Moment {
  const { series } = result;
  const length = series?.time_s.length ?? 0;
  const mean = meanMoment(result, nodes);
  if (!series || length === 0) return mean;
  const k = Math.min(Math.floor(share * length), length - 1);
  const of = (flows: FlowResult[], count: number, otherwise: number) => {
    const values = flows.map(({ id }) => series.flows[id]?.["goodput_bps"]?.[k]);
    const known = values.every((value) => value !== undefined && value !== null);
    return known ? values.reduce((sum, value) => sum + value!, 0) / count : otherwise;
  };
  return {
    time: series.time_s[k]!,
    data: series.ap_queue_data[k] ?? mean.data,
    acks: series.ap_queue_acks[k] ?? mean.acks,
    bps: nodes.map(({ up, down, count, upBps, downBps }) => ({
      up: of(up, count, upBps),
      down: of(down, count, downBps),
    })),
  };
}

/** The dots of a moment: in proportion to goodput, the most for the row that has most on average. */
export function ratesOf(nodes: readonly Node[], { bps }: Moment): Rates[] {
  const most = largest(nodes);
  const dots = (value: number) =>
    most > 0 ? Math.min((MOST_DOTS * value) / most, 3 * MOST_DOTS) : 0;
  return nodes.map((node, k) => ({
    up: dots(bps[k]!.up),
    down: dots(bps[k]!.down),
    acks: node.up.some(({ transport }) => transport !== "udp") ? ACKS : 0,
  }));
}

/** The goodput of the row and direction with most, bit/s. */
export function largest(nodes: readonly Node[]): number {
  return Math.max(0, ...nodes.flatMap(({ upBps, downBps }) => [upBps, downBps]));
}

export function dropsOf({ ap_queue }: RunResult): Drops {
  const { data_arrivals = 0, ack_arrivals = 0, data_drops, ack_drops } = ap_queue;
  return {
    data: data_arrivals > 0 ? data_drops / data_arrivals : 0,
    acks: ack_arrivals > 0 ? ack_drops / ack_arrivals : 0,
  };
}

/** How many packets the drawn queue has room for: its limit, or if it holds little of that, what it holds at most. */
export function roomOf(result: RunResult): { packets: number; limit: number | null } {
  const cell = result.scenario["cell"] as { queue?: { limit?: unknown } } | undefined;
  const limit = typeof cell?.queue?.limit === "number" ? cell.queue.limit : null;
  const { ap_queue_data: data = [], ap_queue_acks: acks = [] } = result.series ?? {};
  const held = data.map((each, k) => each + (acks[k] ?? 0));
  const most = Math.max(1, result.ap_queue.mean_packets, ...held);
  return limit !== null && most >= limit / 4
    ? { packets: Math.max(limit, most), limit }
    : { packets: most, limit: null };
}
