// The air trace's picture and words of cells with EDCA: accesses made by hand, and those of a run of the engine.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { airTrace, skip } from "./engine.mjs";

/** The exports of modules of src/air-trace. */
async function load(...files) {
  const contents = files.map((file) => `export * from "./${file}";`).join("");
  const resolveDir = path.join(import.meta.dirname, "../src/air-trace");
  const options = { bundle: true, format: "esm", write: false };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir } });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

const { Air, Exchanges, describeAccess, lanesOf } = await load(
  "air.tsx",
  "exchanges.tsx",
  "words.ts",
  "layout.ts",
);

/** The elements that components without hooks draw, in order; `text` is all text in one. */
function drawn(node) {
  if (Array.isArray(node)) return node.flatMap(drawn);
  if (typeof node === "string" || typeof node === "number") return [{ text: String(node) }];
  if (!node || typeof node !== "object") return [];
  if (typeof node.type === "function") return drawn(node.type(node.props));
  const children = drawn(node.props.children);
  const text = children.filter((child) => !child.type).map((child) => child.text);
  const own = { type: node.type, props: node.props, text: text.join("") };
  return [own, ...children.filter((child) => child.type), ...text.map((text) => ({ text }))];
}

function picture(trace, access, width = 1000) {
  const elements = drawn(Air({ trace, access, width }));
  const of = (name) => elements.filter((element) => element.props?.class === name);
  return {
    cells: of("air-trace-mpdu").map(({ props }) => [props["data-mpdus"], props["data-fate"]]),
    bits: of("air-trace-bits").map(({ props }) => props["data-bit"].repeat(props["data-mpdus"])),
    controls: of("air-trace-control").map(({ props }) => props["data-kind"]),
    lanes: of("air-trace-lane-label").map(({ text }) => text),
    texts: elements.filter(({ type }) => type === "text").map(({ text }) => text),
  };
}

function trace(accesses) {
  const flow = (id, direction, station) => {
    return { id, name: null, station, direction, transport: "tcp", segment: 1000 };
  };
  return {
    seed: 1,
    warmup_ns: 0,
    medium: "wlan",
    nodes: ["ap", "sta-1", "sta-2"].map((id) => ({ id, name: null })),
    flows: [flow("down-1", "down", 1), flow("up-2", "up", 2)],
    accesses,
    ended: false,
  };
}

function contender(node, category, from, before, after, transmits = false) {
  return { node, category, from, before, after, has_frame: true, immediate: false, transmits };
}

/** MPDUs of 80 us, one packet in each. */
function carries(sequences, lost, start_ns, flow, changes = {}) {
  return sequences.map((sequence, place) => ({
    packet: { flow, kind: "data", seq: sequence * 1000, bytes: 1040, retransmission: false },
    bytes: 1076,
    end_ns: start_ns + (place + 1) * 80_000,
    is_first: true,
    is_last: true,
    fate: lost.includes(sequence) ? "corrupted" : "received",
    qos: { sequence, retry: false, repeats: false, ...changes },
  }));
}

function frame(kind, from, to, start_ns, end_ns, category, changes = {}) {
  const { psdu = "mpdu", mcs, block_ack, ...others } = changes;
  const qos = {
    category,
    psdu,
    ...(mcs === undefined ? {} : { mcs }),
    ...(block_ack && { block_ack }),
  };
  const fixed = { rate_bps: 24e6, bytes: 32, retries: 0, fate: "received", carries: [], pdus: 0 };
  return { kind, from, to, start_ns, end_ns, ...fixed, asks_for: null, qos, ...others };
}

/** Data of 114.7 Mb/s with a preamble of 40 us at `at`, and a Block Ack SIFS after it. */
function aggregate(from, to, at, sequences, lost, start, bitmap, category = "be") {
  const pdus = carries(sequences, lost, at + 40_000, from === 0 ? 0 : 1);
  const end = pdus[pdus.length - 1].end_ns;
  const data = frame("data", from, to, at, end, category, {
    psdu: "a-mpdu",
    mcs: 9,
    rate_bps: 114.7e6,
    bytes: 1076 * sequences.length,
    carries: pdus,
    pdus: pdus.length,
    fate: lost.length === sequences.length ? "corrupted" : "received",
  });
  if (!bitmap) return [data];
  const block_ack = { start, bitmap: bitmap.padEnd(64, "0") };
  return [data, frame("block-ack", to, from, end + 16_000, end + 48_000, category, { block_ack })];
}

/** After AIFS of 43 us and two slots of 9 us. */
function access(frames, contenders) {
  const at = frames[0].start_ns;
  const end_ns = Math.max(...frames.map((frame) => frame.end_ns));
  const [start_ns, idle_since_ns] = [at - 18_000, at - 61_000];
  const attempts = contenders
    .filter((contender) => contender.transmits)
    .map(({ node, category }) => ({ node, category, to: 0, packet: null, cw: 15, backoff: 2 }));
  const parts = [
    { kind: "difs", start_ns: idle_since_ns, end_ns: start_ns },
    { kind: "backoff", start_ns, end_ns: at },
    { kind: "frames", start_ns: at, end_ns },
  ];
  const slots = { start_ns, end_ns: at, count: 2 };
  return {
    idle_since_ns,
    at_ns: at,
    end_ns,
    parts,
    slots,
    contenders,
    attempts,
    frames,
    given_up: [],
    ap_sends: [],
    ap_queues: [],
    drops: [],
    dropped: 0,
    senders: [],
    wired: { to_access_point: 0, to_hosts: 0 },
  };
}

const MPDUS = [15, 16, 17, 18, 19];
const own = contender(2, "be", 0, 2, 0, true);
const lossy = () => access(aggregate(2, 0, 1e9, MPDUS, [17], 15, "11011"), [own]);

test("an A-MPDU with a lost MPDU", () => {
  const next = access(aggregate(2, 0, 1.1e9, [17, 20, 21], [], 17, "11111"), [own]);
  const all = trace([lossy(), next]);
  assert.equal(
    describeAccess(all, all.accesses[0]),
    "sta-2 transmits an A-MPDU of 5 MPDUs in best effort at MCS 9 (114.7 Mb/s): 5 segments of up-2; " +
      "MPDU 17 is lost; the Block Ack starts at 15 with the bitmap 11011. " +
      "MPDUs 18 and 19 wait at the receiver for MPDU 17. MPDU 17 goes first in the next A-MPDU.",
  );
  // Without the next access nothing is said of it, nor if that begins with another MPDU.
  assert.doesNotMatch(describeAccess(trace([lossy()]), lossy()), /goes first/);
  const other = access(aggregate(2, 0, 1.1e9, [20], [], 20, "1"), [own]);
  const without = trace([lossy(), other]);
  assert.doesNotMatch(describeAccess(without, without.accesses[0]), /goes first/);
});

test("its picture has a cell for each MPDU, and its bit below", () => {
  const { cells, bits, controls, lanes, texts } = picture(trace([lossy()]), lossy());
  const fates = ["received", "received", "corrupted", "received", "received"];
  assert.deepEqual(
    cells,
    fates.map((fate) => [1, fate]),
  );
  assert.equal(bits.join(""), "11011");
  assert.deepEqual(controls, ["block-ack"]);
  assert.deepEqual(lanes, ["AP", "sta-2, best effort"]);
  for (const text of ["AIFS", "15: D2", "! 17: D2", "0"]) assert.ok(texts.includes(text), text);
  const narrow = picture(trace([lossy()]), lossy(), 340);
  assert.deepEqual(narrow.lanes, ["AP", "sta-2 BE"]);
  for (const text of ["15", "! 17", "19"]) assert.ok(narrow.texts.includes(text), text);
});

test("256 MPDUs are drawn in groups that differ, also where sequence numbers begin anew", () => {
  const sequences = Array.from({ length: 256 }, (_, place) => (4000 + place) % 4096);
  const bitmap = sequences.map((sequence) => (sequence === 4090 ? "0" : "1")).join("");
  const all = access(aggregate(2, 0, 1e9, sequences, [4090], 4000, bitmap), [own]);
  const { cells, bits, texts } = picture(trace([all]), all);
  assert.deepEqual(cells, [
    [90, "received"],
    [1, "corrupted"],
    [165, "received"],
  ]);
  assert.equal(bits.join(""), bitmap);
  assert.ok(
    texts.includes("4000–4089: 90 MPDUs") && texts.includes("4091–159: 165 MPDUs"),
    `${texts}`,
  );
  assert.match(
    describeAccess(trace([all]), all),
    /the Block Ack starts at 4000 with a bitmap of 256 bits, 1 of them 0\. MPDUs 4091 to 159 wait/,
  );
});

test("the packets of an A-MSDU are one MPDU", () => {
  const frames = aggregate(0, 1, 1e9, [7, 8], [8], 7, "10");
  const [data] = frames;
  const [first, second] = data.carries;
  data.carries = [first, { ...first, packet: { ...first.packet, seq: 9000 } }, second];
  data.pdus = 3;
  const all = access(frames, [contender(0, "be", 0, 2, 0, true)]);
  const { cells, texts } = picture(trace([all]), all);
  assert.equal(cells.length, 2);
  assert.ok(texts.includes("7: A-MSDU of 2, 1076 bytes") || texts.includes("7: A-MSDU of 2"));
  assert.match(
    describeAccess(trace([all]), all),
    /^The AP transmits an A-MPDU of 2 MPDUs .* to sta-1 at /,
  );
  const listed = drawn(Exchanges({ trace: trace([all]), access: all }));
  const listedCells = listed.filter(({ props }) => props?.class === "air-trace-mpdu-cell");
  assert.deepEqual(
    listedCells.map(({ text }) => text.replace(/ /g, "")),
    ["7(2)1", "!80"],
  );
});

test("a TXOP has its PPDUs one after the other", () => {
  const start = 1e9 + 200_000;
  const [first, ack] = aggregate(0, 1, start, [1, 2], [2], 1, "10", "vi");
  const second = aggregate(0, 1, ack.end_ns + 16_000, [2, 3], [], 2, "11", "vi");
  second[0].carries[0].qos.retry = true;
  const frames = [
    frame("rts", 0, 1, 1e9, 1e9 + 28_000, "vi"),
    frame("cts", 1, 0, 1e9 + 44_000, 1e9 + 72_000, "vi"),
    first,
    ack,
    ...second,
    frame("cf-end", 0, null, second[1].end_ns + 16_000, second[1].end_ns + 44_000, "vi"),
  ];
  const all = access(frames, [contender(0, "vi", 0, 2, 0, true), contender(0, "be", 1, 1, 9)]);
  const { cells, bits, controls, lanes, texts } = picture(trace([all]), all);
  assert.ok(texts.includes("✕ internal collision, 9 slots left"), `${texts}`);
  assert.equal(cells.length, 4);
  assert.equal(bits.join(" "), "1 0 1 1");
  assert.deepEqual(controls.sort(), ["block-ack", "block-ack", "cf-end", "cts", "rts"]);
  assert.deepEqual(lanes, ["AP, video", "AP, best effort", "sta-1"]);
  // 200 us to the first; 40 + 160 + 16 + 32 us for each, 16 us between and before the CF-End of 28 us.
  assert.equal(
    describeAccess(trace([all]), all),
    "The AP has a TXOP of video of 756 µs. " +
      "The AP transmits an A-MPDU of 2 MPDUs in video to sta-1 at MCS 9 (114.7 Mb/s) after RTS and CTS: " +
      "2 segments of down-1; MPDU 2 is lost; the Block Ack starts at 1 with the bitmap 10. " +
      "MPDU 2 goes first in the next A-MPDU. " +
      "The AP transmits an A-MPDU of 2 MPDUs in video to sta-1 at MCS 9 (114.7 Mb/s): " +
      "2 segments of down-1; MPDU 2 is repeated; the Block Ack starts at 2 with the bitmap 11. " +
      "A CF-End ends the TXOP. In the AP best effort has reached 0 as well, an internal collision: " +
      "it draws 9 slots.",
  );
});

test("collisions, BlockAckReqs and frames without an answer", () => {
  const words = (frames, contenders = [own]) => {
    const one = access(frames, contenders);
    return describeAccess(trace([one]), one);
  };
  const [meets] = aggregate(2, 0, 1e9, MPDUS, MPDUS, 0, null);
  meets.carries.forEach((pdu) => (pdu.fate = "collided"));
  const rts = frame("rts", 0, 1, 1e9, 1e9 + 28_000, "vi", { fate: "collided" });
  assert.equal(
    words([rts, meets], [contender(0, "vi", 0, 2, 0, true), own, contender(1, "vo", 0, 5, 3)]),
    "The AP (video) and sta-2 (best effort) begin in the same slot and collide: an RTS in video to sta-1 " +
      "and an A-MPDU of 5 MPDUs in best effort at MCS 9 (114.7 Mb/s). sta-1 (voice) freezes with 3 slots left.",
  );
  assert.match(
    words(aggregate(2, 0, 1e9, MPDUS, MPDUS, 0, null)),
    /; all MPDUs are lost, and no Block Ack comes\.$/,
  );
  const [data, answer] = aggregate(2, 0, 1e9, MPDUS, [17], 15, "11011");
  assert.match(
    words([data, { ...answer, fate: "corrupted" }]),
    /; MPDU 17 is lost; the Block Ack is lost\.$/,
  );
  const asks = frame("block-ack-req", 2, 0, 1e9, 1e9 + 32_000, "be", {
    block_ack: { start: 15, bitmap: "" },
  });
  assert.equal(
    words([asks, answer]),
    "sta-2 transmits a BlockAckReq in best effort at 24 Mb/s, which asks for a Block Ack from 15; " +
      "the Block Ack starts at 15 with the bitmap 11011.",
  );
  const alone = frame("rts", 2, 0, 1e9, 1e9 + 28_000, "be", { fate: "corrupted" });
  assert.match(
    words([alone]),
    /transmits an RTS in best effort; the RTS is lost, and no CTS comes\.$/,
  );
});

const LOSSY = `
duration = "2 s"
[cell]
phy = "802.11ax"
rts_threshold = 8000
edca = "ns3"
aggregation = { kind = "a-mpdu", amsdu = 4000 }
[[station]]
count = 2
error = { kind = "independent", rate = 0.1, level = "mac", frames = "data" }
flows = [{ direction = "up" }, { direction = "down", access_category = "vi" }]
`;

test("every access of a run is drawn as it was", { skip }, async () => {
  const all = await airTrace(LOSSY, 1, 1, 300);
  const seen = { lost: 0, retries: 0, bits: 0, txops: 0, controls: new Set(), packets: 0 };
  for (const one of all.accesses) {
    const data = one.frames.filter((frame) => frame.kind === "data");
    const mpdus = data.flatMap(({ carries }) => {
      const by = new Map(carries.map((pdu) => [pdu.qos.sequence, pdu]));
      return [...by.values()];
    });
    const { cells, bits, controls, lanes } = picture(all, one, 4000);
    const drawnMpdus = cells.flatMap(([count, fate]) => Array(count).fill(fate));
    const byNode = (node) => data.filter((frame) => frame.from === node);
    assert.equal(drawnMpdus.length, mpdus.length);
    const lost = mpdus.filter((pdu) => pdu.fate !== "received").length;
    assert.equal(drawnMpdus.filter((fate) => fate !== "received").length, lost);
    assert.equal(
      controls.length,
      one.frames.filter(({ kind }) => kind !== "data" && kind !== "beacon").length,
    );
    // One bit for each MPDU that a Block Ack is about: 1 if it has arrived, now or before.
    const answered = data.filter((frame) => {
      return one.frames.some(({ kind, start_ns, to }) => {
        return kind === "block-ack" && to === frame.from && start_ns === frame.end_ns + 16_000;
      });
    });
    const expected = answered.flatMap(({ carries }) => {
      const by = new Map(
        carries.map(({ fate, qos }) => [qos.sequence, fate === "received" || qos.repeats]),
      );
      return [...by.values()].map((arrived) => (arrived ? "1" : "0"));
    });
    assert.equal(bits.join(""), expected.join(""));
    assert.equal(lanes.length, lanesOf(one).length);
    const sentence = describeAccess(all, one);
    assert.match(sentence, /\.$/);
    assert.doesNotMatch(sentence, /undefined|null|NaN/);
    if (answered.length === 1 && data.length === 1 && expected.length <= 32) {
      assert.ok(/bitmap (of|[01]+)|no bit set/.test(sentence), sentence);
    }
    seen.lost += lost;
    seen.retries += mpdus.filter((pdu) => pdu.qos.retry).length;
    seen.bits += expected.length;
    seen.txops += byNode(0).length > 1 ? 1 : 0;
    seen.packets += data.flatMap(({ carries }) => carries).length - mpdus.length;
    controls.forEach((kind) => seen.controls.add(kind));
  }
  for (const key of ["lost", "retries", "bits", "txops", "packets"]) assert.ok(seen[key] > 0, key);
  const kinds = ["ack", "block-ack", "cf-end", "cts", "rts"];
  assert.deepEqual([...seen.controls].sort(), kinds);
});
