// A chart of lines by uPlot: made once, then updated in place. Thin lines of single flows are behind the lines.
import uPlot from "uplot";
import { computedColour, type Colour } from "../colours.ts";
import { registerDrawing } from "../common/export.ts";
import { drawMarkers, drawThreads, hatch } from "./canvas.ts";
import type { ChartData, ChartSpec, LineStyle, Values } from "./spec.ts";
import { chartSvg } from "./svg.ts";
import { tickTexts } from "../common/scale.ts";

export interface Chart {
  update(data: ChartData, width: number, height: number): void;
  /** Marks the values that are read; null for none. */
  point(index: number | null): void;
  /** Draws with the present colours. */
  redraw(): void;
  destroy(): void;
}

/** `onPoint` is told the index of the values at the pointer. */
export function createChart(
  root: HTMLElement,
  spec: ChartSpec,
  data: ChartData,
  size: { width: number; height: number },
  onPoint: (index: number | null) => void,
): Chart {
  let present = data;
  const colours = new Map<Colour, string>();
  const colour = (name: Colour) => remembered(colours, name, () => computedColour(root, name));
  const hatches = new Map<Colour, CanvasPattern>();
  const area = ({ colour: name, isHatched }: LineStyle) =>
    isHatched
      ? remembered(hatches, name, () => hatch(colour(name), colour("background")))
      : colour(name);
  const { fontFamily } = getComputedStyle(root);
  const font = `12px ${fontFamily}`;
  const axis: uPlot.Axis = {
    stroke: () => colour("text"),
    font,
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { stroke: () => colour("grid"), width: 1, size: 4 },
  };
  let isPointed = false;
  const plot = new uPlot(
    {
      ...size,
      legend: { show: false },
      padding: [8, 14, 0, 0],
      scales: {
        x: {
          time: false,
          distr: spec.isLogarithmic ? 3 : 1,
          range: () => present.xRange,
        },
        y: { range: () => [0, present.yMost] },
      },
      axes: [
        {
          ...axis,
          label: spec.xLabel,
          labelFont: font,
          labelSize: 18,
          size: 24,
          gap: 3,
          space: 44,
          ...(spec.isLogarithmic
            ? { splits: logarithmicTicks, values: plainTexts, filter: (_, all) => all }
            : { values: linearTexts }),
        },
        { ...axis, size: 44, gap: 4, space: 26, values: linearTexts },
      ],
      series: [{}, ...spec.lines.map((line) => seriesOf(line, colour, area))],
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: { size: 7 },
      },
      hooks: {
        drawAxes: [(u) => drawThreads(u, present.threads, colour)],
        draw: [(u) => drawMarkers(u, spec.lines, colour)],
        setCursor: [
          (u) => {
            const isInside = (u.cursor.left ?? -1) >= 0;
            if (isInside || isPointed) onPoint(isInside ? (u.cursor.idx ?? null) : null);
            isPointed = isInside;
          },
        ],
      },
    },
    [present.x, ...present.lines],
    root,
  );
  registerDrawing(root, () => chartSvg(plot, spec, present, colour));
  return {
    update(next, width, height) {
      const isResized = width !== plot.width || height !== plot.height;
      present = next;
      plot.batch(() => {
        plot.setData([next.x, ...next.lines]);
        if (isResized) plot.setSize({ width, height });
      });
    },
    point(index) {
      const x = index === null ? undefined : present.x[index];
      const left = x === undefined ? -10 : plot.valToPos(x, "x");
      plot.setCursor({ left, top: left < 0 ? -10 : 0 }, false);
    },
    redraw() {
      colours.clear();
      hatches.clear();
      plot.redraw(false);
    },
    destroy: () => plot.destroy(),
  };
}

function remembered<K, V>(values: Map<K, V>, key: K, make: () => V): V {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = make();
  values.set(key, value);
  return value;
}

function seriesOf(
  line: LineStyle,
  colour: (name: Colour) => string,
  area: (line: LineStyle) => string | CanvasPattern,
): uPlot.Series {
  return {
    stroke: () => colour(line.colour),
    width: line.width ?? 2,
    ...(line.dash && { dash: [...line.dash] }),
    ...(line.isFilled && { fill: () => area(line) }),
    points: { show: true, size: 4, width: 1, fill: () => colour(line.colour), filter: alone },
  };
}

/** The values without a neighbour, of which a line shows nothing. */
function alone(u: uPlot, series: number, isShown: boolean): number[] | null {
  const values = u.data[series] as Values;
  if (!isShown) return null;
  const isKnown = (k: number) => values[k] != null;
  return [...values.keys()].filter((k) => isKnown(k) && !isKnown(k - 1) && !isKnown(k + 1));
}

const linearTexts = (_: uPlot, all: number[]) => tickTexts(all);
const plainTexts = (_: uPlot, all: number[]) => all.map(String);

/** Mean width of a digit of the axes' font, and the space between two numbers, in pixels. */
const DIGIT = 7.4;
const SPACE = 8;

/** Powers of ten, and twice and five times these if the numbers have room. */
function logarithmicTicks(u: uPlot, _axis: number, min: number, max: number): number[] {
  const decade = u.width / Math.max(Math.log10(max / min), 0.1);
  const widest = max.toFixed(0).length * DIGIT + SPACE;
  const factors = Math.log10(2) * decade > widest ? [1, 2, 5] : [1];
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
    all.push(...factors.map((factor) => Number(`${factor}e${power}`)));
  }
  return all.filter((tick) => tick >= min && tick <= max);
}
