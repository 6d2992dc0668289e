// Bundles the page into a folder: node build.mjs OUT WASM
//
// OUT gets index.html, main.js, main.css, worker.js, evenair.wasm and scenarios.json, and for live figures on
// other pages embed.js, embed.css, figure.js and figure.css. Nothing in it refers to another host.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { tomlLoader } from "./toml-loader.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [out, wasm] = process.argv.slice(2);
if (!out || !wasm) {
  console.error("usage: node build.mjs OUT WASM");
  process.exit(2);
}

await mkdir(out, { recursive: true });
await build({
  entryPoints: [
    "main.tsx",
    "engine/worker.ts",
    // Live figures on other pages: the small script that waits for them, and what it loads.
    "embed.ts",
    "embed.css",
    "embed/figure.tsx",
  ].map((name) => path.join(here, "src", name)),
  outdir: out,
  entryNames: "[name]",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "linked",
  plugins: [tomlLoader],
});
await copyFile(wasm, path.join(out, "evenair.wasm"));
await copyFile(path.join(here, "index.html"), path.join(out, "index.html"));

// The built-in scenarios, as `evenair scenarios NAME` prints them.
const folder = path.join(here, "../python/evenair/scenarios");
const names = (await readdir(folder)).filter((name) => name.endsWith(".toml")).sort();
const scenarios = await Promise.all(
  names.map(async (name) => ({
    name: path.basename(name, ".toml"),
    toml: await readFile(path.join(folder, name), "utf8"),
  })),
);
await writeFile(path.join(out, "scenarios.json"), JSON.stringify(scenarios));
