import "./style/theme.css";
import "./style/page.css";
import "./style/controls.css";
import "./campaign/campaign.css";
import "./tours/tours.css";
import { render } from "preact";
import { App } from "./app/app.tsx";
import { watchDrops } from "./app/drop.ts";
import { follow, watchLocation } from "./app/location.ts";
import { addServerSection } from "./app/sections.tsx";
import { watchTheme } from "./app/theme.ts";
import { HttpEngine } from "./engine/http-engine.ts";
import { Workers } from "./engine/pool.ts";
import { detectServer } from "./engine/server.ts";
import { WasmEngine } from "./engine/wasm-engine.ts";
import { WasmLanguage } from "./engine/wasm-language.ts";
import { server } from "./live/current.ts";
import { builtIns, loadBuiltIns } from "./state/built-ins.ts";
import { begin, connect, take, toml } from "./state/store.ts";

/** What the page shows first: a cell of today. */
const FIRST = "home";

watchTheme();
watchDrops();
server.value = await detectServer(); // of a static page at once
if (server.value) addServerSection();
render(<App />, document.getElementById("app")!);

// One worker more than processors: it is free for a change while the others run seeds.
const workers = new Workers(document.baseURI, (navigator.hardwareConcurrency || 2) + 1);
const browser = new WasmEngine(workers);
const engine = server.value ? new HttpEngine(server.value, browser) : browser;
const language = new WasmLanguage(workers);

await begin(async () => {
  await Promise.all([connect({ engine, language }), loadBuiltIns()]);
  // What is wrong with a link stays in sight, and what was typed in the meantime stays the text.
  const isTyped = toml.value !== "";
  if (isTyped || !(await follow())) await take(toml.value || firstScenario());
  watchLocation();
});

function firstScenario(): string {
  const given = server.value?.about.value.scenario;
  return given ?? builtIns.value.find(({ name }) => name === FIRST)!.toml;
}
