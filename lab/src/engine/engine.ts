// What makes results. One interface, two implementations: WebAssembly in workers, and HTTP to `evenair lab`.
import type { AirTrace, RunAnswer } from "./result.ts";

/** What is simulated: a scenario as TOML text, and a seed. */
export interface RunRequest {
  toml: string;
  seed: number;
  /** Interval of the series in seconds, should the scenario have none. */
  trace_s?: number;
}

/** The exchanges on the air from a moment on. */
export interface AirTraceRequest extends RunRequest {
  /** Seconds since the start of the measured time. */
  from_s: number;
  /** At most so many accesses to the medium. */
  accesses: number;
}

export interface Engine {
  readonly name: "browser" | "server";
  /** How many runs it makes at once. */
  readonly parallel: number;
  /** Rejects with EngineError, or with the signal's reason once it is aborted. */
  run(request: RunRequest, signal?: AbortSignal): Promise<RunAnswer>;
  airTrace(request: AirTraceRequest, signal?: AbortSignal): Promise<AirTrace>;
}

/** An error for people: one line, with the key and the line of the scenario that it is about. */
export class EngineError extends Error {
  constructor(
    message: string,
    readonly field?: string,
    /** From 1. */
    readonly line?: number,
  ) {
    super(message);
  }
}
