// Shares of the measured time: of each station, of what the air is used for, and of a WiMAX frame.
import { useId, useMemo } from "preact/hooks";
import { airtime, frameUse, medium, shareRows, shareText, type Part } from "../data/shares.ts";
import { SideKeys } from "../common/keys.tsx";
import { AreaSwatch } from "../common/marks.tsx";
import { Key, Picture } from "../common/picture.tsx";
import { useProbe } from "../common/probe.ts";
import { RowsChart } from "./rows-chart.tsx";
import { percentText, StackedBar } from "./stacked-bar.tsx";
import { progress, type View } from "../view.ts";

interface Props {
  a: View;
  b: View | null;
}

const STATIONS = [
  ["up", "stations with uploads"],
  ["down", "stations with downloads"],
  ["both", "stations with both, or none"],
] as const;

export function Airtime({ a, b }: Props) {
  const id = useId();
  const parts = useMemo(() => airtime(a, b), [a, b]);
  const { probed, probe, step } = useProbe(parts.length);
  if (parts.length === 0) return null;
  const read = probed === null ? undefined : parts[probed];
  return (
    <Picture
      name="airtime"
      isWide
      title="Airtime of each station's traffic (%)"
      note={progress(a, b)}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={shareText("Airtime of each station's traffic", parts)}
      rows={() => shareRows(parts, "station")}
      onStep={step}
      onLeave={() => probe(null)}
      readout={read && readout(read)}
      legend={STATIONS.filter(([colour]) =>
        parts.some((part) => part.colour === colour || part.colourOfB === colour),
      ).map(([colour, words]) => (
        <Key key={colour}>
          <AreaSwatch id={id} colour={colour} />
          {words}
        </Key>
      ))}
    >
      <StackedBar parts={parts} isPair={b !== null} probed={probed} probe={probe} />
    </Picture>
  );
}

/** Nothing for a WiMAX cell, which has `FrameUse`. */
export function Medium({ a, b }: Props) {
  const id = useId();
  const parts = useMemo(() => medium(a, b), [a, b]);
  const { probed, probe, step } = useProbe(parts.length);
  if (parts.length === 0) return null;
  const read = probed === null ? undefined : parts[probed];
  return (
    <Picture
      name="medium"
      title="Time of the medium (%)"
      note={progress(a, b)}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={shareText("Time of the medium", parts)}
      rows={() => shareRows(parts, "use")}
      onStep={step}
      onLeave={() => probe(null)}
      readout={read && readout(read)}
      legend={parts.map((part) => (
        <Key key={part.id}>
          <AreaSwatch id={id} colour={part.colour} />
          {part.label} {percentText(part)}
        </Key>
      ))}
    >
      <StackedBar parts={parts} isPair={b !== null} probed={probed} probe={probe} />
    </Picture>
  );
}

export function FrameUse({ a, b }: Props) {
  const parts = useMemo(() => frameUse(a, b), [a, b]);
  if (parts.length === 0) return null;
  return (
    <Picture
      name="frame"
      title="Use of the frame's symbols for data (%)"
      note={progress(a, b)}
      isStale={a.isStale || (b?.isStale ?? false)}
      summary={shareText("Use of the WiMAX frame's symbols for data", parts)}
      rows={() => shareRows(parts, "direction")}
      legend={b && <SideKeys a={a} b={b} mark="bar" />}
    >
      <RowsChart
        rows={parts.map(({ label, a, b }) => ({ label, a, b }))}
        most={1}
        scale={100}
        decimals={1}
        isPair={b !== null}
        mark="bar"
      />
    </Picture>
  );
}

/** "sta-3: 12.3 ± 0.4 %" */
function readout(part: Part): string {
  return `${part.label}: ${percentText(part)}`;
}
