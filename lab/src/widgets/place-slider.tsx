// A slider over a list of values, which it shows as text.

interface Props {
  id: string;
  /** How many values there are. */
  count: number;
  /** Which of them it shows. */
  place: number;
  text: string | undefined;
  isDisabled?: boolean;
  onMove: (place: number) => void;
}

export function PlaceSlider({ id, count, place, text, isDisabled = false, onMove }: Props) {
  return (
    <input
      id={id}
      type="range"
      min={0}
      max={count - 1}
      step={1}
      value={place}
      disabled={isDisabled}
      aria-valuetext={text}
      onInput={(event) => onMove(Number(event.currentTarget.value))}
    />
  );
}
