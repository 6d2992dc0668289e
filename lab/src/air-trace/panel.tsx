// One packet's life: a run is stopped at a moment and goes on access by access.
import "./air-trace.css";
import { useId, useMemo } from "preact/hooks";
import type { Engine } from "../engine/engine.ts";
import type { AirTrace } from "../engine/result.ts";
import { Air } from "./air.tsx";
import { Exchanges } from "./exchanges.tsx";
import { usePlayer, type Player } from "./player.ts";
import { Queues } from "./queue.tsx";
import { sendersByAccess } from "./senders.ts";
import { Strip } from "./strip.tsx";
import { duration, seconds } from "./time.ts";
import { useWidth } from "./width.ts";
import { Windows } from "./windows.tsx";
import { describeAccess } from "./words.ts";

export interface AirTracePanelProps {
  engine: Engine;
  toml: string;
  seed: number;
  /** The measured time of the scenario. */
  durationSeconds: number;
}

export function AirTracePanel({ engine, toml, seed, durationSeconds }: AirTracePanelProps) {
  const player = usePlayer({ engine, toml, seed }, durationSeconds);
  const { trace, index, problem } = player;
  return (
    <div class={player.isStale ? "air-trace is-stale" : "air-trace"}>
      <Moment player={player} durationSeconds={durationSeconds} />
      {problem && (
        <p class="air-trace-problem" role="alert">
          {problem}
        </p>
      )}
      {trace && trace.accesses.length === 0 && (
        <p>Nothing is sent from this moment to the end of the run.</p>
      )}
      {trace?.accesses[index] && <Picture player={player} trace={trace} />}
    </div>
  );
}

/** Where the air trace begins. */
function Moment({ player, durationSeconds }: { player: Player; durationSeconds: number }) {
  const id = useId();
  const step = durationSeconds > 10 ? 0.1 : durationSeconds / 1000;
  const set = (event: Event) => {
    const moment = (event.currentTarget as HTMLInputElement).valueAsNumber;
    // The end itself is no moment of the run.
    if (moment >= 0 && moment < durationSeconds) player.goTo(moment);
  };
  const value = Number(player.moment.toFixed(6));
  return (
    <div class="air-trace-moment">
      <label for={`${id}-slider`}>Moment</label>
      <input
        id={`${id}-slider`}
        type="range"
        min={0}
        max={durationSeconds - step}
        step={step}
        value={value}
        onInput={set}
      />
      <input
        type="number"
        aria-label="Moment in seconds"
        min={0}
        max={durationSeconds}
        step="any"
        value={value}
        onChange={set}
      />
      <span>s</span>
    </div>
  );
}

function Picture({ player, trace }: { player: Player; trace: AirTrace }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const access = trace.accesses[player.index]!;
  const sentence = describeAccess(trace, access);
  const onKeyDown = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = {
      ArrowLeft: player.back,
      ArrowRight: player.forward,
      " ": player.togglePlay,
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  };
  return (
    <>
      <Steps player={player} trace={trace} />
      <div
        ref={ref}
        class="air-trace-timeline"
        role="group"
        tabIndex={0}
        aria-label="The air: arrow keys go to the next or last access, space plays and pauses"
        onKeyDown={onKeyDown}
      >
        {width > 0 && (
          <>
            <Strip trace={trace} present={player.index} width={width} go={player.select} />
            <Air trace={trace} access={access} width={width} />
          </>
        )}
      </div>
      <p class="air-trace-sentence" aria-live={player.isPlaying ? "off" : "polite"}>
        {sentence}
      </p>
      <Legend hasCategories={hasCategories(trace)} />
      <Exchanges trace={trace} access={access} />
      <div class="air-trace-sides">
        <Queues trace={trace} access={access} />
        <FlowWindows player={player} trace={trace} />
      </div>
    </>
  );
}

/** The buttons of the player. */
function Steps({ player, trace }: { player: Player; trace: AirTrace }) {
  const id = useId();
  const access = trace.accesses[player.index]!;
  return (
    <div class="air-trace-steps">
      <button type="button" aria-keyshortcuts="ArrowLeft" onClick={player.back}>
        ◀ Back
      </button>
      <button type="button" aria-keyshortcuts="Space" onClick={player.togglePlay}>
        {player.isPlaying ? "❚❚ Pause" : "▶ Play"}
      </button>
      <button type="button" aria-keyshortcuts="ArrowRight" onClick={player.forward}>
        Forward ▶
      </button>
      <label for={id}>Speed</label>
      <select
        id={id}
        value={player.speed}
        onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
      >
        <option value={0.5}>1 in 2 s</option>
        <option value={1}>1 in 1 s</option>
        <option value={4}>4 in 1 s</option>
        <option value={12}>12 in 1 s</option>
      </select>
      <span class="air-trace-clock">
        {seconds(access.at_ns - trace.warmup_ns)}, lasts {duration(access.end_ns - access.at_ns)}
      </span>
    </div>
  );
}

function FlowWindows({ player, trace }: { player: Player; trace: AirTrace }) {
  const id = useId();
  const senders = useMemo(() => sendersByAccess(trace), [trace]);
  const flow = Math.min(player.flow, trace.flows.length - 1);
  return (
    <section class="air-trace-part-of-page" aria-label="Windows of a flow">
      <h3>
        <label for={id}>Windows of</label>{" "}
        <select
          id={id}
          value={flow}
          onChange={(event) => player.setFlow(Number(event.currentTarget.value))}
        >
          {trace.flows.map((flow, index) => (
            <option key={flow.id} value={index}>
              {flow.name ? `${flow.id} (${flow.name})` : flow.id}
            </option>
          ))}
        </select>
      </h3>
      <Windows sender={senders[player.index]?.[flow]} />
    </section>
  );
}

type LegendEntry = [kind: string, code: string, meaning: string];

const LEGEND: LegendEntry[] = [
  ["is-down", "D3", "data of down-3"],
  ["is-up", "D3", "data of up-3"],
  ["is-down is-ack", "A3", "ACK of down-3"],
  ["is-up is-ack", "A3", "ACK of up-3"],
  ["is-collided", "✕", "collision"],
  ["is-corrupted", "!", "corrupted"],
  ["is-slots", "12", "backoff, slots"],
];

const LEGEND_OF_EDCA: LegendEntry[] = [
  ["is-up", "17", "MPDU 17 of an A-MPDU"],
  ["is-up", "17 (2)", "an A-MSDU of 2 packets"],
  ["is-up is-retry", "R 17", "repeated MPDU"],
  ["is-preamble", "", "preamble"],
  ["is-one", "1", "received, by the Block Ack"],
  ["is-zero", "0", "not received"],
];

/** Whether the cell has EDCA. */
function hasCategories({ accesses }: AirTrace): boolean {
  return accesses.some(({ contenders }) => contenders.some(({ category }) => category));
}

function Legend({ hasCategories }: { hasCategories: boolean }) {
  const entries = hasCategories ? [...LEGEND, ...LEGEND_OF_EDCA] : LEGEND;
  return (
    <ul class="air-trace-legend" aria-label="Legend">
      {entries.map(([kind, code, meaning]) => (
        <li key={meaning}>
          <span class={`air-trace-cell ${kind}`}>{code || "\u00a0"}</span> {meaning}
        </li>
      ))}
    </ul>
  );
}
