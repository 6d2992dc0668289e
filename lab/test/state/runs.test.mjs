// The order of runs, with an engine whose runs end when the test says so.
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { page } from "../engine.mjs";

const { Runs } = page.runs;
const scenario = (duration) => ({ name: "test", duration, station: [{ count: 1, flows: [{}] }] });
const request = (toml, seed = 1) => ({ toml, scenario: scenario(300), seed });

/** Runs that wait for `end`, and what the page was told. */
function setUp(parallel = 3) {
  const under = [];
  const log = [];
  const lateness = [];
  const all = [];
  const engine = {
    name: "browser",
    parallel,
    run({ toml, seed, trace_s }, signal) {
      return new Promise((resolve, reject) => {
        const one = { toml, seed, trace_s };
        const leave = () => under.splice(under.indexOf(one), 1);
        one.end = async (error) => {
          leave();
          if (error) reject(error);
          else resolve({ result: { seed }, why: [] });
          await wait(1);
        };
        signal.addEventListener("abort", () => {
          if (!under.includes(one)) return;
          leave();
          log.push(`aborted ${toml} ${seed}`);
          reject(signal.reason);
        });
        under.push(one);
        all.push(one);
      });
    },
  };
  let shown = null;
  const runs = new Runs(
    engine,
    {
      started: (batch) => {
        shown = batch;
        log.push(`started ${batch.toml}`);
      },
      completed: (batch, seed, answer) => {
        shown = { ...shown, answers: new Map([...shown.answers, [seed, answer]]) };
        log.push(`completed ${batch.toml} ${seed}`);
      },
      failed: (error) => log.push(`failed ${error.message}`),
      late: (is) => lateness.push(is),
    },
    () => (shown ? [1, 2, 3, 4].filter((s) => !shown.answers.has(s)).map((s) => [shown, s]) : []),
  );
  return { runs, under, log, lateness, all };
}

test("of requests that come while a run is under way, only the newest is run", async () => {
  const { runs, under, log } = setUp();
  for (const toml of ["a", "b", "c", "d"]) runs.request(request(toml));
  assert.deepEqual(
    under.map(({ toml }) => toml),
    ["a"],
  );
  await under[0].end();
  assert.deepEqual(log, ["started a"]);
  assert.deepEqual(
    under.map(({ toml }) => toml),
    ["d"],
  );
  await under[0].end();
  assert.deepEqual(log, ["started a", "started d"]);
  runs.withdraw();
});

test("a long run is cancelled for a newer request", async () => {
  const { runs, under, log } = setUp();
  runs.request(request("slow"));
  runs.request(request("new"));
  await wait(400);
  assert.deepEqual(log, ["aborted slow 1"]);
  assert.equal(under[0].toml, "new");
  await under[0].end();
  assert.deepEqual(log, ["aborted slow 1", "started new"]);
  runs.withdraw();
});

test("the other seeds follow in the background, without series, and one worker stays free", async () => {
  const { runs, under, log, all } = setUp(3);
  runs.request(request("a"));
  await under[0].end();
  await wait(300);
  assert.deepEqual(
    under.map(({ seed }) => seed),
    [2, 3],
  );
  while (under.length > 0) await under.at(-1).end();
  assert.deepEqual([...log].sort(), [
    "completed a 2",
    "completed a 3",
    "completed a 4",
    "started a",
  ]);
  assert.deepEqual(
    all.map(({ trace_s }) => trace_s),
    [1, undefined, undefined, undefined],
  );
});

test("a change ends the background at once", async () => {
  const { runs, under, log } = setUp(3);
  runs.request(request("a"));
  await under[0].end();
  await wait(300);
  runs.request(request("b"));
  assert.deepEqual(log, ["started a", "aborted a 2", "aborted a 3"]);
  assert.deepEqual(
    under.map(({ toml }) => toml),
    ["b"],
  );
  await under[0].end();
  runs.withdraw();
});

test("an error of the newest request is told, and the next request runs", async () => {
  const { runs, under, log } = setUp();
  runs.request(request("a"));
  await under[0].end(new Error("the engine has failed: out of memory"));
  assert.deepEqual(log, ["failed the engine has failed: out of memory"]);
  runs.request(request("b"));
  await under[0].end();
  assert.equal(log.at(-1), "started b");
  runs.withdraw();
});

test("an answer that comes after its run was withdrawn is not shown", async () => {
  let answer;
  const engine = { parallel: 1, run: () => new Promise((resolve) => (answer = resolve)) };
  const told = [];
  const listener = {
    started: ({ toml }) => told.push(toml),
    completed: () => told.push("completed"),
    failed: () => told.push("failed"),
    late: () => {},
  };
  const runs = new Runs(engine, listener, () => []);
  runs.request(request("a"));
  runs.withdraw();
  answer({ result: { seed: 1 }, why: [] });
  await wait(10);
  assert.deepEqual(told, []);
});

test("a drag is not late while pictures come, and is when none comes", async () => {
  const { runs, under, lateness } = setUp();
  for (let move = 0; move < 8; move++) {
    runs.request(request(`move ${move}`));
    await wait(100);
    await under[0].end();
  }
  assert(!lateness.includes(true));
  runs.request(request("slow"));
  await wait(450);
  assert.equal(lateness.at(-1), true);
  await under[0].end();
  assert.equal(lateness.at(-1), false);
  runs.withdraw();
});
