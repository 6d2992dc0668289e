// The air trace's words, layout and pieces, for accesses made by hand.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

/** The exports of modules of src/air-trace. */
async function load(...names) {
  const contents = names.map((name) => `export * from "./${name}.ts";`).join("");
  const resolveDir = path.join(import.meta.dirname, "../src/air-trace");
  const options = { bundle: true, format: "esm", write: false };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir } });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { airLayout, lanesOf, accessBefore, momentOf, nextPiece, previousPiece } = await load(
  "layout",
  "recording",
);
const { sendersByAccess, duration, seconds, describeAccess, describeLimit, packetCode } =
  await load("senders", "time", "words", "names");

/** Flows up-1 to up-3 and down-4, in segments of 1000 bytes. */
function trace(accesses, medium = "wlan") {
  const flow = (id, direction, station) => {
    return { id, name: null, station, direction, transport: "tcp", segment: 1000 };
  };
  return {
    seed: 1,
    warmup_ns: 1e9,
    medium,
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

function pdu(packet, bytes, end_ns, changes = {}) {
  return { packet, bytes, end_ns, is_first: true, is_last: true, fate: "received", ...changes };
}

/** Slots of 20, SIFS of 10 and DIFS of 50 us: sta-3 sends segment 412 for the second time after five slots; sta-1 and the AP wait. */
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
    carries: [pdu(sent, 1076, at + 1_000_000)],
    pdus: 1,
    asks_for: null,
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
    carries: [],
    pdus: 0,
  };
  return {
    idle_since_ns: idle,
    at_ns: at,
    end_ns: ack.end_ns,
    parts: [
      { kind: "difs", start_ns: idle, end_ns: idle + 50_000 },
      { kind: "backoff", start_ns: idle + 50_000, end_ns: at },
      { kind: "frames", start_ns: at, end_ns: data.end_ns },
      { kind: "sifs", start_ns: data.end_ns, end_ns: ack.start_ns },
      { kind: "ack", start_ns: ack.start_ns, end_ns: ack.end_ns },
    ],
    slots: { start_ns: idle + 50_000, end_ns: at, count: 5 },
    contenders: [contender(0, 8, 3), contender(1, 12, 7), contender(3, 5, 0, true)],
    attempts: [attempt],
    frames: [data, ack],
    given_up: [],
    ap_sends: [packet(0, "ack", 18_000)],
    ap_queues: [],
    drops: [],
    dropped: 0,
    senders: [],
    wired: { to_access_point: 0, to_hosts: 0 },
    ...changes,
  };
}

const sentence = (access) => describeAccess(trace([access]), access);

test("an exchange", () => {
  assert.equal(
    sentence(lone()),
    "sta-3 sends segment 412 of up-3 for the second time. The AP and sta-1 freeze with 3 and 7 slots left.",
  );
});

test("a collision, after which the AP gives its packet up", () => {
  const { attempts, frames } = lone();
  const own = { ...attempts[0], node: 0, packet: packet(0, "ack", 18_000) };
  const first = { ...frames[0], from: 0, to: 1, retries: 6, fate: "collided" };
  const collision = lone({
    contenders: [contender(0, 5, 0, true), contender(1, 6, 1), contender(3, 5, 0, true)],
    attempts: [own, attempts[0]],
    given_up: [{ node: 0, packets: 1 }],
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
    sentence(lone({ drops: [drop(4000)], dropped: 1 })),
    /the AP's queue has dropped segment 5 of down-4 \(at its arrival\)\.$/,
  );
  const many = sentence(lone({ drops: [drop(0)], dropped: 201 }));
  assert.match(many, /has dropped 201 packets\.$/);
});

test("a code names kind and flow", () => {
  const any = trace([]);
  assert.equal(packetCode(any, packet(3, "data", 0)), "D4");
  assert.equal(packetCode(any, packet(1, "ack", 0)), "A2");
});

test("slots and times have their places", () => {
  const access = lone();
  const layout = airLayout(access, 1000);
  assert.equal(layout.slotAt(0), layout.timeAt(access.idle_since_ns + 50_000));
  // DIFS has a quarter of the time before the frames, five slots the rest in equal parts.
  const slot = (0.75 * layout.frames) / 5;
  for (const number of [0, 1, 4]) {
    assert.ok(Math.abs(layout.slotAt(number) - (layout.frames / 4 + number * slot)) < 1e-6);
  }
  assert.equal(layout.slotAt(5), layout.frames);
  assert.equal(layout.timeAt(access.at_ns), layout.frames);
  assert.equal(layout.timeAt(access.end_ns), 1000);
  assert.deepEqual(lanesOf(access), [{ node: 0 }, { node: 1 }, { node: 3 }]);
});

test("a long wait is cut off at the left", () => {
  const idle_since_ns = 2e9 - 1000 * 20_000;
  const start_ns = idle_since_ns + 50_000;
  const slots = { start_ns, end_ns: start_ns + 1005 * 20_000, count: 1005 };
  const layout = airLayout(lone({ idle_since_ns, slots }), 1000);
  assert.ok(layout.first > 900);
  assert.equal(layout.slotAt(0), layout.slotAt(layout.first));
  assert.equal(layout.slotAt(1005), layout.frames);
});

/** A frame of 5 ms: ranging ends at 2.9, requests at 3.1 ms. */
function wimaxFrame(changes = {}) {
  const ends = [
    ["broadcast", 306],
    ["downlink", 2482],
    ["gap", 2487],
    ["ranging", 2900],
    ["requests", 3100],
    ["uplink", 4969],
    ["gap", 5000],
  ];
  const begin = 2e9;
  const parts = ends.map(([kind, end], index) => {
    const start = ends[index - 1]?.[1] ?? 0;
    return { kind, start_ns: begin + start * 1000, end_ns: begin + end * 1000 };
  });
  return lone({
    idle_since_ns: begin,
    at_ns: begin,
    end_ns: begin + 5e6,
    parts,
    slots: { start_ns: begin + 2.9e6, end_ns: begin + 3.1e6, count: 5 },
    contenders: [],
    attempts: [],
    frames: [],
    ...changes,
  });
}

function burst(from, to, start_us, carries, changes = {}) {
  return {
    kind: "burst",
    from,
    to,
    start_ns: 2e9 + start_us * 1000,
    end_ns: 2e9 + start_us * 1000 + 400_000,
    rate_bps: 25e6,
    bytes: carries.reduce((sum, pdu) => sum + pdu.bytes, 0),
    retries: 0,
    fate: carries.some((pdu) => pdu.fate === "corrupted") ? "corrupted" : "received",
    carries,
    pdus: carries.length,
    asks_for: null,
    ...changes,
  };
}

function request(from, slot, fate, retries = 0) {
  const start_ns = 2e9 + 2.9e6 + slot * 40_000;
  const base = burst(from, 0, 0, []);
  return {
    ...base,
    kind: "request",
    start_ns,
    end_ns: start_ns + 40_000,
    fate,
    retries,
    asks_for: 1034,
  };
}

const wimaxSentence = (access) => describeAccess(trace([access], "wimax"), access);

test("a frame has one scale of time, on which its request slots are", () => {
  const layout = airLayout(wimaxFrame(), 1000);
  assert.equal(layout.frames, 0);
  const near = (place, expected) => assert.ok(Math.abs(place - expected) < 1e-6, `${place}`);
  for (const ms of [0, 0.306, 2.9, 5]) near(layout.timeAt(2e9 + ms * 1e6), ms * 200);
  for (const slot of [0, 1, 5]) near(layout.slotAt(slot), (2.9 + 0.04 * slot) * 200);
});

test("bursts and requests of a frame", () => {
  const end = 2e9 + 700_000;
  const data = (seq, changes) => pdu(packet(3, "data", seq), 1046, end, changes);
  const down = [
    data(0, { is_first: false, fate: "corrupted" }),
    data(1000),
    data(2000),
    pdu(packet(0, "ack", 18_000), 46, end),
  ];
  const frames = [
    burst(0, 1, 340, down),
    request(2, 1, "collided"),
    request(3, 1, "collided", 1),
    request(1, 2, "received", 1),
    burst(1, 0, 3100, [pdu(packet(3, "ack", 4000), 46, end)], { asks_for: 92 }),
  ];
  const contenders = [{ ...contender(2, 7, 2), node: 2 }];
  assert.equal(
    wimaxSentence(wimaxFrame({ frames, contenders })),
    "The base station sends a fragment of segment 1 of down-4, 2 segments of down-4 and the ACK of up-1 " +
      "up to segment 18 to sta-1; 1 of 4 PDUs is corrupted. " +
      "sta-1 sends the ACK of down-4 up to segment 4; the burst requests 92 bytes. " +
      "sta-2 and sta-3 send bandwidth requests in the same slot, which collide. " +
      "sta-1 requests 1034 bytes for the second time. sta-2 has 2 slots left to skip.",
  );
  const many = Array.from({ length: 6 }, () => burst(0, 1, 340, down));
  assert.equal(
    wimaxSentence(wimaxFrame({ frames: many })),
    "6 bursts have 24 PDUs, of which 6 are corrupted in part or as a whole.",
  );
});

test("a frame in which stations wait", () => {
  const access = wimaxFrame({ given_up: [{ node: 2, packets: 3 }] });
  assert.equal(
    wimaxSentence(access),
    "sta-2 gives its bandwidth request up, and with it 3 packets. Nothing is sent in this frame.",
  );
});

test("what holds a sender back", () => {
  const sender = { limited_by: "cwnd", cwnd: 3.5, in_flight: 3 };
  assert.equal(describeLimit(sender), "cwnd holds it back.");
  // The handshake, or the last segments of a file.
  assert.equal(describeLimit({ ...sender, in_flight: 1 }), "It waits for acknowledgements.");
  const probing = describeLimit({ ...sender, limited_by: "bandwidth_probing" });
  assert.match(probing, /^Its congestion control probes the path/);
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
  const cwnds = sendersByAccess(trace(accesses)).map((all) => all.map((sender) => sender?.cwnd));
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
  const piece = trace([later(0), later(2), later(4)]);
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
