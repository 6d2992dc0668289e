// The controls that come first.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import { load } from "../../gallery/load.mjs";
import { language, page, skip } from "../engine.mjs";

const { sets, settings, split } = await load("scenario/first-controls.ts");

const control = (key, label = key) => ({ key, label, parameters: [] });
const groups = [
  {
    id: "main",
    controls: [
      control("station.0.count", "Stations, down"),
      control("station.1.count", "Stations, up"),
      control("cell.queue"),
      control("cell.queue.limit"),
    ],
  },
  { id: "medium", controls: [control("cell.scheduler"), control("cell.band")] },
  { id: "station.0", station: 0, controls: [control("station.0.flows.0.transport")] },
];

const first = (text, wanted) => split(groups, text, wanted).first.map(({ key }) => key);

test("without a hint these are the queue and the stations that upload", () => {
  assert.deepEqual(first(""), ["cell.queue.limit", "cell.queue", "station.1.count"]);
});

test("what comments compare with comes before, each once", () => {
  const text = `
# --set cell.scheduler.form=mac80211   --set "cell.band=2.4 GHz"
# --set cell.scheduler=fifo --set no.such.key=1
a = "--set cell.queue=las" # of no comment
`;
  assert.deepEqual(settings(text), [
    "cell.scheduler.form",
    "cell.band",
    "cell.scheduler",
    "no.such.key",
  ]);
  assert.deepEqual(first(text), ["cell.scheduler", "cell.band", "cell.queue.limit"]);
});

test("what a step changes comes first", () => {
  assert.deepEqual(first("", ["station.0.flows.0.transport", "cell.band"]), [
    "station.0.flows.0.transport",
    "cell.band",
    "cell.queue.limit",
  ]);
});

test("no control is there twice, and none is missing", () => {
  const { first, rest } = split(groups, "");
  const keys = [...first, ...rest.flatMap(({ controls }) => controls)].map(({ key }) => key);
  const all = groups.flatMap(({ controls }) => controls).map(({ key }) => key);
  assert.deepEqual(keys.toSorted(), all.toSorted());
  // The buttons of a group of stations stay without controls; other groups do not.
  const { rest: left } = split(groups, "", ["cell.scheduler", "cell.band", "station.0.flows"]);
  assert.deepEqual(
    left.map(({ id }) => id),
    ["main", "station.0"],
  );
});

test("a control sets its key, its kind and its parameters", () => {
  const queue = { ...control("cell.queue"), parameters: [control("cell.queue.target")] };
  for (const key of ["cell.queue", "cell.queue.kind", "cell.queue.target"]) {
    assert.ok(sets(queue, key), key);
  }
  // The limit has a control of its own.
  for (const key of ["cell.queue.limit", "cell.queues", "cell"]) assert.ok(!sets(queue, key), key);
});

const folder = new URL("../../../python/evenair/scenarios/", import.meta.url);

test("each built-in scenario has three", { skip }, async () => {
  const grammar = { schema: await language.schema(), parts: await language.parts() };
  for (const name of (await readdir(folder)).filter((name) => name.endsWith(".toml"))) {
    const toml = await readFile(new URL(name, folder), "utf8");
    const all = page.controls.controlsOf(grammar, await language.resolve(toml));
    assert.equal(split(all, toml).first.length, 3, name);
  }
});
