// What the users of applications notice: a picture for each quantity.
import { useMemo } from "preact/hooks";
import { noticed, noticedRows, noticedText } from "../data/users.ts";
import { SideKeys } from "../common/keys.tsx";
import { Picture } from "../common/picture.tsx";
import { RowsChart } from "./rows-chart.tsx";
import { progress, type View } from "../view.ts";

interface Props {
  a: View;
  b: View | null;
  /** One of the quantities. */
  only?: string;
  /** Names of pictures that are not shown. */
  without?: string[];
}

export function Users({ a, b, only, without = [] }: Props) {
  const all = useMemo(() => noticed(a, b), [a, b]);
  const shown = all.filter(
    ({ name }) =>
      (only === undefined || name === only) && !without.includes(name.replaceAll("_", "-")),
  );
  return (
    <>
      {shown.map((each) => (
        <Picture
          key={each.name}
          name={each.name.replaceAll("_", "-")}
          title={each.title}
          note={progress(a, b)}
          isStale={a.isStale || (b?.isStale ?? false)}
          summary={noticedText(each)}
          rows={() => noticedRows(each)}
          legend={b && <SideKeys a={a} b={b} mark="bar" />}
        >
          <RowsChart
            rows={each.flows}
            most={each.most}
            decimals={each.decimals}
            isPair={b !== null}
            mark="bar"
          />
        </Picture>
      ))}
    </>
  );
}
