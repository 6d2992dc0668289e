// What the page's sources are checked for besides types and layout: surely wrong code, and imports that go one way.

/** The folders of src, bottom to top: a file may import from its own folder and from the lines above its own. */
const LAYERS = [
  ["engine", "widgets"],
  ["air-trace", "pictures", "scenario"],
  ["state"],
  ["campaign", "editor", "panels"],
  ["tours"],
  ["cell", "embed", "live"],
  ["app"],
];

export default {
  plugins: ["import", "oxc", "typescript", "unicorn"],
  categories: { correctness: "error" },
  rules: { "import/no-cycle": ["error", { ignoreTypes: false }] },
  overrides: LAYERS.map((layer, k) => ({
    files: layer.map((folder) => `src/${folder}/**`),
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: LAYERS.slice(k)
            .flat()
            .map((folder) => `**/${folder}/**`),
        },
      ],
    },
  })),
};
