// Why flows starve and users are dissatisfied: a sentence for each such flow, or for several of which it says the same,
// from the means over the seeds that are done.
import { useEffect, useRef, useState } from "preact/hooks";
import { equalFlows, listed, type Said } from "./equal-flows.ts";
import { describe } from "../state/describe.ts";
import { language, pinned, view } from "../state/store.ts";
import type { Diagnosis, RunAnswer } from "../engine/result.ts";
import type { View } from "../pictures/view.ts";

export function DiagnosisPanel() {
  const views = [pinned.value, view.value].filter((each) => each !== null);
  return (
    <>
      {views.map((each) => (
        <Diagnoses key={each.label} view={each} isLabelled={views.length > 1} />
      ))}
    </>
  );
}

function Diagnoses({ view, isLabelled }: { view: View; isLabelled: boolean }) {
  const explained = useExplanation(view.runs);
  if (!explained) return null;
  const { runs, diagnoses, problem } = explained;
  const { flows, stations } = runs[0]!.result;
  const names = new Map([...flows, ...stations].map(({ id, name }) => [id, name ?? id]));
  const name = (each: Diagnosis) => names.get(subject(each)) ?? subject(each);
  return (
    <section class={view.isStale ? "stale" : ""}>
      <h2>{isLabelled ? `${view.label}: why` : "Why"}</h2>
      {problem && (
        <p class="message error" role="alert">
          {problem}
        </p>
      )}
      {diagnoses.length === 0 ? (
        <p>No flow has less than half of its fair share.</p>
      ) : (
        <dl class="why">
          {equalFlows(diagnoses).map((said) => (
            <Group key={subject(said.diagnoses[0]!)} said={said} name={name} />
          ))}
        </dl>
      )}
      <p class="hint">{origin(runs, view.wanted)}</p>
    </section>
  );
}

/** As `evenair run --explain`: a fault of a station is not that of its flow. */
function subject({ fault, flow, station }: Diagnosis): string {
  return fault === "takes_airtime" ? station : flow;
}

/** A diagnosis, or one for several flows, and below it that of each of them. */
function Group({ said, name }: { said: Said; name: (each: Diagnosis) => string }) {
  const { diagnoses, measure, text, often } = said;
  const [first] = diagnoses;
  if (diagnoses.length === 1) return <One diagnosis={first!} name={name(first!)} />;
  return (
    <div>
      <dt>
        {listed(diagnoses.map(name))}: each {first!.says}
        {often && ` ${often}`} ({measure})
      </dt>
      <dd>
        {text}
        <details>
          <summary>Each of the {diagnoses.length}</summary>
          <dl class="why">
            {diagnoses.map((each) => (
              <One key={subject(each)} diagnosis={each} name={name(each)} />
            ))}
          </dl>
        </details>
      </dd>
    </div>
  );
}

function One({ diagnosis, name }: { diagnosis: Diagnosis; name: string }) {
  return (
    <div>
      <dt>
        {name} {says(diagnosis)}
      </dt>
      <dd>{diagnosis.text}</dd>
    </div>
  );
}

/** As `evenair run --explain` says it. */
function says({ says, measure, faulty_runs, runs }: Diagnosis): string {
  const often = runs > 1 ? ` in ${faulty_runs} of ${runs} runs` : "";
  return `${says}${often} (${measure})`;
}

function origin(runs: RunAnswer[], wanted: number): string {
  const n = runs.length;
  if (n === 1) return `Of the run with seed ${runs[0]!.result.seed}.`;
  return `From the means over ${n < wanted ? `${n} of ${wanted}` : n} seeds.`;
}

interface Explanation {
  runs: RunAnswer[];
  diagnoses: Diagnosis[];
  problem?: string;
}

/**
 * Of all runs; until that is there, of fewer runs of the same scenario, at first of one. Null without any.
 * One request is under way at a time, so that an edit does not wait for many.
 */
function useExplanation(runs: RunAnswer[]): Explanation | null {
  const [latest, setLatest] = useState<Explanation | null>(null);
  const isBusy = useRef(false);
  const [first] = runs;
  const shown =
    latest?.runs[0] === first ? latest : first && { runs: [first], diagnoses: first.why };
  useEffect(() => {
    if (isBusy.current || !shown || isSame(runs, shown.runs)) return;
    isBusy.current = true;
    const tell = (explanation: Omit<Explanation, "runs">) => {
      isBusy.current = false;
      setLatest({ runs, ...explanation });
    };
    language.explain(runs.map(({ result }) => result)).then(
      (diagnoses) => tell({ diagnoses }),
      (error: unknown) => tell({ diagnoses: shown.diagnoses, problem: describe(error) }),
    );
  }, [runs, latest]);
  return shown ?? null;
}

function isSame(a: RunAnswer[], b: RunAnswer[]): boolean {
  return a.length === b.length && a.every((run, k) => run === b[k]);
}
