// The campaign explorer: its axes, and the changes that lead to a point. Its numbers are compared with
// Python's in tests/lab/test_campaign_page.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../../gallery/load.mjs";

const { defaultAxes, fits, withFixed } = await load("campaign/axes.ts");
const { between } = await load("campaign/scale.ts");
const { changesOf, baseToml } = await load("campaign/point-scenario.ts");
const { key, metric, valueText } = await load("campaign/labels.ts");

test("an axis need not begin at 0", () => {
  assert.deepEqual(between(10, 150, 8), [0, 20, 40, 60, 80, 100, 120, 140, 160]);
  const fine = between(100, 101, 5).map((value) => Number(value.toFixed(9)));
  assert.deepEqual(fine, [100, 100.2, 100.4, 100.6, 100.8, 101]);
  // A single value has an axis, too.
  const [low, ...more] = between(7, 7, 4);
  assert.ok(low <= 7 && more.at(-1) >= 7 && more.at(-1) > low);
  assert.ok(between(0, 0, 4).length >= 2);
});

test("a table is set before its members, and a kind before its parameters", () => {
  const values = {
    "cell.queue.limit": 60,
    "cell.queue.filtering": "head",
    "cell.queue.kind": "spm-af",
    "cell.queue": '{"kind": "las"}',
    "wired.delay": null,
  };
  const keys = changesOf(values).map(([each]) => each);
  assert.deepEqual(keys.slice(0, 2), ["cell.queue", "cell.queue.kind"]);
  assert.deepEqual(keys.slice(2).toSorted(), ["cell.queue.filtering", "cell.queue.limit"]);
});

test("tables and lists are written as on the command line", () => {
  const text = (value) => changesOf({ key: value })[0][1];
  assert.equal(text(60), "60");
  assert.equal(text(true), "true");
  assert.equal(text("20 ms"), "20 ms");
  assert.equal(text('{"kind": "las", "limit": 30}'), '{ "kind" = "las", "limit" = 30 }');
  assert.equal(text("[1, 2]"), "[1, 2]");
  assert.equal(text("[not JSON"), "[not JSON");
});

test("a file without a scenario opens none", () => {
  assert.equal(baseToml({ keys: [], scenario: null, command: null }), null);
});

test("keys and metrics have words and units", () => {
  const about = {
    keys: [],
    scenario: {
      cell: { kind: "wimax" },
      station: [{ flows: [{ direction: "up" }] }, {}, { name: "tv" }],
    },
    command: null,
  };
  assert.equal(key("cell.queue.limit", about).text, "limit of the BS queue");
  assert.equal(key("station.1.data_rate", about).unit, "Mb/s");
  const groups = [0, 1, 2].map((group) => key(`station.${group}.count`, about).text);
  assert.deepEqual(
    groups.map((text) => text.replace("number of stations ", "")),
    ["with uploads", "of group 1", "of tv"],
  );
  assert.equal(key("cell.short_retry_limit", about).text, "short retry limit");
  assert.equal(metric("ap_queue_drops", about).text, "drops of the BS queue");
  assert.equal(metric("rtt_p95_s", about).text, "RTT, 95th percentile");
  assert.equal(metric("something_else_bps", about).unit, "Mb/s");
  assert.equal(valueText('{"kind": "spm-af", "filtering": "head"}'), "spm-af, filtering = head");
  assert.equal(valueText(null), "(none)");
});

/** A table with the columns of some rows, of which `keys` were varied. */
function table(keys, ...rows) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const isNumeric = (name) => rows.every((row) => typeof (row[name] ?? 0) === "number");
  return {
    name: "x",
    about: { keys, scenario: null, command: null },
    columns: names.map((name) => ({ name, isNumeric: isNumeric(name) })),
    rows: rows.length,
    column: async (name) => rows.map((row) => row[name] ?? null),
  };
}

const keys = ["kind", "limit", "delay"];
const row = (kind, limit, delay, more) => ({ kind, limit, delay, seed: 1, jain_index: 1, ...more });

test("a table with one row has a numeric key on its axis, as with many", async () => {
  const one = await defaultAxes(table(keys, row("las", 10, 5)));
  const rows = [row("las", 10, 5), row("las", 20, 5), row("droptail", 10, 5)];
  const many = await defaultAxes(table(keys, ...rows));
  assert.deepEqual([one.x, one.by], ["limit", "kind"]);
  assert.deepEqual([many.x, many.by], ["limit", "kind"]);
});

test("axes that were chosen stay as a table grows", () => {
  const before = table(keys, row("las", 10, 5));
  const axes = { x: "limit", y: "jain_index", by: "kind", fixed: {} };
  // A run has a metric that those before it did not have.
  const after = table(keys, row("las", 10, 5), row("las", 20, 5, { mean_rtt_s: 0.1 }));
  assert.ok(fits(axes, before, after));
  assert.ok(!fits({ ...axes, y: "mean_rtt_s" }, after, before));
  assert.ok(!fits(axes, before, table(["limit", "kind"], row("las", 10, 5))));
});

test("a fixed value that a table does not have is replaced", async () => {
  const rows = [row("las", 10, 5), row("las", 20, 7), row("droptail", 10, 7)];
  const axes = { x: "limit", y: "jain_index", by: "kind", fixed: { delay: 7 } };
  const has = table(keys, ...rows);
  assert.deepEqual((await withFixed(has, axes)).fixed, { delay: 7 });
  const others = table(keys, row("las", 10, 1), row("las", 20, 2), row("droptail", 10, 1));
  assert.deepEqual((await withFixed(others, axes)).fixed, { delay: 1 });
});
