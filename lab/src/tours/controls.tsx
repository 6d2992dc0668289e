// The controls of a tour: those of the page, for the keys that the tour is about.
import { ControlField } from "../editor/control.tsx";
import { controlsOf, type Control } from "../scenario/controls.ts";
import { grammar, scenario } from "../state/store.ts";

/** Keys that the present scenario does not have are left out, and so are parameters, which the panel of all controls has. */
export function TourControls({ keys }: { keys: string[] }) {
  if (!grammar.value || !scenario.value) return null;
  const all = controlsOf(grammar.value, scenario.value).flatMap((group) => flat(group.controls));
  const shown = keys.flatMap((key) => all.filter((control) => control.key === key));
  return (
    <fieldset class="tour-controls">
      <legend>Try it</legend>
      {shown.map((control) => (
        <ControlField key={control.key} control={{ ...control, parameters: [] }} />
      ))}
    </fieldset>
  );
}

function flat(controls: Control[]): Control[] {
  return controls.flatMap((control) => [control, ...flat(control.parameters)]);
}
