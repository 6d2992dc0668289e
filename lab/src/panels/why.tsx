// Why flows starve: the sentences of the first seed.
import { pinned, view } from "../app/store.ts";
import type { View } from "../pictures/view.ts";

export function WhyPanel() {
  const views = [pinned.value, view.value].filter((each) => each !== null);
  return (
    <>
      {views.map((each) => (
        <Diagnosis key={each.label} view={each} isLabelled={views.length > 1} />
      ))}
    </>
  );
}

function Diagnosis({ view, isLabelled }: { view: View; isLabelled: boolean }) {
  const first = view.runs[0];
  if (!first) return null;
  const names = new Map(first.result.flows.map(({ id, name }) => [id, name ?? id]));
  return (
    <section class={view.isStale ? "stale" : ""}>
      <h2>{isLabelled ? `${view.label}: why` : "Why"}</h2>
      {first.why.length === 0 ? (
        <p>No flow starves.</p>
      ) : (
        <dl class="why">
          {first.why.map(({ flow, text }) => (
            <div key={flow}>
              <dt>{names.get(flow) ?? flow}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      <p class="hint">Of seed {first.result.seed}.</p>
    </section>
  );
}
