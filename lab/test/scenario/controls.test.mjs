// Every control of every built-in scenario, against the engine.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import { language, page, skip } from "../engine.mjs";

const { EngineError } = page;
const { controlsOf } = page.controls;
const { fit } = page.fit;
const { formatQuantity } = page.quantity;

/** What the engine refuses because of another key, whose value the page does not change. */
const CONFLICTS = [
  /^cell.preamble = short: .* with cell.control_rate 1 Mbps;/,
  /^cell.beacon_interval = off: .* with controller "cot";/,
  /^cell.coding = bcc: .* with 20 MHz, 2 streams, MCS 11 of 802.11ax;/,
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
