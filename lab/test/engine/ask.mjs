// Answers requests to the engine in WebAssembly: one in each line of the input, JSON as its answer.
// It is for tests in other languages.
import { createInterface } from "node:readline";
import { instance } from "./wasm.mjs";

const engine = await instance();
for await (const request of createInterface({ input: process.stdin })) {
  process.stdout.write(`${engine.answer(request)}\n`);
}
