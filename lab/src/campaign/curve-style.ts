// Colour, dashes and marker of a curve: neighbours differ in all of them.
import type { Marker } from "../pictures/common/marks.tsx";

const COLOURS = 7;
const DASHES = ["none", "7 3", "2 3", "7 3 2 3"];
const MARKERS: Marker[] = ["circle", "square", "triangle", "inverted"];

/** A custom property of campaign.css. */
export function colourOf(index: number): string {
  return `var(--curve-${index % COLOURS})`;
}

export function dashOf(index: number): string {
  return DASHES[index % DASHES.length]!;
}

export function markerOf(index: number): Marker {
  return MARKERS[index % MARKERS.length]!;
}

export function isHollow(index: number): boolean {
  return index % 2 === 1;
}
