// Keeps the page and its address together: the address follows the page, and the page a new link.
import { effect } from "@preact/signals";
import { read, write } from "../state/address.ts";
import { enter } from "../tours/panel.tsx";
import { describe } from "../state/describe.ts";
import { present, section, tour } from "../state/navigation.ts";
import { firstSeed, notice, open, seeds, setSeeds, toml } from "../state/store.ts";
import { sections } from "./sections.tsx";

/** So long after the last change the address follows: browsers limit how often it may change. */
const QUIET_MS = 500;

let written = "";

/** Shows what the address says. Resolves to whether it had a scenario. */
export async function follow(): Promise<boolean> {
  written = location.hash;
  const before = toml.value;
  try {
    const address = await read(location.hash);
    if (toml.value !== before) return false; // it was edited meanwhile
    setSeeds(
      Math.min(Math.max(address.seeds ?? seeds.value, 1), 100),
      address.seed ?? firstSeed.value,
    );
    tour.value = address.tour;
    if (sections.some(({ id }) => id === address.section)) section.value = address.section!;
    if (address.scenario) await open(address.scenario);
    else if (address.tour) await enter(address.tour);
    return address.scenario !== undefined || address.tour !== undefined;
  } catch (error) {
    notice.value = { text: describe(error), isError: true };
    return false;
  }
}

export function watchLocation(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    void [toml.value, firstSeed.value, seeds.value, tour.value, section.value];
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const isFirst = section.value === sections[0]!.id;
      written = await write({ ...present(), ...(!isFirst && { section: section.value }) });
      history.replaceState(null, "", written);
    }, QUIET_MS);
  });
  addEventListener("hashchange", () => {
    if (location.hash !== written) void follow();
  });
}
