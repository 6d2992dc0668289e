// A running sweep: its lines, and its runs as a table with the columns of its Parquet file.
import type { About, CampaignTable, Column, Value } from "../campaign/file.ts";
import type { Fold } from "./feed.ts";

export interface Run {
  values: Record<string, Value>;
  seed: number;
  metrics: Record<string, number>;
}

export type SweepLine =
  | { kind: "sweep"; keys: string[]; scenario: Record<string, unknown> }
  | Run
  | { done: number; total: number }
  | { state: "waiting" | "running" | "ended" }
  | Outcome;

/** How a sweep of the page has ended. */
export type Outcome =
  | { state: "done"; runs: number; failures: Failure[] }
  | { state: "failed"; message: string }
  | { state: "cancelled" };

export interface Failure {
  values: Record<string, Value>;
  seed: number;
  reason: string;
}

export interface Sweep {
  state: "waiting" | "running" | "ended" | Outcome["state"];
  outcome: Outcome | null;
  about: About | null;
  runs: readonly Run[];
  done: number;
  total: number;
}

const EMPTY: Sweep = {
  state: "waiting",
  outcome: null,
  about: null,
  runs: [],
  done: 0,
  total: 0,
};

export const sweepFold: Fold<Sweep, SweepLine> = {
  empty: EMPTY,
  add(sweep, lines) {
    const next = { ...sweep };
    const runs: Run[] = [];
    for (const line of lines) {
      if ("kind" in line) {
        // Another one begins.
        Object.assign(next, EMPTY, { state: "running", runs: [] });
        runs.length = 0;
        next.about = { keys: line.keys, scenario: line.scenario, command: null };
      } else if ("metrics" in line) {
        runs.push(line);
      } else if ("state" in line) {
        next.state = line.state;
        if (line.state === "done" || line.state === "failed" || line.state === "cancelled") {
          next.outcome = line;
        }
      } else {
        next.done = line.done;
        next.total = line.total;
      }
    }
    if (runs.length > 0) next.runs = next.runs.concat(runs);
    return next;
  },
};

/** The runs so far. */
export class SweepTable implements CampaignTable {
  readonly columns: Column[];

  constructor(
    readonly name: string,
    readonly about: About,
    private readonly runs: readonly Run[],
  ) {
    const metrics = new Set<string>();
    for (const run of runs) for (const name of Object.keys(run.metrics)) metrics.add(name);
    this.columns = [
      ...about.keys.map((key) => ({
        name: key,
        isNumeric: runs.every(({ values }) => typeof values[key] === "number"),
      })),
      { name: "seed", isNumeric: true },
      ...[...metrics].map((metric) => ({ name: metric, isNumeric: true })),
    ];
  }

  get rows(): number {
    return this.runs.length;
  }

  async column(name: string): Promise<Value[]> {
    if (name === "seed") return this.runs.map(({ seed }) => seed);
    if (this.about.keys.includes(name)) {
      return this.runs.map(({ values }) => values[name] ?? null);
    }
    return this.runs.map(({ metrics }) => metrics[name] ?? null);
  }
}

/** What a sweep does, in words. */
export function progressText({ state, outcome, done, total }: Sweep): string {
  switch (state) {
    case "waiting":
      return "It does not run. As soon as it does, its runs appear here.";
    case "running":
      return `It runs: ${done} of ${total} runs are done.`;
    case "ended":
      return `It has ended: ${done} of ${total} runs are done.`;
    case "cancelled":
      return `It was stopped: ${done} of ${total} runs are done.`;
    case "failed":
      return outcome?.state === "failed" ? outcome.message : "It has failed.";
    case "done": {
      const failed = outcome?.state === "done" ? outcome.failures.length : 0;
      const have = failed === 1 ? "run has" : "runs have";
      return failed > 0 ? `It is done; ${failed} ${have} failed.` : "It is done.";
    }
  }
}
