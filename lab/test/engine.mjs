// The language of the page from the built module, EVENAIR_WASM; without it tests that need it are skipped.
import { readFile } from "node:fs/promises";
import { load } from "../gallery/load.mjs";

export const page = await load("../test/page.ts");
const { EngineError, Instance } = page;

const path = process.env["EVENAIR_WASM"];
const instance = path ? new Instance(await WebAssembly.compile(await readFile(path))) : null;

/** For tests that need the module. */
export const skip = instance ? false : "EVENAIR_WASM is not set";

async function call(request) {
  const { ok, error } = JSON.parse(instance.answer(JSON.stringify(request)));
  if (error) throw new EngineError(error.message, error.field, error.line);
  return ok;
}

/** As WasmLanguage, without a worker. */
export const language = {
  schema: () => call({ call: "schema" }),
  parts: () => call({ call: "parts" }),
  resolve: (toml) => call({ call: "resolve", toml }),
  set: (toml, changes) => call({ call: "set", toml, changes }),
};

export const run = (toml, seed) => call({ call: "run", toml, seed });

/** The accesses of a run from a moment on. */
export const airTrace = (toml, seed, from_s, accesses) =>
  call({ call: "air_trace", toml, seed, from_s, accesses });
