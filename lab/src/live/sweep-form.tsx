// Starts a sweep of the present scenario on all processors of the server.
import { useId, useState } from "preact/hooks";
import type { Server } from "../engine/server.ts";
import type { OwnSweep } from "./own-sweep.tsx";

interface Props {
  server: Server;
  toml: string;
  onStart: (sweep: OwnSweep) => void;
}

export function SweepForm({ server, toml, onStart }: Props) {
  const id = useId();
  const [vary, setVary] = useState("cell.queue.limit=10:100:10");
  const [runs, setRuns] = useState(5);
  const [keep, setKeep] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const isReady = server.state.value === "connected" && vary.trim() !== "" && runs >= 1;
  const start = async () => {
    const lines = vary.split("\n").map((line) => line.trim());
    const request = {
      toml,
      vary: lines.filter((line) => line !== ""),
      runs,
      keep: keep.trim() || null,
    };
    try {
      onStart(await server.post<OwnSweep>("campaigns", request));
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <fieldset class="live-form">
      <legend>Sweep the scenario of this page</legend>
      <label for={`${id}-vary`}>Vary: a line KEY=VALUES for each key</label>
      <textarea
        id={`${id}-vary`}
        rows={2}
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        value={vary}
        onInput={({ currentTarget }) => setVary(currentTarget.value)}
      />
      <p id={`${id}-hint`} class="hint">
        Values are V1,V2,... or START:STOP:STEP, as of <code>evenair sweep --vary</code>.
      </p>
      <label for={`${id}-runs`}>Runs for each point</label>
      <input
        id={`${id}-runs`}
        type="number"
        min={1}
        max={100000}
        value={runs}
        onInput={({ currentTarget }) => setRuns(currentTarget.valueAsNumber)}
      />
      <label for={`${id}-keep`}>Keep as (empty: until the lab ends)</label>
      <input
        id={`${id}-keep`}
        type="text"
        placeholder="NAME.parquet"
        spellcheck={false}
        value={keep}
        onInput={({ currentTarget }) => setKeep(currentTarget.value)}
      />
      <button type="button" disabled={!isReady} onClick={() => void start()}>
        Start the sweep
      </button>
      {problem && (
        <p class="message error" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
