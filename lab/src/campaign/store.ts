// The campaign that is open, and what of it is shown.
import { signal } from "@preact/signals";
import { defaultAxes, fits, withFixed, type Axes } from "./axes.ts";
import { curvesOf, type Curves } from "./curves.ts";
import { CampaignFile, type CampaignTable } from "./file.ts";

/** A campaign with the axes of its picture. */
export interface Exploration {
  file: CampaignTable;
  axes: Axes;
  curves: Curves;
}

export const exploration = signal<Exploration | null>(null);

/** Why the last file or the last choice cannot be shown. */
export const problem = signal<string | null>(null);

let newest = 0;

/** Opens a file; an error is shown in the panel. */
export function openCampaign(chosen: File): Promise<void> {
  return show(async () => {
    const file = await CampaignFile.open(chosen.name, await chosen.arrayBuffer());
    return [file, await defaultAxes(file)];
  });
}

/** Shows a table that grows, with the axes that were chosen for the same keys. */
export function showTable(table: CampaignTable): Promise<void> {
  return show(async () => {
    const shown = exploration.value;
    const isKept = shown !== null && fits(shown.axes, shown.file, table);
    return [table, isKept ? await withFixed(table, shown.axes) : await defaultAxes(table)];
  });
}

/** Shows other columns of the open file. */
export function choose(change: Partial<Axes>): Promise<void> {
  return show(async () => {
    const { file, axes } = exploration.value!;
    return [file, await withFixed(file, { ...axes, ...change })];
  });
}

/** Of several choices at once the last one is shown. */
async function show(prepare: () => Promise<[CampaignTable, Axes]>): Promise<void> {
  const own = ++newest;
  try {
    const [file, axes] = await prepare();
    const curves = await curvesOf(file, axes);
    if (own !== newest) return;
    exploration.value = { file, axes, curves };
    problem.value = null;
  } catch (error) {
    if (own === newest) problem.value = error instanceof Error ? error.message : String(error);
  }
}
