import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../../gallery/load.mjs";

const { csv } = await load("pictures/data/rows.ts");
const { goodput, goodputRows, goodputText } = await load("pictures/data/goodput.ts");
const { comparison } = await load("pictures/data/comparison.ts");
const { delays } = await load("pictures/data/delays.ts");
const { curve, merge, quantile } = await load("pictures/data/distribution.ts");
const pool = (all) => curve(merge(all));
const { losses } = await load("pictures/data/losses.ts");
const { medium, airtime } = await load("pictures/data/shares.ts");
const { flowTrack, queueTrack } = await load("pictures/data/series.ts");
const { pooled, progress } = await load("pictures/view.ts");
const { compared } = await load("pictures/data/fairness.ts");
const { noticed, noticedRows, noticedText } = await load("pictures/data/users.ts");
const { axisEnd } = await load("pictures/data/numbers.ts");
const { ticks, tickTexts } = await load("pictures/common/scale.ts");

const flow = (id, goodput_bps, more = {}) => ({
  id,
  name: null,
  station: `sta-${id.split("-")[1]}`,
  direction: id.split("-")[0],
  application: "bulk",
  goodput_bps,
  mean_rtt_s: 0.02,
  ...more,
});

const queue = {
  drops: 10,
  data_drops: 4,
  ack_drops: 6,
  acks_filtered: 1,
  loss_ratio: 0.1,
  mean_packets: 5,
  mean_data: 2,
  mean_acks: 3,
  mean_delay_s: 0.01,
  delay_s: null,
};

const result = (seed, goodputs, more = {}) => ({
  seed,
  scenario: { name: "test", cell: { kind: "wlan" } },
  aggregate_goodput_bps: Object.values(goodputs).reduce((all, each) => all + each, 0),
  jain_index: 0.5,
  jain_airtime: 0.6,
  jain_over: "bulk",
  rtt_s: null,
  one_way_delay_s: null,
  flows: Object.entries(goodputs).map(([id, bps]) => flow(id, bps)),
  stations: Object.keys(goodputs).map((id) => ({
    id: `sta-${id.split("-")[1]}`,
    name: null,
    airtime_share: 0.25,
  })),
  losses: { congestion: 12, retry_limit: 2, error: 3 },
  ap_queue: queue,
  wired: { links: [] },
  delays: [],
  ...more,
});

const view = (...results) => ({
  label: "A",
  toml: "",
  runs: results.map((result) => ({ result, why: [] })),
  wanted: results.length,
  isStale: false,
});

test("goodput per flow, and the fair share of the flows that are compared", () => {
  const web = flow("down-3", 9e6, { application: "web" });
  const one = result(1, { "up-1": 3e6, "down-2": 1e6 });
  one.flows.push(web);
  const two = result(2, { "up-1": 5e6, "down-2": 1e6 });
  two.flows.push(web);
  const data = goodput(view(one, two), null);
  assert.deepEqual(
    data.flows.map(({ id, a }) => [id, a.mean]),
    [
      ["up-1", 4],
      ["down-2", 1],
      ["down-3", 9],
    ],
  );
  assert.equal(data.fairShare.a.mean, 2.5);
  assert.equal(data.fairShare.b, null);
  assert.equal(goodputRows(data).length, 5);
  assert.match(goodputText(data), /least down-2 1\.00, most down-3 9\.00/);
});

test("flows of two scenarios are matched by their ids", () => {
  const data = goodput(
    view(result(1, { "up-1": 1e6 })),
    view(result(1, { "up-1": 2e6, "up-2": 3e6 })),
  );
  assert.deepEqual(
    data.flows.map(({ id, a, b }) => [id, a?.mean ?? null, b?.mean ?? null]),
    [
      ["up-1", 1, 2],
      ["up-2", null, 3],
    ],
  );
});

test("what users notice is shown of the flows that have it", () => {
  const run = (seed, mos, load) => {
    const one = result(seed, { "up-1": 1e6, "down-2": 1e6 });
    one.flows.push(flow("up-3", 6e4, { application: "voip", mos, name: "call" }));
    const page_load_s = load === null ? null : { n: 2, mean: load };
    one.flows.push(flow("down-4", 1e6, { application: "page", page_load_s }));
    return one;
  };
  const [mos, pages, ...more] = noticed(view(run(1, 4, null), run(2, 3, 1.5)), null);
  assert.deepEqual(more, []);
  assert.deepEqual(
    mos.flows.map(({ id, label, a, b }) => [id, label, a.mean, b]),
    [["up-3", "call", 3.5, null]],
  );
  // Of the run that has a page.
  assert.equal(pages.flows[0].a.mean, 1.5);
  assert.match(noticedText(pages), /^Mean load time of pages \(s\): down-4 1\.50/);
  assert.equal(noticedRows(mos).length, 2);
  assert.deepEqual(noticed(view(result(1, { "up-1": 1e6 })), null), []);
});

test("flows without goodput, wired flows and no flows", () => {
  const wired = {
    flows: [flow("wired-1", 7e6, { direction: undefined, station: undefined })],
    links: [],
  };
  const data = goodput(view(result(1, { "up-1": 0 }, { wired })), null);
  assert.deepEqual(
    data.flows.map(({ way, a }) => [way, a.mean]),
    [
      ["up", 0],
      ["wired", 7],
    ],
  );
  assert.equal(data.fairShare.a.mean, 0);
  assert.equal(goodput(view(result(1, {})), null).fairShare.a, null);
});

test("a comparison pairs runs by seed", () => {
  const a = view(
    result(1, { "up-1": 1e6 }),
    result(2, { "up-1": 2e6 }),
    result(3, { "up-1": 9e6 }),
  );
  const b = view(result(2, { "up-1": 3e6 }), result(1, { "up-1": 2e6 }));
  const row = comparison(a, b).find(({ metric }) => metric === "aggregate_goodput_bps");
  assert.equal(row.a.mean, 4e6);
  assert.equal(row.b.mean, 2.5e6);
  assert.deepEqual(row.difference, { value: 1e6, ci95: 0, relative: 1e6 / 1.5e6 });
  assert.equal(row.isClear, true);
});

test("pictures say how many seeds there are", () => {
  const [one, two] = [view(result(1, {})), view(result(1, {}), result(2, {}))];
  assert.equal(progress(one), "1 seed");
  assert.equal(progress(two, two), "mean of 2 seeds, 95% intervals");
  assert.equal(
    progress(two, { ...one, wanted: 2 }),
    "A mean of 2 seeds, 95% intervals, B 1 of 2 seeds so far",
  );
});

test("causes sum to the lost packets", () => {
  const causes = losses(view(result(1, { "up-1": 1e6 })), null);
  const packets = Object.fromEntries(causes.map(({ id, a }) => [id, a.mean]));
  // Of 12 drops in queues 4 data and 6 - 1 ACKs are the access point's.
  assert.deepEqual(packets, {
    queue_data: 4,
    queue_acks: 5,
    other_queues: 3,
    retry_limit: 2,
    error: 3,
  });
});

test("pooled distributions count the samples of all", () => {
  const samples = (le_s, count) => ({ quantity: "rtt", flow: "up-1", le_s, count });
  // One sample of 1 ms, three of 2 ms; then four of 3 ms.
  const pooled = pool([samples([0.001, 0.002], [1, 4]), samples([0.003], [4])]);
  assert.deepEqual(pooled, { ms: [1, 2, 3], share: [1 / 8, 4 / 8, 1] });
  assert.equal(quantile(pooled, 0.5), 2);
  assert.equal(quantile(pooled, 0.51), 3);
});

test("pooling many points keeps the ends and every quantile within a step", () => {
  const le_s = Array.from({ length: 5000 }, (_, k) => (k + 1) / 1000);
  const pooled = pool([{ quantity: "rtt", le_s, count: le_s.map((_, k) => k + 1) }]);
  assert.ok(pooled.ms.length <= 402);
  assert.equal(pooled.ms.at(-1), 5000);
  assert.equal(pooled.share.at(-1), 1);
  for (const share of [0.05, 0.5, 0.95]) {
    assert.ok(Math.abs(quantile(pooled, share) - 5000 * share) <= 5000 / 400);
  }
});

test("delays of directions are pooled over flows and seeds", () => {
  const run = (seed) =>
    result(
      seed,
      { "up-1": 1, "up-2": 1, "down-3": 1 },
      {
        delays: ["up-1", "up-2", "down-3"].map((flow, k) => ({
          flow,
          quantity: "rtt",
          le_s: [0.001 * (k + 1) * seed],
          count: [k + 1],
        })),
      },
    );
  const { lines, flows } = delays("rtt", view(run(1), run(2)), null);
  // Uploads: one sample each of 1 and 2 ms, two each of 2 and 4 ms.
  assert.deepEqual(
    lines.map(({ way, ms, share }) => [way, ms, share]),
    [
      ["up", [1, 2, 2, 4], [1 / 6, 3 / 6, 4 / 6, 1]],
      ["down", [3, 6], [0.5, 1]],
    ],
  );
  assert.deepEqual(
    flows.map(({ name, ms }) => [name, ms]),
    [
      ["up-1", [1, 2]],
      ["up-2", [2, 4]],
    ],
  );
  assert.deepEqual(delays("rtt", view(run(1)), view(run(2))).flows, []);
});

test("session times are a distribution of their own", () => {
  const sessions = [
    { flow: "down-1", start_s: 1, end_s: 3 },
    { flow: "down-1", start_s: 5, end_s: 6 },
  ];
  const { lines } = delays("session", view(result(1, { "down-1": 1e6 }, { sessions })), null);
  assert.deepEqual(lines, [{ side: "a", way: "down", ms: [1000, 2000], share: [0.5, 1] }]);
});

test("shares of the medium are in the result's order, and absent of WiMAX", () => {
  const air = { payload: 0.3, overhead: 0.4, collisions: 0.1, corrupted: 0.05, idle: 0.15 };
  const parts = medium(view(result(1, { "up-1": 1e6 }, { air })), null);
  assert.deepEqual(
    parts.map(({ a }) => a.mean),
    [0.3, 0.4, 0.1, 0.05, 0.15],
  );
  assert.deepEqual(medium(view(result(1, { "up-1": 1e6 })), null), []);
});

test("a station has the colour of its flows' direction", () => {
  const parts = airtime(view(result(1, { "up-1": 1e6, "down-2": 1e6, "up-3": 1 })), null);
  assert.deepEqual(
    parts.map(({ colour }) => colour),
    ["up", "down", "up"],
  );
});

test("means over time leave out what is not known", () => {
  const series = {
    time_s: [1, 2, 3],
    ap_queue_data: [1, 2, 3],
    ap_queue_acks: [0, 0, 1],
    aggregate_goodput_bps: [0, 0, 0],
    flows: { "up-1": { cwnd: [2, null, null] }, "up-2": { cwnd: [4, 6, null] }, "down-3": {} },
  };
  const traced = view(result(1, { "up-1": 1, "up-2": 1, "down-3": 1 }, { series }));
  const track = flowTrack(traced, "cwnd", 1);
  assert.deepEqual(track.lines[0].values, [3, 6, null]);
  assert.deepEqual(track.lines[1].values, [null, null, null]);
  assert.equal(track.flows.length, 2);
  assert.deepEqual(queueTrack(traced).lines[1].values, [0, 0, 1]);
  assert.equal(queueTrack(view(result(1, { "up-1": 1 }))), null);
});

test("an axis has room for intervals, but not for those of two seeds", () => {
  const of = (mean, ci95) => ({ a: { mean, ci95 }, b: null });
  assert.equal(axisEnd([of(1, 0.1), of(2, 0.5)]), 2.5);
  assert.equal(axisEnd([of(1, 9), of(2, null)]), 3);
  assert.equal(axisEnd([{ a: { mean: 1, ci95: 0 }, b: { mean: 4, ci95: 1 } }]), 5);
  assert.equal(axisEnd([{ a: null, b: null }]), 0);
});

test("ticks are round and end at or above the largest value", () => {
  assert.deepEqual(tickTexts(ticks(1, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(tickTexts(ticks(0.87, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(tickTexts([0, 2.5, 5]), ["0.0", "2.5", "5.0"]);
  assert.deepEqual(tickTexts([0, 0.1, 0.1 + 0.2]), ["0.0", "0.1", "0.3"]);
  assert.deepEqual(ticks(0, 5), ticks(1, 5));
  assert.deepEqual(ticks(1234, 5), [0, 500, 1000, 1500]);
  for (const most of [1e-6, 0.013, 3.3, 99, 1e9]) assert.ok(ticks(most, 5).at(-1) >= most);
});

test("CSV follows RFC 4180", () => {
  assert.equal(
    csv([
      ["a", "b"],
      ['say "x", y', null],
      [1.5, "c"],
    ]),
    'a,b\r\n"say ""x"", y",\r\n1.5,c\r\n',
  );
});

test("notes name the flows and the seeds of both scenarios where they differ", () => {
  const one = result(1, { "up-1": 1e6 });
  const two = (seed) => result(seed, { "up-1": 1e6, "down-1": 2e6 });
  assert.equal(compared(view(one), null), "1 bulk flow");
  assert.equal(compared(view(one), view(two(1))), "A 1 bulk flow, B 2 bulk flows");
  assert.equal(compared(view(two(1)), view(two(1))), "2 bulk flows");
  assert.equal(pooled(view(two(1), two(2)), null), "2 seeds together");
  assert.equal(pooled(view(two(1), two(2)), view(one)), "A 2 seeds together, B 1 seed");
});
