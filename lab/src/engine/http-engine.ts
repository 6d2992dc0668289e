// Results from the native engine of `evenair lab`, on all processors of its machine.
import type { AirTraceRequest, Engine, RunRequest } from "./engine.ts";
import type { AirTrace, RunAnswer } from "./result.ts";
import { ServerGone, type Server } from "./server.ts";

/** Browsers open at most six connections to a server: some stay free for what the page follows. */
const MOST_CONNECTIONS = 4;

export class HttpEngine implements Engine {
  readonly name = "server";

  /** While the server is away, `substitute` makes the results. */
  constructor(
    private readonly server: Server,
    private readonly substitute: Engine,
  ) {}

  get parallel(): number {
    const { state, about } = this.server;
    if (state.value !== "connected") return this.substitute.parallel;
    return Math.min(about.value.parallel, MOST_CONNECTIONS);
  }

  run(request: RunRequest, signal?: AbortSignal): Promise<RunAnswer> {
    return this.ask("run", request, signal, () => this.substitute.run(request, signal));
  }

  airTrace(request: AirTraceRequest, signal?: AbortSignal): Promise<AirTrace> {
    return this.ask("air_trace", request, signal, () => this.substitute.airTrace(request, signal));
  }

  private async ask<Answer>(
    call: string,
    request: RunRequest,
    signal: AbortSignal | undefined,
    instead: () => Promise<Answer>,
  ): Promise<Answer> {
    if (this.server.state.value !== "connected") return instead();
    try {
      return await this.server.post<Answer>(call, request, signal);
    } catch (error) {
      if (error instanceof ServerGone) return instead();
      throw error;
    }
  }
}
