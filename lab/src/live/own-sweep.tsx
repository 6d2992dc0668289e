// What can be done with a sweep of the page.
import { useState } from "preact/hooks";
import type { Server } from "../engine/server.ts";
import { save } from "../pictures/index.ts";
import type { Sweep } from "./sweep.ts";

/** A sweep of this page, as the server lists it. */
export interface OwnSweep {
  number: number;
  /** Of its file. */
  name: string;
}

interface Props {
  server: Server;
  own: OwnSweep;
  state: Sweep["state"];
  onRemove: () => Promise<void>;
}

export function OwnSweepButtons({ server, own, state, onRemove }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const path = `campaigns/${own.number}`;
  const doing = (work: () => Promise<unknown>) => async () => {
    try {
      await work();
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const stop = () => server.fetch(`${path}/stop`, { method: "POST" });
  const saveTable = async () => {
    const response = await server.fetch(`${path}/file`);
    save(own.name, await response.blob());
  };
  const remove = async () => {
    await server.fetch(path, { method: "DELETE" });
    await onRemove();
  };
  return (
    <p class="live-buttons">
      <button type="button" disabled={state !== "running"} onClick={doing(stop)}>
        Stop
      </button>
      <button type="button" disabled={state !== "done"} onClick={doing(saveTable)}>
        Save table (Parquet)
      </button>
      <button type="button" onClick={doing(remove)}>
        Remove
      </button>
      {problem && <span role="alert">{problem}</span>}
    </p>
  );
}
