// Times the engine in WebAssembly: node test/engine/speed.mjs [RUNS]. Processor time of this thread, so that
// other programs do not count; the first run, which includes compiling, and the median of the others.
import { instance, scenario } from "./wasm.mjs";

const runs = Number(process.argv[2] ?? 50);
const engine = await instance();
const baseline = await scenario("gong2006");
const home = await scenario("home");
const { ok: large } = JSON.parse(
  engine.answer(
    JSON.stringify({
      call: "set",
      toml: baseline,
      changes: [
        ["station.0.count", "20"],
        ["station.1.count", "20"],
      ],
    }),
  ),
);

for (const [name, toml, duration] of [
  ["baseline", baseline, 300],
  ["20 + 20 stations", large, 300],
  ["home", home, 10],
]) {
  for (const trace_s of [undefined, duration / 300]) {
    const times = [];
    let length = 0;
    for (let seed = 1; seed <= runs; seed += 1) {
      const request = JSON.stringify({ call: "run", toml, seed, trace_s });
      const start = process.cpuUsage();
      length = JSON.stringify(JSON.parse(engine.answer(request))).length;
      const { user, system } = process.cpuUsage(start);
      times.push((user + system) / 1000);
    }
    const [first, ...others] = times;
    const median = others.sort((a, b) => a - b)[Math.floor(others.length / 2)];
    const what = `${name}, ${duration} s, ${trace_s ? "series of 300" : "no series"}`;
    console.log(
      `${what}: first ${first.toFixed(0)} ms, median ${median.toFixed(0)} ms, ${length} characters`,
    );
  }
}
