// Cumulative distributions of delays.
import { useMemo } from "preact/hooks";
import {
  delayRows,
  delays,
  delayText,
  QUANTITIES,
  quantityName,
  type DelayLine,
  type Delays as Data,
  type Quantity,
} from "../data/delays.ts";
import { quantile } from "../data/distribution.ts";
import { WAY_NAMES, WAYS } from "../data/flows.ts";
import { short } from "../data/numbers.ts";
import type { ChartData, ChartSpec, LineStyle, Values } from "./spec.ts";
import { LineChart } from "./chart-view.tsx";
import { LineSwatch, WAY_MARKERS } from "../common/marks.tsx";
import { Key, Picture } from "../common/picture.tsx";
import { useProbe } from "../common/probe.ts";
import { pooled, type Side, type View } from "../view.ts";

interface Props {
  a: View;
  b: View | null;
}

/** A picture for each quantity that has samples. */
export function Delays(props: Props) {
  return (
    <>
      {QUANTITIES.map((quantity) => (
        <DelayCdf key={quantity} quantity={quantity} {...props} />
      ))}
    </>
  );
}

/** The lines of a chart: of each side those of uploads, downloads and the queue. */
const SLOTS: { side: Side; way: DelayLine["way"]; style: LineStyle }[] = (
  ["a", "b"] as const
).flatMap((side) =>
  [null, ...WAYS.filter((way) => way !== "wired")].map((way) => ({
    side,
    way,
    style: {
      colour: way ?? "text",
      width: 2,
      dash: side === "b" ? [6, 4] : undefined,
      marker: way ? WAY_MARKERS[way] : "circle",
      isHollow: side === "b",
    },
  })),
);

function chartSpec(isLogarithmic: boolean): ChartSpec {
  return { lines: SLOTS.map(({ style }) => style), xLabel: "delay (ms)", isLogarithmic };
}
const LINEAR = chartSpec(false);
const LOGARITHMIC = chartSpec(true);
/** The axis is logarithmic if the largest delay is this many times the smallest. */
const LOGARITHMIC_FROM = 20;

const HEIGHT = 215;

export function DelayCdf({ quantity, a, b }: Props & { quantity: Quantity }) {
  const data = useMemo(() => delays(quantity, a, b), [quantity, a, b]);
  const { spec, chart } = useMemo(() => chartOf(data), [data]);
  const { probed, probe, step } = useProbe(chart.x.length);
  if (data.lines.length === 0) return null;
  const name = quantityName(quantity, a);
  const label = ({ side, way }: Pick<DelayLine, "side" | "way">) =>
    [b && side.toUpperCase(), way ? WAY_NAMES[way] : "all packets"].filter(Boolean).join(" ");
  const readAt = (index: number) =>
    SLOTS.flatMap((slot, k) => {
      const value = chart.lines[k]![index];
      return value == null ? [] : [`${label(slot)} ${(100 * value).toFixed(1)} %`];
    });
  return (
    <Picture
      name={`${quantity.replaceAll("_", "-")}-cdf`}
      title={`${name}: share of samples up to`}
      note={pooled(a, b)}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={delayText(name, data)}
      rows={() => delayRows(data)}
      onStep={step}
      onLeave={() => probe(null)}
      readout={
        probed === null
          ? null
          : `up to ${short(chart.x[probed] ?? 0)} ms: ${readAt(probed).join(", ")}`
      }
      legend={data.lines.map((line) => {
        const { style } = SLOTS.find(({ side, way }) => side === line.side && way === line.way)!;
        return (
          <Key key={`${line.side}-${line.way}`}>
            <LineSwatch {...style} marker={style.marker} dash={style.dash} />
            {label(line)}, median {short(quantile(line, 0.5))} ms
          </Key>
        );
      })}
    >
      <LineChart spec={spec} data={chart} height={HEIGHT} probed={probed} probe={probe} />
    </Picture>
  );
}

/** A logarithmic axis begins where a curve has passed so much. */
const SHOWN_FROM = 0.005;

function firstAbove0({ ms }: DelayLine): number {
  return ms.find((value) => value > 0) ?? Number.POSITIVE_INFINITY;
}

/** Points of the axis at which lines have a value. */
const GRID = 240;

function chartOf({ lines, flows }: Data): { spec: ChartSpec; chart: ChartData } {
  const all = [...lines, ...flows];
  const most = Math.max(0, ...all.map(({ ms }) => ms.at(-1)!)) || 1;
  const least = Math.min(
    most,
    ...lines.map((line) => quantile(line, SHOWN_FROM) || firstAbove0(line)),
  );
  const isLogarithmic = most > LOGARITHMIC_FROM * least;
  const start = isLogarithmic ? roundedDown(Math.max(least, most / 1e4)) : 0;
  const x = Array.from({ length: GRID + 1 }, (_, k) => {
    const part = k / GRID;
    return isLogarithmic ? start * (most / start) ** part : most * part;
  });
  const chart: ChartData = {
    x,
    lines: SLOTS.map((slot) => {
      const line = lines.find(({ side, way }) => side === slot.side && way === slot.way);
      return line ? sampled(line, x) : x.map(() => null);
    }),
    threads: flows.map(({ way, ms, share }) => ({
      colour: way ?? "text",
      x: ms.map((value) => Math.max(value, start)),
      y: share,
    })),
    xRange: [start, most],
    yMost: 1,
  };
  return { spec: isLogarithmic ? LOGARITHMIC : LINEAR, chart };
}

/** To one digit: from a start between its ticks, uPlot can look for the ticks of a logarithmic axis without end. */
function roundedDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.floor(value / power) * power;
}

/** The curve at the points of the axis, interpolated between its own. */
function sampled({ ms, share }: DelayLine, x: readonly number[]): Values {
  let k = 0;
  return x.map((at) => {
    while (k < ms.length && ms[k]! <= at) k++;
    if (k === 0) return 0;
    if (k === ms.length) return 1;
    const [left, right] = [ms[k - 1]!, ms[k]!];
    const part = (at - left) / (right - left);
    return share[k - 1]! + part * (share[k]! - share[k - 1]!);
  });
}
