// The guided tours on the page: where they are, and the scenarios that they open.
import { builtIns } from "../state/built-ins.ts";
import { section, stepKeys, stepPictures, tour } from "../state/navigation.ts";
import { language, open, pinned, view } from "../state/store.ts";
import { TourControls } from "./controls.tsx";
import { NamedPictures } from "./named-picture.tsx";
import { addressOf, changesOf, experimentAt, placeOf, type Place, type Tour } from "./tour.ts";
import { TourList, Visit } from "./tours.tsx";

/** The section with the list of tours. */
export function ToursPanel() {
  return <TourList go={(place) => void go(place)} />;
}

/** The step of the tour that is open. */
export function TourPanel() {
  const place = tour.value ? placeOf(tour.value) : null;
  const shown = view.value;
  if (!place) return null;
  return (
    <Visit
      place={place}
      shown={shown}
      scenarioAt={scenarioAt}
      open={(toml) => void open(toml)}
      go={(next) => void go(next)}
      controls={<TourControls keys={place.tour.controls} />}
    >
      {shown && (
        <NamedPictures
          names={experimentAt(place).pictures}
          a={pinned.value ?? shown}
          b={pinned.value && shown}
        />
      )}
    </Visit>
  );
}

/** Begins a tour. */
export function visit(tour: Tour): void {
  void go({ tour, step: 1 });
}

/** Opens the place of a link, `uploads-win/2`. Rejects with an Error of one line. */
export async function enter(address: string): Promise<void> {
  const place = placeOf(address);
  if (!place) throw new Error(`The link names no step of a tour: ${address}.`);
  at(place);
  await open(await scenarioAt(isQuestion(place) ? { ...place, step: place.step - 1 } : place));
}

async function go(place: Place | null): Promise<void> {
  at(place);
  section.value = place ? "pictures" : "tours";
  if (place && !isQuestion(place)) await open(await scenarioAt(place));
}

function at(place: Place | null): void {
  tour.value = place ? addressOf(place) : undefined;
  // The question changes nothing before it is answered.
  const changes = place && !isQuestion(place) ? changesOf(experimentAt(place)) : [];
  stepKeys.value = changes.map(([key]) => key);
  stepPictures.value = place ? experimentAt(place).pictures : [];
}

function isQuestion({ tour, step }: Place): boolean {
  return step > tour.step.length;
}

function scenarioAt(place: Place): Promise<string> {
  const base =
    place.tour.toml ?? builtIns.value.find(({ name }) => name === place.tour.scenario)!.toml;
  return language.set(base, changesOf(experimentAt(place)));
}
