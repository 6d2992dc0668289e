// What the page knows about scenarios, from WebAssembly.
import type { Change, Language, Part } from "./language.ts";
import type { Workers } from "./pool.ts";
import type { Diagnosis, ResolvedScenario, RunResult } from "./result.ts";

export class WasmLanguage implements Language {
  private readonly worker: Workers;

  /** Shares the module of `workers`, but has a worker of its own: an edit never waits for a run. */
  constructor(workers: Workers) {
    this.worker = workers.apart(1);
  }

  version(): Promise<{ version: string; result_version: number }> {
    return this.worker.call({ call: "version" });
  }

  schema(): Promise<Record<string, unknown>> {
    return this.worker.call({ call: "schema" });
  }

  parts(): Promise<Part[]> {
    return this.worker.call({ call: "parts" });
  }

  resolve(toml: string): Promise<ResolvedScenario> {
    return this.worker.call({ call: "resolve", toml });
  }

  set(toml: string, changes: Change[]): Promise<string> {
    return this.worker.call({ call: "set", toml, changes });
  }

  explain(runs: RunResult[]): Promise<Diagnosis[]> {
    // Of a result no more than is read: its series and distributions are long.
    const parts = runs.map(({ scenario, jain_over, flows, ap_queue, stations, wired }) => ({
      scenario,
      jain_over,
      flows,
      ap_queue,
      stations,
      wired,
    }));
    return this.worker.call({ call: "explain", runs: parts });
  }
}
