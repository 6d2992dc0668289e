// The results as `evenair run --json` prints them.
import type { RunAnswer, RunResult } from "../../engine/result.ts";
import { metrics } from "../../pictures/data/metrics.ts";
import { estimate, type Estimate } from "../../statistics.ts";

/** One run: its document. Several: `{ "runs": [...], "summary": {...} }`. */
export function resultJson(runs: RunAnswer[]): string {
  const documents = runs.map(({ result }) => withoutOwnSeries(result));
  if (documents.length === 1) return JSON.stringify(documents[0]);
  return JSON.stringify({ runs: documents, summary: summary(documents) });
}

/** The page records series for its pictures; the scenario may have none. */
function withoutOwnSeries(result: RunResult): RunResult {
  if (result.scenario["trace"]) return result;
  const { series: _, ...rest } = result;
  return rest;
}

function summary(results: RunResult[]): Record<string, Estimate & { runs: number }> {
  const all = results.map(metrics);
  const names = new Set(all.flatMap((each) => [...each.keys()]));
  names.delete("mean_rtt_s"); // of comparisons only
  const entries = [...names].flatMap((name): [string, Estimate & { runs: number }][] => {
    const sample = all.map((each) => each.get(name)).filter((value) => value !== undefined);
    const found = estimate(sample);
    return found ? [[name, { ...found, runs: sample.length }]] : [];
  });
  return Object.fromEntries(entries);
}
