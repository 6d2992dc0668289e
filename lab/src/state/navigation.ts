// Where in the page one is, and the link to it.
import { signal } from "@preact/signals";
import { write, type Address } from "./address.ts";
import { firstSeed, seeds, toml } from "./store.ts";

/** The id of the section that is shown. */
export const section = signal("pictures");

/** Name and step of the guided tour, `uploads-win/2`; undefined without one. */
export const tour = signal<string | undefined>(undefined);

/** The keys that the present step of the tour changes. */
export const stepKeys = signal<string[]>([]);

/** The pictures that the present step of the tour shows, which are not shown again. */
export const stepPictures = signal<string[]>([]);

/** What is shown, but for the section. */
export function present(): Address {
  return {
    scenario: toml.value,
    seed: firstSeed.value,
    seeds: seeds.value,
    ...(tour.value && { tour: tour.value }),
  };
}

/** The fragment of a link to what is shown. */
export function fragment(): Promise<string> {
  return write(present());
}
