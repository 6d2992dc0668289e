// Means with 95% intervals over a key, a curve for each value of another one. Each point is a button.
import { useMemo, useRef, useState } from "preact/hooks";
import { markerPath } from "../pictures/common/marks.tsx";
import { tickTexts, ticks } from "../pictures/common/scale.ts";
import { useWidth } from "../widgets/width.ts";
import { withInterval } from "../statistics.ts";
import type { Curve, Curves, Point } from "./curves.ts";
import { valueText, withUnit } from "./labels.ts";
import { between } from "./scale.ts";
import { dashOf, colourOf, isHollow, markerOf } from "./curve-style.ts";

const HEIGHT = 300;
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 16, 12, 44];
/** Between the ends of the horizontal axis and the points there. */
const INSET = 10;
/** Of the width of a text's slot: curves over texts are beside each other. */
const SPREAD = 0.5;

interface Props {
  data: Curves;
  /** The point whose scenario is open, if any. */
  opened: Point | null;
  onOpen: (point: Point) => void;
}

export function Chart({ data, opened, onOpen }: Props) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const scales = useMemo(() => scalesOf(data, Math.max(width, 200)), [data, width]);
  return (
    <div ref={ref}>
      {width > 0 && (
        <svg class="campaign-chart" width={width} height={HEIGHT}>
          <AxesLines data={data} scales={scales} width={width} />
          {data.curves.map((curve, k) => (
            <Line key={curve.name} curve={curve} index={k} scales={scales} data={data} />
          ))}
          <Points data={data} scales={scales} opened={opened} onOpen={onOpen} />
        </svg>
      )}
    </div>
  );
}

interface Scales {
  x: (point: Point, curve: number) => number;
  y: (value: number) => number;
  xTicks: { at: number; text: string }[];
  yTicks: { at: number; text: string }[];
}

function scalesOf(data: Curves, width: number): Scales {
  const { curves, texts, x: label } = data;
  const ends = curves.flatMap(({ points }) =>
    points.map(({ estimate }) => estimate.mean + (estimate.ci95 ?? 0)),
  );
  const yValues = ticks(Math.max(0, ...ends), 5);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / yValues.at(-1)!);
  const yTexts = tickTexts(yValues);
  const yTicks = yValues.map((value, k) => ({ at: y(value), text: yTexts[k]! }));
  const room = width - LEFT - RIGHT;
  if (texts) {
    const slot = room / texts.length;
    const place = (text: unknown) => LEFT + slot * (texts.indexOf(text as never) + 0.5);
    const beside = (curve: number) =>
      (SPREAD * slot * (curve - (curves.length - 1) / 2)) / Math.max(curves.length, 1);
    const longest = Math.floor(slot / 7);
    const short = (text: string) =>
      text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
    return {
      x: (point, curve) => place(point.x) + beside(curve),
      y,
      xTicks: texts.map((text) => ({ at: place(text), text: short(valueText(text)) })),
      yTicks,
    };
  }
  const places = curves.flatMap(({ points }) => points.map(({ x }) => Number(x) * label.scale));
  const values = between(Math.min(...places), Math.max(...places), width < 420 ? 4 : 8);
  const [low, high] = [values[0]!, values.at(-1)!];
  const x = (value: number) => LEFT + INSET + ((value - low) / (high - low)) * (room - 2 * INSET);
  const xTexts = tickTexts(values);
  return {
    x: (point) => x(Number(point.x) * label.scale),
    y,
    xTicks: values.map((value, k) => ({ at: x(value), text: xTexts[k]! })),
    yTicks,
  };
}

function AxesLines({ data, scales, width }: { data: Curves; scales: Scales; width: number }) {
  return (
    <g class="campaign-axes" aria-hidden="true">
      {scales.yTicks.map(({ at, text }) => (
        <g key={text}>
          <path d={`M${LEFT} ${at}H${width - RIGHT}`} />
          <text x={LEFT - 6} y={at} text-anchor="end" dominant-baseline="central">
            {text}
          </text>
        </g>
      ))}
      {scales.xTicks.map(({ at, text }) => (
        <text key={at} x={at} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
          {text}
        </text>
      ))}
      <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6} text-anchor="middle">
        {data.texts ? data.x.text : withUnit(data.x)}
      </text>
    </g>
  );
}

function Line(props: { curve: Curve; index: number; scales: Scales; data: Curves }) {
  const { curve, index, scales, data } = props;
  const places = curve.points.map((point) => [scales.x(point, index), point] as const);
  // Texts have no order: no line leads from one to the next.
  const path = places.map(
    ([x, { estimate }], k) => `${k ? "L" : "M"}${x} ${scales.y(estimate.mean)}`,
  );
  const whiskers = places.flatMap(([x, { estimate }]) => {
    if (!estimate.ci95) return [];
    const low = scales.y(Math.max(estimate.mean - estimate.ci95, 0));
    const high = scales.y(estimate.mean + estimate.ci95);
    return [`M${x} ${low}V${high}M${x - 4} ${low}h8M${x - 4} ${high}h8`];
  });
  return (
    <g aria-hidden="true" fill="none" stroke={colourOf(index)}>
      {!data.texts && <path d={path.join("")} stroke-width="2" stroke-dasharray={dashOf(index)} />}
      <path d={whiskers.join("")} stroke-width="1.2" />
    </g>
  );
}

/** One of the points is a stop of the Tab key; the arrows go from it to the others. */
function Points({ data, scales, opened, onOpen }: Props & { scales: Scales }) {
  const [stop, setStop] = useState<[curve: number, point: number]>([0, 0]);
  const group = useRef<SVGGElement>(null);
  const go = (curve: number, point: number) => {
    const next = Math.min(Math.max(curve, 0), data.curves.length - 1);
    const last = data.curves[next]!.points.length - 1;
    const index = Math.min(Math.max(point, 0), last);
    setStop([next, index]);
    group.current!.querySelector<SVGElement>(`[data-point="${next}-${index}"]`)?.focus();
  };
  const isStop = (k: number, n: number) => {
    const [curve, point] = stop;
    const exists = data.curves[curve]?.points[point] !== undefined;
    return exists ? k === curve && n === point : k === 0 && n === 0;
  };
  return (
    <g ref={group} role="group" aria-label={`Points: ${data.y.text} over ${data.x.text}`}>
      {data.curves.map(({ name, points }, k) =>
        points.map((point, n) => (
          <path
            key={`${name} ${String(point.x)}`}
            class={point === opened ? "campaign-point is-open" : "campaign-point"}
            data-point={`${k}-${n}`}
            d={markerPath(markerOf(k), scales.x(point, k), scales.y(point.estimate.mean), 5)}
            fill={isHollow(k) ? "var(--picture-background)" : colourOf(k)}
            stroke={colourOf(k)}
            role="button"
            tabindex={isStop(k, n) ? 0 : -1} // of SVG, whose attributes have a case
            aria-label={pointText(data, name, point)}
            onClick={() => {
              setStop([k, n]);
              onOpen(point);
            }}
            onKeyDown={(event) => {
              const moves: Record<string, [number, number]> = {
                ArrowRight: [k, n + 1],
                ArrowLeft: [k, n - 1],
                ArrowDown: [k + 1, n],
                ArrowUp: [k - 1, n],
              };
              const move = moves[event.key];
              if (move) go(...move);
              else if (event.key === "Enter" || event.key === " ") onOpen(point);
              else return;
              event.preventDefault();
            }}
          >
            <title>{pointText(data, name, point)}</title>
          </path>
        )),
      )}
    </g>
  );
}

/** "droptail, limit of the AP queue 60 packets: Jain's index 0.629 ± 0.001". */
export function pointText(data: Curves, curve: string, point: Point): string {
  const value = withInterval(point.estimate, data.y.decimals);
  const part = point.known === point.runs ? "" : `, ${point.known} of ${point.runs} runs`;
  const unit = data.y.unit && ` ${data.y.unit}`;
  const x = `${data.x.text} ${xText(data, point)}`;
  return `${curve ? `${curve}, ` : ""}${x}: ${data.y.text} ${value}${unit}${part}`;
}

/** The value on the horizontal axis with its unit. */
export function xText(data: Curves, { x }: Point): string {
  if (data.texts) return valueText(x);
  const number = Number((Number(x) * data.x.scale).toPrecision(10));
  return data.x.unit ? `${number} ${data.x.unit}` : String(number);
}
