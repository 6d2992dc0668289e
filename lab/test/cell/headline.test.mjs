// The sentence on a result: from made-up results of which each number is known.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "../../gallery/load.mjs";

const { headline } = await load("cell/headline.ts");

const flow = (id, mbps, more = {}) => ({
  id,
  name: null,
  station: `sta-${id}`,
  direction: id.split("-")[0],
  transport: "newreno",
  application: "bulk",
  goodput_bps: mbps * 1e6,
  segments_sent: 1000,
  mean_rtt_s: 0.02,
  data_losses: {},
  limited_by: { receive_window: 0, cwnd: 1 },
  ...more,
});

const jain = (values) =>
  values.reduce((sum, x) => sum + x, 0) ** 2 /
  (values.length * values.reduce((sum, x) => sum + x * x, 0));

const answer = (flows, { why = [], queue = {}, ...more } = {}) => ({
  why,
  result: {
    scenario: { cell: { kind: "wlan" } },
    aggregate_goodput_bps: flows.reduce((sum, { goodput_bps }) => sum + goodput_bps, 0),
    jain_index: jain(flows.map(({ goodput_bps }) => goodput_bps)),
    jain_over: "bulk",
    flows,
    // A second of airtime carries 40 Mb of each flow.
    stations: flows.map(({ station, goodput_bps }) => ({
      id: station,
      name: null,
      airtime_share: goodput_bps / 40e6,
    })),
    ap_queue: { mean_packets: 50, mean_data: 50, mean_acks: 0, ...queue },
    wired: { links: [] },
    ...more,
  },
});

const starves = (flow, cause, place) => ({
  flow,
  fault: "starves",
  cause,
  ...(place && { place }),
});

const say = (...parts) => headline([answer(...parts)]);

test("uploads win by the ACKs in the queue", () => {
  const down = { data_losses: { ap_queue: 70, error: 0 } };
  const flows = [flow("up-1", 0.9), flow("up-2", 0.9), flow("down-1", 0.12, down)];
  const why = [starves("down-1", "data_losses", "ap_queue")];
  const queue = { mean_packets: 50, mean_acks: 49, mean_data: 1 };
  assert.deepEqual(say(flows, { why, queue }), {
    text: "Uploads get 7.5 times what downloads get, because 98% of the AP's queue are ACKs of uploads, and it drops 7.0% of the data of downloads.",
    tour: "uploads-win",
  });
});

test("numbers are means over the runs", () => {
  const run = (up, down) => answer([flow("up-1", up), flow("down-1", down)]);
  const { text } = headline([run(3, 1), run(5, 1)]);
  assert.equal(text, "Uploads get 4.0 times what downloads get.");
});

test("other causes are said as the engine finds them", () => {
  const of = (cause, place, less = {}, more = {}) =>
    say([flow("up-1", 4, more), flow("down-1", 1, less)], {
      why: [starves("down-1", cause, place)],
    });
  const begin = "Uploads get 4.0 times what downloads get, because ";
  const cases = [
    [
      of("data_losses", "ap_queue", { data_losses: { ap_queue: 200 } }),
      "the AP's queue drops 20% of the data of downloads.",
    ],
    [
      of("data_losses", "error", { data_losses: { error: 5 } }),
      "0.50% of the data of downloads are lost on the air.",
      "random-loss",
    ],
    [
      of("data_losses", "policer", { data_losses: { policer: 30 } }),
      "the rate limiter drops 3.0% of the data of downloads.",
      "rate-limiter",
    ],
    [
      of("data_losses", "wired_queue", { data_losses: { wired_queue: 30 } }),
      "the queue of a wired link drops 3.0% of the data of downloads.",
    ],
    [
      of("receive_window", null, { limited_by: { receive_window: 0.75 } }),
      "the receive window limits downloads for 75% of the time.",
    ],
    [
      of("round_trip_time", null, { mean_rtt_s: 0.2 }),
      "round trips of downloads take 200 ms, those of uploads 20.0 ms.",
    ],
    [of("controller"), "the controller limits downloads."],
    [of("ack_losses", "ap_queue"), "ACKs for data of downloads are lost."],
    [of("congestion_marks"), "queues mark packets of downloads as congestion."],
  ];
  for (const [said, words, tour] of cases) {
    assert.deepEqual(said, { text: begin + words, ...(tour && { tour }) });
  }
});

test("without a diagnosis the numbers decide, and nothing is said that they do not show", () => {
  const of = (less, more = {}, queue = {}) =>
    say([flow("down-1", 3, more), flow("up-1", 2, less)], { queue }).text;
  const begin = "Downloads get 1.5 times what uploads get";
  assert.equal(of({}), `${begin}.`);
  assert.equal(
    of({ data_losses: { retry_limit: 20 } }),
    `${begin}, because the MAC gives up 2.0% of the data of uploads.`,
  );
  // Twice the losses of the others, at least.
  assert.equal(of({ data_losses: { error: 20 } }, { data_losses: { error: 15 } }), `${begin}.`);
  assert.equal(
    of({ limited_by: { receive_window: 0.9 } }),
    `${begin}, because the receive window limits uploads for 90% of the time.`,
  );
  assert.equal(
    of({ mean_rtt_s: 0.03 }),
    `${begin}, because round trips of uploads take 30.0 ms, those of downloads 20.0 ms.`,
  );
  // ACKs in the queue are no cause of what is lost nowhere.
  assert.equal(of({}, {}, { mean_acks: 45, mean_data: 5 }), `${begin}.`);
});

test("airtime that carries less is a cause, with a diagnosis or without", () => {
  const flows = [flow("up-1", 4), flow("down-1", 1)];
  const stations = flows.map(({ station }) => ({ id: station, name: null, airtime_share: 0.1 }));
  const text =
    "Uploads get 4.0 times what downloads get, because a second of airtime of downloads carries 10.0 Mb, one of uploads 40.0 Mb.";
  for (const why of [[], [starves("down-1", "airtime")]]) {
    assert.deepEqual(say(flows, { why, stations }), { text, tour: "slow-station" });
  }
  // Of half the airtime it is not the only one.
  stations[1].airtime_share = 0.05;
  assert.equal(say(flows, { stations }).text, "Uploads get 4.0 times what downloads get.");
});

test("a station that takes the airtime of others comes before the flow that starves", () => {
  const flows = [flow("down-1", 1), flow("down-2", 4)];
  const stations = [
    { id: "sta-down-1", name: "terrace", airtime_share: 0.8 },
    { id: "sta-down-2", name: null, airtime_share: 0.1 },
  ];
  const why = [{ flow: "down-1", station: "sta-down-1", fault: "takes_airtime", cause: "airtime" }];
  assert.deepEqual(say(flows, { why, stations }), {
    text: "Terrace takes 80% of the airtime for 20% of the goodput, because a second of its airtime carries 1.25 Mb, one of the others 40.0 Mb.",
    tour: "slow-station",
  });
});

test("some flows of a direction starve", () => {
  const flows = [flow("up-1", 5), flow("down-1", 6), flow("down-2", 0.5, { name: "cellar" })];
  const why = [starves("down-2", "data_losses", "ap_queue")];
  flows[2].data_losses = { ap_queue: 10 };
  assert.equal(
    say(flows, { why }).text,
    "The other flows get 11 times what cellar gets, because the AP's queue drops 1.0% of the data of cellar.",
  );
});

test("several flows are named once", () => {
  const flows = [flow("up-1", 10), flow("up-2", 1), flow("up-3", 1), flow("up-4", 10)];
  for (const k of [1, 2]) flows[k].data_losses = { error: 50 };
  const why = ["up-2", "up-3"].map((id) => starves(id, "data_losses", "error"));
  assert.equal(
    say(flows, { why }).text,
    "The other flows get 10 times what 2 of 4 flows get, because 5.0% of the data of these 2 are lost on the air.",
  );
});

test("nothing at all is no factor", () => {
  assert.equal(
    say([flow("up-1", 4), flow("down-1", 0)]).text,
    "Uploads get 4.00 Mb/s, downloads next to nothing.",
  );
});

test("users come next", () => {
  const call = (id) => flow(id, 0.064, { application: "voip" });
  const poor = (flow) => ({
    flow,
    fault: "poor_call",
    says: "is a poor call",
    measure: "MOS 2.10",
    text: "310 ms pass from speaking to hearing",
  });
  const flows = [call("up-1"), call("down-1")];
  assert.equal(
    say(flows, { why: [poor("up-1")] }).text,
    "Up-1 is a poor call, MOS 2.10: 310 ms pass from speaking to hearing.",
  );
});

test("otherwise the sentence is neutral", () => {
  assert.equal(
    say([flow("up-1", 2), flow("down-1", 2)]).text,
    "Both flows get the same: 2.00 Mb/s each.",
  );
  assert.equal(
    say([flow("up-1", 2), flow("up-2", 3)]).text,
    "2 flows get about the same: 2.50 Mb/s on average.",
  );
  // (1 + 3)^2 / (2 (1 + 9)) = 0.8
  assert.equal(
    say([flow("up-1", 1), flow("up-2", 3)]).text,
    "2 flows get 2.00 Mb/s on average, but not evenly: Jain's index is 0.80.",
  );
  assert.equal(say([flow("down-1", 5)]).text, "One download gets 5.00 Mb/s.");
  assert.equal(
    say([flow("up-1", 0.064, { application: "voip" })]).text,
    "One flow gets 0.0640 Mb/s.",
  );
  assert.equal(headline([]), null);
});
