// How many seeds are run, from which on, and how far they are.
import { DraftInput } from "../widgets/draft-input.tsx";
import { pinned, seeds, firstSeed, setSeeds, view } from "../state/store.ts";

/** More seeds are a campaign: `evenair sweep`. */
const MOST = 100;

export function Seeds() {
  const shown = [view.value, pinned.value].filter((each) => each !== null);
  const done = shown.reduce((sum, { runs }) => sum + runs.length, 0);
  const wanted = shown.reduce((sum, { wanted }) => sum + wanted, 0);
  const whole = (typed: string, least: number, most: number) =>
    Math.min(Math.max(Math.round(Number(typed)) || least, least), most);
  return (
    <div class="seeds">
      <label>
        Seeds
        <DraftInput
          type="number"
          min={1}
          max={MOST}
          value={String(seeds.value)}
          onCommit={(typed) => setSeeds(whole(typed, 1, MOST), firstSeed.value)}
        />
      </label>
      <label>
        from
        <DraftInput
          type="number"
          min={0}
          max={999_999_999}
          value={String(firstSeed.value)}
          aria-label="First seed"
          onCommit={(typed) => setSeeds(seeds.value, whole(typed, 0, 999_999_999))}
        />
      </label>
      <progress max={Math.max(wanted, 1)} value={done} aria-label="Runs done" />
      <span class="count">
        {done} of {wanted} runs
      </span>
    </div>
  );
}
