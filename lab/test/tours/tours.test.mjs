// The guided tours: where a visitor is, and what the texts measure.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../../gallery/load.mjs";

const { TOURS, addressOf, changesOf, experimentAt, paragraphs, placeOf, rightAnswer } =
  await load("tours/tour.ts");
const { inUnit, meanOf, measure, nameOf, saidAs } = await load("tours/measure.ts");

test("each step and each question of a tour has an address", () => {
  assert.equal(TOURS.length, 11);
  for (const tour of TOURS) {
    for (let step = 1; step <= tour.step.length + 1; step++) {
      const place = placeOf(`${tour.name}/${step}`);
      assert.deepEqual(place, { tour, step });
      assert.equal(addressOf(place), `${tour.name}/${step}`);
    }
    assert.equal(experimentAt({ tour, step: tour.step.length + 1 }), tour.question);
    assert.deepEqual(placeOf(tour.name), { tour, step: 1 });
  }
});

test("other addresses are no places", () => {
  const past = TOURS[0].step.length + 2;
  const others = ["", "none/1", "uploads-win/0", `uploads-win/${past}`, "uploads-win/1.5"];
  for (const address of [...others, "uploads-win/1/2", "uploads-win/x", "__proto__/1"]) {
    assert.equal(placeOf(address), null, address);
  }
});

test("changes are as on the command line", () => {
  const set = ["a.b=1", "station.0.error={ rate = 0.01 }"];
  assert.deepEqual(changesOf({ set }), [
    ["a.b", "1"],
    ["station.0.error", "{ rate = 0.01 }"],
  ]);
  assert.deepEqual(changesOf({}), []);
});

test("paragraphs are separated by empty lines", () => {
  assert.deepEqual(paragraphs("\na\nb\n\nc\n"), ["a b", "c"]);
});

const result = {
  jain_index: 0.5,
  ap_queue: { data_drops: 3, data_arrivals: 12 },
  flows: [
    { id: "up-1", name: null, direction: "up", goodput_bps: 1e6, limited_by: { timeout: 0.25 } },
    { id: "up-2", name: "backup", direction: "up", goodput_bps: 2e6 },
    { id: "down-1", name: null, direction: "down", goodput_bps: 5e6, mean_rtt_s: null },
  ],
};

test("a measure has a name", () => {
  const cases = [
    ["jain_index", "Jain's index"],
    ["aggregate_goodput_bps", "aggregate goodput"],
    ["flows.up.goodput_bps", "uploads: goodput"],
    ["flows.Westwood+.mean_rtt_s", "Westwood+: mean RTT"],
    ["flows.call-down.one_way_delay_s.p95", "call-down: one-way delay, 95th percentile"],
    ["flows.up.limited_by.receive_window", "uploads: limited by receive window"],
    ["flows.up.goodput_bps / flows.down.goodput_bps", "uploads / downloads: goodput"],
    ["stations.slow.airtime_share", "slow: airtime"],
    ["ap_queue.mean_acks", "ACKs in the AP queue"],
    ["ap_queue.data_drops / ap_queue.data_arrivals", "AP queue: data drops / data arrivals"],
    ["losses.policer", "losses policer"],
  ];
  for (const [expression, name] of cases) assert.equal(nameOf(expression), name);
});

test("each number of a tour has a name of its own in its step", () => {
  for (const { step } of TOURS) {
    for (const { facts = [] } of step) {
      const names = facts.map(({ is }) => nameOf(is));
      assert.equal(new Set(names).size, new Set(facts.map(({ is }) => is)).size, String(names));
    }
  }
});

test("a measure is a path, a mean over a direction, or a quotient", () => {
  assert.equal(measure(result, "jain_index"), 0.5);
  assert.equal(measure(result, "flows.up.goodput_bps"), 1.5e6);
  assert.equal(measure(result, "flows.backup.goodput_bps"), 2e6);
  assert.equal(measure(result, "flows.up-1.limited_by.timeout"), 0.25);
  assert.equal(measure(result, "ap_queue.data_drops / ap_queue.data_arrivals"), 0.25);
});

test("a result without the measure has none", () => {
  const without = [
    "limiter.rounds",
    "flows.down-2.goodput_bps",
    "flows.down-1.mean_rtt_s",
    "flows",
  ];
  for (const expression of [...without, "flows.up.limited_by.timeout", "constructor.name"]) {
    assert.equal(measure(result, expression), null, expression);
  }
  assert.equal(meanOf([{ result }, { result: {} }], "jain_index"), null);
  assert.equal(meanOf([{ result }, { result: { jain_index: 1 } }], "jain_index"), 0.75);
});

test("a measured value is said as in the text", () => {
  assert.equal(saidAs("0.91 Mb/s", 914_750), "0.91 Mb/s");
  assert.equal(saidAs("7.1%", 0.0708), "7.1%");
  assert.equal(saidAs("433 ms", 0.4328), "433 ms");
  assert.equal(saidAs("30,000 packets", 29_987.2), "29,987 packets");
  assert.equal(saidAs("147 of 150", 146.3), "146 of 150");
  assert.equal(inUnit(0.4425, ""), "0.443");
  assert.equal(inUnit(0.4425, "%"), "44.3%");
  assert.equal(inUnit(23_595_760, "Mb/s"), "23.6 Mb/s");
  assert.equal(inUnit(0, "Mb/s"), "0 Mb/s");
});

test("each value makes at most one answer right, and each answer can be right", () => {
  for (const { question } of TOURS) {
    question.answer.forEach(({ from, to }, k) => {
      assert.ok(from < to);
      assert.equal(rightAnswer(question, (from + to) / 2), k);
    });
  }
  assert.equal(rightAnswer(TOURS[0].question, -1), -1);
});
