// Every control of every built-in scenario, against the engine.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import { load } from "../../gallery/load.mjs";
import { language, page, skip } from "../engine.mjs";

const { EngineError } = page;
const { controlsOf } = page.controls;
const { fit } = page.fit;
const { formatQuantity } = page.quantity;

/** What the engine refuses because of another key, whose value the page does not change. */
const CONFLICTS = [
  /^cell.preamble = short: .* with cell.control_rate 1 Mbps;/,
  /^cell.beacon_interval = off: .* with controller "cot";/,
  /^cell.coding = bcc: .* with 80 MHz, [12] streams, MCS 11 of 802.11ax;/,
  /^(cell|station.\d).queue.interval = 10 ms: .* at least target, 0.02$/,
];

const folder = new URL("../../../python/evenair/scenarios/", import.meta.url);
const names = (await readdir(folder)).filter((name) => name.endsWith(".toml"));

const flat = (controls) => controls.flatMap((each) => [each, ...flat(each.parameters)]);

/** All values that a control offers: of a slider the first stop, the last one and the middle. */
function offers({ widget }) {
  if (widget.type === "menu") return widget.options.map(({ value }) => value || null);
  if (widget.type === "flag") return [String(!widget.value)];
  const { stops, dimension, words } = widget;
  const places = new Set([0, Math.floor(stops.length / 2), stops.length - 1]);
  const numbers = [...places].map((place) => stops[place]);
  return [...numbers.map((n) => (dimension ? formatQuantity(n, dimension) : String(n))), ...words];
}

for (const name of names) {
  test(`controls of ${name}`, { skip }, async () => {
    const toml = await readFile(new URL(name, folder), "utf8");
    const grammar = { schema: await language.schema(), parts: await language.parts() };
    const scenario = await language.resolve(toml);
    const controls = controlsOf(grammar, scenario).flatMap((group) => flat(group.controls));
    const refused = [];
    for (const control of controls) {
      for (const value of offers(control)) {
        try {
          const fitted = await fit(language, toml, scenario, [[control.key, value]]);
          assert.deepEqual(fitted.scenario, await language.resolve(fitted.toml));
        } catch (error) {
          assert(error instanceof EngineError, error);
          const text = `${control.key} = ${value}: ${error.field}: ${error.message}`;
          if (!CONFLICTS.some((conflict) => conflict.test(text))) refused.push(text);
        }
      }
    }
    assert.deepEqual(refused, []);
  });
}

const { TOURS } = await load("tours/tour.ts");

async function controlsAt(toml) {
  const grammar = { schema: await language.schema(), parts: await language.parts() };
  const scenario = await language.resolve(toml);
  return controlsOf(grammar, scenario).flatMap((group) => flat(group.controls));
}

test("each control of a tour is one of the page", { skip }, async () => {
  for (const { name, scenario, toml, controls } of TOURS) {
    const text = toml ?? (await readFile(new URL(`${scenario}.toml`, folder), "utf8"));
    const keys = (await controlsAt(text)).map(({ key }) => key);
    assert.deepEqual(
      controls.filter((key) => !keys.includes(key)),
      [],
      name,
    );
  }
});

test("a flow has the feedback of ECN, and of a receiver that supports less", { skip }, async () => {
  const flow = (keys) => `[[station]]\nflows = [{ direction = "up"${keys} }]\n`;
  const ecn = async (keys) => {
    const controls = await controlsAt(flow(keys));
    return ["ecn", "receiver_ecn"].map((name) => {
      const control = controls.find(({ key }) => key === `station.0.flows.0.${name}`);
      return control && [control.widget.value, control.widget.options.map(({ label }) => label)];
    });
  };
  const all = ["off", "RFC 3168", "AccECN (RFC 9768)"];
  const others = ["as the sender", ...all];
  assert.deepEqual(await ecn(""), [["false", all], undefined]);
  assert.deepEqual(await ecn(", ecn = false"), [["false", all], undefined]);
  assert.deepEqual(await ecn(", ecn = true"), [
    ["true", all],
    ["", others],
  ]);
  assert.deepEqual(await ecn(', transport = "dctcp", ecn = "accecn", receiver_ecn = false'), [
    ["accecn", all],
    ["false", others],
  ]);
  // L4S: there is no Prague without ECN, and AccECN is its default.
  assert.deepEqual(await ecn(', transport = "prague"'), [
    ["accecn", all.slice(1)],
    ["", others],
  ]);
  assert.deepEqual(await ecn(', transport = { kind = "udp" }, rate = "1 Mbps"'), [
    undefined,
    undefined,
  ]);
});

test("limits that are a table have a slider, at the one in the middle", { skip }, async () => {
  const cell = '[cell]\nphy = "802.11ac"\naccess_point = "linux"\n';
  const station = '[[station]]\nflows = [{ direction = "down" }]\n';
  const aql = async (toml) =>
    (await controlsAt(toml)).find(({ key }) => key === "cell.scheduler.aql").widget;
  const table = await aql(cell + station);
  // include/net/cfg80211.h of Linux: 5, 12 and 24 ms.
  assert.equal(table.value, 0.012);
  assert.equal(table.text, '{ low = "5 ms", high = "12 ms", total = "24 ms" }');
  const set = (text) => language.set(cell + station, [["cell.scheduler.aql", text]]);
  assert.deepEqual(await aql(await set(table.text)), table);
  const one = await aql(await set("8 ms"));
  assert.equal(one.value, 0.008);
  assert.equal(one.text, "8 ms");
  assert(one.stops.includes(0.001) && one.stops.includes(0.1));
  const off = await aql(await set("off"));
  assert.equal(off.value, null);
  assert.equal(off.text, "off");
});
