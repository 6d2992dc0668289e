// Quantities, stops of sliders, and what differs between scenarios.
import assert from "node:assert/strict";
import test from "node:test";
import { page } from "../engine.mjs";

const { dimensionOf, formatQuantity, parseQuantity } = page.quantity;
const { stops } = page.stops;
const { differences } = page.difference;

test("a quantity is written with the largest unit of which there is at least one", () => {
  const cases = [
    [0.002, "time", "2 ms"],
    [300, "time", "300 s"],
    [0.000142, "time", "142 us"],
    [0, "time", "0 s"],
    [5.5e6, "rate", "5.5 Mbps"],
    [19626700, "rate", "19.6267 Mbps"],
    [1e9, "rate", "1 Gbps"],
    [250000, "size", "250 KB"],
    [7e6, "frequency", "7 MHz"],
  ];
  for (const [value, dimension, text] of cases) {
    assert.equal(formatQuantity(value, dimension), text);
    assert.equal(parseQuantity(text, dimension), value);
  }
  assert.equal(parseQuantity("20", "time"), 20);
  for (const text of ["off", "20 Mbps", "", "1.2.3 ms"]) {
    assert.equal(parseQuantity(text, "time"), null);
  }
  assert.equal(dimensionOf("0.2 Mbps"), "rate");
  assert.equal(dimensionOf("tail"), null);
});

test("stops ascend, have the present value and both ends, and whole ones are whole", () => {
  const limits = stops({ from: 1, to: 1000 }, true, 8192);
  assert.deepEqual(
    limits,
    [...limits].sort((a, b) => a - b),
  );
  assert(limits.every(Number.isInteger));
  assert(limits.includes(1) && limits.includes(7) && limits.includes(1000));
  assert.equal(limits.at(-1), 8192);
  assert.equal(new Set(limits).size, limits.length);

  const delays = stops({ from: 1e-4, to: 0.5, zero: true }, false, 0.002);
  assert.equal(delays[0], 0);
  assert(delays.includes(0.002) && delays.includes(0.5));
  assert.deepEqual(stops({ from: 1, to: 2, step: 0.25 }, false, null), [1, 1.25, 1.5, 1.75, 2]);
});

test("of another kind of component the kind is named, and what both kinds have", () => {
  const a = { name: "a", cell: { kind: "wlan", queue: { kind: "droptail", limit: 60 } } };
  const b = { name: "b", cell: { kind: "wlan", queue: { kind: "pie", limit: 20, target: 0.015 } } };
  assert.deepEqual(differences(a, b), [
    { key: "cell.queue.kind", from: "droptail", to: "pie" },
    { key: "cell.queue.limit", from: "60", to: "20" },
  ]);
  assert.deepEqual(differences(a, a), []);
});

test("differences have units, and a component without parameters is its name", () => {
  const a = { wired: { delay: 0.002 }, gateway: { limiter: "none" }, station: [{ count: 5 }] };
  const b = {
    wired: { delay: 0.02 },
    gateway: { limiter: { kind: "fixed", rate: 2.3e6 } },
    station: [{ count: 5, error: { kind: "independent", rate: 0.01 } }],
  };
  assert.deepEqual(differences(a, b), [
    { key: "wired.delay", from: "2 ms", to: "20 ms" },
    { key: "gateway.limiter.kind", from: "none", to: "fixed" },
    { key: "station.0.error", from: "none", to: "independent (rate 0.01)" },
  ]);
});
