// Diagnoses that say the same.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../../gallery/load.mjs";

const { equalFlows, listed } = await load("panels/equal-flows.ts");

const starves = (flow, measure, text, more = {}) => ({
  flow,
  fault: "starves",
  cause: "data_losses",
  place: "ap_queue",
  measure,
  text,
  faulty_runs: 3,
  runs: 3,
  ...more,
});

test("numbers that differ become ranges, those that do not stay", () => {
  const all = [
    starves("down-1", "0.123 Mb/s, fair share 0.517", "6.8% of its data was dropped"),
    starves("down-2", "0.9 Mb/s, fair share 0.517", "10% of its data was dropped", {
      faulty_runs: 2,
    }),
    starves("down-3", "0.120 Mb/s, fair share 0.517", "7% of its data was dropped"),
  ];
  const [said, ...more] = equalFlows(all);
  assert.deepEqual(more, []);
  assert.equal(said.measure, "0.120–0.9 Mb/s, fair share 0.517");
  assert.equal(said.text, "6.8–10% of its data was dropped");
  assert.equal(said.often, "in 2–3 of 3 runs");
  assert.deepEqual(said.diagnoses, all);
});

test("another cause, another sentence or another name is not the same", () => {
  const one = starves("down-1", "1 Mb/s", "limited by 20 segments");
  const others = [
    starves("down-2", "1 Mb/s", "limited by 20 segments", { cause: "airtime" }),
    starves("down-3", "1 Mb/s", "limited by 1 segment"),
    starves("down-4", "1 Mb/s", "at the queue from sta-3 to sta-4"),
    starves("down-5", "1 Mb/s", "at the queue from sta-4 to sta-3"),
  ];
  const said = equalFlows([one, ...others]);
  assert.deepEqual(
    said.map(({ diagnoses }) => diagnoses.map(({ flow }) => flow)),
    [["down-1"], ["down-2"], ["down-3"], ["down-4"], ["down-5"]],
  );
  assert.equal(said[0].text, one.text);
});

test("of one run nothing is said of how often", () => {
  const [said] = equalFlows([starves("down-1", "1 Mb/s", "it", { faulty_runs: 1, runs: 1 })]);
  assert.equal(said.often, undefined);
});

test("names are listed up to three", () => {
  assert.equal(listed(["a"]), "a");
  assert.equal(listed(["a", "b"]), "a and b");
  assert.equal(listed(["a", "b", "c"]), "a, b and c");
  assert.equal(listed(["down-1", "down-2", "down-3", "down-4"]), "down-1 to down-4 (4 flows)");
});
