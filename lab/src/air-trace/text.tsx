// Text that is drawn where it has room.

/** Text needs so many pixels for each letter. */
const LETTER = 6.6;

/** The first of the texts that has room between two places. */
export function fitting(from: number, to: number, texts: string[]): string | undefined {
  return texts.find((text) => text.length * LETTER <= to - from);
}

/** The same, drawn in the middle; nothing if none has room. */
export function textIn(
  from: number,
  to: number,
  y: number,
  texts: string[],
  name = "air-trace-text",
) {
  const text = fitting(from, to, texts);
  return (
    text && (
      <text class={name} x={(from + to) / 2} y={y} text-anchor="middle">
        {text}
      </text>
    )
  );
}
