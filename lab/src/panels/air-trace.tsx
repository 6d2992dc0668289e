// The frames on the air in the first run of what is shown.
import { engine, view } from "../state/store.ts";
import { FilmPanel } from "../air-trace/panel.tsx";

export function FilmSection() {
  const first = view.value?.runs[0];
  if (!view.value || !first) return <p>The first run is under way.</p>;
  const { seed, duration_s } = first.result;
  return (
    <FilmPanel engine={engine} toml={view.value.toml} seed={seed} durationSeconds={duration_s} />
  );
}
