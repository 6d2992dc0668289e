// A live figure: a scenario, controls and pictures.
import { useSignalEffect } from "@preact/signals";
import { render } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { write } from "../state/address.ts";
import type { Change } from "../engine/language.ts";
import { Workers } from "../engine/pool.ts";
import { WasmEngine } from "../engine/wasm-engine.ts";
import { WasmLanguage } from "../engine/wasm-language.ts";
import type { View } from "../pictures/view.ts";
import { PlaceSlider } from "../widgets/place-slider.tsx";
import { NamedPictures } from "../tours/named-picture.tsx";
import "./figure.css";
import { Live } from "./live.ts";

/** What an element says in `data-figure`, as JSON. */
interface Spec {
  /** TOML. */
  scenario: string;
  /** Their names. */
  pictures: string[];
  seeds: number;
  controls: Control[];
}

interface Control {
  label: string;
  /** Dotted keys, which all get the value. */
  keys: string[];
  /** In the syntax of the command line. */
  values: string[];
  /** The place of the first value that is shown. */
  start: number;
  /** Whether the values are in an order: a slider, else a menu. */
  isOrdered: boolean;
}

/** Workers of all figures of a page: one for the run at hand, one for other seeds. */
const COUNT = 2;
let parts: { engine: WasmEngine; language: WasmLanguage } | undefined;

/** Shows the figure of an element. `base` is the address of the folder with the engine. */
export function show(element: HTMLElement, base: string): void {
  const spec = JSON.parse(element.dataset["figure"]!) as Spec;
  if (!parts) {
    const workers = new Workers(base, COUNT);
    parts = { engine: new WasmEngine(workers), language: new WasmLanguage(workers) };
  }
  const { engine, language } = parts;
  const live = new Live(engine, language, spec.scenario, spec.seeds);
  const root = document.createElement("div");
  element.append(root);
  render(<Figure spec={spec} live={live} base={base} />, root);
}

function Figure({ spec, live, base }: { spec: Spec; live: Live; base: string }) {
  const [places, setPlaces] = useState(() => spec.controls.map(({ start }) => start));
  const changes = useMemo(() => changesOf(spec.controls, places), [spec, places]);
  useEffect(() => void live.show(changes), [live, changes]);
  const [view, setView] = useState<View | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useSignalEffect(() => {
    setView(live.view());
    setProblem(live.problem.value);
  });
  return (
    <>
      {spec.controls.map((control, k) => (
        <ControlField
          key={control.label}
          control={control}
          place={places[k]!}
          onMove={(place) => setPlaces(places.map((each, n) => (n === k ? place : each)))}
        />
      ))}
      {problem && <p role="alert">{problem}</p>}
      <div class="evenair-figure-picture">
        {view ? <NamedPictures names={spec.pictures} a={view} b={null} /> : <p>Running.</p>}
      </div>
      {view && <LabLink base={base} toml={view.toml} />}
    </>
  );
}

function ControlField(props: { control: Control; place: number; onMove: (place: number) => void }) {
  const { control, place, onMove } = props;
  const { label, values, isOrdered } = control;
  const id = useId();
  return (
    <div class="evenair-figure-control">
      <label for={id}>{label}</label>
      {isOrdered ? (
        <>
          <PlaceSlider
            id={id}
            count={values.length}
            place={place}
            text={values[place]}
            onMove={onMove}
          />
          <output for={id}>{values[place]}</output>
        </>
      ) : (
        <select
          id={id}
          value={place}
          onChange={(event) => onMove(Number(event.currentTarget.value))}
        >
          {values.map((value, k) => (
            <option key={value} value={k} selected={k === place}>
              {value}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** The same scenario on the whole page. */
function LabLink({ base, toml }: { base: string; toml: string }) {
  const [fragment, setFragment] = useState("");
  useEffect(() => {
    let isWanted = true;
    void write({ scenario: toml }).then((text) => isWanted && setFragment(text));
    return () => {
      isWanted = false;
    };
  }, [toml]);
  return (
    <p class="evenair-figure-link">
      <a href={new URL(`index.html${fragment}`, base).href}>Open in the lab</a>
    </p>
  );
}

function changesOf(controls: Control[], places: number[]): Change[] {
  return controls.flatMap(({ keys, values }, k) =>
    keys.map((key): Change => [key, values[places[k]!]!]),
  );
}
