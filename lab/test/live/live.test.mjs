// What the server follows, from its lines to what the pictures show.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../../gallery/load.mjs";

const { sweepFold, SweepTable, progressText } = await load("live/sweep.ts");
const { testbedFold, resultOf } = await load("live/testbed.ts");
const { gatewayFold, roundsOf, factsOf } = await load("live/gateway.ts");

const read = (fold, ...blocks) =>
  blocks.reduce((state, lines) => fold.add(state, lines), fold.empty);

const begin = { kind: "sweep", keys: ["cell.queue.limit", "cell.queue.kind"], scenario: {} };
const run = (limit, kind, seed, jain_index) => ({
  values: { "cell.queue.limit": limit, "cell.queue.kind": kind },
  seed,
  metrics: { jain_index },
});

test("a sweep's runs are a table with the columns of its file", async () => {
  const sweep = read(
    sweepFold,
    [{ state: "waiting" }],
    [{ state: "running" }, begin, run(10, "las", 1, 0.9)],
    [{ done: 1, total: 3 }],
    [run(20, "las", 1, 0.8), { ...run(20, "droptail", 2, 0.7), metrics: { mean_rtt_s: 0.1 } }],
  );
  assert.equal(sweep.state, "running");
  assert.equal(progressText(sweep), "It runs: 1 of 3 runs are done.");
  const table = new SweepTable("x", sweep.about, sweep.runs);
  assert.equal(table.rows, 3);
  assert.deepEqual(
    table.columns.map(({ name, isNumeric }) => [name, isNumeric]),
    [
      ["cell.queue.limit", true],
      ["cell.queue.kind", false],
      ["seed", true],
      ["jain_index", true],
      ["mean_rtt_s", true],
    ],
  );
  assert.deepEqual(await table.column("cell.queue.limit"), [10, 20, 20]);
  assert.deepEqual(await table.column("seed"), [1, 1, 2]);
  assert.deepEqual(await table.column("jain_index"), [0.9, 0.8, null]);
});

test("a sweep that is started again begins anew", () => {
  const first = [begin, run(10, "las", 1, 0.9), { done: 1, total: 2 }, { state: "ended" }];
  const sweep = read(sweepFold, first, [{ state: "running" }, begin, run(20, "las", 1, 0.5)]);
  assert.deepEqual(sweep.runs, [run(20, "las", 1, 0.5)]);
  assert.equal(sweep.done, 0);
  // Both in one block as well.
  const block = read(sweepFold, [...first, { state: "running" }, begin, run(20, "las", 1, 0.5)]);
  assert.deepEqual(block.runs, sweep.runs);
});

test("the end of a sweep says how it went", () => {
  const failures = [{ values: {}, seed: 1, reason: "too many packets" }];
  const end = (line) => progressText(read(sweepFold, [begin, line]));
  assert.equal(end({ state: "done", runs: 2, failures: [] }), "It is done.");
  assert.equal(end({ state: "done", runs: 1, failures }), "It is done; 1 run has failed.");
  assert.equal(end({ state: "failed", message: "vary: x" }), "vary: x");
  assert.match(end({ state: "cancelled" }), /^It was stopped/);
});

const bed = {
  kind: "testbed",
  scenario: { name: "cell" },
  seed: 1,
  warmup_s: 2,
  duration_s: 10,
  flows: [
    { id: "up-1", name: null, station: "sta-1", direction: "up", application: "bulk" },
    { id: "down-1", name: null, station: "sta-2", direction: "down", application: "bulk" },
    { id: "udp", name: null, station: "sta-3", direction: "down", application: "cbr" },
    { id: "wired", name: null, station: null, direction: "up", application: "bulk" },
  ],
};
const counters = (acked_bytes) => ({
  acked_bytes,
  segments_sent: acked_bytes / 1000,
  retransmissions: 0,
  timeouts: 0,
  cwnd: acked_bytes / 1000,
  rtt_s: 0.05,
});
const sample = (time_s, up, down) => ({
  time_s,
  flows: { "up-1": counters(up), ...(down !== null && { "down-1": counters(down) }) },
});

test("a test-bed's goodput is over the measured time", () => {
  const state = read(testbedFold, [bed, sample(1, 0, null), sample(2, 125_000, 0)]);
  // Before there is any, over the time since the start.
  assert.equal(resultOf(state).flows[0].goodput_bps, 1e6);
  const later = testbedFold.add(state, [sample(3, 375_000, 125_000), sample(4, 625_000, 250_000)]);
  const result = resultOf(later);
  // From 2 s to 4 s 500,000 and 250,000 bytes.
  assert.deepEqual(
    result.flows.map(({ id, goodput_bps }) => [id, goodput_bps]),
    [
      ["up-1", 2e6],
      ["down-1", 1e6],
    ],
  );
  assert.equal(result.aggregate_goodput_bps, 3e6);
  assert.ok(Math.abs(result.jain_index - 9 / 10) < 1e-12); // (2 + 1)^2 / (2 (4 + 1))
  assert.deepEqual(result.series.time_s, [0, 1, 2]);
  assert.deepEqual(result.series.flows["up-1"].goodput_bps, [1e6, 2e6, 2e6]);
  assert.deepEqual(result.series.flows["down-1"].cwnd, [0, 125, 250]);
});

test("a test-bed without two samples has no result", () => {
  assert.equal(resultOf(read(testbedFold, [{ state: "waiting" }])), null);
  assert.equal(resultOf(read(testbedFold, [bed, sample(3, 1, 1)])), null);
});

test("a gateway's readings are control rounds", () => {
  const reading = (unix_s, lossy, more = {}) => ({
    state: "running",
    unix_s,
    samples: {
      evenaird_rate_bps: 2e6,
      'evenaird_throughput_bps{direction="up",traffic="all"}': 3e6,
      'evenaird_throughput_bps{direction="down",traffic="all"}': 1e6,
      evenaird_lossy_rounds_total: lossy,
      ...more,
    },
  });
  const state = read(
    gatewayFold,
    [{ state: "waiting", reason: "refused" }],
    [
      { state: "running", unix_s: 100, samples: {} }, // no round yet
      reading(101, 4),
      reading(102, 5, { evenaird_capacity_bps: 5e6 }),
    ],
  );
  const common = { rate_bps: 2e6, up_bps: 3e6, down_bps: 1e6 };
  assert.deepEqual(roundsOf(state), [
    { ...common, t_s: 1, capacity_bps: null, lost: false },
    { ...common, t_s: 2, capacity_bps: 5e6, lost: true },
  ]);
  assert.equal(gatewayFold.add(state, [{ state: "waiting", reason: "gone" }]).reason, "gone");
});

test("facts of a gateway are sums over the protocols", () => {
  const facts = factsOf({
    unix_s: 0,
    samples: {
      'evenaird_mode{evenaird_mode="off"}': 0,
      'evenaird_mode{evenaird_mode="enforce"}': 1,
      'evenaird_dropped_packets_total{protocol="tcp"}': 3,
      'evenaird_dropped_packets_total{protocol="udp"}': 4,
    },
  });
  assert.deepEqual(facts, [
    ["Mode", "enforce"],
    ["Uplink packets dropped by the policer", "7"],
  ]);
});
