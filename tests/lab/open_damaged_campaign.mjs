// Opens a campaign's file with one wrong bit, for each of some bits: node open_damaged_campaign.mjs FILE BIT... Prints
// as JSON why each is refused, null for one that is not. Its test is test_campaign_page.py.
import { readFile } from "node:fs/promises";
import { load } from "../../lab/gallery/load.mjs";

const { CampaignFile } = await load("campaign/index.ts");

const [path, ...bits] = process.argv.slice(2);
const content = await readFile(path);
const reasons = [];
for (const bit of bits.map(Number)) {
  const bytes = new Uint8Array(content);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  const opened = CampaignFile.open("x", bytes.buffer);
  reasons.push(await opened.then(() => null).catch(({ message }) => message));
}
const { isUnchecked } = await CampaignFile.open("x", new Uint8Array(content).buffer);
console.log(JSON.stringify({ reasons, isUnchecked }));
