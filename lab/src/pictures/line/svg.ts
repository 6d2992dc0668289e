// A chart of lines as SVG elements, for files: the scales and ticks are those of the chart on the page.
import type uPlot from "uplot";
import type { Colour } from "../colours.ts";
import { escape, round } from "../common/export.ts";
import { markedPoints, threadOpacity } from "./canvas.ts";
import { markerPath } from "../common/marks.tsx";
import type { ChartData, ChartSpec, Values } from "./spec.ts";

/** Ticks and their texts, as uPlot has found them for its axes. */
interface Ticks {
  _splits: number[] | null;
  _values: (string | null)[] | null;
}

let clips = 0;

export function chartSvg(
  plot: uPlot,
  spec: ChartSpec,
  data: ChartData,
  colour: (name: Colour) => string,
): string {
  const left = Number.parseFloat(plot.over.style.left);
  const top = Number.parseFloat(plot.over.style.top);
  const [width, height] = [plot.over.clientWidth, plot.over.clientHeight];
  const x = (value: number) => round(left + plot.valToPos(value, "x"));
  const y = (value: number) => round(top + plot.valToPos(value, "y"));
  const [right, bottom] = [left + width, top + height];
  const text = (px: number, py: number, anchor: string, words: string) =>
    `<text x="${px}" y="${py}" text-anchor="${anchor}" dominant-baseline="central" fill="${colour("text")}" font-family="${family}" font-size="12">${escape(words)}</text>`;
  const family = getComputedStyle(plot.root).fontFamily.replaceAll('"', "'");
  const grid = (d: string) => `<path d="${d}" stroke="${colour("grid")}" fill="none"/>`;
  const parts: string[] = [];
  const [xAxis, yAxis] = plot.axes as unknown as [Ticks, Ticks];
  xAxis._splits?.forEach((split, k) => {
    const words = xAxis._values?.[k];
    if (split === null || words == null) return;
    parts.push(grid(`M${x(split)} ${top}V${bottom}`), text(x(split), bottom + 12, "middle", words));
  });
  yAxis._splits?.forEach((split, k) => {
    const words = yAxis._values?.[k];
    if (split === null || words == null) return;
    parts.push(grid(`M${left} ${y(split)}H${right}`), text(left - 8, y(split), "end", words));
  });
  parts.push(text(left + width / 2, bottom + 32, "middle", spec.xLabel));
  const id = `clip-${++clips}`;
  parts.push(
    `<clipPath id="${id}"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>`,
    `<g clip-path="url(#${id})" fill="none">`,
  );
  const opacity = threadOpacity(data.threads.length);
  for (const thread of data.threads) {
    const d = path(thread.x, thread.y, x, y);
    parts.push(`<path d="${d}" stroke="${colour(thread.colour)}" opacity="${opacity}"/>`);
  }
  spec.lines.forEach((line, k) => {
    const values = data.lines[k]!;
    const stroke = colour(line.colour);
    if (line.isFilled) {
      const pattern = `${id}-hatch-${k}`;
      if (line.isHatched) parts.push(hatch(pattern, stroke, colour("background")));
      const fill = line.isHatched ? `url(#${pattern})` : stroke;
      parts.push(`<path d="${area(data.x, values, x, y)}" fill="${fill}" stroke="none"/>`);
    }
    const dash = line.dash ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
    const d = path(data.x, values, x, y);
    parts.push(`<path d="${d}" stroke="${stroke}" stroke-width="${line.width ?? 2}"${dash}/>`);
  });
  spec.lines.forEach(({ marker, isHollow, colour: name }, k) => {
    if (!marker) return;
    for (const point of markedPoints(data.lines[k]!, k)) {
      const d = markerPath(marker, x(data.x[point]!), y(data.lines[k]![point]!), 4);
      const fill = colour(isHollow ? "background" : name);
      parts.push(`<path d="${d}" stroke="${colour(name)}" stroke-width="1.5" fill="${fill}"/>`);
    }
  });
  parts.push("</g>");
  return parts.join("\n");
}

function hatch(id: string, colour: string, background: string): string {
  const tile = `<rect width="5" height="5" fill="${background}"/><rect width="2" height="5" fill="${colour}"/>`;
  const place = `width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"`;
  return `<pattern id="${id}" ${place}>${tile}</pattern>`;
}

type Position = (value: number) => number;

/** A line with gaps where values are missing. */
function path(xs: readonly number[], ys: Values, x: Position, y: Position): string {
  let d = "";
  let isDown = false;
  ys.forEach((value, k) => {
    if (value !== null) d += `${isDown ? "L" : "M"}${x(xs[k]!)} ${y(value)}`;
    isDown = value !== null;
  });
  return d;
}

/** The area below a line without gaps. */
function area(xs: readonly number[], ys: Values, x: Position, y: Position): string {
  if (xs.length === 0) return "";
  const closed = `L${x(xs.at(-1)!)} ${y(0)}L${x(xs[0]!)} ${y(0)}Z`;
  return path(xs, ys, x, y) + closed;
}
