// The pictures of what is shown, and of what is pinned beside it.
import { stepPictures } from "../state/navigation.ts";
import { pinned, view } from "../state/store.ts";
import { Pictures } from "../pictures/index.ts";

export function PicturesPanel() {
  // A pinned scenario has no runs of other seeds at first.
  const isPair = pinned.value !== null && pinned.value.runs.length > 0;
  const a = isPair ? pinned.value : view.value;
  const b = isPair ? view.value : null;
  return a ? (
    <Pictures a={a} b={b} without={stepPictures.value} />
  ) : (
    <p>The first run is under way.</p>
  );
}
