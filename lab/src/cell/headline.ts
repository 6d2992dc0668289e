// One sentence on a result: who gets more than whom, and why. Each number in it is a mean over the runs; the cause is
// that of the engine's diagnosis, or of the numbers where no flow starves.
import type { Diagnosis, FlowResult, RunAnswer, RunResult } from "../engine/result.ts";
import { comparedFlows, flowNames, way } from "../pictures/data/flows.ts";
import { short } from "../pictures/data/numbers.ts";

export interface Headline {
  text: string;
  /** The guided tour that is about this cause. */
  tour?: string;
}

/** Less is chance, or not worth a headline. */
const CLEAR = 1.25;
/** From here on "the same", or "about the same", is true of flows. */
const SAME = 0.99;
const ABOUT = 0.9;
/** ACKs hold more of the queue than data. */
const MOSTLY = 0.5;
/** Losses below this do not limit a window of usual size. */
const LOSSY = 0.001;
/** As in the engine's diagnosis, crates/evenair-sim/src/explain/cause.rs: `LESS_WORTH`,
 * `SAME_AIRTIME`, `LONGER_RTT`. */
const LESS_WORTH = 0.625;
const SAME_AIRTIME = 0.8;
const LONGER = 1.5;

/** Flows with a name for all of them, and the runs that they are of. */
interface Party {
  name: string;
  /** As it is called the second time: "uploads", "these 5". */
  again: string;
  /** One flow, and not all of several. */
  isOne: boolean;
  ids: Set<string>;
}

interface Cause {
  words: string;
  tour?: string;
}

/** Null before the first run. */
export function headline(runs: RunAnswer[]): Headline | null {
  const first = runs[0];
  if (!first) return null;
  const results = runs.map(({ result }) => result);
  return (
    directions(results, first.why) ??
    airtime(results, first.why) ??
    starving(results, first.why) ??
    dissatisfied(first) ??
    neutral(results)
  );
}

/** Each flow of one direction gets less than each of the other. */
function directions(results: RunResult[], why: Diagnosis[]): Headline | null {
  const flows = comparedFlows(results[0]!);
  const party = (direction: "up" | "down"): Party => {
    const ids = new Set(flows.filter((flow) => way(flow) === direction).map(({ id }) => id));
    const name = `${direction}loads`;
    return { name, again: name, isOne: false, ids };
  };
  const [up, down] = [party("up"), party("down")];
  if (up.ids.size === 0 || down.ids.size === 0) return null;
  const [more, less] = goodput(results, up) >= goodput(results, down) ? [up, down] : [down, up];
  const each = ({ ids }: Party) =>
    [...ids].map((id) => mean(results, id, (flow) => flow.goodput_bps));
  if (Math.max(...each(less)) >= Math.min(...each(more))) return null;
  return versus(results, why, more, less);
}

/** One station has most of the air and little of the goodput. */
function airtime(results: RunResult[], why: Diagnosis[]): Headline | null {
  const taken = why.find(({ fault }) => fault === "takes_airtime");
  if (!taken) return null;
  const first = results[0]!;
  const name = first.stations.find(({ id }) => id === taken.station)?.name ?? taken.station;
  const all = new Set(first.flows.map(({ id }) => id));
  const own = new Set(
    first.flows.filter(({ station }) => station === taken.station).map(({ id }) => id),
  );
  const share = average(results, (result) => airtimeOf(result, own));
  const [total, part] = [all, own].map((ids) => average(results, (result) => sum(result, ids)));
  const words = worth(results, own, new Set([...all].filter((id) => !own.has(id))));
  return {
    text: sentence(
      `${name} takes ${percent(share)} of the airtime for ${percent(part! / total!)} of the goodput`,
      `a second of its airtime carries ${words[0]} Mb, one of the others ${words[1]} Mb`,
    ),
    tour: "slow-station",
  };
}

/** Some flows starve, the others do not. */
function starving(results: RunResult[], why: Diagnosis[]): Headline | null {
  const first = results[0]!;
  const names = flowNames(first);
  const compared = comparedFlows(first).map(({ id }) => id);
  const starve = why.filter(({ fault }) => fault === "starves").map(({ flow }) => flow);
  const ids = new Set(starve.filter((id) => compared.includes(id)));
  if (ids.size === 0 || ids.size === compared.length) return null;
  const party = (own: Set<string>, several: string, again: string): Party => {
    const [id] = own;
    const isOne = own.size === 1;
    const name = isOne ? names.get(id!)! : several;
    return { name, again: isOne ? name : again, isOne, ids: own };
  };
  const rest = new Set(compared.filter((id) => !ids.has(id)));
  const less = party(ids, `${ids.size} of ${compared.length} flows`, `these ${ids.size}`);
  const more = party(rest, "the other flows", "the other flows");
  return versus(results, why, more, less);
}

/** The users of an application notice something. */
function dissatisfied({ result, why }: RunAnswer): Headline | null {
  const [worst] = why;
  if (!worst) return null;
  const names = flowNames(result);
  const more = why.filter(({ fault }) => fault === worst.fault).length - 1;
  const also = more === 0 ? "" : more === 1 ? " (and 1 other flow)" : ` (and ${more} other flows)`;
  const { says, measure, text } = worst;
  return {
    text: `${capital(names.get(worst.flow) ?? worst.flow)}${also} ${says}, ${measure}: ${text}.`,
  };
}

function neutral(results: RunResult[]): Headline {
  const first = results[0]!;
  const compared = comparedFlows(first);
  const total = average(results, (result) => result.aggregate_goodput_bps);
  if (compared.length === 0) {
    const n = first.flows.length;
    return {
      text: n === 1 ? `One flow gets ${mbps(total)}.` : `${n} flows get ${mbps(total)} together.`,
    };
  }
  const ids = new Set(compared.map(({ id }) => id));
  const each = average(results, (result) => sum(result, ids)) / ids.size;
  const n = compared.length;
  if (n === 1) {
    const kind = { up: "upload", down: "download", wired: "flow" }[way(compared[0]!)];
    return { text: `One ${kind} gets ${mbps(each)}.` };
  }
  const jain = average(results, (result) => result.jain_index);
  if (jain >= SAME) {
    const all = n === 2 ? "Both" : `All ${n}`;
    return { text: `${all} flows get the same: ${mbps(each)} each.` };
  }
  if (jain >= ABOUT) {
    return { text: `${n} flows get about the same: ${mbps(each)} on average.` };
  }
  return {
    text: `${n} flows get ${mbps(each)} on average, but not evenly: Jain's index is ${jain.toFixed(2)}.`,
  };
}

/** "Uploads get 7.5 times what downloads get, because ..."; null if the difference is small. */
function versus(results: RunResult[], why: Diagnosis[], more: Party, less: Party): Headline | null {
  const [most, least] = [goodput(results, more), goodput(results, less)];
  if (most < CLEAR * least || most === 0) return null;
  const gets = more.isOne ? "gets" : "get";
  const get = less.isOne ? "gets" : "get";
  const clause =
    least < most / 1000
      ? `${more.name} ${gets} ${mbps(most)}${more.ids.size > 1 ? " each" : ""}, ${less.name} next to nothing`
      : `${more.name} ${gets} ${times(most / least)} times what ${less.name} ${get}`;
  const cause = diagnosed(results, why, more, less) ?? measured(results, more, less);
  return {
    text: sentence(clause, cause?.words),
    ...(cause?.tour && { tour: cause.tour }),
  };
}

/** The cause that the engine finds for most of the flows. */
function diagnosed(results: RunResult[], why: Diagnosis[], more: Party, less: Party): Cause | null {
  const own = why.filter(({ flow, fault }) => fault === "starves" && less.ids.has(flow));
  const key = ({ cause, place }: Diagnosis) => `${cause} ${place ?? ""}`;
  const count = (each: Diagnosis) => own.filter((other) => key(other) === key(each)).length;
  const [usual] = own.toSorted((a, b) => count(b) - count(a));
  if (!usual || count(usual) < less.ids.size / 2) return null;
  switch (usual.cause) {
    case "data_losses":
      return usual.place ? lost(results, usual.place, more, less) : null;
    case "ack_losses":
      return { words: `ACKs for data of ${less.again} are lost` };
    case "congestion_marks":
      return { words: `queues mark packets of ${less.again} as congestion` };
    case "airtime":
      return slow(results, more, less);
    case "controller":
      return { words: `the controller limits ${less.again}` };
    case "receive_window":
      return windows(results, less);
    case "round_trip_time":
      return far(results, more, less);
    default:
      return null;
  }
}

/** The cause that the numbers show, of flows that do not starve. */
function measured(results: RunResult[], more: Party, less: Party): Cause | null {
  const losses = (party: Party) => lossRatio(results, party);
  const atQueue = lossRatio(results, less, "ap_queue");
  if (acksOf(results) >= MOSTLY && atQueue >= LOSSY && atQueue > losses(more)) {
    return lost(results, "ap_queue", more, less);
  }
  if (losses(less) >= LOSSY && losses(less) >= 2 * losses(more)) {
    const by = (place: string) => lossRatio(results, less, place);
    const [worst] = PLACES.toSorted((a, b) => by(b) - by(a));
    return lost(results, worst!, more, less);
  }
  const [own, others] = [perAirtime(results, less.ids), perAirtime(results, more.ids)];
  const time = ({ ids }: Party) => average(results, (result) => airtimeOf(result, ids)) / ids.size;
  const hasTime = time(less) >= SAME_AIRTIME * time(more);
  if (hasTime && own !== null && others !== null && own < LESS_WORTH * others) {
    return slow(results, more, less);
  }
  if (limitedByWindow(results, less) >= MOSTLY) return windows(results, less);
  const [rtt, ofMore] = [rttOf(results, less), rttOf(results, more)];
  return rtt !== null && ofMore !== null && rtt >= LONGER * ofMore
    ? far(results, more, less)
    : null;
}

const PLACES = ["ap_queue", "station_queue", "wired_queue", "retry_limit", "error", "policer"];

function lost(results: RunResult[], place: string, more: Party, less: Party): Cause {
  const cell = results[0]!.scenario["cell"] as { kind?: string } | undefined;
  const ap = cell?.kind === "wimax" ? "BS" : "AP";
  const ratio = percent(lossRatio(results, less, place));
  switch (place) {
    case "ap_queue": {
      const acks = acksOf(results);
      if (acks < MOSTLY)
        return { words: `the ${ap}'s queue drops ${ratio} of the data of ${less.again}` };
      const whose = more.name === "uploads" ? "ACKs of uploads" : "ACKs";
      return {
        words: `${percent(acks)} of the ${ap}'s queue are ${whose}, and it drops ${ratio} of the data of ${less.again}`,
        tour: "uploads-win",
      };
    }
    case "station_queue":
      return { words: `queues of stations drop ${ratio} of the data of ${less.again}` };
    case "wired_queue":
      return { words: `the queue of a wired link drops ${ratio} of the data of ${less.again}` };
    case "retry_limit":
      return { words: `the MAC gives up ${ratio} of the data of ${less.again}` };
    case "policer":
      return {
        words: `the rate limiter drops ${ratio} of the data of ${less.again}`,
        tour: "rate-limiter",
      };
    default:
      return {
        words: `${ratio} of the data of ${less.again} are lost on the air`,
        tour: "random-loss",
      };
  }
}

function slow(results: RunResult[], more: Party, less: Party): Cause {
  const [own, others] = worth(results, less.ids, more.ids);
  return {
    words: `a second of airtime of ${less.again} carries ${own} Mb, one of ${more.again} ${others} Mb`,
    tour: "slow-station",
  };
}

function windows(results: RunResult[], less: Party): Cause {
  const share = percent(limitedByWindow(results, less));
  return { words: `the receive window limits ${less.again} for ${share} of the time` };
}

function far(results: RunResult[], more: Party, less: Party): Cause | null {
  const [own, others] = [rttOf(results, less), rttOf(results, more)];
  if (own === null || others === null) return null;
  return {
    words: `round trips of ${less.again} take ${short(1e3 * own)} ms, those of ${more.again} ${short(1e3 * others)} ms`,
  };
}

// Numbers of parties: means over the runs.

function average(results: RunResult[], value: (result: RunResult) => number): number {
  return results.reduce((all, result) => all + value(result), 0) / results.length;
}

function mean(results: RunResult[], id: string, value: (flow: FlowResult) => number): number {
  return average(results, (result) => {
    const flow = result.flows.find((each) => each.id === id);
    return flow ? value(flow) : 0;
  });
}

function total(results: RunResult[], { ids }: Party, value: (flow: FlowResult) => number): number {
  return [...ids].reduce((all, id) => all + mean(results, id, value), 0);
}

/** Of a flow of the party, bit/s. */
function goodput(results: RunResult[], party: Party): number {
  return total(results, party, (flow) => flow.goodput_bps) / Math.max(party.ids.size, 1);
}

function sum(result: RunResult, ids: Set<string>): number {
  return result.flows.reduce((all, flow) => all + (ids.has(flow.id) ? flow.goodput_bps : 0), 0);
}

/** Lost data packets for each that was sent: at a place, or at all. */
function lossRatio(results: RunResult[], party: Party, place?: string): number {
  const lostBy = ({ data_losses = {} }: FlowResult) =>
    place === undefined
      ? Object.values(data_losses).reduce((all, each) => all + each, 0)
      : (data_losses[place] ?? 0);
  const sent = total(results, party, (flow) => flow.segments_sent);
  return sent > 0 ? total(results, party, lostBy) / sent : 0;
}

function limitedByWindow(results: RunResult[], party: Party): number {
  const share = total(results, party, (flow) => flow.limited_by?.["receive_window"] ?? 0);
  return share / Math.max(party.ids.size, 1);
}

/** Null if a flow has no round trips. */
function rttOf(results: RunResult[], party: Party): number | null {
  const known = results.every((result) =>
    result.flows.every(({ id, mean_rtt_s }) => !party.ids.has(id) || mean_rtt_s !== null),
  );
  return known ? total(results, party, (flow) => flow.mean_rtt_s ?? 0) / party.ids.size : null;
}

/** The share of ACKs in the access point's queue. */
function acksOf(results: RunResult[]): number {
  const packets = average(results, ({ ap_queue }) => ap_queue.mean_packets);
  return packets > 0 ? average(results, ({ ap_queue }) => ap_queue.mean_acks) / packets : 0;
}

/** Of the stations of flows. */
function airtimeOf({ flows, stations }: RunResult, ids: Set<string>): number {
  const own = new Set(flows.filter(({ id }) => ids.has(id)).map(({ station }) => station));
  return stations.reduce(
    (all, { id, airtime_share }) => all + (own.has(id) ? airtime_share : 0),
    0,
  );
}

/** Bits for each second of airtime of the flows' stations; null without airtime. */
function perAirtime(results: RunResult[], ids: Set<string>): number | null {
  const time = average(results, (result) => airtimeOf(result, ids));
  return time > 0 ? average(results, (result) => sum(result, ids)) / time : null;
}

function worth(results: RunResult[], own: Set<string>, others: Set<string>): [string, string] {
  const text = (ids: Set<string>) => short((perAirtime(results, ids) ?? 0) / 1e6);
  return [text(own), text(others)];
}

// Words.

function sentence(clause: string, because?: string): string {
  return `${capital(clause)}${because ? `, because ${because}` : ""}.`;
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** Two digits: "1.3", "7.5", "12", "340". */
function times(ratio: number): string {
  return ratio < 9.95 ? ratio.toFixed(1) : String(Number(ratio.toPrecision(2)));
}

/** As the engine writes shares: two digits, from 10% on without decimals. */
function percent(share: number): string {
  const value = 100 * share;
  if (value >= 9.95 || value <= 0) return `${value.toFixed(0)}%`;
  return `${value.toFixed(value >= 0.995 ? 1 : 2)}%`;
}

function mbps(bps: number): string {
  return `${short(bps / 1e6)} Mb/s`;
}
