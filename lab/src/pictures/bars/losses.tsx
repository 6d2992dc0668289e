// Lost packets by cause.
import { useMemo } from "preact/hooks";
import { losses, lossRows, lossText } from "../data/losses.ts";
import { SideKeys } from "../common/keys.tsx";
import { Picture } from "../common/picture.tsx";
import { RowsChart } from "./rows-chart.tsx";
import { progress, type View } from "../view.ts";

export function Losses({ a, b }: { a: View; b: View | null }) {
  const causes = useMemo(() => losses(a, b), [a, b]);
  if (causes.length === 0) return null;
  return (
    <Picture
      name="losses"
      title="Lost packets by cause"
      note={progress(a, b)}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={lossText(causes)}
      rows={() => lossRows(causes)}
      legend={b && <SideKeys a={a} b={b} mark="bar" />}
    >
      <RowsChart rows={causes} decimals={0} isPair={b !== null} mark="bar" />
    </Picture>
  );
}
