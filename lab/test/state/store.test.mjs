// What the page shows after changes, with an engine that answers at once.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { page } from "../engine.mjs";

globalThis.requestAnimationFrame = (callback) => setTimeout(callback);

const { EngineError, store } = page;
const asked = [];

const engine = {
  name: "browser",
  parallel: 3,
  async run({ toml, seed, trace_s }) {
    asked.push(`${toml} ${seed}`);
    if (toml === "trap") throw new EngineError("the engine has failed: unreachable");
    return { result: { toml, seed, ...(trace_s && { series: {} }) }, why: [] };
  },
};
const language = {
  schema: async () => ({}),
  parts: async () => [],
  async resolve(toml) {
    if (toml === "wrong") throw new EngineError("not a scenario", "cell.phy", 3);
    return { name: toml, duration: 300, station: [{ count: 1, flows: [{}] }] };
  },
  async set(_, [[, value]]) {
    if (value === "refused") throw new EngineError("got refused", "key");
    return value;
  },
};

const seedsOf = (view) => view.runs.map(({ result }) => result.seed);
/** Longer than the background waits. */
const quiet = () => wait(300);

test("what fails at the beginning is said, and Run again begins again", async () => {
  let isGone = true;
  const schema = () => (isGone ? Promise.reject(new Error("no server")) : Promise.resolve({}));
  const make = () => store.connect({ engine, language: { ...language, schema } });
  await store.begin(make);
  assert.equal(store.failure.value, "no server");
  isGone = false;
  store.retry();
  await wait(10);
  assert.equal(store.failure.value, null);
  assert.notEqual(store.grammar.value, null);
});

test("a refusal is said until the next change, whichever that is", async () => {
  await store.connect({ engine, language });
  await store.open("a");
  for (const next of [() => store.open("b"), () => store.change([["key", "c"]])]) {
    await store.change([["key", "refused"]]);
    assert.match(store.notice.value.text, /got refused/);
    await next();
    assert.equal(store.notice.value, null);
  }
});

test("a scenario that is shown already leaves no failure of another one", async () => {
  await store.open("a");
  await quiet();
  await store.open("trap");
  await wait(10);
  assert.match(store.failure.value, /unreachable/);
  assert.equal(store.view.value.isStale, true);
  await store.open("a");
  assert.equal(store.failure.value, null);
  assert.equal(store.view.value.isStale, false);
  assert.equal(store.view.value.toml, "a");
});

test("another first seed while the text has an error is that of the next picture", async () => {
  await store.open("a");
  await quiet();
  await store.open("wrong");
  store.setSeeds(2, 7);
  assert.deepEqual(seedsOf(store.view.value), [1, 2], "of the picture that is shown");
  await store.open("a");
  await quiet();
  assert.deepEqual(seedsOf(store.view.value), [7, 8]);
  store.setSeeds(10, 1);
  await quiet();
});

test("A and B have the same seeds, and both have series of the first", async () => {
  store.setSeeds(3, 1);
  await store.open("a");
  await quiet();
  store.pin();
  await store.open("b");
  await quiet();
  const hasSeries = (view) => view.runs.map(({ result }) => result.series !== undefined);
  for (const first of [2, 50, 1]) {
    store.setSeeds(3, first);
    await quiet();
    for (const [view, toml] of [
      [store.pinned.value, "a"],
      [store.view.value, "b"],
    ]) {
      assert.deepEqual(seedsOf(view), [first, first + 1, first + 2]);
      assert.deepEqual(hasSeries(view), [true, false, false]);
      assert(view.runs.every(({ result }) => result.toml === toml));
    }
  }
  store.unpin();
});

test("nothing is run again that is there", async () => {
  await store.open("new");
  await quiet();
  asked.length = 0;
  store.setSeeds(2, 1);
  store.setSeeds(3, 1);
  await quiet();
  assert.deepEqual(asked, []);
});
