// What the drawing of a cell shows: its rows, its dots, and the moments of a run.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../../gallery/load.mjs";

const { Dots, lengthOf, pointOf } = await load("cell/dots.ts");
const { layoutOf } = await load("cell/layout.ts");
const { fairShare, nodesOf } = await load("cell/nodes.ts");
const { dropsOf, momentAt, ratesOf, roomOf } = await load("cell/replay.ts");

// 380 pixels: two seconds for a dot at 190 a second.
const ways = [
  {
    up: [
      [380, 0],
      [0, 0],
    ],
    down: [
      [0, 40],
      [380, 40],
    ],
  },
];
const none = { data: 0, acks: 0 };

/** Steps of 1/40 s. */
function play(dots, seconds, rates, drops) {
  for (let k = 0; k < seconds * 40; k++) dots.step(1 / 40, [rates], drops);
}

test("as many dots are under way as their rate says", () => {
  const dots = new Dots(ways, 100);
  play(dots, 10, { up: 4, down: 2, acks: 0.5 }, none);
  const near = (count, of) => assert.ok(Math.abs(count - of) <= 1, `${count} of ${of}`);
  near(dots.count("up"), 4 * 2);
  near(dots.count("down"), 2 * 2);
  near(dots.count("ack"), 0.5 * 4 * 2);
  assert.equal(dots.count("dropped"), 0);
  assert.equal(dots.path("up").match(/M/g).length, dots.count("up"));
});

test("what the queue drops does not pass it", () => {
  const dots = new Dots(ways, 100);
  play(dots, 10, { up: 0, down: 4, acks: 0 }, { data: 1, acks: 0 });
  const places = [...dots.path("down").matchAll(/M([\d.]+) /g)].map(([, x]) => Number(x));
  assert.ok(places.length > 0);
  assert.ok(places.every((x) => x < 100));
  assert.match(dots.path("dropped"), /^M100\.0 /);
});

test("a point lies on its way", () => {
  const bent = [
    [0, 0],
    [30, 40],
    [30, 140],
  ];
  assert.equal(lengthOf(bent), 150);
  assert.deepEqual(pointOf(bent, 25), [15, 20]);
  assert.deepEqual(pointOf(bent, 100), [30, 90]);
  assert.deepEqual(pointOf(bent, 1000), [30, 140]);
});

test("the parts of the drawing do not overlap, on a telephone neither", () => {
  for (const width of [320, 370, 900, 1600]) {
    const { hosts, queue, ap, stations, rows, height } = layoutOf(width, 12);
    assert.ok(0 < hosts && hosts < queue.left && queue.left + 40 < queue.right);
    assert.ok(queue.right < ap && ap < stations && stations + 100 < width);
    assert.ok(rows.every((y) => y > 0 && y < height));
  }
});

const flow = (id, bps, more = {}) => ({
  id,
  name: null,
  station: `sta-${id}`,
  direction: id.split("-")[0],
  transport: "cubic",
  application: "bulk",
  goodput_bps: bps,
  ...more,
});

function view(flows, more = {}) {
  const stations = [...new Set(flows.map(({ station }) => station))];
  const result = {
    scenario: { station: [{ count: stations.length }], cell: { queue: { limit: 60 } } },
    jain_over: "bulk",
    wired: { links: [] },
    flows,
    stations: stations.map((id) => ({ id, name: null })),
    ap_queue: {
      mean_packets: 6,
      mean_data: 4,
      mean_acks: 2,
      data_arrivals: 200,
      ack_arrivals: 50,
      data_drops: 20,
      ack_drops: 1,
    },
    ...more,
  };
  return { label: "A", runs: [{ result, why: [] }], wanted: 1 };
}

test("a station has a row, with the name of its only flow", () => {
  const call = { station: "sta-1", application: "voip", mos: 4.26 };
  const shown = view([flow("up-1", 1e6), flow("up-2", 64e3, call), flow("down-1", 64e3, call)]);
  shown.runs[0].why = [{ flow: "up-1", fault: "starves" }];
  const nodes = nodesOf(shown);
  assert.deepEqual(
    nodes.map(({ name, value, upBps, downBps, isStarved }) => [
      name,
      value,
      upBps,
      downBps,
      isStarved,
    ]),
    [
      ["up-1", "1.00 Mb/s", 1e6, 0, true],
      ["sta-1", "MOS 4.3", 64e3, 64e3, false],
    ],
  );
  assert.equal(fairShare(shown.runs[0].result), 1e6);
});

test("many stations are rows of their groups, with the mean of a station", () => {
  const flows = Array.from({ length: 13 }, (_, k) => flow(`up-${k + 1}`, k < 10 ? 1e6 : 4e6));
  const shown = view(flows);
  shown.runs[0].result.scenario.station = [{ count: 10 }, { count: 3, name: "far" }];
  const nodes = nodesOf(shown);
  assert.deepEqual(
    nodes.map(({ name, value }) => [name, value]),
    [
      ["10 × sta-up-1 …", "1.00 Mb/s"],
      ["3 × far", "4.00 Mb/s"],
    ],
  );
});

test("a moment has what the series have there", () => {
  const series = {
    time_s: [1, 2],
    ap_queue_data: [3, 5],
    ap_queue_acks: [1, 50],
    flows: { "up-1": { goodput_bps: [8e5, 12e5] }, "down-1": { goodput_bps: [null, 1e5] } },
  };
  const shown = view([flow("up-1", 1e6), flow("down-1", 2e5)], { series });
  const { result } = shown.runs[0];
  const nodes = nodesOf(shown);
  assert.deepEqual(momentAt(result, nodes, 0.6), {
    time: 2,
    data: 5,
    acks: 50,
    bps: [
      { up: 12e5, down: 0 },
      { up: 0, down: 1e5 },
    ],
  });
  // Where a flow has no value, its mean.
  assert.equal(momentAt(result, nodes, 0).bps[1].down, 2e5);
  // The first row has most on average: 5 dots a second for its 1 Mb/s.
  const rates = ratesOf(nodes, momentAt(result, nodes, 0.6));
  assert.deepEqual(rates, [
    { up: 6, down: 0, acks: 0.5 },
    { up: 0, down: 0.5, acks: 0 },
  ]);
  assert.deepEqual(roomOf(result), { packets: 60, limit: 60 });
  assert.deepEqual(dropsOf(result), { data: 0.1, acks: 0.02 });
});

test("a queue far from its limit is drawn with the room that it uses", () => {
  const shown = view([flow("up-1", 1e6)]);
  assert.deepEqual(roomOf(shown.runs[0].result), { packets: 6, limit: null });
});
