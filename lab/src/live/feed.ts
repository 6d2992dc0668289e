// What the server follows: its lines, and when it cannot be read.
import { useEffect, useState } from "preact/hooks";
import { ServerGone, type Server } from "../engine/server.ts";

/** Between attempts to read from a server that has gone. */
const RETRY_MS = 1000;

/** A state that is made from lines: `add` returns another one, which has them as well. */
export interface Fold<State, Line> {
  empty: State;
  add(state: State, lines: Line[]): State;
}

/** Reads a stream of the server as long as the component is shown, anew after the server was away. */
export function useFeed<State, Line>(
  server: Server,
  path: string,
  fold: Fold<State, Line>,
): { state: State; problem: string | null } {
  const [state, setState] = useState(fold.empty);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        let current = fold.empty;
        try {
          for await (const lines of server.lines<Line>(path, abort.signal)) {
            current = fold.add(current, lines);
            setState(current);
            setProblem(null);
          }
          // A sweep of the page has ended; any other stream ends with the server, which its state says.
          return;
        } catch (error) {
          if (abort.signal.aborted) return;
          setProblem((error as Error).message);
          if (!(error instanceof ServerGone)) return;
        }
        await isBack(server, abort.signal);
      }
    };
    void read();
    return () => abort.abort();
  }, [server, path, fold]);
  return { state, problem };
}

/** Resolves when the server answers again. */
function isBack(server: Server, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (abort.aborted || server.state.value === "connected") resolve();
      else setTimeout(look, RETRY_MS);
    };
    setTimeout(look, RETRY_MS);
  });
}
