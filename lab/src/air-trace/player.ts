// What is shown, and how one gets to the next access: by hand, or by the clock while it plays.
import { useEffect, useRef, useState } from "preact/hooks";
import type { AirTrace } from "../engine/result.ts";
import {
  accessBefore,
  momentOf,
  nextPiece,
  previousPiece,
  record,
  REST_MS,
  type Subject,
} from "./recording.ts";

export interface Player {
  /** The piece of the run that is recorded; null before the first. */
  trace: AirTrace | null;
  /** The access that is shown. */
  index: number;
  /** When the air trace begins, seconds of measured time. */
  moment: number;
  /** One line, if there is no air trace of the scenario. */
  problem: string | null;
  /** What is shown is not yet of the present scenario or moment. */
  isStale: boolean;
  isPlaying: boolean;
  /** Accesses per second while it plays. */
  speed: number;
  /** The flow whose windows are shown. */
  flow: number;
  goTo(moment_s: number): void;
  select(index: number): void;
  forward(): void;
  back(): void;
  togglePlay(): void;
  setSpeed(speed: number): void;
  setFlow(flow: number): void;
}

/** A piece to be recorded, and the access in it to be shown. */
interface Wanted {
  from_s: number;
  show: (trace: AirTrace) => number;
}

const first = () => 0;

export function usePlayer(subject: Subject, durationSeconds: number): Player {
  const { engine, toml, seed } = subject;
  const [wanted, want] = useState<Wanted>({ from_s: durationSeconds / 2, show: first });
  const [trace, setTrace] = useState<AirTrace | null>(null);
  const [index, setIndex] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [isStale, setStale] = useState(true);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [flow, setFlow] = useState(0);

  // A shorter scenario may end before the moment.
  const from_s = wanted.from_s < durationSeconds ? wanted.from_s : durationSeconds / 2;
  const rested = useRef({ toml, seed });
  useEffect(() => {
    const abort = new AbortController();
    const hasRested = rested.current.toml === toml && rested.current.seed === seed;
    rested.current = { toml, seed };
    setStale(true);
    const start = async () => {
      try {
        const trace = await record({ engine, toml, seed }, from_s, abort.signal);
        if (abort.signal.aborted) return;
        setTrace(trace);
        setIndex(wanted.show(trace));
        setProblem(null);
        setStale(false);
      } catch (error) {
        if (abort.signal.aborted) return;
        setTrace(null);
        setPlaying(false);
        setProblem(error instanceof Error ? error.message : String(error));
        setStale(false);
      }
    };
    const timer = setTimeout(() => void start(), hasRested ? 0 : REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [engine, toml, seed, from_s, wanted]);

  const forward = () => {
    if (!trace || isStale) return;
    if (index + 1 < trace.accesses.length) return setIndex(index + 1);
    const next = nextPiece(trace);
    if (next === null || next >= durationSeconds) return setPlaying(false);
    want({ from_s: next, show: first });
  };
  const back = () => {
    setPlaying(false);
    if (!trace || isStale) return;
    if (index > 0) return setIndex(index - 1);
    const previous = previousPiece(trace);
    if (previous === null) return;
    const moment = momentOf(trace, 0);
    want({ from_s: previous, show: (trace) => accessBefore(trace, moment) });
  };

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(forward, 1000 / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, speed, trace, index, isStale]);

  return {
    trace,
    index,
    moment: trace && !isStale ? Math.max(0, momentOf(trace, index)) : from_s,
    problem,
    isStale,
    isPlaying,
    speed,
    flow,
    goTo: (moment) => {
      setPlaying(false);
      want({ from_s: moment, show: first });
    },
    select: (index) => {
      setPlaying(false);
      setIndex(index);
    },
    forward: () => {
      setPlaying(false);
      forward();
    },
    back,
    togglePlay: () => setPlaying(!isPlaying),
    setSpeed,
    setFlow,
  };
}
