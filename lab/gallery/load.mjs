// Imports a TypeScript module of the page into Node, for tests.
import { build } from "esbuild";
import path from "node:path";
import { tomlLoader } from "../toml-loader.mjs";

/** @param {string} file below src */
export async function load(file) {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "../src", file)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [tomlLoader],
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
