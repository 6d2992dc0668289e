// The question at the end of a tour. A run of its scenario decides which answer is right.
import { useState } from "preact/hooks";
import type { View } from "../pictures/view.ts";
import { inUnit, meanOf } from "./measure.ts";
import { rightAnswer, type Question } from "./tour.ts";

export function QuestionForm(props: {
  question: Question;
  /** Its scenario; null until it is known. */
  toml: string | null;
  shown: View | null;
  open: (toml: string) => void;
}) {
  const { question, toml, shown, open } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const [isAnswered, setAnswered] = useState(false);
  return (
    <form
      class="tour-question"
      onSubmit={(event) => {
        event.preventDefault();
        if (toml === null || chosen === null) return;
        setAnswered(true);
        open(toml);
      }}
    >
      <fieldset>
        <legend>Your answer</legend>
        {question.answer.map(({ text }, k) => (
          <label key={text}>
            <input
              type="radio"
              name="answer"
              checked={chosen === k}
              onChange={() => {
                setChosen(k);
                setAnswered(false);
              }}
            />
            {text}
          </label>
        ))}
      </fieldset>
      <button type="submit" disabled={chosen === null || toml === null}>
        Run it and see
      </button>
      <div role="status">
        {isAnswered && chosen !== null && (
          <Verdict
            question={question}
            chosen={chosen}
            shown={shown?.toml === toml ? shown : null}
          />
        )}
      </div>
    </form>
  );
}

function Verdict(props: { question: Question; chosen: number; shown: View | null }) {
  const { question, chosen, shown } = props;
  const value = shown && shown.runs.length > 0 ? meanOf(shown.runs, question.decides) : null;
  if (value === null) return <p>Running.</p>;
  const right = rightAnswer(question, value);
  const isRight = right === chosen;
  return (
    <>
      <p>
        {question.name}: {inUnit(value, question.unit)}.{" "}
        <strong>{isRight ? "Right." : "Not so."}</strong> {question.answer[chosen]!.because}
      </p>
      {!isRight && right >= 0 && (
        <p>
          Right is: {question.answer[right]!.text} {question.answer[right]!.because}
        </p>
      )}
    </>
  );
}
