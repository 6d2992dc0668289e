// Goodput per flow as bars, with the fair share drawn in.
import { useId, useMemo } from "preact/hooks";
import { cssColour } from "../colours.ts";
import { WAY_NAMES, WAYS, type Way } from "../data/flows.ts";
import {
  goodput,
  goodputRows,
  goodputText,
  type FlowGoodput,
  type Goodput as Data,
} from "../data/goodput.ts";
import { axisEnd, pairText } from "../data/numbers.ts";
import { AreaSwatch, areaFill, Hatches, LineSwatch } from "../common/marks.tsx";
import { Key, Picture } from "../common/picture.tsx";
import { useProbe } from "../common/probe.ts";
import { tickTexts, ticks } from "../common/scale.ts";
import { useWidth } from "../../widgets/width.ts";
import { progress, type Side, type View } from "../view.ts";

const DASH = { a: [7, 3], b: [2, 3] } as const;

export function Goodput({ a, b }: { a: View; b: View | null }) {
  const id = useId();
  const data = useMemo(() => goodput(a, b), [a, b]);
  const ways = WAYS.filter((way) => data.flows.some((flow) => flow.way === way));
  const shown: Side[] = b === null ? ["a"] : ["a", "b"];
  const has = (side: Side, way: Way) =>
    data.flows.some((flow) => flow.way === way && flow[side] !== null);
  const { probed, probe, step } = useProbe(data.flows.length);
  const read = probed === null ? undefined : data.flows[probed];
  const name = (side: Side) => (b === null ? "" : ` ${side.toUpperCase()}`);
  return (
    <Picture
      name="goodput"
      title="Goodput per flow (Mb/s)"
      note={progress(a, b)}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={goodputText(data)}
      rows={() => goodputRows(data)}
      onStep={step}
      onLeave={() => probe(null)}
      readout={read && readout(read)}
      legend={[
        ...ways.flatMap((way) =>
          shown
            .filter((side) => has(side, way))
            .map((side) => (
              <Key key={`${way}-${side}`}>
                <AreaSwatch id={`${id}-${way}`} colour={way} side={side} />
                {WAY_NAMES[way] + name(side)}
              </Key>
            )),
        ),
        ...shown
          .filter((side) => data.fairShare[side] !== null)
          .map((side) => (
            <Key key={side}>
              <LineSwatch colour="text" dash={DASH[side]} />
              fair share{name(side)} {pairText({ a: data.fairShare[side], b: null }, 3)}
            </Key>
          )),
      ]}
    >
      <Bars id={id} data={data} isPair={b !== null} probed={probed} probe={probe} />
    </Picture>
  );
}

/** "down-3 (download): 0.512 Mb/s" */
function readout(flow: FlowGoodput): string {
  const kind = WAY_NAMES[flow.way].replace(/s$/, "");
  return `${flow.name} (${kind}): ${pairText(flow, 3)} Mb/s`;
}

const HEIGHT = 190;
const LEFT = 44;
const TOP = 8;
/** Bars of few flows do not fill their part of the axis. */
const WIDEST_BAR = 96;
/** Mean width of a character of the labels. */
const CHARACTER = 6.6;
const LINE = 13;
const LONGEST_LABEL = 14;

interface BarsProps {
  id: string;
  data: Data;
  isPair: boolean;
  /** The flow whose values are read. */
  probed: number | null;
  probe: (flow: number | null) => void;
}

function Bars({ id, data, isPair, probed, probe }: BarsProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const { flows, fairShare } = data;
  const marks = ticks(axisEnd([...flows, fairShare]), 5);
  const texts = tickTexts(marks);
  const slot = (width - LEFT) / Math.max(flows.length, 1);
  const labels = axisLabels(flows, slot);
  const y = (value: number) => TOP + HEIGHT * (1 - value / marks.at(-1)!);
  const x = (k: number) => LEFT + slot * (k + 0.5);
  const right = LEFT + slot * flows.length;
  const sides: Side[] = isPair ? ["a", "b"] : ["a"];
  // A pattern or an outline would be all that is seen of them.
  const isNarrow = slot / sides.length < 5;
  return (
    <div
      ref={ref}
      onPointerMove={(event) => {
        const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
        const k = Math.floor((at - LEFT) / slot);
        probe(k >= 0 && k < flows.length ? k : null);
      }}
    >
      {width > 0 && (
        <svg width={width} height={TOP + HEIGHT + labels.height} aria-hidden="true">
          {isPair && <Hatches id={id} colours={WAYS} />}
          {marks.map((mark, k) => (
            <g key={k}>
              <path d={`M${LEFT} ${y(mark)}H${width}`} stroke={cssColour("grid")} />
              <text x={LEFT - 6} y={y(mark)} text-anchor="end" dominant-baseline="central">
                {texts[k]}
              </text>
            </g>
          ))}
          {probed !== null && probed < flows.length && (
            <rect
              x={x(probed) - slot / 2}
              y={TOP}
              width={slot}
              height={HEIGHT}
              fill={cssColour("grid")}
              fill-opacity="0.6"
            />
          )}
          {WAYS.flatMap((way) =>
            sides.map((side) => (
              <path
                key={`${way}-${side}`}
                d={barsPath(flows, way, side, sides.length, slot, x, y)}
                fill={side === "b" && isNarrow ? cssColour(way) : areaFill(id, way, side)}
                fill-opacity={side === "b" && isNarrow ? 0.45 : 1}
                stroke={isNarrow ? "none" : cssColour(side === "b" ? way : "text")}
                stroke-width="0.6"
              />
            )),
          )}
          <path
            d={whiskersPath(flows, sides, slot, x, y, marks.at(-1)!)}
            fill="none"
            stroke={cssColour("text")}
            stroke-width={slot > 6 ? 1.2 : 0.6}
          />
          {sides.map((side) => {
            const share = fairShare[side];
            return (
              share && (
                <path
                  key={side}
                  d={`M${LEFT} ${y(share.mean)}H${right}`}
                  stroke={cssColour("text")}
                  stroke-width="1.8"
                  stroke-dasharray={DASH[side].join(" ")}
                />
              )
            );
          })}
          {labels.texts.map(({ k, text }) =>
            labels.isRotated ? (
              <text
                key={k}
                text-anchor="end"
                dominant-baseline="central"
                transform={`translate(${x(k)} ${TOP + HEIGHT + 6}) rotate(-90)`}
              >
                {text}
              </text>
            ) : (
              <text key={k} x={x(k)} y={TOP + HEIGHT + 16} text-anchor="middle">
                {text}
              </text>
            ),
          )}
        </svg>
      )}
    </div>
  );
}

type Position = (value: number) => number;

/** The bars of a direction and a scenario: one path, so that a hundred flows cost what one costs. */
function barsPath(
  flows: FlowGoodput[],
  way: string,
  side: Side,
  sides: number,
  slot: number,
  x: Position,
  y: Position,
): string {
  const width = Math.min((slot * 0.8) / sides, WIDEST_BAR);
  const parts: string[] = [];
  flows.forEach((flow, k) => {
    const value = flow[side];
    if (flow.way !== way || value === null) return;
    const left = barLeft(x(k), side, sides, width);
    // At least a line: a flow without goodput is there all the same.
    const top = Math.min(y(value.mean), y(0) - 1);
    parts.push(`M${left.toFixed(2)} ${y(0)}V${top.toFixed(2)}h${width.toFixed(2)}V${y(0)}Z`);
  });
  return parts.join("");
}

function barLeft(middle: number, side: Side, sides: number, width: number): number {
  if (sides === 1) return middle - width / 2;
  return side === "a" ? middle - width : middle;
}

function whiskersPath(
  flows: FlowGoodput[],
  sides: Side[],
  slot: number,
  x: Position,
  y: Position,
  end: number,
): string {
  const width = Math.min((slot * 0.8) / sides.length, WIDEST_BAR);
  const cap = Math.min(4, width / 3);
  const parts: string[] = [];
  flows.forEach((flow, k) => {
    for (const side of sides) {
      const value = flow[side];
      if (!value?.ci95) continue;
      const middle = barLeft(x(k), side, sides.length, width) + width / 2;
      const upper = value.mean + value.ci95;
      const [low, high] = [y(Math.max(value.mean - value.ci95, 0)), y(Math.min(upper, end))];
      const across = `M${(middle - cap).toFixed(2)} `;
      parts.push(
        `M${middle.toFixed(2)} ${low.toFixed(2)}V${high.toFixed(2)}`,
        `${across}${low.toFixed(2)}h${(2 * cap).toFixed(2)}`,
        // Without an end where it goes on beyond the axis.
        ...(upper <= end ? [`${across}${high.toFixed(2)}h${(2 * cap).toFixed(2)}`] : []),
      );
    }
  });
  return parts.join("");
}

/** The names that have room below the axis. */
function axisLabels(flows: FlowGoodput[], slot: number) {
  const short = flows.map(({ name }) =>
    name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name,
  );
  const longest = CHARACTER * Math.max(0, ...short.map((name) => name.length));
  const isRotated = longest + 6 > slot;
  const every = Math.max(1, Math.ceil((isRotated ? LINE : longest + 6) / slot));
  const texts = short.map((text, k) => ({ k, text })).filter(({ k }) => k % every === 0);
  return { isRotated, texts, height: isRotated ? longest + 12 : 22 };
}
