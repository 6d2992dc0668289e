// All pictures of stored results, to look at: node gallery/build.mjs OUT A.json [B.json]
import { render } from "preact";
import { Pictures, type View } from "../src/pictures/index.ts";

interface Stored {
  label: string;
  runs: View["runs"][number]["result"][];
}

const stored = (await (await fetch("results.json")).json()) as Stored[];

function view(letter: string, { label, runs }: Stored): View {
  return {
    label: `${letter}: ${label}`,
    toml: "",
    runs: runs.map((result) => ({ result, why: [] })),
    wanted: runs.length,
    isStale: false,
  };
}

const [a, b] = stored.map((each, k) => view("AB"[k]!, each));
const root = document.getElementById("app")!;
const show = (a: View, b: View | null) => render(<Pictures a={a} b={b} />, root);
show(a!, b ?? null);

/** For measurements: the time of updates with results that differ, without and with layout and painting. */
Object.assign(window, { show, a, b, gallery: { a, b: b ?? null, show } });
