// The main numbers, always in sight while a control moves.
import { failure, isLate, pinned, problem, view } from "../state/store.ts";
import type { View } from "../pictures/view.ts";
import { formatRate } from "./format.ts";

export function Summary() {
  const views = [pinned.value, view.value].filter((each) => each !== null);
  return (
    <div class="summary">
      {views.map((each) => (
        <Numbers key={each.label} view={each} isLabelled={views.length > 1} />
      ))}
      <p class="hint" role="status">
        {staleness()}
      </p>
    </div>
  );
}

function Numbers({ view, isLabelled }: { view: View; isLabelled: boolean }) {
  if (view.runs.length === 0) return null;
  const cell = view.runs[0]!.result.scenario["cell"] as { kind: string };
  const isWimax = cell.kind === "wimax";
  const mean = (of: (run: View["runs"][number]["result"]) => number) =>
    view.runs.reduce((sum, { result }) => sum + of(result), 0) / view.runs.length;
  return (
    <div class="numbers">
      {isLabelled && <span class="label">{view.label}</span>}
      <dl>
        <div>
          <dt>Goodput</dt>
          <dd>{formatRate(mean((result) => result.aggregate_goodput_bps))}</dd>
        </div>
        <div>
          <dt>
            Jain<span class="more">’s index</span>
          </dt>
          <dd>{mean((result) => result.jain_index).toFixed(3)}</dd>
        </div>
        <div>
          <dt>
            {isWimax ? "BS" : "AP"} <span class="more">queue </span>loss
          </dt>
          <dd>{(100 * mean((result) => result.ap_queue.loss_ratio)).toFixed(1)}%</dd>
        </div>
      </dl>
    </div>
  );
}

/** Why the numbers are not those of the present text. */
function staleness(): string {
  if (problem.value) return "Of the last scenario without an error.";
  if (failure.value) return "Of the last run that did not fail.";
  return isLate.value ? "Running; these are of the scenario before." : "";
}
