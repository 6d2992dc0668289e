// What the page has to know about scenarios. Always WebAssembly, so that the page edits without a server.
import type { Diagnosis, ResolvedScenario, RunResult } from "./result.ts";

export interface Language {
  version(): Promise<{ version: string; result_version: number }>;
  /** JSON Schema of a scenario. */
  schema(): Promise<Record<string, unknown>>;
  /** As `evenair parts --json`: the components with their parameters. */
  parts(): Promise<Part[]>;
  /** The scenario with every default. Rejects with EngineError. */
  resolve(toml: string): Promise<ResolvedScenario>;
  /** The text with keys set; null removes a key. Comments and layout are kept. */
  set(toml: string, changes: Change[]): Promise<string>;
  /** Why flows starve, from the means over runs of a scenario, as `evenair run --explain --runs N`. */
  explain(runs: RunResult[]): Promise<Diagnosis[]>;
}

/** A dotted key and a value in the syntax of the command line, `station.0.count` and `5`. */
export type Change = [key: string, value: string | null];

export interface Part {
  kind: string;
  name: string;
  summary: string;
  parameters: Record<string, unknown>[];
}
