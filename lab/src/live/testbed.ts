// A running test-bed: the counters of its TCP connections as a result that grows.
import type { FlowResult, ResolvedScenario, RunResult, Series } from "../engine/result.ts";
import type { Fold } from "./feed.ts";

interface Header {
  kind: "testbed";
  scenario: ResolvedScenario;
  seed: number;
  warmup_s: number;
  duration_s: number;
  flows: {
    id: string;
    name: string | null;
    station: string | null;
    direction: "up" | "down";
    transport: string;
    application: string;
  }[];
}

/** Since the start of each connection. */
export interface Counters {
  acked_bytes: number;
  segments_sent: number;
  retransmissions: number;
  timeouts: number | null;
  /** Segments. */
  cwnd: number;
  /** Smoothed. */
  rtt_s: number;
}

interface Sample {
  /** Since the start of the run, its warm-up included. */
  time_s: number;
  flows: Record<string, Counters>;
}

export type TestbedLine = Header | Sample | { state: "waiting" | "running" | "ended" };

export interface Testbed {
  state: "waiting" | "running" | "ended";
  header: Header | null;
  samples: readonly Sample[];
}

const EMPTY: Testbed = { state: "waiting", header: null, samples: [] };

export const testbedFold: Fold<Testbed, TestbedLine> = {
  empty: EMPTY,
  add(testbed, lines) {
    const next = { ...testbed };
    for (const line of lines) {
      if ("kind" in line) Object.assign(next, { header: line, samples: [] });
      else if ("state" in line) next.state = line.state;
      else next.samples = next.samples.concat(line);
    }
    return next;
  },
};

/** What a picture takes of a result. */
export type Partial = Pick<
  RunResult,
  | "scenario"
  | "seed"
  | "duration_s"
  | "aggregate_goodput_bps"
  | "jain_index"
  | "jain_over"
  | "flows"
  | "stations"
  | "wired"
> & { series: Pick<Series, "time_s" | "aggregate_goodput_bps" | "flows"> };

/**
 * The result so far: over the measured time, or during the warm-up over the time since the start. Null
 * before there are two samples.
 */
export function resultOf({ header, samples }: Testbed): Partial | null {
  if (!header) return null;
  const measured = samples.filter(({ time_s }) => time_s >= header.warmup_s);
  const used = measured.length > 1 ? measured : samples;
  const [first, last] = [used[0], used.at(-1)];
  if (!first || !last || first === last) return null;
  const span = last.time_s - first.time_s;
  const goodput = (id: string, from: Sample, to: Sample) =>
    (8 * ((to.flows[id]?.acked_bytes ?? 0) - (from.flows[id]?.acked_bytes ?? 0))) /
    (to.time_s - from.time_s);
  const cell = header.flows.filter(({ station }) => station !== null);
  const sampled = cell.filter(({ id }) => samples.some(({ flows }) => id in flows));
  const flows = sampled.map((flow): FlowResult => {
    const grown = (name: "segments_sent" | "retransmissions" | "timeouts") =>
      (last.flows[flow.id]?.[name] ?? 0) - (first.flows[flow.id]?.[name] ?? 0);
    return {
      id: flow.id,
      name: flow.name,
      station: flow.station!,
      direction: flow.direction,
      transport: flow.transport,
      application: flow.application,
      goodput_bps: goodput(flow.id, first, last),
      segments_sent: grown("segments_sent"),
      retransmissions: grown("retransmissions"),
      timeouts: grown("timeouts"),
      mean_rtt_s: null,
    };
  });
  const goodputs = flows.map(({ goodput_bps }) => goodput_bps);
  const bulk = flows.filter(({ application }) => application === "bulk");
  const compared = bulk.length > 0 ? bulk : flows;
  return {
    scenario: header.scenario,
    seed: header.seed,
    duration_s: span,
    aggregate_goodput_bps: goodputs.reduce((sum, each) => sum + each, 0),
    jain_index: jainIndex(compared.map(({ goodput_bps }) => goodput_bps)),
    jain_over: bulk.length > 0 ? "bulk" : "all",
    flows,
    // Known at the end.
    stations: [],
    wired: { links: [] },
    series: seriesOf(
      header,
      samples,
      sampled.map(({ id }) => id),
      goodput,
    ),
  };
}

function seriesOf(
  { warmup_s }: Header,
  samples: readonly Sample[],
  ids: string[],
  goodput: (id: string, from: Sample, to: Sample) => number,
): Partial["series"] {
  const later = samples.slice(1);
  const column = (id: string, of: (sample: Sample, k: number) => number | null) =>
    later.map((sample, k) => (id in sample.flows ? of(sample, k) : null));
  const flows = Object.fromEntries(
    ids.map((id) => [
      id,
      {
        goodput_bps: column(id, (sample, k) => goodput(id, samples[k]!, sample)),
        cwnd: column(id, (sample) => sample.flows[id]!.cwnd),
      },
    ]),
  );
  const total = later.map((_, k) =>
    ids.reduce((sum, id) => sum + (flows[id]!.goodput_bps[k] ?? 0), 0),
  );
  return {
    // The measured time begins at 0, as in results.
    time_s: later.map(({ time_s }) => time_s - warmup_s),
    aggregate_goodput_bps: total,
    flows,
  };
}

/** (sum x)^2 / (n sum x^2); 0 if all are 0. */
function jainIndex(values: number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  const squares = values.reduce((all, value) => all + value * value, 0);
  return squares > 0 ? (sum * sum) / (values.length * squares) : 0;
}
