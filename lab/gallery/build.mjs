// Builds a page with all pictures of stored results: node test/gallery/build.mjs OUT A.json [B.json]
//
// The files are the output of `evenair run --json`, of one run or of several.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const [out, ...files] = process.argv.slice(2);
if (!out || files.length === 0) {
  console.error("usage: node build.mjs OUT A.json [B.json]");
  process.exit(2);
}
await build({
  entryPoints: [path.join(import.meta.dirname, "gallery.tsx")],
  outdir: out,
  bundle: true,
  minify: !process.env.READABLE,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
});
const results = await Promise.all(
  files.map(async (file) => {
    const document = JSON.parse(await readFile(file, "utf8"));
    return { label: path.basename(file, ".json"), runs: document.runs ?? [document] };
  }),
);
await writeFile(path.join(out, "results.json"), JSON.stringify(results));
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Pictures</title>
    <link rel="icon" href="data:," />
    <style>
      :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
      h1 { margin: 0 0 8px; color: light-dark(#000, #fff); font-size: 1.2rem; }
      body { margin: 12px; background: light-dark(#f5f5f5, #0d0f12); }
    </style>
    <link rel="stylesheet" href="gallery.css" />
  </head>
  <body>
    <main><h1>Pictures</h1><div id="app"></div></main>
    <script type="module" src="gallery.js"></script>
  </body>
</html>
`;
await writeFile(path.join(out, "index.html"), page);
