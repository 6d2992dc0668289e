// A sweep that runs: how far it is, and its picture, which sharpens.
import { useEffect, useRef, useState } from "preact/hooks";
import { Explorer, type CampaignProps } from "../campaign/explorer.tsx";
import { exploration, problem, showTable } from "../campaign/store.ts";
import type { Server } from "../engine/server.ts";
import { useFeed } from "./feed.ts";
import { OwnSweepButtons, type OwnSweep } from "./own-sweep.tsx";
import { progressText, sweepFold, SweepTable, type Failure } from "./sweep.ts";

/** The picture is drawn at most once in this time. */
const PERIOD_MS = 400;

interface Props extends CampaignProps {
  server: Server;
  /** Of the stream with its lines. */
  path: string;
  name: string;
  /** If it is one of the page. */
  own?: OwnSweep;
  onRemove: () => Promise<void>;
}

export function SweepView({ server, path, name, own, onRemove, openPoint }: Props) {
  const { state: sweep, problem: failed } = useFeed(server, path, sweepFold);
  const { about, runs } = useThrottled(sweep, PERIOD_MS);
  useEffect(() => {
    if (about && runs.length > 0) void showTable(new SweepTable(name, about, runs));
  }, [name, about, runs]);
  const failures = sweep.outcome?.state === "done" ? sweep.outcome.failures : [];
  return (
    <div class="campaign">
      {own && <OwnSweepButtons server={server} own={own} state={sweep.state} onRemove={onRemove} />}
      <p role="status">{failed ?? progressText(sweep)}</p>
      {sweep.state === "running" && sweep.total > 0 && (
        <progress aria-label="Runs that are done" value={sweep.done} max={sweep.total} />
      )}
      <Failures failures={failures} />
      {problem.value && runs.length > 0 && (
        <p class="message error" role="alert">
          {problem.value}
        </p>
      )}
      {exploration.value?.file.name === name && runs.length > 0 && (
        <Explorer {...exploration.value} openPoint={openPoint} />
      )}
    </div>
  );
}

/** A value that changes at most once in a period. */
function useThrottled<T>(value: T, periodMs: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, periodMs);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}

function Failures({ failures }: { failures: Failure[] }) {
  return (
    <ul class="live-failures">
      {failures.slice(0, 10).map(({ values, seed, reason }) => {
        const where = Object.entries(values).map(([key, value]) => `${key}=${value}`);
        return <li key={`${where} ${seed}`}>{`${where.join(" ")}, seed ${seed}: ${reason}`}</li>;
      })}
    </ul>
  );
}
