// One control: a slider with a text field, a menu or a checkbox, and those of its parameters.
import { useId, useState } from "preact/hooks";
import { DraftInput } from "../widgets/draft-input.tsx";
import { stepKeys } from "../state/navigation.ts";
import { change, problem } from "../state/store.ts";
import type { Control, Slider } from "../scenario/controls.ts";
import { sets } from "../scenario/first-controls.ts";
import { PlaceSlider } from "../widgets/place-slider.tsx";
import { formatQuantity, parseQuantity } from "../scenario/quantity.ts";

export function ControlField({ control }: { control: Control }) {
  const { widget, parameters } = control;
  const isOfStep = stepKeys.value.some((key) => sets(control, key));
  const classes = ["control", isLong(widget) && "is-long", isOfStep && "is-of-step"];
  return (
    <div class={classes.filter(Boolean).join(" ")} data-key={control.key}>
      {isOfStep && <span class="of-step">changed by this step</span>}
      {widget.type === "slider" ? (
        <SliderField control={control} slider={widget} />
      ) : widget.type === "menu" ? (
        <MenuField control={control} options={widget.options} value={widget.value} />
      ) : (
        <FlagField control={control} value={widget.value} />
      )}
      {parameters.length > 0 && (
        <details class="parameters">
          <summary>
            {parameters.length} {parameters.length === 1 ? "parameter" : "parameters"} of{" "}
            {control.label}
          </summary>
          {parameters.map((parameter) => (
            <ControlField key={parameter.key} control={parameter} />
          ))}
        </details>
      )}
    </div>
  );
}

/** Characters that have room beside the name: in a field, and in a menu, which has an arrow. */
const FIELD = 13;
const MENU = 11;
/** Characters of a line of the panel. */
const LINE = 34;

/** Values that need a line of their own. */
function isLong(widget: Control["widget"]): boolean {
  if (widget.type === "slider") return widget.text.length > FIELD;
  return widget.type === "menu" && widget.options.some(({ label }) => label.length > MENU);
}

function MenuField(props: {
  control: Control;
  options: { value: string; label: string }[];
  value: string;
}) {
  const id = useId();
  const { control, options, value } = props;
  const set = (select: HTMLSelectElement) => {
    const chosen = select.value;
    // A refused value leaves the text, and the menu, as they are.
    void change([[control.key, chosen === "" ? null : chosen]]).then(
      () => (select.value = select.dataset["value"]!),
    );
  };
  return (
    <>
      <label for={id} title={control.help}>
        {control.label}
      </label>
      <select
        id={id}
        value={value}
        data-value={value}
        disabled={problem.value !== null}
        onChange={(event) => set(event.currentTarget)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </>
  );
}

function FlagField({ control, value }: { control: Control; value: boolean }) {
  const id = useId();
  return (
    <>
      <label for={id} title={control.help}>
        {control.label}
      </label>
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={problem.value !== null}
        onChange={(event) => void change([[control.key, String(event.currentTarget.checked)]])}
      />
    </>
  );
}

function SliderField({ control, slider }: { control: Control; slider: Slider }) {
  const id = useId();
  const { value, text, words, dimension } = slider;
  // While the slider is moved, it shows where it was moved to, not what the engine has last answered, and
  // keeps its stops, of which the present value is one.
  const [dragged, setDragged] = useState<{ stops: number[]; place: number } | null>(null);
  const format = (number: number) =>
    dimension ? formatQuantity(number, dimension) : String(number);
  const { stops, place } = dragged ?? {
    stops: slider.stops,
    place: value !== null ? slider.stops.indexOf(value) : text === "" ? 0 : slider.stops.length - 1,
  };
  const shown = dragged ? format(stops[place]!) : text;
  const move = (to: number) => {
    setDragged({ stops, place: to });
    void change([[control.key, format(stops[to]!)]]).then(() => setDragged(null));
  };
  const type = async (typed: string) => {
    const number = dimension ? parseQuantity(typed, dimension) : null;
    const next = number === null ? typed.trim() : format(number);
    if (next !== text) await change([[control.key, next === "" ? null : next]]);
  };
  const isDisabled = problem.value !== null;
  return (
    <>
      <label for={id} title={control.help}>
        {control.label}
      </label>
      <PlaceSlider
        id={id}
        count={stops.length}
        place={place}
        text={shown}
        isDisabled={isDisabled}
        onMove={move}
      />
      <DraftInput
        type="text"
        class="value"
        value={shown}
        rows={Math.ceil(shown.length / LINE)}
        disabled={isDisabled}
        {...(words.length > 0 && { list: `${id}-words` })}
        aria-label={`${control.label}, value`}
        onCommit={type}
      />
      {words.length > 0 && (
        <datalist id={`${id}-words`}>
          {words.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      )}
    </>
  );
}
