// The frames on the air in the first run of what is shown.
import { engine, view } from "../state/store.ts";
import { AirTracePanel } from "../air-trace/panel.tsx";

export function AirTraceSection() {
  const first = view.value?.runs[0];
  if (!view.value || !first) return <p>The first run is under way.</p>;
  const { seed, duration_s } = first.result;
  return (
    <AirTracePanel
      engine={engine}
      toml={view.value.toml}
      seed={seed}
      durationSeconds={duration_s}
    />
  );
}
