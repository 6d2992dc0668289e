// The legend of pictures whose colours are those of the two scenarios.
import { useId } from "preact/hooks";
import { cssColour } from "../colours.ts";
import { AreaSwatch } from "./marks.tsx";
import { Key } from "./picture.tsx";
import type { View } from "../view.ts";

export function SideKeys({ a, b, mark }: { a: View; b: View; mark: "bar" | "point" }) {
  const id = useId();
  return (
    <>
      <Key>
        {mark === "bar" ? <AreaSwatch id={id} colour="a" /> : <Circle />}
        {sideName("A", a)}
      </Key>
      <Key>
        {mark === "bar" ? <AreaSwatch id={id} colour="b" side="b" /> : <Square />}
        {sideName("B", b)}
      </Key>
    </>
  );
}

/** "A: droptail", or "A" where the label says no more. */
export function sideName(letter: string, { label }: View): string {
  return label.startsWith(letter) ? label : `${letter}: ${label}`;
}

const Circle = () => (
  <svg width="14" height="12" aria-hidden="true">
    <circle cx="7" cy="6" r="5" fill={cssColour("a")} />
  </svg>
);

const Square = () => (
  <svg width="14" height="12" aria-hidden="true">
    <rect
      x="2.5"
      y="1.5"
      width="9"
      height="9"
      fill="none"
      stroke={cssColour("b")}
      stroke-width="2.5"
    />
  </svg>
);
