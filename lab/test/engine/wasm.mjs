// The engine for tests: the modules of src/engine, bundled, and the WebAssembly of the built page.
import { build } from "esbuild";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const lab = fileURLToPath(new URL("../..", import.meta.url));

/** The engine's file: that of the built page, or EVENAIR_WASM. */
export const wasm =
  process.env.EVENAIR_WASM ?? path.join(lab, "../python/evenair/lab/page/evenair.wasm");

/** Bundles modules of src/engine into a new folder, each as NAME.js. Returns the folder, which is
 * removed in the end. */
export async function bundled(...names) {
  const folder = await mkdtemp(path.join(tmpdir(), "evenair-lab-"));
  process.on("exit", () => rmSync(folder, { recursive: true }));
  await build({
    entryPoints: names.map((name) => path.join(lab, "src/engine", `${name}.ts`)),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
  });
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** Imports a module of a bundled folder. */
export const load = (folder, name) => import(pathToFileURL(path.join(folder, `${name}.js`)).href);

/** An instance of the engine. */
export async function instance() {
  const { Instance } = await load(await bundled("instance"), "instance");
  return new Instance(await WebAssembly.compile(await readFile(wasm)));
}

/** The text of a built-in scenario. */
export const scenario = (name) =>
  readFile(path.join(lab, `../python/evenair/scenarios/${name}.toml`), "utf8");
