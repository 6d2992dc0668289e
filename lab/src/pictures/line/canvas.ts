// What charts of lines draw on their canvas besides uPlot's lines. Positions and sizes are in the canvas's pixels.
import uPlot from "uplot";
import type { Colour } from "../colours.ts";
import { markerPath } from "../common/marks.tsx";
import type { LineStyle, Thread, Values } from "./spec.ts";

type Colours = (name: Colour) => string;

/** Calls `draw` with a context that draws inside the axes only. */
function inside(u: uPlot, draw: (context: CanvasRenderingContext2D) => void): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  draw(u.ctx);
  u.ctx.restore();
}

/** `u.valToPos` in less time on linear scales. */
function positions(u: uPlot, name: "x" | "y"): (value: number) => number {
  const { min, max, distr } = u.scales[name]!;
  if (distr === 3) return (value) => u.valToPos(value, name, true);
  const [start, end] = [u.valToPos(min!, name, true), u.valToPos(max!, name, true)];
  const slope = (end - start) / (max! - min!);
  return (value) => start + slope * (value - min!);
}

export function drawThreads(u: uPlot, threads: readonly Thread[], colour: Colours): void {
  if (threads.length === 0) return;
  const [px, py] = [positions(u, "x"), positions(u, "y")];
  inside(u, (context) => {
    context.lineWidth = uPlot.pxRatio;
    context.globalAlpha = threadOpacity(threads.length);
    for (const { colour: name, x, y } of threads) {
      context.strokeStyle = colour(name);
      context.beginPath();
      let isDown = false;
      for (let k = 0; k < x.length; k++) {
        const value = y[k];
        if (value != null) {
          if (isDown) context.lineTo(px(x[k]!), py(value));
          else context.moveTo(px(x[k]!), py(value));
        }
        isDown = value != null;
      }
      context.stroke();
    }
  });
}

/** The more there are, the fainter is each. */
export function threadOpacity(count: number): number {
  return Math.max(0.12, 0.6 / Math.sqrt(Math.max(count / 4, 1)));
}

export function drawMarkers(u: uPlot, lines: readonly LineStyle[], colour: Colours): void {
  const [px, py] = [positions(u, "x"), positions(u, "y")];
  const xs = u.data[0]!;
  inside(u, (context) => {
    context.lineWidth = 1.5 * uPlot.pxRatio;
    lines.forEach(({ marker, isHollow, colour: name }, k) => {
      const values = u.data[k + 1] as Values;
      const marked = marker ? markedPoints(values, k) : [];
      if (!marker || marked.length === 0) return;
      const place = (point: number) =>
        markerPath(marker, px(xs[point]!), py(values[point]!), 4 * uPlot.pxRatio);
      const path = new Path2D(marked.map(place).join(""));
      context.strokeStyle = colour(name);
      context.fillStyle = colour(isHollow ? "background" : name);
      context.fill(path);
      context.stroke(path);
    });
  });
}

/** Points of a line that have a marker. */
const MARKERS = 8;

/** The points of a line that have a marker; those of neighbouring lines do not coincide. */
export function markedPoints(values: Values, line: number): number[] {
  const every = Math.max(1, Math.floor(values.length / MARKERS));
  const first = Math.floor((every * (line % 3)) / 3);
  const marked: number[] = [];
  for (let k = first; k < values.length; k += every) if (values[k] != null) marked.push(k);
  return marked;
}

/** Diagonal lines of a colour. */
export function hatch(colour: string, background: string): CanvasPattern {
  const size = 6 * Math.ceil(uPlot.pxRatio);
  const tile = document.createElement("canvas");
  [tile.width, tile.height] = [size, size];
  const context = tile.getContext("2d")!;
  context.fillStyle = background;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = colour;
  context.lineWidth = size / 3;
  // The line, and what of its neighbours enters at two corners of the tile.
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift - size / 2, size * 1.5);
    context.lineTo(shift + size * 1.5, -size / 2);
  }
  context.stroke();
  return context.createPattern(tile, "repeat")!;
}
