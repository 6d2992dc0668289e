// The engine in this page: runs in WebAssembly, one per worker.
import type { AirTraceRequest, Engine, RunRequest } from "./engine.ts";
import type { Workers } from "./pool.ts";
import type { AirTrace, RunAnswer } from "./result.ts";

export class WasmEngine implements Engine {
  readonly name = "browser";

  constructor(private readonly workers: Workers) {}

  get parallel(): number {
    return this.workers.count;
  }

  run(request: RunRequest, signal?: AbortSignal): Promise<RunAnswer> {
    return this.workers.call({ call: "run", ...request }, signal);
  }

  airTrace(request: AirTraceRequest, signal?: AbortSignal): Promise<AirTrace> {
    return this.workers.call({ call: "air_trace", ...request }, signal);
  }
}
