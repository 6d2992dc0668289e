// Air traces are recorded piece by piece: the accesses around the present one, and the next piece at its end.
import type { Engine } from "../engine/engine.ts";
import type { AirTrace } from "../engine/result.ts";

/** Accesses of one piece. */
export const PIECE = 200;
/** How long a change of the scenario has to rest before it is recorded anew, milliseconds. */
export const REST_MS = 300;

export interface Subject {
  engine: Engine;
  toml: string;
  seed: number;
}

/** The piece that begins at `from_s` of the measured time. */
export function record(
  { engine, toml, seed }: Subject,
  from_s: number,
  signal: AbortSignal,
): Promise<AirTrace> {
  return engine.airTrace({ toml, seed, from_s, accesses: PIECE }, signal);
}

/** When the access with this index begins, seconds of measured time. */
export function momentOf(trace: AirTrace, index: number): number {
  const access = trace.accesses[index];
  return access ? (access.at_ns - trace.warmup_ns) / 1e9 : 0;
}

/** Where the piece after this one begins; null at the end of the run. */
export function nextPiece(trace: AirTrace): number | null {
  const last = trace.accesses[trace.accesses.length - 1];
  return trace.ended || !last ? null : (last.at_ns + 1 - trace.warmup_ns) / 1e9;
}

/** Where a piece begins that should reach the beginning of this one; null at the beginning of the run. */
export function previousPiece(trace: AirTrace): number | null {
  const first = momentOf(trace, 0);
  if (trace.accesses.length === 0 || trace.accesses[0]!.idle_since_ns <= trace.warmup_ns)
    return null;
  const length = momentOf(trace, trace.accesses.length - 1) - first;
  // Half of it, so that there is room if accesses were denser before.
  return Math.max(0, first - Math.max(length / 2, 1e-3));
}

/** The last access before a moment, or the first of all. */
export function accessBefore(trace: AirTrace, moment_s: number): number {
  const after = trace.accesses.findIndex((_, index) => momentOf(trace, index) >= moment_s - 1e-9);
  return Math.max(0, (after < 0 ? trace.accesses.length : after) - 1);
}
