// The runs behind the pictures: the first seed at once, then the others in the background.
import type { Engine } from "../engine/engine.ts";
import type { ResolvedScenario, RunAnswer } from "../engine/result.ts";

/** A scenario and the runs of it that are done. */
export interface Batch {
  readonly toml: string;
  readonly scenario: ResolvedScenario;
  /** The seed that was run first. */
  readonly first: number;
  /** By seed. */
  readonly answers: ReadonlyMap<number, RunAnswer>;
}

/** How a batch and its runs reach the page. */
export interface Listener {
  /** The first run of a new scenario is done. */
  started(batch: Batch): void;
  /** A run of a batch is done that was already shown. */
  completed(batch: Batch, seed: number, answer: RunAnswer): void;
  /** A run has failed. */
  failed(error: unknown): void;
  /** No first run has been done for so long that the page should say so, or one has. */
  late(isLate: boolean): void;
}

/** A newer request cancels a run that is older than this; a shorter run ends and is shown. */
const PATIENCE_MS = 250;

/** So long a picture may be of the scenario before without a sign of it. */
const LATE_MS = 400;

/** The other seeds wait so long after the last change, so that a drag has all processors. */
const QUIET_MS = 200;

/** Samples of the series of a run, and how many numbers all of them together may have. */
const SAMPLES = 300;
const NUMBERS = 500_000;

interface Request {
  toml: string;
  scenario: ResolvedScenario;
  seed: number;
}

/**
 * At most one run of a request is in flight, and at most one request waits for it: the newest.
 */
export class Runs {
  private running: { startedAt: number; abort: AbortController } | null = null;
  private next: Request | null = null;
  private patience: ReturnType<typeof setTimeout> | undefined;
  private lateness: ReturnType<typeof setTimeout> | undefined;
  private background: AbortController | null = null;
  /** The seed of the newest first run. */
  private first: number | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly listener: Listener,
    /** The runs that are wanted beside the first one of the newest request, the next one first. */
    private readonly wanted: () => [Batch, seed: number][],
  ) {}

  /** Runs a scenario; cancels what runs for earlier ones. */
  request(request: Request): void {
    this.pause();
    this.next = request;
    this.lateness ??= this.expect();
    if (!this.running) {
      void this.runNext();
    } else if (this.patience === undefined) {
      const { abort, startedAt } = this.running;
      const rest = startedAt + PATIENCE_MS - performance.now();
      this.patience = setTimeout(() => abort.abort(), Math.max(rest, 0));
    }
  }

  /** No request any more: what is shown is what is wanted. */
  withdraw(): void {
    this.next = null;
    this.running?.abort.abort();
    this.fill();
  }

  /** Continues with the runs that are wanted in the background. */
  fill(): void {
    this.pause();
    if (this.running || this.wanted().length === 0) return;
    const abort = new AbortController();
    this.background = abort;
    setTimeout(() => void this.runBackground(abort.signal), QUIET_MS);
  }

  private pause(): void {
    this.background?.abort();
    this.background = null;
  }

  private expect(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.listener.late(true), LATE_MS);
  }

  private async runNext(): Promise<void> {
    while (this.next) {
      const { toml, scenario, seed } = this.next;
      this.next = null;
      const abort = new AbortController();
      this.running = { startedAt: performance.now(), abort };
      try {
        const answer = await this.engine.run(
          { toml, seed, trace_s: traceInterval(scenario) },
          abort.signal,
        );
        abort.signal.throwIfAborted();
        this.first = seed;
        this.listener.started({ toml, scenario, first: seed, answers: new Map([[seed, answer]]) });
        // A request that waits is not late while others of the same drag are shown.
        clearTimeout(this.lateness);
        this.lateness = this.expect();
        this.listener.late(false);
      } catch (error) {
        // A cancelled run has a successor; an error of an old request is of no interest.
        if (!abort.signal.aborted && !this.next) this.listener.failed(error);
      } finally {
        this.running = null;
        clearTimeout(this.patience);
        this.patience = undefined;
      }
    }
    clearTimeout(this.lateness);
    this.lateness = undefined;
    this.listener.late(false);
    this.fill();
  }

  private async runBackground(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const inFlight = new Set<string>();
    const work = async (): Promise<void> => {
      for (;;) {
        const next = this.wanted().find(([batch, seed]) => !inFlight.has(`${seed} ${batch.toml}`));
        if (!next || signal.aborted) return;
        const [batch, seed] = next;
        inFlight.add(`${seed} ${batch.toml}`);
        // The first run of a batch has series, whichever seed that has become.
        const series = seed === this.first && { trace_s: traceInterval(batch.scenario) };
        const answer = await this.engine.run({ toml: batch.toml, seed, ...series }, signal);
        if (!signal.aborted) this.listener.completed(batch, seed, answer);
      }
    };
    try {
      // One worker stays free for the next change.
      const length = Math.max(this.engine.parallel - 1, 1);
      await Promise.all(Array.from({ length }, work));
    } catch (error) {
      if (!signal.aborted) {
        this.pause();
        this.listener.failed(error);
      }
    }
  }
}

/** Interval of the series of the first run, seconds. */
function traceInterval(scenario: ResolvedScenario): number {
  const stations = scenario["station"] as { count: number; flows: unknown[] }[];
  const flows = stations.reduce((sum, { count, flows }) => sum + count * flows.length, 0);
  const samples = Math.max(Math.min(SAMPLES, Math.floor(NUMBERS / (6 * (flows + 1)))), 1);
  return (scenario["duration"] as number) / samples;
}
