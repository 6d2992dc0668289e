// The film's words, layout and pieces, for accesses made by hand.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

/** The exports of modules of src/film. */
async function load(...names) {
  const contents = names.map((name) => `export * from "./${name}.ts";`).join("");
  const resolveDir = path.join(import.meta.dirname, "../src/film");
  const options = { bundle: true, format: "esm", write: false };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir } });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { airLayout, lanesOf, accessBefore, momentOf, nextPiece, previousPiece } = await load(
  "layout",
  "recording",
);
const { sendersByAccess, duration, seconds, describeAccess, packetCode } = await load(
  "senders",
  "time",
  "words",
);

/** Slot, SIFS and DIFS of 802.11b; flows up-1 to up-3 and down-4, in segments of 1000 bytes. */
function film(accesses) {
  const flow = (id, direction, station) => {
    return { id, name: null, station, direction, transport: "tcp", segment: 1000 };
  };
  return {
    seed: 1,
    warmup_ns: 1e9,
    slot_ns: 20_000,
    sifs_ns: 10_000,
    difs_ns: 50_000,
    nodes: ["ap", "sta-1", "sta-2", "sta-3"].map((id) => ({ id, name: null })),
    flows: [
      flow("up-1", "up", 1),
      flow("up-2", "up", 2),
      flow("up-3", "up", 3),
      flow("down-4", "down", 1),
    ],
    accesses,
    ended: false,
  };
}

function packet(flow, kind, seq) {
  return { flow, kind, seq, bytes: 1040, retransmission: false };
}

function contender(node, before, after, transmits = false) {
  return { node, from: 0, before, after, has_frame: true, immediate: false, transmits };
}

/** sta-3 sends segment 412 for the second time after five slots; sta-1 and the AP wait. */
function lone(changes = {}) {
  const idle = 2e9;
  const at = idle + 50_000 + 5 * 20_000;
  const sent = packet(2, "data", 411_000);
  const attempt = {
    node: 3,
    to: 0,
    packet: sent,
    cw: 63,
    backoff: 5,
    repeats: false,
    delivered: true,
    given_up: false,
  };
  const data = {
    kind: "data",
    from: 3,
    to: 0,
    start_ns: at,
    end_ns: at + 1_000_000,
    rate_bps: 11e6,
    bytes: 1076,
    retries: 1,
    fate: "received",
  };
  const ack = {
    ...data,
    kind: "ack",
    from: 0,
    to: 3,
    start_ns: at + 1_010_000,
    end_ns: at + 1_258_000,
    bytes: 14,
    retries: 0,
  };
  return {
    idle_since_ns: idle,
    at_ns: at,
    end_ns: ack.end_ns,
    parts: { difs: 50_000, backoff: 100_000, other: 0, frames: 1e6, sifs: 10_000, ack: 248_000 },
    contenders: [contender(0, 8, 3), contender(1, 12, 7), contender(3, 5, 0, true)],
    attempts: [attempt],
    frames: [data, ack],
    ap_sends: packet(0, "ack", 18_000),
    ap_queues: [],
    drops: [],
    senders: [],
    wired: { to_access_point: 0, to_hosts: 0 },
    ...changes,
  };
}

const sentence = (access) => describeAccess(film([access]), access);

test("an exchange", () => {
  assert.equal(
    sentence(lone()),
    "sta-3 sends segment 412 of up-3 for the second time. The AP and sta-1 freeze with 3 and 7 slots left.",
  );
});

test("a collision, after which the AP gives its packet up", () => {
  const { attempts, frames } = lone();
  const own = { ...attempts[0], node: 0, packet: packet(0, "ack", 18_000), given_up: true };
  const first = { ...frames[0], from: 0, to: 1, retries: 6, fate: "collided" };
  const collision = lone({
    contenders: [contender(0, 5, 0, true), contender(1, 6, 1), contender(3, 5, 0, true)],
    attempts: [own, attempts[0]],
    frames: [first, { ...frames[0], fate: "collided" }],
  });
  assert.equal(
    sentence(collision),
    "The AP and sta-3 begin in the same slot and collide: the ACK of up-1 up to segment 18 for the " +
      "seventh time and segment 412 of up-3 for the second time. The AP gives its packet up. " +
      "sta-1 freezes with 1 slot left.",
  );
});

test("frames that are corrupted", () => {
  const { frames } = lone();
  const [data, ack] = [frames[0], frames[1]];
  const words = (...frames) => sentence(lone({ frames, contenders: [] }));
  const begin = "sta-3 sends segment 412 of up-3 for the second time; ";
  assert.equal(
    words({ ...data, fate: "corrupted" }),
    `${begin}the frame is corrupted, and no ACK comes.`,
  );
  assert.equal(
    words(data, { ...ack, fate: "corrupted" }),
    `${begin}the frame arrives, but its ACK is corrupted.`,
  );
  const rts = { ...data, kind: "rts", retries: 0, fate: "corrupted" };
  assert.equal(
    words(rts),
    "sta-3 sends an RTS for segment 412 of up-3; the RTS is corrupted, and no CTS comes.",
  );
});

test("drops", () => {
  const drop = (seq) => ({ packet: packet(3, "data", seq), reason: "on-arrival" });
  assert.match(
    sentence(lone({ drops: [drop(4000)] })),
    /the AP's queue has dropped segment 5 of down-4 \(at its arrival\)\.$/,
  );
  const many = sentence(lone({ drops: [0, 1, 2, 3, 4, 5].map((n) => drop(1000 * n)) }));
  assert.match(many, /has dropped 6 packets\.$/);
});

test("a code names kind and flow", () => {
  const any = film([]);
  assert.equal(packetCode(any, packet(3, "data", 0)), "D4");
  assert.equal(packetCode(any, packet(1, "ack", 0)), "A2");
});

test("slots and times have their places", () => {
  const access = lone();
  const layout = airLayout(film([access]), access, 1000);
  assert.equal(layout.boundary, 5);
  assert.equal(layout.slotAt(0), layout.difs[1]);
  assert.equal(layout.slotAt(5), layout.frames[0]);
  assert.equal(layout.timeAt(access.at_ns), layout.frames[0]);
  assert.equal(layout.timeAt(access.end_ns), 1000);
  assert.deepEqual(lanesOf(access), [0, 1, 3]);
});

test("a long wait is cut off at the left", () => {
  const access = lone({ idle_since_ns: 2e9 - 1000 * 20_000 });
  const layout = airLayout(film([access]), access, 1000);
  assert.equal(layout.boundary, 1005);
  assert.ok(layout.first > 900);
  assert.equal(layout.slotAt(0), layout.slotAt(layout.first));
  assert.equal(layout.slotAt(1005), layout.frames[0]);
});

test("senders go on until they change", () => {
  const sender = (flow, cwnd) => {
    return {
      flow,
      cwnd,
      ssthresh: null,
      in_flight: 1,
      receive_window: 42,
      limited_by: "cwnd",
    };
  };
  const accesses = [
    lone({ senders: [sender(0, 2), sender(1, 3)] }),
    lone(),
    lone({ senders: [sender(1, 4)] }),
  ];
  const cwnds = sendersByAccess(film(accesses)).map((all) => all.map((sender) => sender?.cwnd));
  const unknown = undefined;
  assert.deepEqual(cwnds, [
    [2, 3, unknown, unknown],
    [2, 3, unknown, unknown],
    [2, 4, unknown, unknown],
  ]);
});

test("pieces follow each other", () => {
  const later = (ms) => {
    const access = lone();
    return {
      ...access,
      idle_since_ns: access.idle_since_ns + ms * 1e6,
      at_ns: access.at_ns + ms * 1e6,
    };
  };
  const piece = film([later(0), later(2), later(4)]);
  // The first access is 150 us after 2 s of the run, which is 1 s of measured time.
  assert.equal(momentOf(piece, 0), 1.00015);
  assert.equal(nextPiece(piece), (later(4).at_ns + 1 - 1e9) / 1e9);
  assert.equal(nextPiece({ ...piece, ended: true }), null);
  assert.ok(Math.abs(previousPiece(piece) - (1.00015 - 0.002)) < 1e-9);
  assert.equal(accessBefore(piece, momentOf(piece, 2)), 1);
  assert.equal(accessBefore(piece, momentOf(piece, 0)), 0);
  assert.equal(accessBefore(piece, 5), 2);
});

test("durations", () => {
  assert.equal(duration(50_000), "50 µs");
  assert.equal(duration(1_274_000), "1.274 ms");
  assert.equal(seconds(10_234_567_000), "10.234567 s");
});
