// The picture of a campaign with the menus of its axes, and its data as a table.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { csv } from "../pictures/data/rows.ts";
import { pictureSvg, save } from "../pictures/common/export.ts";
import { keysOf, metricsOf } from "./axes.ts";
import { Chart, pointText } from "./chart.tsx";
import { CurveTable, rowsOf } from "./curve-table.tsx";
import { colourOf, dashOf, isHollow, markerOf } from "./curve-style.ts";
import type { Curves, Point } from "./curves.ts";
import type { About, CampaignTable, Value } from "./file.ts";
import * as labels from "./labels.ts";
import { choose, type Exploration } from "./store.ts";
import { valuesOf } from "./summary.ts";
import { markerPath } from "../pictures/common/marks.tsx";

/** Each point is an element of the page. */
const MOST_POINTS = 5000;

export interface CampaignProps {
  /** Opens the scenario of a point: the campaign's, with the varied keys set. Resolves to whether it could. */
  openPoint: (about: About, values: Record<string, Value>) => Promise<boolean>;
}

export function Explorer(props: Exploration & CampaignProps) {
  const { file, axes, curves, openPoint } = props;
  const [opened, setOpened] = useState<Point | null>(null);
  const figure = useRef<HTMLElement>(null);
  const title = `${labels.withUnit(curves.y)} over ${curves.x.text}`;
  const name = `${axes.y}-over-${axes.x}`;
  const count = curves.curves.reduce((sum, { points }) => sum + points.length, 0);
  const isDrawn = count <= MOST_POINTS;
  const open = async (point: Point) => {
    if (await openPoint(file.about, point.values)) setOpened(point);
  };
  return (
    <>
      <Menus file={file} axes={axes} />
      <figure ref={figure} class="picture" data-picture="campaign">
        <figcaption class="picture-head">
          <span class="picture-title">{title}</span>
          <span class="picture-note">{noteOf(curves)}</span>
        </figcaption>
        {isDrawn ? (
          <>
            <Legend curves={curves} />
            <Chart data={curves} opened={opened} onOpen={open} />
          </>
        ) : (
          <p>
            {count} points are too many for a picture, which has at most {MOST_POINTS}. Choose other
            keys, or save the data.
          </p>
        )}
      </figure>
      <p role="status" class="campaign-opened">
        {opened && isOf(curves, opened)
          ? `Its scenario is open: ${pointText(curves, curveOf(curves, opened), opened)}.`
          : file.about.scenario
            ? "A click on a point, or Enter, opens its scenario."
            : "The file has no scenario, so its points cannot be opened."}
      </p>
      {file.isUnchecked && (
        <p class="campaign-unchecked">The checksum of the file is missing or was not verified.</p>
      )}
      <p class="campaign-save">
        <button
          type="button"
          onClick={() => save(`${name}.csv`, new Blob([csv(rowsOf(curves))], { type: "text/csv" }))}
        >
          Save data (CSV)
        </button>
        <button
          type="button"
          disabled={!isDrawn}
          onClick={() => {
            const svg = pictureSvg(figure.current!);
            save(`${name}.svg`, new Blob([svg], { type: "image/svg+xml" }));
          }}
        >
          Save picture (SVG)
        </button>
      </p>
      {isDrawn && (
        <details>
          <summary>Data as a table</summary>
          <CurveTable curves={curves} />
        </details>
      )}
    </>
  );
}

function Menus({ file, axes }: Pick<Exploration, "file" | "axes">) {
  const keys = keysOf(file);
  const name = (key: string) => labels.key(key, file.about).text;
  return (
    <div class="campaign-menus">
      <Menu
        label="Metric"
        value={axes.y}
        options={metricsOf(file).map((y) => [y, labels.metric(y, file.about).text])}
        onChoose={(y) => choose({ y })}
      />
      <Menu
        label="Over"
        value={axes.x}
        options={keys.map((key) => [key, name(key)])}
        onChoose={(x) => choose(x === axes.by ? { x, by: axes.x } : { x })}
      />
      <Menu
        label="A curve for each"
        value={axes.by ?? ""}
        options={[["", "(one curve)"], ...keys.filter((key) => key !== axes.x).map(pairWith(name))]}
        onChoose={(by) => choose({ by: by === "" ? null : by })}
      />
      {Object.entries(axes.fixed).map(([key, value]) => (
        <FixedMenu key={key} file={file} name={key} label={name(key)} value={value} axes={axes} />
      ))}
    </div>
  );
}

function pairWith(name: (key: string) => string): (key: string) => [string, string] {
  return (key) => [key, name(key)];
}

/** A varied key that is on no axis has one value at a time. */
function FixedMenu(props: {
  file: CampaignTable;
  name: string;
  label: string;
  value: Value;
  axes: Exploration["axes"];
}) {
  const { file, name, label, value, axes } = props;
  const [values, setValues] = useState<Value[]>([value]);
  useEffect(() => {
    let isWanted = true;
    void valuesOf(file, name).then((found) => isWanted && setValues(found));
    return () => {
      isWanted = false;
    };
  }, [file, name]);
  return (
    <Menu
      label={label}
      value={String(values.indexOf(value))}
      options={values.map((each, k) => [String(k), labels.valueText(each)])}
      onChoose={(k) => choose({ fixed: { ...axes.fixed, [name]: values[Number(k)]! } })}
    />
  );
}

function Menu(props: {
  label: string;
  value: string;
  options: [value: string, text: string][];
  onChoose: (value: string) => void;
}) {
  const { label, value, options, onChoose } = props;
  const id = useId();
  return (
    <div>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function Legend({ curves }: { curves: Curves }) {
  if (curves.by === null) return null;
  return (
    <ul class="picture-legend" aria-label={curves.by.text}>
      {curves.curves.map(({ name }, k) => (
        <li key={name}>
          <svg width="26" height="12" aria-hidden="true">
            {!curves.texts && (
              <path
                d="M0 6H26"
                stroke={colourOf(k)}
                stroke-width="2"
                stroke-dasharray={dashOf(k)}
              />
            )}
            <path
              d={markerPath(markerOf(k), 13, 6, 4)}
              stroke={colourOf(k)}
              stroke-width="1.5"
              fill={isHollow(k) ? "var(--picture-background)" : colourOf(k)}
            />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** "means of 10 runs per point, 95% intervals; 2 points without a value are left out". */
function noteOf({ curves, missing }: Curves): string {
  // Only different numbers: those of a million points would be too many arguments.
  const counts = new Set(curves.flatMap(({ points }) => points.map(({ runs }) => runs)));
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  const left = missing > 0 ? `; ${missing} points without a value are left out` : "";
  if (counts.size === 0) return "no run has a value";
  if (high === 1) return `one run per point${left}`;
  const runs = low === high ? low : `${low} to ${high}`;
  return `means of ${runs} runs per point, 95% intervals${left}`;
}

function curveOf({ curves }: Curves, point: Point): string {
  return curves.find(({ points }) => points.includes(point))?.name ?? "";
}

function isOf({ curves }: Curves, point: Point): boolean {
  return curves.some(({ points }) => points.includes(point));
}
