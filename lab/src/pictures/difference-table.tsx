// A against B in numbers.
import { useId, useMemo, useState } from "preact/hooks";
import { fixed, scaled, withInterval, type Difference, type Estimate } from "../statistics.ts";
import { comparison, comparisonRows, type Comparison } from "./data/comparison.ts";
import { withUnit } from "./data/labels.ts";
import { csv } from "./data/rows.ts";
import { save } from "./common/export.ts";
import type { View } from "./view.ts";

export function DifferenceTable({ a, b }: { a: View; b: View }) {
  const all = useMemo(() => comparison(a, b), [a, b]);
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? all : all.filter(({ isMain }) => isMain);
  const seeds = new Set(b.runs.map(({ result }) => result.seed));
  const pairs = a.runs.filter(({ result }) => seeds.has(result.seed)).length;
  const caption =
    pairs > 1
      ? `Means and 95% intervals. The difference is of ${pairs} pairs of runs with equal seeds; unclear: its interval contains 0.`
      : `${pairs === 1 ? "One" : "No"} pair of runs with equal seeds: several seeds say whether a difference is clear.`;
  const isStale = a.isStale || b.isStale;
  return (
    <div
      class={`picture is-wide difference-table${isStale ? " is-stale" : ""}`}
      aria-busy={isStale}
    >
      <span class="picture-title">Difference, B − A</span>
      <p id={`${id}-caption`}>{caption}</p>
      <div class="difference-scroll" role="region" aria-label="A against B" tabIndex={0}>
        <table class="picture-body" aria-describedby={`${id}-caption`}>
          <thead>
            <tr>
              <th scope="col">metric</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
              <th scope="col">B − A</th>
              <th scope="col" class="is-relative">
                relative
              </th>
              <th scope="col">verdict</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((each) => (
              <Row key={each.metric} {...each} />
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
        All metrics
      </button>{" "}
      <button
        type="button"
        onClick={() =>
          save("difference.csv", new Blob([csv(comparisonRows(all))], { type: "text/csv" }))
        }
      >
        Save (CSV)
      </button>
    </div>
  );
}

function Row({ label, a, b, difference, isClear }: Comparison) {
  const number = (value: Estimate | null) =>
    value ? withInterval(scaled(value, label.scale), label.decimals) : "–";
  const change = difference && { mean: difference.value, ci95: difference.ci95 };
  return (
    <tr>
      <th scope="row">{withUnit(label)}</th>
      <td>{number(a)}</td>
      <td>{number(b)}</td>
      <td class={isClear ? "is-clear" : isClear === false ? "is-unclear" : ""}>{number(change)}</td>
      <td class="is-relative">
        {difference?.relative == null ? "–" : percent(difference.relative)}
      </td>
      <td class={isClear ? "is-clear" : "is-unclear"}>{verdict(difference, isClear)}</td>
    </tr>
  );
}

function verdict(difference: Difference | null, isClear: boolean | null): string {
  if (difference === null || isClear === null) return "–";
  if (!isClear) return difference.ci95 === 0 ? "equal" : "unclear";
  return difference.value > 0 ? "▲\u00a0more" : "▼\u00a0less";
}

function percent(share: number): string {
  return `${share > 0 ? "+" : ""}${fixed(100 * share, 1)} %`;
}
