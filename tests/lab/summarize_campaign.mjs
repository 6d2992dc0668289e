// Prints what the page shows of a campaign, as JSON: node summarize_campaign.mjs FILE [X Y [BY]]. Its test is
// test_campaign_page.py.
import { readFile } from "node:fs/promises";
import { load } from "../../lab/gallery/load.mjs";

const { CampaignFile, baseToml, changesOf, curvesOf, defaultAxes, withFixed } =
  await load("campaign/index.ts");

async function shown(path, x, y, by = null) {
  const buffer = new Uint8Array(await readFile(path)).buffer;
  const file = await CampaignFile.open(path, buffer);
  const axes = x ? await withFixed(file, { x, y, by, fixed: {} }) : await defaultAxes(file);
  const { curves, ...others } = await curvesOf(file, axes);
  const withChanges = (point) => ({ ...point, changes: changesOf(point.values) });
  return {
    ...others,
    axes,
    curves: curves.map(({ name, points }) => ({ name, points: points.map(withChanges) })),
    toml: baseToml(file.about),
  };
}

const answer = await shown(...process.argv.slice(2)).catch(({ message }) => ({ error: message }));
console.log(JSON.stringify(answer));
