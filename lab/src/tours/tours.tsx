// The guided tours: the list of them, and a step of one with the controls and pictures that it speaks of.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { View } from "../pictures/view.ts";
import { meanOf, nameOf, saidAs } from "./measure.ts";
import { QuestionForm } from "./question.tsx";
import { addressOf, experimentAt, paragraphs, TOURS, type Fact, type Place } from "./tour.ts";

export function TourList({ go }: { go: (place: Place) => void }) {
  return (
    <section class="tours">
      <h2>Guided tours</h2>
      <ol class="tour-list">
        {TOURS.map((tour) => (
          <li key={tour.name}>
            <button type="button" onClick={() => go({ tour, step: 1 })}>
              {tour.title}
            </button>
            <p>{tour.summary}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

export interface VisitProps {
  place: Place;
  /** What the page shows; null before its first run. */
  shown: View | null;
  /** The scenario of a place, as TOML. */
  scenarioAt: (place: Place) => Promise<string>;
  /** Opens a scenario. */
  open: (toml: string) => void;
  /** Goes to a place and opens its scenario; null: ends the tour. The question opens nothing. */
  go: (place: Place | null) => void;
  /** Controls of the scenario. */
  controls: ComponentChildren;
  /** The pictures of a step. */
  children: ComponentChildren;
}

export function Visit(props: VisitProps) {
  const { place, shown, scenarioAt, open, go, controls, children } = props;
  const { tour, step } = place;
  const experiment = experimentAt(place);
  const isQuestion = step > tour.step.length;
  const title = "title" in experiment ? experiment.title : "A question";
  const toml = useScenario(place, scenarioAt);
  const heading = useHeading(place);
  return (
    <section class="tour" aria-label={`Tour: ${tour.title}`}>
      <div class="tour-head">
        <span>
          Tour: {tour.title}, {step} of {tour.step.length + 1}
        </span>
        <button type="button" onClick={() => go(null)}>
          End the tour
        </button>
      </div>
      <div class="tour-text">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {paragraphs(experiment.text).map((text) => (
          <p key={text}>{text}</p>
        ))}
        {isQuestion && (
          <QuestionForm
            key={tour.name}
            question={tour.question}
            toml={toml}
            shown={shown}
            open={open}
          />
        )}
        {controls}
        {!isQuestion && (
          <Measured facts={experiment.facts ?? []} toml={toml} shown={shown} open={open} />
        )}
        {"sources" in experiment && (
          <p class="tour-sources">Source: {experiment.sources.join("; ")}.</p>
        )}
        <p class="tour-buttons">
          <button type="button" disabled={step === 1} onClick={() => go({ tour, step: step - 1 })}>
            Back
          </button>
          <button type="button" disabled={isQuestion} onClick={() => go({ tour, step: step + 1 })}>
            Next
          </button>
        </p>
      </div>
      <div class="tour-picture">{children}</div>
    </section>
  );
}

/** The numbers of the text, and what they are in the runs that are shown. */
function Measured(props: {
  facts: Fact[];
  toml: string | null;
  shown: View | null;
  open: (toml: string) => void;
}) {
  const { facts, toml, shown, open } = props;
  if (toml === null || shown === null || shown.runs.length === 0) return null;
  if (shown.toml !== toml) {
    return (
      <p class="tour-changed">
        This is no longer the scenario of the step.{" "}
        <button type="button" onClick={() => open(toml)}>
          Reset
        </button>
      </p>
    );
  }
  const seeds = shown.runs.length === 1 ? "one seed" : `mean of ${shown.runs.length} seeds`;
  return (
    <table class="tour-facts">
      <caption>Measured now, {seeds}</caption>
      <thead>
        <tr>
          <th scope="col">Quantity</th>
          <th scope="col">In the text</th>
          <th scope="col">Measured</th>
        </tr>
      </thead>
      <tbody>
        {facts.map(({ says, is }) => {
          const value = meanOf(shown.runs, is);
          return (
            <tr key={says}>
              <th scope="row">{nameOf(is)}</th>
              <td>{says}</td>
              <td>{value === null ? "not there" : saidAs(says, value)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The scenario of a place; null until it is known. */
function useScenario(place: Place, scenarioAt: VisitProps["scenarioAt"]): string | null {
  const [known, setKnown] = useState<{ address: string; toml: string } | null>(null);
  const address = addressOf(place);
  useEffect(() => {
    let isWanted = true;
    void scenarioAt(place).then((toml) => isWanted && setKnown({ address, toml }));
    return () => {
      isWanted = false;
    };
  }, [address]);
  return known?.address === address ? known.toml : null;
}

/** The heading, which gets the focus with each step: a screen reader reads on from there. */
function useHeading(place: Place) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [addressOf(place)]);
  return heading;
}
