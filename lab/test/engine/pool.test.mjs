// Workers: who gets which answer, and what happens to requests that nobody wants any more.
import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import path from "node:path";
import test, { after, afterEach, before } from "node:test";
import { serve, useWorkersOf } from "./browser.mjs";
import { bundled, load, scenario, wasm } from "./wasm.mjs";

let folder, site, workers, Workers, WasmEngine, WasmLanguage;
const open = [];

before(async () => {
  folder = await bundled("worker", "pool", "wasm-engine", "wasm-language");
  await copyFile(wasm, path.join(folder, "evenair.wasm"));
  ({ Workers } = await load(folder, "pool"));
  ({ WasmEngine } = await load(folder, "wasm-engine"));
  ({ WasmLanguage } = await load(folder, "wasm-language"));
  site = await serve(folder);
  workers = useWorkersOf(folder);
});
afterEach(() => {
  open.splice(0).forEach((pool) => pool.close());
  workers.running.forEach((worker) => worker.terminate());
  workers.started = 0;
});
after(() => site.close());

function pool(count, url = site.url) {
  const pool = new Workers(url, count);
  open.push(pool);
  return pool;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A millisecond of work, and some ten seconds. */
const short = async () => (await scenario("gong2006")).replace('"300 s"', '"1 s"');
const long = async () => (await scenario("gong2006")).replace('"300 s"', '"100000 s"');

test("answers go to those who asked, from no more workers than allowed", async () => {
  const engine = new WasmEngine(pool(2));
  const toml = await short();
  const seeds = [5, 4, 3, 2, 1];
  const answers = await Promise.all(seeds.map((seed) => engine.run({ toml, seed })));
  assert.deepEqual(
    answers.map(({ result }) => result.seed),
    seeds,
  );
  assert.equal(new Set(answers.map(({ result }) => result.fingerprint)).size, 5);
  assert.equal(workers.started, 2);
});

test("errors have message, key and line", async () => {
  const language = new WasmLanguage(pool(1));
  const toml = '[cell]\nphy = "x"\n[[station]]\nflows = [{ direction = "up" }]\n';
  await assert.rejects(language.resolve(toml), {
    field: "cell.phy",
    line: 2,
    message: /^got "x"; accepted/,
  });
  const fixed = await language.set(toml, [["cell.phy", "802.11a"]]);
  assert.equal((await language.resolve(fixed)).cell.phy, "802.11a");
});

test("a request that waits is dropped when it is aborted", async () => {
  const engine = new WasmEngine(pool(1));
  const [toml, endless] = [await short(), await long()];
  const [first, second] = [new AbortController(), new AbortController()];
  const running = engine.run({ toml: endless, seed: 1 }, first.signal);
  const dropped = engine.run({ toml: endless, seed: 2 }, second.signal);
  const last = engine.run({ toml, seed: 3 });
  await pause(50);
  second.abort();
  await assert.rejects(dropped, { name: "AbortError" });
  assert.equal(workers.started, 1);
  first.abort();
  await assert.rejects(running, { name: "AbortError" });
  // Behind the second request it would not come before the test's time is over.
  assert.equal((await last).result.seed, 3);
  assert.equal(workers.started, 2);
});

test("a long run that is aborted ends with its worker, and the next one gets another", async () => {
  const engine = new WasmEngine(pool(1));
  const [toml, next] = [await long(), await short()];
  await engine.run({ toml: next, seed: 1 });
  const abort = new AbortController();
  const aborted = engine.run({ toml, seed: 1 }, abort.signal);
  await pause(50);
  abort.abort(new Error("superseded"));
  await assert.rejects(aborted, { message: "superseded" });
  assert.equal((await engine.run({ toml: next, seed: 2 })).result.seed, 2);
  assert.equal(workers.started, 2);
  assert.equal(workers.running.size, 1);
});

test("a worker is replaced while the server is away", async () => {
  const server = await serve(folder);
  const engine = new WasmEngine(pool(1, server.url));
  const [toml, next] = [await long(), await short()];
  await engine.run({ toml: next, seed: 1 });
  server.close();
  const abort = new AbortController();
  const aborted = engine.run({ toml, seed: 1 }, abort.signal);
  await pause(50);
  abort.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  assert.equal((await engine.run({ toml: next, seed: 2 })).result.seed, 2);
  assert.equal(workers.started, 2);
});

test("an edit does not wait for runs", async () => {
  const shared = pool(1);
  const [engine, language] = [new WasmEngine(shared), new WasmLanguage(shared)];
  const [toml, edited] = [await long(), await short()];
  let isRunning = true;
  const abort = new AbortController();
  const run = engine.run({ toml, seed: 1 }, abort.signal).finally(() => (isRunning = false));
  assert.equal((await language.resolve(edited)).duration, 1);
  assert.ok(isRunning);
  abort.abort();
  await assert.rejects(run);
});

test("a trap is an error, and the next request gets another worker", async () => {
  const broken = await bundled("worker");
  await writeFile(path.join(broken, "evenair.wasm"), TRAP);
  const server = await serve(broken);
  const engine = new WasmEngine(pool(1, server.url));
  const toml = await short();
  for (const seed of [1, 2]) {
    await assert.rejects(engine.run({ toml, seed }), {
      message: /^the engine has failed: .*unreachable/,
    });
  }
  assert.equal(workers.started, 2);
  assert.equal(workers.running.size, 0);
  server.close();
});

test("a server that calls WebAssembly something else does", async () => {
  const server = await serve(folder, "application/octet-stream");
  const language = new WasmLanguage(pool(1, server.url));
  assert.equal(
    (await language.version()).result_version,
    (await new WasmLanguage(pool(1)).version()).result_version,
  );
  server.close();
});

test("without a server there is an error, and with it an answer", async () => {
  const language = new WasmLanguage(pool(1, `${site.url}nowhere/`));
  await assert.rejects(language.version(), {
    message: /^the engine could not be loaded from .*nowhere/,
  });
  const server = await serve(folder);
  server.close();
  const gone = new WasmLanguage(pool(1, server.url));
  await assert.rejects(gone.version(), { message: /is its server still there\?$/ });
});

/** A module whose `call` is unreachable; its `allocate` returns 0, and `panic_message` no text. */
const TRAP = Uint8Array.from(
  [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // Types: (i32) -> i32; (i32, i32) -> i64; () -> i64.
    [1, 16, 3, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e, 0x60, 0, 1, 0x7e],
    // Functions of these types, and one page of memory.
    [3, 4, 3, 0, 1, 2],
    [5, 3, 1, 0, 1],
    [
      7,
      ...section(
        exported("memory", 2, 0),
        exported("allocate", 0, 0),
        exported("call", 0, 1),
        exported("panic_message", 0, 2),
      ),
    ],
    // i32.const 0; unreachable; i64.const 0.
    [10, 15, 3, 4, 0, 0x41, 0, 0x0b, 3, 0, 0x00, 0x0b, 4, 0, 0x42, 0, 0x0b],
  ].flat(),
);

function exported(name, kind, index) {
  return [name.length, ...new TextEncoder().encode(name), kind, index];
}

function section(...items) {
  const content = [items.length, ...items.flat()];
  return [content.length, ...content];
}
