// A plugin of esbuild: `import tour from "./tour.toml"` has the content of the file.
import { readFile } from "node:fs/promises";
import { parse } from "smol-toml";

export const tomlLoader = {
  name: "toml",
  setup(build) {
    build.onLoad({ filter: /\.toml$/ }, async ({ path }) => ({
      contents: JSON.stringify(parse(await readFile(path, "utf8"))),
      loader: "json",
    }));
  },
};
