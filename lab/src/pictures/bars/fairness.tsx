// Jain's index.
import { useMemo } from "preact/hooks";
import { compared, fairness, fairnessRows, fairnessText } from "../data/fairness.ts";
import { SideKeys } from "../common/keys.tsx";
import { Picture } from "../common/picture.tsx";
import { RowsChart } from "./rows-chart.tsx";
import type { View } from "../view.ts";

export function Fairness({ a, b }: { a: View; b: View | null }) {
  const indices = useMemo(() => fairness(a, b), [a, b]);
  if (indices.length === 0) return null;
  return (
    <Picture
      name="jain-index"
      title="Jain's index (1: all equal)"
      note={`of ${compared(a, b)}`}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={fairnessText(indices)}
      rows={() => fairnessRows(indices)}
      legend={b && <SideKeys a={a} b={b} mark="point" />}
    >
      <RowsChart rows={indices} most={1} decimals={3} isPair={b !== null} mark="point" />
    </Picture>
  );
}
