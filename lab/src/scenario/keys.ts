// The keys that have controls, in the order of the page, and what the schema does not say about
// them: names for people, useful ranges of sliders, and the values of short lists.
import type { ResolvedScenario } from "../engine/result.ts";
import { formatQuantity } from "./quantity.ts";
import type { Range } from "./stops.ts";

export interface Hint {
  label?: string;
  /** Of the keys beside it in its table. */
  range?: Range | ((table: unknown) => Range);
  /** Text that is accepted beside numbers, where the schema names none. */
  words?: string[];
  /** A menu of these instead of a slider. */
  options?: (scenario: ResolvedScenario, parent: string) => string[];
  /** The names of options in the menu, where they are not the values. */
  names?: Record<string, string>;
  /** The name of having no such key. */
  absent?: string;
  /** Whether the key fits the scenario and its table. `parent` is the transport of a key of a flow. */
  when?: (scenario: ResolvedScenario, parent: string, table: unknown) => boolean;
}

type Hints = Record<string, Hint>;

/** Rates of data frames, bit/s: IEEE 802.11-2007, tables 18-1 and 17-3. */
const DSSS = [1e6, 2e6, 5.5e6, 11e6];
const OFDM = [6e6, 9e6, 12e6, 18e6, 24e6, 36e6, 48e6, 54e6];

function cell(scenario: ResolvedScenario): Record<string, unknown> {
  return scenario["cell"] as Record<string, unknown>;
}

function rates(scenario: ResolvedScenario): string[] {
  const all = cell(scenario)["phy"] === "802.11b" ? DSSS : OFDM;
  return all.map((rate) => formatQuantity(rate, "rate"));
}

const isWlan = (scenario: ResolvedScenario) => cell(scenario)["kind"] === "wlan";
const isWimax = (scenario: ResolvedScenario) => cell(scenario)["kind"] === "wimax";
/** Their frames have an MCS. */
const PHYS_WITH_MCS = ["802.11n", "802.11ac", "802.11ax"];
const PHYS = ["802.11b", "802.11a", "802.11g", ...PHYS_WITH_MCS];
const hasMcs = (scenario: ResolvedScenario) =>
  PHYS_WITH_MCS.includes(String(cell(scenario)["phy"]));
/** The highest MCS of a PHY, width and number of streams: IEEE 802.11-2020 19.5 and 21.5, 802.11ax-2021 27.5. */
function highestMcs(table: Record<string, unknown>): number {
  if (table["phy"] !== "802.11ac") return table["phy"] === "802.11n" ? 7 : 11;
  const [width, streams] = [Number(table["channel_width"]) / 1e6, Number(table["streams"])];
  if (width === 20) return streams % 3 === 0 ? 9 : 8;
  return (width === 80 && streams === 6) || (width === 160 && streams === 3) ? 8 : 9;
}
const highestOf = (table: unknown) => highestMcs(table as Record<string, unknown>);
const mostStreams = (table: unknown) =>
  (table as Record<string, unknown>)["phy"] === "802.11n" ? 4 : 8;
/** Whether the access point has a queue for each station. */
const hasStationQueues = (scenario: ResolvedScenario) =>
  isWlan(scenario) && cell(scenario)["scheduler"] !== "fifo";
const hasLinuxQueues = (scenario: ResolvedScenario) =>
  cell(scenario)["fq_memory_limit"] !== undefined;
const hasRates = (scenario: ResolvedScenario) => isWlan(scenario) && !hasMcs(scenario);
/** Stations may have an older PHY, by the PHY of the cell (docs/media/wifi.md, "Mixed cells"). */
function stationPhys(scenario: ResolvedScenario): string[] {
  const { phy, band } = cell(scenario);
  if (phy === "802.11g") return ["802.11b", "802.11g"];
  const legacy = band === "2.4 GHz" ? "802.11g" : "802.11a";
  const later = PHYS_WITH_MCS.slice(0, PHYS_WITH_MCS.indexOf(String(phy)) + 1);
  return [legacy, ...later.filter((name) => band !== "2.4 GHz" || name !== "802.11ac")];
}
const isMixed = (scenario: ResolvedScenario) => cell(scenario)["phy"] === "802.11g";
const mayBeMixed = (scenario: ResolvedScenario) => isMixed(scenario) || hasMcs(scenario);
const words =
  (...list: string[]) =>
  () =>
    list;

/** Keys of queues, of any place. */
export const QUEUE: Hints = {
  limit: { range: { from: 1, to: 1000 }, words: ["unlimited"] },
  target: { label: "target: queueing delay that is accepted", range: { from: 1e-3, to: 0.1 } },
};

export const CELL: Hints = {
  kind: { label: "medium" },
  phy: { label: "PHY", options: words(...PHYS), when: isWlan },
  data_rate: { label: "data rate", options: rates, when: hasRates },
  channel_width: {
    label: "channel width",
    options: (scenario) =>
      cell(scenario)["phy"] === "802.11n" || cell(scenario)["band"] === "2.4 GHz"
        ? ["20 MHz", "40 MHz"]
        : ["20 MHz", "40 MHz", "80 MHz", "160 MHz"],
    when: hasMcs,
  },
  mcs: {
    label: "MCS",
    range: (table) => ({ from: 0, to: highestOf(table), step: 1 }),
    when: hasMcs,
  },
  streams: {
    label: "spatial streams",
    range: (table) => ({ from: 1, to: mostStreams(table), step: 1 }),
    when: hasMcs,
  },
  aggregation: { when: hasMcs },
  edca: { label: "EDCA", options: words("wmm", "802.11-2020", "ns3"), when: hasMcs },
  // A table of its own, of which this is what people tune.
  "edca_ap.be.txop": {
    label: "TXOP limit: longest access of the access point, best effort",
    absent: "as EDCA has it",
    range: { from: 0, to: 8.192e-3, step: 512e-6 }, // of units of 32 us: 9.4.2.28
    when: hasMcs,
  },
  control_rate: {
    label: "rate of control frames",
    options: (scenario) => ["basic", ...rates(scenario)],
    when: isWlan,
  },
  preamble: {
    options: words("long", "short"),
    when: (scenario) => cell(scenario)["phy"] === "802.11b",
  },
  coding: { label: "code", when: hasMcs },
  protection: { when: mayBeMixed },
  rts_threshold: { label: "RTS threshold", range: { from: 0, to: 2300, step: 100 }, when: isWlan },
  beacon_interval: { label: "beacon interval", range: { from: 0.02, to: 1 }, when: isWlan },
  bandwidth: { range: { from: 3.5e6, to: 20e6, step: 250e3 }, when: isWimax },
  frame: {
    label: "frame duration",
    options: () => [2.5, 4, 5, 8, 10, 12.5, 20].map((ms) => `${ms} ms`),
    when: isWimax,
  },
  modulation: { when: isWimax },
  dl_ratio: {
    label: "downlink to uplink",
    options: words("1:3", "1:2", "1:1", "3:2", "2:1", "3:1"),
    when: isWimax,
  },
  cyclic_prefix: { label: "cyclic prefix", when: isWimax },
  contention_slots: {
    label: "contention slots",
    range: { from: 1, to: 20, step: 1 },
    when: isWimax,
  },
  piggyback: { label: "piggybacked requests", when: isWimax },
  scheduler: { label: "order of stations (scheduler)" },
  access_point: {
    label: "access point",
    absent: "one queue",
    options: words("linux"),
    when: isWlan,
  },
  hardware_depth: {
    label: "PPDUs in the hardware",
    absent: "none ahead",
    range: { from: 1, to: 8, step: 1 },
    when: hasStationQueues,
  },
  fq_memory_limit: {
    label: "memory of the queues, bytes",
    range: { from: 1e5, to: 64 * 2 ** 20 },
    when: hasLinuxQueues,
  },
  sta_slow_threshold: {
    label: "slow station",
    absent: "no rule",
    range: { from: 1e6, to: 50e6 },
    when: hasLinuxQueues,
  },
  ring: {
    label: "driver's ring",
    absent: "none",
    range: { from: 0, to: 512, step: 8 },
    when: (scenario) => isWlan(scenario) && !hasStationQueues(scenario),
  },
  controller: { when: hasRates },
};

export const STATION: Hints = {
  phy: { label: "PHY", absent: "as the cell", options: stationPhys, when: mayBeMixed },
  data_rate: {
    label: "data rate",
    absent: "as the cell",
    options: (scenario) =>
      isMixed(scenario)
        ? [...DSSS, ...OFDM].sort((a, b) => a - b).map((rate) => formatQuantity(rate, "rate"))
        : rates(scenario),
    when: hasRates,
  },
  mcs: {
    label: "MCS",
    absent: "as the cell",
    options: (scenario) =>
      Array.from({ length: highestMcs(cell(scenario)) + 1 }, (_, mcs) => String(mcs)),
    when: hasMcs,
  },
  rate_control: {
    label: "rate control",
    absent: "fixed",
    options: (scenario) =>
      hasMcs(scenario)
        ? ["fixed", "minstrel-ht", "ideal"]
        : ["fixed", "arf", "aarf", "minstrel", "minstrel-ht", "ideal"],
    when: isWlan,
  },
  channel: { absent: "perfect", when: isWlan },
  stack: { label: "network stack", absent: "any", options: words("linux"), when: isWlan },
  modulation: { absent: "as the cell", when: isWimax },
  error: { label: "loss model", absent: "none" },
  queue: {},
};

/** Values of `ecn`, from the least feedback to the most. */
const FEEDBACK = ["false", "true", "accecn"];
const FEEDBACK_NAMES = { false: "off", true: "RFC 3168", accecn: "AccECN (RFC 9768)" };

export const FLOW: Hints = {
  direction: {},
  transport: {},
  rate: {
    label: "offered load",
    range: { from: 1e4, to: 5e7 },
    when: (_, flow, table) => flow === "udp" && !UNRATED.includes(applicationOf(table)),
  },
  application: { options: (_, transport) => applications(transport) },
  tcp: { label: "TCP preset", when: isTcp },
  window: { label: "receiver window, segments", range: { from: 1, to: 10000 }, when: isTcp },
  initial_window: {
    label: "initial window, segments",
    range: (flow) => ({ from: 1, to: Math.min(100, (flow as { window: number }).window) }),
    when: isTcp,
  },
  delayed_ack: {
    label: "segments per ACK",
    range: { from: 1, to: 10, step: 1 },
    when: isTcp,
  },
  sack: { label: "SACK", when: isTcp },
  ecn: {
    label: "ECN",
    // Prague has no form without it.
    options: (_, transport) => (transport === "prague" ? FEEDBACK.slice(1) : FEEDBACK),
    names: FEEDBACK_NAMES,
    when: isTcp,
  },
  receiver_ecn: {
    label: "ECN of the receiver",
    absent: "as the sender",
    options: () => FEEDBACK,
    names: FEEDBACK_NAMES,
    when: (scenario, transport, table) => isTcp(scenario, transport) && hasEcn(table),
  },
  pacing: { when: isTcp },
  tsq: {
    label: "TCP small queue, 2^-s seconds",
    absent: "no limit",
    range: { from: 4, to: 12, step: 1 },
    when: isTcp,
  },
  segment: {
    label: "segment, bytes",
    range: { from: 100, to: 1460, step: 20 },
    when: (_, __, table) => applicationOf(table) !== "voip", // its codec decides
  },
};

/** Applications over UDP without a rate. */
export const UNRATED = ["voip", "trace", "ping"];

/** The application of a flow, by name. */
function applicationOf(flow: unknown): string {
  const { application } = flow as { application?: string | { kind: string } };
  return typeof application === "object" ? application.kind : (application ?? "");
}

/** What each transport carries: docs/scenario.md, "Applications". */
function applications(transport: string): string[] {
  if (transport === "udp") return ["cbr", "poisson", "on-off", "voip", "video-call", "ping"];
  return transport === "tfrc" ? ["bulk"] : ["bulk", "file", "web", "page", "arrivals", "stream"];
}

/** Whether the sender supports ECN. */
function hasEcn(flow: unknown): boolean {
  const { ecn } = flow as { ecn?: boolean | string };
  return ecn !== undefined && ecn !== false;
}

function isTcp(_: ResolvedScenario, transport: string): boolean {
  return transport !== "udp" && transport !== "tfrc";
}

export const LINK: Hints = {
  rate: { range: { from: 1e5, to: 1e9 }, words: ["unlimited"] },
  delay: { range: { from: 1e-4, to: 0.5, zero: true } },
  queue: {},
  error: { label: "loss model", absent: "none" },
};

export const GATEWAY: Hints = {
  limiter: { label: "rate limiter" },
};

export const RUN: Hints = {
  duration: { range: { from: 10, to: 1000 } },
  warmup: { label: "warm-up", range: { from: 1, to: 100, zero: true } },
};

/** Parameters of components whose name or default says little. */
export const PARAMETERS: Hints = {
  snr_db: { range: { from: 0, to: 40, step: 1 } },
  metres: { range: { from: 1, to: 200 } },
  exponent: { range: { from: 2, to: 5, step: 0.1 } },
  tx_power_dbm: { range: { from: 0, to: 30, step: 1 } },
  noise_figure_db: { range: { from: 0, to: 15, step: 1 } },
  lookaround: { range: { from: 0, to: 100, step: 5 } },
  ecn: { label: "ECN", absent: "not-ECT" }, // of datagrams; of a queue a switch, of bbr a rule
  classic_protection: {
    label: "share of the classic queue, %",
    range: { from: 0, to: 100, step: 5 },
  },
  duration: { range: { from: 1e-4, to: 5.484e-3 } }, // of PPDUs: aPPDUMaxTime, 21.4.4 and 27.4.4
  aql: {
    label: "AQL: airtime that a station may have in the hardware",
    range: { from: 1e-3, to: 0.1 },
  },
};
