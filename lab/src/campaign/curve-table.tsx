// The data of a campaign's picture as a table.
import type { Rows } from "../pictures/data/rows.ts";
import { withInterval } from "../statistics.ts";
import { xText } from "./chart.tsx";
import type { Curves } from "./curves.ts";
import { withUnit } from "./labels.ts";

export function CurveTable({ curves }: { curves: Curves }) {
  const { x, y, by, curves: all } = curves;
  return (
    <div class="campaign-table">
      <table>
        <thead>
          <tr>
            {by && <th scope="col">{by.text}</th>}
            <th scope="col">{x.text}</th>
            <th scope="col">runs</th>
            <th scope="col">{withUnit(y)}, 95% interval</th>
          </tr>
        </thead>
        <tbody>
          {all.flatMap(({ name, points }) =>
            points.map((point) => (
              <tr key={`${name} ${String(point.x)}`}>
                {by && <td>{name}</td>}
                <td>{xText(curves, point)}</td>
                <td>{point.known}</td>
                <td>{withInterval(point.estimate, y.decimals)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** For a file: all digits, in the units of the picture. */
export function rowsOf({ x, y, by, curves }: Curves): Rows {
  const header = [...(by ? [by.text] : []), x.text, "runs", withUnit(y), `${withUnit(y)} ci95`];
  return [
    header,
    ...curves.flatMap(({ name, points }) =>
      points.map((point) => [
        ...(by ? [name] : []),
        typeof point.x === "number" ? point.x : String(point.x),
        point.known,
        point.estimate.mean,
        point.estimate.ci95,
      ]),
    ),
  ];
}
