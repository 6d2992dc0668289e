// A against B: pin what is shown, change something, and see both.
import { changed, open, pin, pinned, unpin, view } from "../state/store.ts";

export function Comparison() {
  if (!pinned.value) {
    return (
      <div class="comparison">
        <button type="button" disabled={!view.value} onClick={pin}>
          Pin as A
        </button>
        <span class="hint">then change something to compare</span>
      </div>
    );
  }
  const words = changed.value ?? [];
  return (
    <div class="comparison">
      <button type="button" onClick={unpin}>
        Unpin A
      </button>
      <button type="button" onClick={() => void open(pinned.value!.toml)}>
        Back to A
      </button>
      <span class="changed">
        {words.length === 0
          ? "B is A so far: change something"
          : words
              .slice(0, 3)
              .map(({ name, from, to }) => `${name}: ${from} → ${to}`)
              .join("; ")}
        {words.length > 3 && ` and ${words.length - 3} more`}
      </span>
    </div>
  );
}
