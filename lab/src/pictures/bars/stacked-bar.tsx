// Shares of the measured time as one bar of 100%, a bar for each scenario.
import { useId } from "preact/hooks";
import { scaled } from "../../statistics.ts";
import { cssColour, type Colour } from "../colours.ts";
import { pairText } from "../data/numbers.ts";
import type { Part } from "../data/shares.ts";
import { areaFill, Hatches } from "../common/marks.tsx";
import { tickTexts, ticks } from "../common/scale.ts";
import { useWidth } from "../../widgets/width.ts";
import type { Side } from "../view.ts";

const BAR = 34;
const GAP = 10;
const AXIS = 20;
/** Width of a character, of the widest fonts that pages use. */
const CHARACTER = 7.4;

export interface StackedBarProps {
  parts: Part[];
  isPair: boolean;
  /** The part whose values are read. */
  probed: number | null;
  probe: (part: number | null) => void;
}

export function StackedBar({ parts, isPair, probed, probe }: StackedBarProps) {
  const id = useId();
  const [ref, width] = useWidth<HTMLDivElement>();
  const sides: Side[] = isPair ? ["a", "b"] : ["a"];
  const bars = sides.map((side) => ({ side, segments: segments(parts, side) }));
  const left = isPair ? 20 : 5;
  // The parts of stations can sum to more than 1, because colliding frames overlap.
  const marks = ticks(
    Math.max(100, ...bars.map(({ segments }) => 100 * (segments.at(-1)?.end ?? 0))),
    5,
  );
  const x = (share: number) => left + ((share * 100) / marks.at(-1)!) * (width - left - 14);
  const height = bars.length * (BAR + GAP);
  return (
    <div
      ref={ref}
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const bar = bars[Math.floor((event.clientY - box.top) / (BAR + GAP))];
        const at = event.clientX - box.left;
        const found = bar?.segments.find(({ start, end }) => at >= x(start) && at < x(end));
        probe(found ? found.index : null);
      }}
    >
      {width > 0 && (
        <svg width={width} height={height + AXIS} aria-hidden="true">
          {isPair && (
            <Hatches id={id} colours={[...new Set(parts.map((part) => colourOf(part, "b")))]} />
          )}
          {marks.map((tick, k) => (
            <g key={k}>
              <path d={`M${x(tick / 100)} 0V${height}`} stroke={cssColour("grid")} />
              <text x={x(tick / 100)} y={height + 14} text-anchor="middle" class="muted">
                {tickTexts(marks)[k]}
              </text>
            </g>
          ))}
          {bars.map(({ side, segments }, k) => {
            const y = k * (BAR + GAP) + GAP / 2;
            return (
              <g key={side}>
                {isPair && (
                  <text x={left - 6} y={y + BAR / 2} text-anchor="end" dominant-baseline="central">
                    {side.toUpperCase()}
                  </text>
                )}
                {segments.map(({ index, start, end }) => {
                  const { id: part, label } = parts[index]!;
                  const colour = colourOf(parts[index]!, side);
                  const room = x(end) - x(start);
                  return (
                    <g key={part}>
                      <rect
                        x={x(start)}
                        y={y}
                        width={Math.max(room, 0)}
                        height={BAR}
                        fill={areaFill(id, colour, side)}
                        stroke={cssColour(index === probed ? "text" : "background")}
                        stroke-width={index === probed ? 2.5 : room > 3 ? 1 : 0.3}
                      />
                      {label.length * CHARACTER + 6 < room && (
                        <Label
                          x={(x(start) + x(end)) / 2}
                          y={y + BAR / 2}
                          colour={colour}
                          side={side}
                        >
                          {label}
                        </Label>
                      )}
                    </g>
                  );
                })}
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}

/** "12.3 ± 0.4 %" */
export function percentText({ a, b }: Part): string {
  const percent = { a: a && scaled(a, 100), b: b && scaled(b, 100) };
  return `${pairText(percent, 1)} %`;
}

function colourOf({ colour, colourOfB }: Part, side: Side): Colour {
  return side === "b" ? (colourOfB ?? colour) : colour;
}

interface Segment {
  index: number;
  start: number;
  end: number;
}

function segments(parts: Part[], side: Side): Segment[] {
  let end = 0;
  return parts.flatMap((part, index) => {
    const share = part[side]?.mean;
    if (share === undefined) return [];
    const start = end;
    end += share;
    return [{ index, start, end }];
  });
}

const INKS: Partial<Record<Colour, string>> = { up: "ink-up", idle: "ink-idle" };

/** Words on a part; on a pattern with an edge, so that they can be read. */
function Label(props: { x: number; y: number; colour: Colour; side: Side; children: string }) {
  const { x, y, colour, side, children } = props;
  const ink = side === "b" ? "text" : (INKS[colour] ?? "ink");
  return (
    <text
      x={x}
      y={y}
      text-anchor="middle"
      dominant-baseline="central"
      style={{ fill: `var(--picture-${ink})` }}
      stroke={side === "b" ? cssColour("background") : "none"}
      stroke-width="4"
      paint-order="stroke"
    >
      {children}
    </text>
  );
}
