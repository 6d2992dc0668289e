// What all pictures have in common: title, legend, words for those who do not see it, and files to take away.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { csv, type Rows } from "../data/rows.ts";
import "uplot/dist/uPlot.min.css";
import "../pictures.css";
import { pictureSvg, save, toPng } from "./export.ts";

export interface PictureProps {
  /** Of its files: "goodput" makes goodput.csv. */
  name: string;
  /** With the unit: "Goodput per flow (Mb/s)". */
  title: string;
  /** What else a reader must know: "mean of 10 seeds". */
  note?: string;
  isStale: boolean;
  /** The main numbers in words. */
  summary: string;
  rows: () => Rows;
  legend?: ComponentChildren;
  isWide?: boolean;
  /** What the arrow keys do: read the next value, or the one before. */
  onStep?: (step: 1 | -1) => void;
  onLeave?: () => void;
  /** The values that are read. */
  readout?: string | null;
  children: ComponentChildren;
}

export function Picture(props: PictureProps) {
  const { name, title, note, isStale, summary, rows, legend, isWide, onStep, readout } = props;
  const figure = useRef<HTMLElement>(null);
  const classes = ["picture", isStale && "is-stale", isWide && "is-wide"].filter(Boolean).join(" ");
  return (
    <figure ref={figure} class={classes} data-picture={name} aria-busy={isStale}>
      <figcaption class="picture-head">
        <span class="picture-title">{title}</span>
        {note && <span class="picture-note">{note}</span>}
        {onStep && (
          <output class="picture-readout" data-no-export>
            {readout}
          </output>
        )}
      </figcaption>
      {legend && <ul class="picture-legend">{legend}</ul>}
      <div
        class="picture-body"
        role="img"
        aria-label={onStep ? `${summary} Arrow keys read the values.` : summary}
        tabIndex={onStep ? 0 : undefined}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          // With another key it is the browser's own.
          if (!onStep || !step || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          onStep(step);
        }}
        onBlur={props.onLeave}
        onPointerLeave={props.onLeave}
      >
        {props.children}
      </div>
      <SaveMenu name={name} title={title} rows={rows} figure={() => figure.current!} />
    </figure>
  );
}

const STEPS: Record<string, 1 | -1> = { ArrowRight: 1, ArrowLeft: -1 };

function SaveMenu(props: {
  name: string;
  title: string;
  rows: () => Rows;
  figure: () => HTMLElement;
}) {
  const { name, title, rows, figure } = props;
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    menu.current!.open = false;
    menu.current!.querySelector("summary")!.focus();
  };
  const choose = (make: () => Blob | Promise<Blob>, ending: string) => async () => {
    const blob = await make();
    save(`${name}.${ending}`, blob);
    close();
  };
  const svg = () => new Blob([pictureSvg(figure())], { type: "image/svg+xml" });
  return (
    <details
      ref={menu}
      class="picture-save"
      data-no-export
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <summary aria-label={`Save ${title}`}>Save</summary>
      <button
        type="button"
        onClick={choose(() => new Blob([csv(rows())], { type: "text/csv" }), "csv")}
      >
        Data (CSV)
      </button>
      <button type="button" onClick={choose(svg, "svg")}>
        Picture (SVG)
      </button>
      <button type="button" onClick={choose(() => toPng(pictureSvg(figure())), "png")}>
        Picture (PNG)
      </button>
    </details>
  );
}

/** An entry of a legend: a swatch and its words. */
export function Key({ children }: { children: ComponentChildren }) {
  return <li>{children}</li>;
}
