// What is shown, and how one gets to the next access: by hand, or by the clock while it plays.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Film } from "../engine/result.ts";
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
  film: Film | null;
  /** The access that is shown. */
  index: number;
  /** When the film begins, seconds of measured time. */
  moment: number;
  /** One line, if there is no film of the scenario. */
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
  show: (film: Film) => number;
}

const first = () => 0;

export function usePlayer(subject: Subject, durationSeconds: number): Player {
  const { engine, toml, seed } = subject;
  const [wanted, want] = useState<Wanted>({ from_s: durationSeconds / 2, show: first });
  const [film, setFilm] = useState<Film | null>(null);
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
        const film = await record({ engine, toml, seed }, from_s, abort.signal);
        if (abort.signal.aborted) return;
        setFilm(film);
        setIndex(wanted.show(film));
        setProblem(null);
        setStale(false);
      } catch (error) {
        if (abort.signal.aborted) return;
        setFilm(null);
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
    if (!film || isStale) return;
    if (index + 1 < film.accesses.length) return setIndex(index + 1);
    const next = nextPiece(film);
    if (next === null || next >= durationSeconds) return setPlaying(false);
    want({ from_s: next, show: first });
  };
  const back = () => {
    setPlaying(false);
    if (!film || isStale) return;
    if (index > 0) return setIndex(index - 1);
    const previous = previousPiece(film);
    if (previous === null) return;
    const moment = momentOf(film, 0);
    want({ from_s: previous, show: (film) => accessBefore(film, moment) });
  };

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(forward, 1000 / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, speed, film, index, isStale]);

  return {
    film,
    index,
    moment: film && !isStale ? Math.max(0, momentOf(film, index)) : from_s,
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
