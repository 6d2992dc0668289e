// What is taken away from the page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { page } from "../engine.mjs";

const { commandLine, python } = page.code;
const toml = `# "quotes", \\ and """three"""\nname = 'TOML'\nTOML = """\nTOML\n"""`;

test("the shell writes the scenario as it is", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "lab-"));
  const command = commandLine({ toml, seed: 3, runs: 10 }).replace(/^evenair /m, "echo ");
  const said = execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  assert.equal(said, "run scenario.toml --seed 3 --runs 10\n");
  assert.equal(readFileSync(path.join(folder, "scenario.toml"), "utf8"), `${toml}\n`);
});

test("Python has the scenario as it is", () => {
  for (const text of [toml, 'name = "a"', 'name = """a"""']) {
    const [, literal] = /(TOML = [^]*?""")\n\nruns/.exec(python({ toml: text, seed: 3, runs: 10 }));
    const script = `${literal}\nimport sys\nsys.stdout.write(TOML)`;
    assert.equal(execFileSync("python3", ["-c", script], { encoding: "utf8" }), text);
  }
});

test("rates have three digits and the unit that fits", () => {
  const cases = [
    [5_234_567, "5.23 Mb/s"],
    [54e6, "54.0 Mb/s"],
    [999_600, "1.00 Mb/s"],
    [999_400, "999 kb/s"],
    [12_345, "12.3 kb/s"],
    [0.5, "0.500 b/s"],
    [0, "0.00 b/s"],
    [1_234_000_000, "1234 Mb/s"],
  ];
  for (const [bps, text] of cases) assert.equal(page.format.formatRate(bps), text);
});

test("a built-in scenario is named", () => {
  const present = { builtIn: "gong2006", toml, seed: 1, runs: 10 };
  assert.equal(commandLine(present), "evenair run gong2006 --seed 1 --runs 10");
  assert.match(python(present), /ea\.run\("gong2006", seed=1, runs=10\)/);
});

test("rows have the columns of evenair's tables", () => {
  const rtt = { mean: 1, p5: 2, p25: 3, p50: 4, p75: 5, p95: 6, p99: 7, max: 8 };
  const runs = [
    { result: { seed: 1, flows: [{ id: "up-1", rtt_s: rtt, limited_by: { cwnd: 1 } }] } },
    { result: { seed: 2, flows: [{ id: "up-1", rtt_s: null, sessions: 3 }] } },
  ];
  const [header, first, second] = page.rows.flowRows(runs);
  const delays = ["mean", "p5", "p25", "p50", "p75", "p95", "p99", "max"].map((p) => `rtt_${p}_s`);
  assert.deepEqual(header, ["seed", "id", ...delays, "limited_by_cwnd", "sessions"]);
  assert.deepEqual(first, [1, "up-1", 1, 2, 3, 4, 5, 6, 7, 8, 1, null]);
  assert.deepEqual(second, [2, "up-1", ...delays.map(() => null), null, 3]);
});
