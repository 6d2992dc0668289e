// Markers and patterns that tell colours apart, and the swatches of legends that show them.
import { cssColour, type Colour } from "../colours.ts";
import type { Way } from "../data/flows.ts";

export type Marker = "triangle" | "inverted" | "square" | "circle";

export const WAY_MARKERS: Record<Way, Marker> = {
  up: "triangle",
  down: "inverted",
  wired: "square",
};

/** The outline of a marker, for a path of SVG or a canvas. */
export function markerPath(marker: Marker, x: number, y: number, r: number): string {
  switch (marker) {
    case "triangle":
      return `M${x - r} ${y + r}L${x + r} ${y + r}L${x} ${y - r}Z`;
    case "inverted":
      return `M${x - r} ${y - r}L${x + r} ${y - r}L${x} ${y + r}Z`;
    case "square":
      return `M${x - r} ${y - r}H${x + r}V${y + r}H${x - r}Z`;
    case "circle":
      return `M${x - r} ${y}A${r} ${r} 0 1 0 ${x + r} ${y}A${r} ${r} 0 1 0 ${x - r} ${y}Z`;
  }
}

/** Diagonal lines of a colour: the areas of B. Colours differ between the patterns of a picture. */
export function Hatches({ id, colours }: { id: string; colours: readonly Colour[] }) {
  return (
    <defs>
      {colours.map((colour) => (
        <Hatch key={colour} id={hatchId(id, colour)} colour={colour} />
      ))}
    </defs>
  );
}

function Hatch({ id, colour }: { id: string; colour: Colour }) {
  const stroke = cssColour(colour);
  return (
    <pattern
      id={id}
      width="5"
      height="5"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect width="5" height="5" fill={cssColour("background")} />
      <rect width="2" height="5" fill={stroke} />
    </pattern>
  );
}

export function hatchId(id: string, colour: Colour): string {
  return `${id}-${colour}`;
}

/** The fill of an area of A, or of B. */
export function areaFill(id: string, colour: Colour, side: "a" | "b"): string {
  return side === "a" ? cssColour(colour) : `url(#${hatchId(id, colour)})`;
}

const WIDTH = 26;
const HEIGHT = 12;

/** A line with its marker, as a legend shows it. */
export function LineSwatch({
  colour,
  marker,
  dash,
  isHollow = false,
}: {
  colour: Colour;
  marker?: Marker | undefined;
  dash?: readonly number[] | undefined;
  isHollow?: boolean;
}) {
  const stroke = cssColour(colour);
  const middle = HEIGHT / 2;
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path
        d={`M0 ${middle}H${WIDTH}`}
        stroke={stroke}
        stroke-width="2"
        stroke-dasharray={dash?.join(" ")}
      />
      {marker && (
        <path
          d={markerPath(marker, WIDTH / 2, middle, 4)}
          stroke={stroke}
          stroke-width="1.5"
          fill={isHollow ? cssColour("background") : stroke}
        />
      )}
    </svg>
  );
}

/** An area, full or with the pattern of B. */
export function AreaSwatch({
  id,
  colour,
  side = "a",
}: {
  id: string;
  colour: Colour;
  side?: "a" | "b";
}) {
  return (
    <svg width={16} height={HEIGHT} aria-hidden="true">
      {side === "b" && <Hatches id={`${id}-legend`} colours={[colour]} />}
      <rect
        x="0.5"
        y="0.5"
        width="15"
        height={HEIGHT - 1}
        fill={areaFill(`${id}-legend`, colour, side)}
        stroke={cssColour(side === "b" ? colour : "text")}
        stroke-width={side === "b" ? 1 : 0.5}
      />
    </svg>
  );
}
