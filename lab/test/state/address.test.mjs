// Links: what they hold, and what they cannot do.
import assert from "node:assert/strict";
import test from "node:test";
import { deflateRawSync } from "node:zlib";
import { page } from "../engine.mjs";

const { read, write } = page.address;

test("a link says what was put into it", async () => {
  const address = {
    scenario: '# 10 stations, µs and "quotes" & <tags>\nduration = "300 s"\n',
    seed: 7,
    seeds: 20,
    tour: "uploads-win/2",
    section: "why",
  };
  const fragment = await write(address);
  assert.match(fragment, /^#[A-Za-z0-9=&_/-]+$/);
  assert.deepEqual(await read(fragment), address);
});

test("the scenario is deflate-raw in base64url", async () => {
  const toml = "[[station]]\nflows = [{ direction = 'up' }]\n";
  const packed = deflateRawSync(toml).toString("base64url");
  assert.deepEqual(await read(`#scenario=${packed}`), { scenario: toml });
});

test("a damaged link, and one that unpacks to too much, are refused by one line", async () => {
  const bomb = deflateRawSync(Buffer.alloc(50_000_000, "a")).toString("base64url");
  const cut = deflateRawSync("duration = '300 s'".repeat(9)).toString("base64url").slice(0, 20);
  for (const packed of [bomb, cut, "%%%", "AAAA"]) {
    await assert.rejects(read(`#scenario=${packed}`), /^Error: The link has no readable scenario/);
  }
});

test("other fields are numbers or plain names, or are left out", async () => {
  assert.deepEqual(await read("#seed=x&seeds=-1&tour=javascript:alert(1)&section=%3Cb%3E&z=1"), {});
  assert.deepEqual(await read(""), {});
});
