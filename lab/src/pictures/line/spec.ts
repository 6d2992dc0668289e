// What a chart of lines draws, on a canvas or as SVG.
import type { Colour } from "../colours.ts";
import type { Marker } from "../common/marks.tsx";

export type Values = (number | null)[];

export interface LineStyle {
  colour: Colour;
  width?: number;
  dash?: readonly number[] | undefined;
  /** At some of its points. */
  marker?: Marker | undefined;
  isHollow?: boolean;
  /** The area below is filled. A line that is filled comes after those that it covers. */
  isFilled?: boolean;
  /** The area has diagonal lines. */
  isHatched?: boolean;
}

/** What stays as long as the chart is there. */
export interface ChartSpec {
  lines: readonly LineStyle[];
  xLabel: string;
  isLogarithmic?: boolean;
}

export interface Thread {
  colour: Colour;
  x: readonly number[];
  y: Values;
}

export interface ChartData {
  x: number[];
  /** As many as the chart has lines. */
  lines: Values[];
  threads: readonly Thread[];
  xRange: [number, number];
  yMost: number;
}
