// A chart of lines in the page, which keeps its canvas from one result to the next.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { createChart, type Chart } from "./chart.ts";
import type { ChartData, ChartSpec } from "./spec.ts";
import { useWidth } from "../../widgets/width.ts";
import { onThemeChange } from "./theme.ts";

export interface LineChartProps {
  /** Another one makes another chart. */
  spec: ChartSpec;
  data: ChartData;
  height: number;
  probed: number | null;
  probe: (index: number | null) => void;
}

export function LineChart({ spec, data, height, probed, probe }: LineChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const chart = useRef<Chart | null>(null);
  const present = useRef({ data, width, height, probe });
  present.current = { data, width, height, probe };

  const isReady = width > 0;
  useLayoutEffect(() => {
    if (!isReady) return;
    const { data, width, height } = present.current;
    const tell = (index: number | null) => present.current.probe(index);
    chart.current = createChart(ref.current!, spec, data, { width, height }, tell);
    return () => {
      chart.current?.destroy();
      chart.current = null;
    };
  }, [spec, isReady]);

  useLayoutEffect(() => chart.current?.update(data, width, height), [data, width, height]);
  useLayoutEffect(() => chart.current?.point(probed), [probed]);
  useEffect(() => onThemeChange(() => chart.current?.redraw()), []);
  return <div ref={ref} style={{ minHeight: `${height}px` }} />;
}
