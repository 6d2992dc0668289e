// The controls of the present scenario: those that it is about, and all others folded below them.
import { useComputed } from "@preact/signals";
import { stepKeys } from "../state/navigation.ts";
import { grammar, problem, scenario, toml } from "../state/store.ts";
import { ControlField } from "./control.tsx";
import { controlsOf } from "../scenario/controls.ts";
import { split } from "../scenario/first-controls.ts";
import { canCopy, copyGroup, removeGroup } from "./groups.ts";

/** Whether controls and pictures are beside each other: as in style/page.css. */
const isWide = matchMedia("(min-width: 60rem)").matches;

export function ControlPanel() {
  const controls = useComputed(() =>
    split(
      grammar.value && scenario.value ? controlsOf(grammar.value, scenario.value) : [],
      toml.value,
      stepKeys.value,
    ),
  );
  const { first, rest } = controls.value;
  return (
    <section class="controls" aria-label="Controls">
      {problem.value && (
        <p class="message warning" role="status">
          The controls wait until the error in the scenario is corrected.
        </p>
      )}
      {first.length > 0 && (
        <div class="group first">
          {first.map((control) => (
            <ControlField key={control.key} control={control} />
          ))}
        </div>
      )}
      {rest.length > 0 && (
        <details class="all">
          <summary>All settings</summary>
          {rest.map((group) => (
            <details
              key={group.id}
              class="group"
              open={group.id === "main" || (group.isOpen && isWide)}
            >
              <summary>{group.title}</summary>
              {group.controls.map((control) => (
                <ControlField key={control.key} control={control} />
              ))}
              {group.station !== undefined && (
                <StationGroup index={group.station} name={group.title} />
              )}
            </details>
          ))}
        </details>
      )}
    </section>
  );
}

/** Another group of stations like this one, or one group less. */
function StationGroup({ index, name }: { index: number; name: string }) {
  const isOnly = (scenario.value!["station"] as unknown[]).length === 1;
  const isInvalid = problem.value !== null;
  return (
    <div class="buttons">
      {canCopy(toml.value, index) && (
        <button
          type="button"
          disabled={isInvalid}
          onClick={() => void copyGroup(scenario.value!, index)}
        >
          Add a station like these
        </button>
      )}
      {!isOnly && (
        <button
          type="button"
          disabled={isInvalid}
          aria-label={`Remove ${name}`}
          onClick={() => void removeGroup(index)}
        >
          Remove
        </button>
      )}
    </div>
  );
}
