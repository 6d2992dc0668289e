// Horizontal bars or points, a line for each quantity and scenario, with words and numbers beside them.
import { useId } from "preact/hooks";
import { scaled, withInterval, type Estimate } from "../../statistics.ts";
import { cssColour, type Colour } from "../colours.ts";
import { axisEnd } from "../data/numbers.ts";
import { areaFill, Hatches } from "../common/marks.tsx";
import { tickTexts, ticks } from "../common/scale.ts";
import { useWidth } from "../../widgets/width.ts";
import type { Pair, Side } from "../view.ts";

export interface Row extends Pair<Estimate> {
  label: string;
  /** Of A and B, should they not be those of the two scenarios. */
  colour?: Colour;
}

const LINE = 20;
const GAP = 8;
const AXIS = 20;
const MOST_TICKS = 5;
/** Width of a character, of the widest fonts that pages use. */
const CHARACTER = 7.4;

/** `most` is the end of the axis; without it, the largest value. Numbers are times `scale`. */
export function RowsChart({
  rows,
  most,
  scale = 1,
  decimals,
  isPair,
  mark,
}: {
  rows: Row[];
  most?: number;
  scale?: number;
  decimals: number;
  isPair: boolean;
  mark: "bar" | "point";
}) {
  const id = useId();
  const [ref, width] = useWidth<HTMLDivElement>();
  const sides: Side[] = isPair ? ["a", "b"] : ["a"];
  const label = ({ label }: Row, side: Side) => (isPair ? `${label} ${side.toUpperCase()}` : label);
  const number = (value: Estimate) => withInterval(scaled(value, scale), decimals);
  const lengths = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length)) * CHARACTER;
  const left = lengths(rows.map((row) => label(row, "b"))) + 12;
  const right =
    lengths(rows.flatMap((row) => sides.map((side) => (row[side] ? number(row[side]) : "")))) + 16;
  const marks = axis((most ?? axisEnd(rows)) * scale, width - left - right);
  const texts = tickTexts(marks);
  const x = (value: number) => left + (value / marks.at(-1)!) * Math.max(width - left - right, 10);
  const height = rows.length * (sides.length * LINE + GAP);
  return (
    <div ref={ref}>
      {width > 0 && (
        <svg width={width} height={height + AXIS} aria-hidden="true">
          {isPair && (
            <Hatches id={id} colours={["a", "b", ...rows.flatMap((row) => row.colour ?? [])]} />
          )}
          {marks.map((tick, k) => (
            <g key={k}>
              <path d={`M${x(tick)} 0V${height}`} stroke={cssColour("grid")} />
              <text x={x(tick)} y={height + 14} text-anchor="middle" class="muted">
                {texts[k]}
              </text>
            </g>
          ))}
          {rows.flatMap((row, k) =>
            sides.map((side, s) => {
              const value = row[side];
              const y = k * (sides.length * LINE + GAP) + GAP / 2 + (s + 0.5) * LINE;
              const colour = row.colour ?? side;
              return (
                <g key={`${row.label}-${side}`}>
                  <text x={left - 12} y={y} text-anchor="end" dominant-baseline="central">
                    {label(row, side)}
                  </text>
                  {value && mark === "bar" && (
                    <rect
                      x={left}
                      y={y - 6}
                      width={Math.max(x(value.mean * scale) - left, 0)}
                      height={12}
                      fill={areaFill(id, colour, side)}
                      stroke={cssColour(side === "b" ? colour : "text")}
                      stroke-width="0.6"
                    />
                  )}
                  {value && (
                    <Whisker value={scaled(value, scale)} end={marks.at(-1)!} x={x} y={y} />
                  )}
                  {value && mark === "point" && (
                    <Point x={x(value.mean * scale)} y={y} colour={colour} side={side} />
                  )}
                  <text x={width - right + 14} y={y} dominant-baseline="central">
                    {value ? number(value) : "none"}
                  </text>
                </g>
              );
            }),
          )}
        </svg>
      )}
    </div>
  );
}

/** Ticks whose texts have room. */
function axis(most: number, room: number): number[] {
  const longest = Math.max(...tickTexts(ticks(most, MOST_TICKS)).map((text) => text.length));
  const fitting = Math.floor(room / (longest * CHARACTER + GAP));
  return ticks(most, Math.min(Math.max(fitting, 1), MOST_TICKS));
}

/** A full circle of A, a hollow square of B. */
function Point({ x, y, colour, side }: { x: number; y: number; colour: Colour; side: Side }) {
  const [fill, stroke] = [cssColour(side === "a" ? colour : "background"), cssColour(colour)];
  return side === "a" ? (
    <circle cx={x} cy={y} r="5" fill={fill} stroke={stroke} stroke-width="2" />
  ) : (
    <rect
      x={x - 4.5}
      y={y - 4.5}
      width="9"
      height="9"
      fill={fill}
      stroke={stroke}
      stroke-width="2.5"
    />
  );
}

interface WhiskerProps {
  value: Estimate;
  /** Of the axis. */
  end: number;
  x: (value: number) => number;
  y: number;
}

function Whisker({ value, end, x, y }: WhiskerProps) {
  if (!value.ci95) return null;
  const [low, high] = [
    x(Math.max(value.mean - value.ci95, 0)),
    x(Math.min(value.mean + value.ci95, end)),
  ];
  // Without an end where it goes on beyond the axis.
  const cap = value.mean + value.ci95 <= end ? `M${high} ${y - 4}v8` : "";
  const d = `M${low} ${y}H${high}M${low} ${y - 4}v8${cap}`;
  return <path d={d} stroke={cssColour("text")} stroke-width="1.2" fill="none" />;
}
