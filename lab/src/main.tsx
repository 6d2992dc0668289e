import "./style/theme.css";
import "./style/page.css";
import "./style/controls.css";
import "./campaign/campaign.css";
import "./tours/tours.css";
import { render } from "preact";
import { App } from "./app/app.tsx";
import { describe } from "./app/describe.ts";
import { watchDrops } from "./app/drop.ts";
import { follow, watchLocation } from "./app/location.ts";
import { addServerSection } from "./app/sections.tsx";
import { connect, edit, failure } from "./app/store.ts";
import { watchTheme } from "./app/theme.ts";
import { HttpEngine } from "./engine/http-engine.ts";
import { Workers } from "./engine/pool.ts";
import { detectServer } from "./engine/server.ts";
import { WasmEngine } from "./engine/wasm-engine.ts";
import { WasmLanguage } from "./engine/wasm-language.ts";
import { server } from "./live/current.ts";
import { takeCampaigns } from "./campaign/section.tsx";
import { builtIns, loadBuiltIns } from "./scenario/picker.tsx";

/** What the page shows first. */
const FIRST = "gong2006";

watchTheme();
watchDrops();
server.value = await detectServer(); // of a static page at once
if (server.value) addServerSection();
takeCampaigns();
render(<App />, document.getElementById("app")!);

// One worker more than processors: it is free for a change while the others run seeds.
const workers = new Workers(document.baseURI, (navigator.hardwareConcurrency || 2) + 1);
try {
  const browser = new WasmEngine(workers);
  const connected = connect({
    engine: server.value ? new HttpEngine(server.value, browser) : browser,
    language: new WasmLanguage(workers),
  });
  await Promise.all([connected, loadBuiltIns()]);
  const first = () => builtIns.value.find(({ name }) => name === FIRST)!.toml;
  // Not `open`: what is wrong with a link stays in sight.
  if (!(await follow())) await edit(server.value?.about.value.scenario ?? first());
  watchLocation();
  if (server.value) await startAll(workers);
} catch (error) {
  failure.value = describe(error);
}

/** Workers cannot be started while the server is away, which is when they are needed. */
async function startAll(workers: Workers): Promise<void> {
  const each = () => workers.call({ call: "version" });
  await Promise.all(Array.from({ length: workers.count }, each));
}
