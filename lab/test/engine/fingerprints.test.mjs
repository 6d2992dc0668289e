// Every configuration of crates/evenair-sim/tests/fingerprints.txt has the same result in WebAssembly.
// EVENAIR_FINGERPRINTS names the file that the example `fingerprints` of evenair-sim has printed.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { instance } from "./wasm.mjs";

test("fingerprints of all stored configurations", async () => {
  const { base, cases } = JSON.parse(await readFile(process.env.EVENAIR_FINGERPRINTS, "utf8"));
  assert.ok(cases.length > 80);
  const engine = await instance();
  const ask = (request) => {
    const { ok, error } = JSON.parse(engine.answer(JSON.stringify(request)));
    assert.ok(!error, error?.message);
    return ok;
  };
  for (const { name, changes, fingerprint } of cases) {
    const toml = ask({ call: "set", toml: base, changes });
    assert.equal(ask({ call: "run", toml, seed: 1 }).result.fingerprint, fingerprint, name);
  }
});
