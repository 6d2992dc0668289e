import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import test from "node:test";
import { load } from "../../gallery/load.mjs";

const { estimate, estimateKnown, isClear, pairedDifference, rounded, sum, tQuantile975 } =
  await load("statistics.ts");

/** Student's t, 0.975, of the tables of textbooks: three decimals. */
const TABLE = [
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [5, 2.571],
  [9, 2.262],
  [10, 2.228],
  [19, 2.093],
  [29, 2.045],
  [30, 2.042],
  [60, 2.0],
  [120, 1.98],
];

test("quantiles of Student's t are those of tables", () => {
  for (const [freedom, quantile] of TABLE) {
    assert.ok(Math.abs(tQuantile975(freedom) - quantile) < 5.1e-4, `${freedom}`);
  }
});

test("the interval of five values by hand", () => {
  // Mean 3, variance 2.5, standard error sqrt(0.5), t with 4 degrees of freedom 2.776.
  const { mean, ci95 } = estimate([1, 2, 3, 4, 5]);
  assert.equal(mean, 3);
  assert.ok(Math.abs(ci95 - 2.776 * Math.SQRT1_2) < 5e-4);
});

test("one value has no interval, none has no mean", () => {
  assert.deepEqual(estimate([7]), { mean: 7, ci95: null });
  assert.equal(estimate([]), null);
  assert.deepEqual(estimateKnown([null, 7, undefined]), { mean: 7, ci95: null });
});

test("a sum loses nothing", () => {
  assert.equal(sum([1e16, 1, -1e16]), 1);
  assert.equal(sum(Array(10).fill(0.1)), 1);
});

test("a paired difference by hand", () => {
  // Differences 1, 2, 3: mean 2, standard error 1/sqrt(3), t with 2 degrees of freedom 4.303.
  const difference = pairedDifference([
    [10, 11],
    [20, 22],
    [30, 33],
  ]);
  assert.equal(difference.value, 2);
  assert.equal(difference.relative, 0.1);
  assert.ok(Math.abs(difference.ci95 - 4.303 / Math.sqrt(3)) < 5e-4);
  assert.equal(isClear(difference), false);
  assert.equal(isClear({ value: 2, ci95: 1.9, relative: null }), true);
  assert.equal(isClear({ value: 2, ci95: null, relative: null }), null);
  assert.equal(pairedDifference([]), null);
  assert.equal(pairedDifference([[0, 1]]).relative, null);
});

test("an interval has two significant digits", () => {
  const text = (mean, ci95, decimals) => rounded({ mean, ci95 }, decimals).join(" ± ");
  assert.equal(text(0.81234, 0.0234, 3), "0.812 ± 0.023");
  assert.equal(text(0.81234, 0.0996, 3), "0.81 ± 0.10");
  assert.equal(text(1234.5, 321, 1), "1230 ± 320");
  assert.equal(text(5, 1e-9, 3), "5.0000 ± 0.0001");
  assert.equal(text(5, 0, 3), "5.000 ± 0");
  assert.equal(text(-0.00001, null, 3), "0.000 ± ");
});

test("the numbers are those of the Python package", () => {
  const script = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("statistics_of_evenair", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
samples = json.load(sys.stdin)
found = [module.estimate(sample) for sample in samples]
print(json.dumps([[*each, *module.rounded(each, 3)] for each in found]))
`;
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const samples = Array.from({ length: 200 }, (_, k) => {
    const scale = 10 ** (Math.floor(random() * 9) - 4);
    return Array.from({ length: 1 + (k % 31) }, () => (random() - 0.3) * scale);
  });
  const file = path.join(import.meta.dirname, "../../../python/evenair/statistics.py");
  const python = process.env.PYTHON ?? "python3";
  const input = JSON.stringify(samples);
  const expected = JSON.parse(
    execFileSync(python, ["-c", script, file], { input, encoding: "utf8" }),
  );
  samples.forEach((sample, k) => {
    const found = estimate(sample);
    const [mean, ci95, ...texts] = expected[k];
    assert.equal(found.mean, mean);
    if (ci95 === null) assert.equal(found.ci95, null);
    else assert.ok(Math.abs(found.ci95 - ci95) <= 1e-11 * ci95);
    // Python keeps the sign of a mean that is rounded to zero without an interval.
    if (Number(texts[0]) !== 0) assert.deepEqual(rounded(found, 3), texts);
  });
});
