// Pictures over time: of the first seed's run, of two scenarios side by side on the same scale.
import { useId, useMemo } from "preact/hooks";
import { cssColour } from "../colours.ts";
import { WAY_NAMES } from "../data/flows.ts";
import { short } from "../data/numbers.ts";
import {
  controllerTrack,
  flowTrack,
  limiterTrack,
  queueTrack,
  trackRows,
  trackText,
  type FlowQuantity,
  type Track,
} from "../data/series.ts";
import type { ChartData, ChartSpec, LineStyle, Values } from "./spec.ts";
import { LineChart } from "./chart-view.tsx";
import { sideName } from "../common/keys.tsx";
import { AreaSwatch, LineSwatch, WAY_MARKERS } from "../common/marks.tsx";
import { Key, Picture } from "../common/picture.tsx";
import { useProbe } from "../common/probe.ts";
import { downlinkSender, firstRun, type View } from "../view.ts";

interface Style extends LineStyle {
  name: string;
}

/** What is drawn over time, whatever the scenario. */
interface Kind {
  name: string;
  /** The values in its table, with their unit. */
  column: string;
  title: (view: View) => string;
  track: (view: View) => Track | null;
  /** In the order of the track's lines. */
  styles: readonly Style[];
  /** Lines lie on top of each other: the first at the bottom. */
  isStacked?: boolean;
  /** What the thin lines are. */
  threads?: string;
}

const UPLOADS: Style = { name: WAY_NAMES.up, colour: "up", marker: WAY_MARKERS.up };
const DOWNLOADS: Style = {
  name: WAY_NAMES.down,
  colour: "down",
  marker: WAY_MARKERS.down,
  isHollow: true,
};

function ofFlows(
  name: string,
  column: string,
  title: string,
  quantity: FlowQuantity,
  scale: number,
): Kind {
  return {
    name,
    column,
    title: () => title,
    track: (view) => flowTrack(view, quantity, scale),
    styles: [
      { ...UPLOADS, name: "uploads, mean" },
      { ...DOWNLOADS, name: "downloads, mean" },
    ],
    threads: "each flow",
  };
}

const CWND = ofFlows("cwnd", "cwnd_segments", "Congestion window (segments)", "cwnd", 1);
const RTT = ofFlows(
  "rtt",
  "rtt_p50_ms",
  "Round-trip time, median of each interval (ms)",
  "rtt_p50_s",
  1e3,
);
const GOODPUT = ofFlows(
  "goodput-over-time",
  "goodput_mbps",
  "Goodput over time (Mb/s)",
  "goodput_bps",
  1e-6,
);
const QUEUE: Kind = {
  name: "queue",
  column: "packets",
  title: (view) => `Queue of the ${downlinkSender(view)} (packets)`,
  track: queueTrack,
  styles: [
    { name: "data of downloads", colour: "down", width: 1, isFilled: true },
    { name: "ACKs of uploads", colour: "up", width: 1, isFilled: true, isHatched: true },
  ],
  isStacked: true,
};
const LIMITER: Kind = {
  name: "limiter",
  column: "rate_mbps",
  title: () => "Rate limiter (Mb/s)",
  track: limiterTrack,
  styles: [
    { name: "rate R", colour: "rate", marker: "circle" },
    { name: "capacity C", colour: "capacity", marker: "square", isHollow: true },
    { ...UPLOADS, width: 1 },
    { ...DOWNLOADS, width: 1 },
  ],
};
const CONTROLLER: Kind = {
  name: "controller",
  column: "occupancy_percent",
  title: () => "Occupancy that the controller observes (%)",
  track: controllerTrack,
  styles: [
    { ...UPLOADS, name: "stations with uploads, mean" },
    { ...DOWNLOADS, name: "stations with downloads, mean" },
    { name: "even share", colour: "rate", dash: [6, 4] },
  ],
  threads: "each station",
};

interface Props {
  a: View;
  b: View | null;
}

export const Cwnd = (props: Props) => <Tracks kind={CWND} {...props} />;
export const Rtt = (props: Props) => <Tracks kind={RTT} {...props} />;
export const GoodputOverTime = (props: Props) => <Tracks kind={GOODPUT} {...props} />;
export const QueueOverTime = (props: Props) => <Tracks kind={QUEUE} {...props} />;
export const Limiter = (props: Props) => <Tracks kind={LIMITER} {...props} />;
export const Controller = (props: Props) => <Tracks kind={CONTROLLER} {...props} />;

const HEIGHT = 215;

/** Nothing if no scenario has such a series. */
function Tracks({ kind, a, b }: Props & { kind: Kind }) {
  const tracks = useMemo(
    () => ({ a: kind.track(a), b: b && kind.track(b) }),
    // Other seeds than the first do not matter.
    [kind, firstRun(a), b && firstRun(b)],
  );
  const spec = useMemo<ChartSpec>(() => chartSpec(kind), [kind]);
  const charts = useMemo(() => chartData(kind, tracks.a, tracks.b), [kind, tracks]);
  const times = tracks.a?.time_s ?? tracks.b?.time_s ?? [];
  const { probed, probe, step } = useProbe(times.length);
  const named: [string, Track][] = [];
  if (tracks.a) named.push(["A", tracks.a]);
  if (tracks.b) named.push(["B", tracks.b]);
  if (named.length === 0) return null;
  const title = kind.title(a);
  const seeds = [a, b].flatMap((view) => (view && firstRun(view)?.seed) ?? []);
  const side = (view: View, letter: "A" | "B", track: Track | null, data: ChartData | null) => (
    <Side
      label={b && sideName(letter, view)}
      spec={spec}
      data={data}
      probed={probed === null || !track ? null : nearest(track.time_s, times[probed]!)}
      probe={(index) =>
        probe(index === null || !track ? null : nearest(times, track.time_s[index]!))
      }
    />
  );
  return (
    <Picture
      name={kind.name}
      title={title}
      // What is measured on a gateway has no seed.
      {...(seeds.length > 0 && { note: `the run with seed ${[...new Set(seeds)].join(" and ")}` })}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={trackText(title, named)}
      rows={() => trackRows(kind.column, named)}
      onStep={step}
      onLeave={() => probe(null)}
      readout={probed === null ? null : readout(named, times[probed] ?? 0)}
      legend={<Legend kind={kind} tracks={named.map(([, track]) => track)} />}
    >
      <div class="picture-sides">
        {side(a, "A", tracks.a, charts.a)}
        {b && side(b, "B", tracks.b, charts.b)}
      </div>
    </Picture>
  );
}

/** The index of the time that is nearest to a time. */
function nearest(times: readonly number[], wanted: number): number {
  const distance = (k: number) => Math.abs(times[k]! - wanted);
  let best = 0;
  for (let k = 1; k < times.length; k++) if (distance(k) < distance(best)) best = k;
  return best;
}

/** "12.0 s: A data 13.0, ACKs 42.0; B data 35.0, ACKs 1.00" */
function readout(tracks: [side: string, track: Track][], time: number): string {
  const each = tracks.map(([side, { time_s, lines }]) => {
    const at = nearest(time_s, time);
    const values = lines.flatMap(({ name, values }) => {
      const value = values[at];
      return value == null ? [] : [`${name} ${short(value)}`];
    });
    return `${tracks.length > 1 ? `${side} ` : ""}${values.join(", ") || "nothing"}`;
  });
  return `${short(time)} s: ${each.join("; ")}`;
}

/** The lines that any of the scenarios has. */
function Legend({ kind, tracks }: { kind: Kind; tracks: Track[] }) {
  const isUsed = (k: number) =>
    tracks.some(({ lines }) => lines[k]!.values.some((value) => value !== null));
  return (
    <>
      {kind.styles.map((style, k) => isUsed(k) && <StyleKey key={style.name} {...style} />)}
      {kind.threads && tracks.some(({ flows }) => flows.length > 1) && (
        <Key>
          <svg width="26" height="12" aria-hidden="true">
            <path d="M0 6H26" stroke={cssColour("muted")} stroke-width="1" opacity="0.6" />
          </svg>
          {kind.threads}
        </Key>
      )}
    </>
  );
}

function StyleKey({ name, colour, marker, dash, isFilled, isHatched, isHollow = false }: Style) {
  return (
    <Key>
      {isFilled ? (
        <AreaSwatch id={useId()} colour={colour} side={isHatched ? "b" : "a"} />
      ) : (
        <LineSwatch colour={colour} marker={marker} dash={dash} isHollow={isHollow} />
      )}
      {name}
    </Key>
  );
}

interface SideProps {
  label: string | null;
  spec: ChartSpec;
  data: ChartData | null;
  probed: number | null;
  probe: (index: number | null) => void;
}

function Side({ label, spec, data, probed, probe }: SideProps) {
  return (
    <div class="picture-side">
      {label !== null && <p>{label}</p>}
      {data ? (
        <LineChart spec={spec} data={data} height={HEIGHT} probed={probed} probe={probe} />
      ) : (
        <p class="picture-empty">not in this scenario</p>
      )}
    </div>
  );
}

function chartSpec({ styles, isStacked }: Kind): ChartSpec {
  // The tallest area is drawn first.
  return { lines: isStacked ? [...styles].reverse() : styles, xLabel: "time (s)" };
}

/** Both scenarios have the same axes. */
function chartData(kind: Kind, a: Track | null, b: Track | null) {
  const both = [a, b].filter((track) => track !== null);
  const end = Math.max(0, ...both.flatMap(({ time_s }) => time_s.at(-1) ?? []));
  const columns = both.flatMap((track) => [
    ...drawnLines(kind, track),
    ...track.flows.map(({ values }) => values),
  ]);
  const yMost = 1.05 * largest(columns) || 1;
  const data = (track: Track | null): ChartData | null =>
    track && {
      x: track.time_s,
      lines: drawnLines(kind, track),
      threads: track.flows.map(({ way, values }) => ({ colour: way, x: track.time_s, y: values })),
      xRange: [0, end || 1],
      yMost,
    };
  return { a: data(a), b: data(b) };
}

function drawnLines({ isStacked }: Kind, { lines }: Track): Values[] {
  const values = lines.map((line) => line.values);
  if (!isStacked) return values;
  const stacked: Values[] = [];
  for (const own of values) {
    const below = stacked.at(-1);
    stacked.push(own.map((value, k) => (value ?? 0) + (below?.[k] ?? 0)));
  }
  return stacked.reverse();
}

function largest(columns: readonly Values[]): number {
  let most = 0;
  for (const column of columns)
    for (const value of column) if (value !== null && value > most) most = value;
  return most;
}
