// The campaign explorer on the page: a point opens its scenario.
import { describe } from "../state/describe.ts";
import { language, notice, open } from "../state/store.ts";
import type { About, Value } from "./file.ts";
import { CampaignPanel } from "./panel.tsx";
import { baseToml, changesOf } from "./point-scenario.ts";

export function CampaignSection() {
  return <CampaignPanel openPoint={openPoint} />;
}

/** Opens the scenario of a point; false if there is none. */
export async function openPoint(about: About, values: Record<string, Value>): Promise<boolean> {
  try {
    const base = baseToml(about);
    if (base === null) return false;
    await open(await language.set(base, changesOf(values)));
    return true;
  } catch (error) {
    notice.value = { text: describe(error), isError: true };
    return false;
  }
}
